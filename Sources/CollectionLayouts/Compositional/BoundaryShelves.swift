// SPDX-License-Identifier: Apache-2.0

/// How far the elements at one edge of a section reach from it. The next element is placed at the
/// first distance at which it covers none of those before it.
///
/// Elements are aligned with the start, the middle or the end of the edge. Of two that are aligned
/// alike, the longer covers everything that the shorter covers. So an element matters only while no
/// other is at least as long and reaches at least as far. Ordered by falling length, the elements
/// that matter reach farther and farther, so both their length and their reach can be searched by
/// bisection.
struct BoundaryShelves: Sendable {
  /// An element's extent along the edge, in points.
  struct Span {
    var start: Double
    var length: Double

    private var end: Double { start + length }

    /// Whether the spans have points in common other than their ends.
    func meets(_ other: Span) -> Bool { start < other.end && other.start < end }
  }

  private struct Entry {
    var span: Span
    /// How far the element reaches away from the edge, in points.
    var reach: Double
  }

  // Each sorted by falling length and rising reach.
  private var atStart: [Entry] = []
  private var inMiddle: [Entry] = []
  private var atEnd: [Entry] = []

  /// The least distance from the edge at which an element covers none of those before it, in
  /// points.
  ///
  /// - Complexity: O(log n)
  func distance(of span: Span) -> Double {
    max(
      Self.reach(of: atStart, meeting: span),
      Self.reach(of: inMiddle, meeting: span),
      Self.reach(of: atEnd, meeting: span)
    )
  }

  /// Adds an element.
  ///
  /// - Parameter reach: how far the element reaches away from the edge, in points.
  /// - Complexity: O(log n), amortised.
  mutating func add(_ span: Span, at alignment: RectAlignment.Place, reach: Double) {
    let entry = Entry(span: span, reach: reach)
    switch alignment {
    case .start: Self.add(entry, to: &atStart)
    case .middle: Self.add(entry, to: &inMiddle)
    case .end: Self.add(entry, to: &atEnd)
    }
  }

  /// How far those entries reach that meet a span; 0 if none does. Of the entries that are long
  /// enough to meet it, the shortest reaches farthest.
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
    // The new entry replaces shorter ones that reach no farther.
    let end = firstIndex(in: entries) { $0.span.length < length && $0.reach > entry.reach }
    entries.replaceSubrange(first ..< end, with: CollectionOfOne(entry))
  }

  /// The first entry for which a condition holds that also holds for all entries behind it; the
  /// number of entries if there is none.
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
