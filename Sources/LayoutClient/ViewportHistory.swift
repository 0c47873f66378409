// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession

/// The viewport as the server has accepted it, and the newer changes, which it may still refuse: it
/// answers viewport changes only then.
struct ViewportHistory {
  private struct Entry {
    var event: UInt64
    var change: Wire.ViewportChange
    /// The content offset of the change, with the adjustments of later frames; nil = it has none.
    var offset: Point?
    var isSent: Bool
  }

  private var accepted: Wire.ViewportChange
  /// With the adjustments of all frames so far.
  private var acceptedOffset: Point
  private var entries: Deque<Entry> = []

  /// The oldest ones beyond are taken as accepted. Several heartbeats pass until there are so many.
  private static let mostEntries = 4096

  /// A history without changes.
  init(_ viewport: Wire.ViewportChange, offset: Point) {
    (accepted, acceptedOffset) = (viewport, offset)
  }

  /// The viewport after all changes.
  var viewport: Wire.ViewportChange {
    entries.reduce(accepted) { $0.merged(with: $1.change) }
  }

  /// The content offset after all changes.
  var offset: Point { entries.last { $0.offset != nil }?.offset ?? acceptedOffset }

  /// Adds the change of an event.
  ///
  /// - Parameters:
  ///   - isSent: whether it is sent at once.
  ///   - joined: the event of the change with which it is sent as one, if both are sent later;
  ///     nil = none.
  mutating func append(
    _ change: Wire.ViewportChange,
    event: UInt64,
    isSent: Bool,
    joining joined: UInt64? = nil
  ) {
    let offset = change.hasContentOffset ? Point(change.contentOffset) : nil
    if !isSent, let last = entries.last, !last.isSent, last.event == joined {
      entries[entries.count - 1] = Entry(
        event: event,
        change: last.change.merged(with: change),
        offset: offset ?? last.offset,
        isSent: false
      )
    } else {
      entries.append(Entry(event: event, change: change, offset: offset, isSent: isSent))
    }
    if entries.count > Self.mostEntries, let first = entries.first { accept(upTo: first.event) }
  }

  /// Notes that the server has accepted all changes up to an event.
  mutating func accept(upTo event: UInt64) {
    while let first = entries.first, first.event <= event {
      accepted = accepted.merged(with: first.change)
      acceptedOffset = first.offset ?? acceptedOffset
      entries.removeFirst()
    }
  }

  /// Notes where the server has scrolled sections by itself.
  mutating func accept(_ scrolled: Wire.ViewportChange) {
    accepted = accepted.merged(with: scrolled)
    // Older changes of theirs no longer count.
    let sections = Set(scrolled.sectionOffsets.map(\.section))
    for index in entries.indices {
      entries[index].change.sectionOffsets.removeAll { sections.contains($0.section) }
    }
  }

  /// Drops the change of an event that the server has refused.
  ///
  /// - Returns: whether there was one.
  mutating func refuse(_ event: UInt64) -> Bool {
    // Those before it were taken without an answer.
    let older = entries.last { $0.event < event }
    if let older { accept(upTo: older.event) }
    guard entries.first?.event == event else { return false }
    entries.removeFirst()
    return true
  }

  /// The changes of the events after `event` up to `last` as one; nil = there are none.
  func changes(after event: UInt64, upTo last: UInt64) -> Wire.ViewportChange? {
    let changes = entries.filter { $0.event > event && $0.event <= last }.map(\.change)
    guard let first = changes.first else { return nil }
    return changes.dropFirst().reduce(first) { $0.merged(with: $1) }
  }

  /// Moves all offsets as a frame says.
  mutating func adjust(by adjustment: Point) {
    guard adjustment != .zero else { return }
    acceptedOffset = acceptedOffset + adjustment
    for index in entries.indices {
      entries[index].offset = entries[index].offset.map { $0 + adjustment }
    }
  }
}

extension Point {
  /// The point of a message, without a check.
  init(_ message: Wire.Point) { self.init(x: message.x, y: message.y) }
}
