// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// What a wait for a frame was for.
enum LoadLatency: String, CaseIterable, Hashable, Sendable {
  /// A scroll for whose place the viewer had all elements already: the frame fetches ahead.
  case ahead
  /// A scroll to where the viewer had elements missing.
  case reveal
  case resize
  /// An edit of one's own.
  case edit
  /// An edit of another stream.
  case othersEdit

  /// For people.
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

/// The events of one stream that no frame reflects yet, and how long each waited when one does.
///
/// Not every event brings a frame: while all that is visible is covered already, nothing need
/// come. So of those that do not wait for anything the newest one behind a frame is counted, and
/// all others each for itself, from when it was *meant* to happen: a server that stalls is charged
/// with every event of the stall, also where one frame answers many.
struct PendingEvents: Sendable {
  struct Wait: Equatable, Sendable {
    var latency: LoadLatency
    /// When the event was meant to be sent.
    var since: Duration
  }

  private struct Pending {
    var sequence: UInt64
    var wait: Wait
    /// What must be covered for a scroll to be answered.
    var visible: Rect?
  }

  private var pending: [Pending] = []

  var count: Int { pending.count }

  func contains(_ latency: LoadLatency) -> Bool {
    pending.contains { $0.wait.latency == latency }
  }

  /// - Parameter visible: of a `.reveal`, the part of the content that is to be seen.
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

  /// Forgets an event that was refused.
  mutating func remove(_ sequence: UInt64) { pending.removeAll { $0.sequence == sequence } }

  /// Takes out what a frame answers.
  ///
  /// - Parameters:
  ///   - event: the newest event that the frame reflects.
  ///   - coverage: what the viewer holds after it.
  ///   - adjustment: of the content offset, by this frame.
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
    // Behind something that was waited for it is not known what the scroll would have brought.
    if waits.isEmpty, let ahead { waits = [ahead] }
    return waits
  }

  /// What is waited for without an answer.
  var unanswered: [Wait] { pending.map(\.wait).filter { $0.latency != .ahead } }
}
