// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// The kind of event whose latency is measured.
enum LoadLatency: String, CaseIterable, Hashable, Sendable {
  /// A scroll to a place whose elements the viewer already had: the frame only prefetches.
  case ahead
  /// A scroll to a place where elements were missing.
  case reveal
  case resize
  /// An edit by the same stream.
  case edit
  /// An edit by another stream.
  case othersEdit

  /// The title in the report.
  var title: String {
    switch self {
    case .ahead: "scroll, seen already"
    case .reveal: "scroll, waited for"
    case .resize: "resize"
    case .edit: "own edit"
    case .othersEdit: "others' edit"
    }
  }
}

/// The events of one stream that no frame reflects yet. When a frame arrives, it yields their
/// latencies.
///
/// Not every event causes a frame: a scroll to elements that the viewer already has may not. Of
/// such scrolls only the newest before a frame is counted. Every other event is counted from its
/// *scheduled* time, so that a server that stalls is charged for every event during the stall, even
/// if one frame answers many.
struct TimedEvents: Sendable {
  struct Wait: Equatable, Sendable {
    var latency: LoadLatency
    /// When the event was scheduled.
    var since: Duration
  }

  private struct Pending {
    var sequence: UInt64
    var wait: Wait
    /// The rect that a frame must cover to answer the scroll; nil for other events.
    var visible: Rect?
  }

  private var pending: [Pending] = []

  var count: Int { pending.count }

  func contains(_ latency: LoadLatency) -> Bool {
    pending.contains { $0.wait.latency == latency }
  }

  /// Adds an event.
  ///
  /// - Parameter visible: for `.reveal`, the part of the content that must become visible.
  mutating func add(
    _ sequence: UInt64,
    _ latency: LoadLatency,
    since: Duration,
    visible: Rect? = nil
  ) {
    pending.append(
      Pending(sequence: sequence, wait: Wait(latency: latency, since: since), visible: visible)
    )
  }

  /// Removes an event that was refused.
  mutating func remove(_ sequence: UInt64) { pending.removeAll { $0.sequence == sequence } }

  /// Removes the events that a frame answers.
  ///
  /// - Parameters:
  ///   - event: the newest event that the frame reflects.
  ///   - coverage: the rect for which the viewer has all elements after the frame.
  ///   - adjustment: the frame's adjustment of the content offset.
  /// - Returns: the waits that have ended.
  mutating func settle(through event: UInt64, coverage: Rect, adjustment: Point) -> [Wait] {
    var waits: [Wait] = []
    var ahead: Wait?
    var rest: [Pending] = []
    for var one in pending {
      if let visible = one.visible {
        one.visible = Rect(
          x: visible.x + adjustment.x,
          y: visible.y + adjustment.y,
          width: visible.width,
          height: visible.height
        )
      }
      let isReflected = one.sequence <= event
      if isReflected, one.wait.latency == .ahead {
        ahead = one.wait
      } else if isReflected || one.visible.map(coverage.contains) == true {
        waits.append(one.wait)
      } else {
        rest.append(one)
      }
    }
    pending = rest
    // If the frame also answers other events, it would have been sent without the scroll.
    if waits.isEmpty, let ahead { waits = [ahead] }
    return waits
  }

  /// The waits for which no frame has arrived. Prefetching scrolls are not counted.
  var unanswered: [Wait] { pending.map(\.wait).filter { $0.latency != .ahead } }
}
