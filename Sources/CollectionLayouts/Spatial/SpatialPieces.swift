// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// How the current items correspond to those from which an index was built: a persistent sequence
/// of pieces. Each piece has some items that are gone, then some that are still there, then some
/// that were added after them.
///
/// Edits do not reorder the items that they keep, so both numberings run through the pieces in
/// order. An index of a million items stays valid when an item is inserted in front of them.
struct SpatialPieces: Sendable {
  /// Consecutive items of the index, followed by added ones.
  struct Piece: SummarizedElement {
    /// The number of items of the index that are gone. They come first.
    var dropped: Int
    /// The number of items of the index that are still there.
    var kept: Int
    /// The number of current items after them that the index does not have.
    var added: Int

    var summary: Totals {
      Totals(indexed: dropped + kept, current: kept + added, added: added, dropped: dropped)
    }

    var isEmpty: Bool { dropped == 0 && kept == 0 && added == 0 }
  }

  /// A summary of consecutive pieces.
  struct Totals: TreeSummary {
    /// The number of items of the index, gone or still there.
    var indexed: Int
    /// The number of current items, still there or added.
    var current: Int
    var added: Int
    var dropped: Int

    static let zero = Totals(indexed: 0, current: 0, added: 0, dropped: 0)

    static func + (a: Totals, b: Totals) -> Totals {
      Totals(
        indexed: a.indexed + b.indexed,
        current: a.current + b.current,
        added: a.added + b.added,
        dropped: a.dropped + b.dropped
      )
    }
  }

  var pieces: SummaryTree<Piece>

  /// Makes pieces for an index of all current items.
  init(count: Int) {
    pieces = SummaryTree([Piece(dropped: 0, kept: count, added: 0)])
  }

  /// The number of pieces.
  var count: Int { pieces.count }
  var totals: Totals { pieces.summary }

  /// Whether indexed and current ordinals are the same.
  var isIdentity: Bool { totals.dropped == 0 && totals.added == 0 }

  /// The current ordinal of an item of the index; nil if the item is gone.
  ///
  /// - Complexity: O(log pieces)
  func currentOrdinal(ofIndexed ordinal: Int) -> Int? {
    guard let position = pieces.firstPosition(where: { $0.indexed > ordinal }) else { return nil }
    let place = ordinal - position.prefix.indexed - position.element.dropped
    return place < 0 ? nil : position.prefix.current + place
  }

  /// The current ordinal of an added item; nil if there is no such item.
  ///
  /// - Parameter rank: the number of the item among the added ones.
  /// - Complexity: O(log pieces)
  func currentOrdinal(ofAdded rank: Int) -> Int? {
    guard let position = pieces.firstPosition(where: { $0.added > rank }) else { return nil }
    return position.prefix.current + position.element.kept + rank - position.prefix.added
  }

  /// The current ordinals of all added items, in order.
  ///
  /// - Complexity: O(items + pieces)
  func addedOrdinals() -> [Int] {
    var ordinals: [Int] = []
    ordinals.reserveCapacity(totals.added)
    pieces.forEach(in: 0 ..< pieces.count) { piece, _, before in
      let first = before.current + piece.kept
      ordinals.append(contentsOf: first ..< first + piece.added)
      return true
    }
    return ordinals
  }

  /// How many of the first `current` current items are added ones.
  ///
  /// - Complexity: O(log pieces)
  func addedCount(ofFirst current: Int) -> Int {
    guard let position = pieces.firstPosition(where: { $0.current > current }) else {
      return totals.added
    }
    return position.prefix.added
      + max(0, current - position.prefix.current - position.element.kept)
  }
}
