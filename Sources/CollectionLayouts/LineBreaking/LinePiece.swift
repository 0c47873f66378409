// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The lines of a range of items, on the assumption that a line begins with the first of them.
///
/// Wherever the lines before the range really end, they soon begin where lines of the piece do.
/// From there on all are the same, because a line depends on its first item alone.
struct LinePiece: Sendable {
  let range: Range<Int>
  /// All lines but the last. The last leaf may have fewer items than others.
  let leaves: [LineLeaf]
  /// Whether items after the range may go to the lines of the last leaf.
  let lastLeafIsOpen: Bool
  /// The last line, to which items after the range may go.
  let openLine: OpenLine

  /// What `LineBreaker` knows of the open line.
  struct OpenLine: Sendable {
    var items: Int
    var length: Double
    var remaining: Double
  }

  /// A line of a piece.
  struct Place {
    /// The index of its leaf; the number of leaves for the open line.
    var leaf: Int
    /// The first item of that leaf, or of the open line.
    var start: Int
    /// The index of the line in its leaf; 0 for the open line.
    var line = 0
  }

  /// The first line.
  var beginning: Place { Place(leaf: 0, start: range.lowerBound) }

  /// Moves to the line that begins with an item.
  ///
  /// - Parameter item: not less than in earlier calls, and within the range.
  /// - Returns: whether there is one.
  func go(_ place: inout Place, toLineAt item: Int) -> Bool {
    while place.leaf < leaves.count, item >= place.start + leaves[place.leaf].summary.items {
      place.start += leaves[place.leaf].summary.items
      place.leaf += 1
    }
    guard place.leaf < leaves.count else { return item == place.start }
    let leaf = leaves[place.leaf]
    place.line = leaf.line(ofItem: item - place.start)
    return place.start + leaf.firstItem(ofLine: place.line) == item
  }
}

extension LinePiece {
  /// Breaks a range of items.
  ///
  /// - Parameter work: told of the items. Once it has stopped, the piece must not be used.
  init(_ range: Range<Int>, of items: ItemSequence, rule: LineRule, work: LayoutWork) {
    var breaker = LineBreaker(rule)
    breaker.add(items, in: range, work: work)
    let openLine = OpenLine(
      items: breaker.lineItems,
      length: breaker.lineLength,
      remaining: breaker.remaining
    )
    let count = breaker.leaves.count
    breaker.sealLeaf()
    self.init(
      range: range,
      leaves: breaker.leaves,
      lastLeafIsOpen: breaker.leaves.count > count,
      openLine: openLine
    )
  }
}
