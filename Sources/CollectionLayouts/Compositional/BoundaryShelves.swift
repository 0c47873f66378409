// SPDX-License-Identifier: Apache-2.0

/// How far the elements at one edge of a section reach, so that the next one finds the first place
/// where it covers none of those before it.
///
/// Elements are aligned with the start, the middle or the end of the edge. Of those that are aligned
/// alike a longer one covers whatever a shorter one covers. So an element counts only as long as no
/// other one is as long and reaches as far. Those that count, by falling length, reach farther and
/// farther, which is why both are found by bisection.
struct BoundaryShelves: Sendable {
  /// An element's extent along the edge.
  struct Span {
    var start: Double
    var length: Double

    private var end: Double { start + length }

    /// Spans that touch do not meet.
    func meets(_ other: Span) -> Bool { start < other.end && other.start < end }
  }

  private struct Entry {
    var span: Span
    /// How far the element reaches away from the edge.
    var reach: Double
  }

  // The longest element first, each with less reach than the next.
  private var atStart: [Entry] = []
  private var inMiddle: [Entry] = []
  private var atEnd: [Entry] = []

  /// The least distance from the edge at which an element covers none of those before it.
  ///
  /// - Complexity: O(log n)
  func distance(of span: Span) -> Double {
    max(
      Self.reach(of: atStart, meeting: span),
      Self.reach(of: inMiddle, meeting: span),
      Self.reach(of: atEnd, meeting: span)
    )
  }

  /// - Parameter reach: how far the element reaches away from the edge.
  /// - Complexity: O(log n), amortised.
  mutating func add(_ span: Span, at alignment: RectAlignment.Place, reach: Double) {
    let entry = Entry(span: span, reach: reach)
    switch alignment {
    case .start: Self.add(entry, to: &atStart)
    case .middle: Self.add(entry, to: &inMiddle)
    case .end: Self.add(entry, to: &atEnd)
    }
  }

  /// Of the entries long enough to meet a span, the shortest reaches farthest.
  private static func reach(of entries: [Entry], meeting span: Span) -> Double {
    let count = firstIndex(in: entries) { !$0.span.meets(span) }
    return count > 0 ? max(0, entries[count - 1].reach) : 0
  }

  private static func add(_ entry: Entry, to entries: inout [Entry]) {
    let length = entry.span.length
    let shorter = firstIndex(in: entries) { $0.span.length < length }
    var first = shorter
    if first > 0 {
      guard entries[first - 1].reach < entry.reach else { return }
      if entries[first - 1].span.length == length { first -= 1 }
    }
    // Shorter ones that reach no farther.
    let end = firstIndex(in: entries) { $0.span.length < length && $0.reach > entry.reach }
    entries.replaceSubrange(first ..< end, with: CollectionOfOne(entry))
  }

  /// The first entry that satisfies a condition which all after it satisfy too; the count if none.
  private static func firstIndex(in entries: [Entry], where condition: (Entry) -> Bool) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if condition(entries[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
