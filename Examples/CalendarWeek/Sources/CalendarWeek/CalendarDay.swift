// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The events of one day with their columns, in hours: nothing here depends on the container.
struct CalendarDay: Sendable {
  struct Event: Hashable, Sendable {
    var item: Int
    /// Index into the cells' kind names.
    var cellKind: Int
    /// In hours, cut to what is shown.
    var start: Double
    var end: Double
    /// From the leading edge of the day on.
    var column = 0
    /// Into which the day is divided where this event is.
    var columns = 1
  }

  /// By start, longer ones first.
  let events: [Event]
  /// The latest end among `events[...i]`: it grows, so that it can be searched.
  private let latestEnds: [Double]
  /// Into `events`, by item; -1 = not shown.
  private let places: [Int]

  /// Shorter ones would be too flat to be seen.
  private static let shortest = 0.25

  /// - Complexity: O(n log n)
  init(_ section: SectionContents, firstHour: Double, lastHour: Double) {
    var events: [Event] = []
    let items = section.items
    items.forEachChunk(in: 0 ..< items.count) { chunk, first in
      for index in 0 ..< chunk.count {
        guard let start = chunk.ys.value(at: index) else { continue }
        let end = start + max(chunk.heights.value(at: index) ?? 1, Self.shortest)
        guard start < lastHour, end > firstHour else { continue }
        events.append(
          Event(
            item: first + index,
            cellKind: chunk.cellKinds.value(at: index),
            start: max(start, firstHour),
            end: min(end, lastHour)
          )
        )
      }
      return true
    }
    events.sort { ($0.start, -$0.end, $0.item) < ($1.start, -$1.end, $1.item) }
    Self.assignColumns(&events)
    var places = Array(repeating: -1, count: items.count)
    var latestEnds: [Double] = []
    latestEnds.reserveCapacity(events.count)
    for (place, event) in events.enumerated() {
      places[event.item] = place
      latestEnds.append(max(event.end, latestEnds.last ?? event.end))
    }
    self.events = events
    self.places = places
    self.latestEnds = latestEnds
  }

  var byteCount: Int {
    events.count * (MemoryLayout<Event>.stride + MemoryLayout<Double>.stride)
      + places.count * MemoryLayout<Int>.stride
  }

  /// nil where there is no such item, or it is not shown.
  func event(ofItem item: Int) -> Event? {
    guard places.indices.contains(item), places[item] >= 0 else { return nil }
    return events[places[item]]
  }

  /// Calls `body` with the events that have some of the time between two hours.
  ///
  /// - Complexity: O(log n + k) for k events, unless an early one goes on through many that do not.
  func forEachEvent(from start: Double, to end: Double, _ body: (Event) -> Void) {
    var low = 0
    var high = latestEnds.count
    while low < high {
      let middle = (low + high) / 2
      if latestEnds[middle] > start { high = middle } else { low = middle + 1 }
    }
    for event in events[low...] {
      guard event.start < end else { return }
      if event.end > start { body(event) }
    }
  }

  /// Gives events at the same time columns of their own.
  ///
  /// Events that overlap, if only through others between them, make a group. An event takes a
  /// column that has become free, or else opens one, so that a group has as many as it ever needs
  /// at once.
  private static func assignColumns(_ events: inout [Event]) {
    let byEnd = events.indices.sorted { events[$0].end < events[$1].end }
    var ended = 0
    var group = 0
    var columns = 0
    var free: [Int] = []
    for index in events.indices {
      while ended < index, events[byEnd[ended]].end <= events[index].start {
        free.append(events[byEnd[ended]].column)
        ended += 1
      }
      if ended == index {
        for member in group ..< index { events[member].columns = columns }
        group = index
        columns = 0
        free.removeAll()
      }
      if let column = free.popLast() {
        events[index].column = column
      } else {
        events[index].column = columns
        columns += 1
      }
    }
    for member in group ..< events.count { events[member].columns = columns }
  }
}
