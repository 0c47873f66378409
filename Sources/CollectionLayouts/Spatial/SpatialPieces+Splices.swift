// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension SpatialPieces {
  /// Replaces current items by new ones at many places, in one pass over the tree.
  ///
  /// - Parameter splices: over the current items, sorted and disjoint.
  /// - Complexity: O(k log pieces + pieces replaced) for k splices
  mutating func replace(_ splices: [Splice]) {
    var cuts = Cuts(pieces: pieces)
    for splice in splices { cuts.replace(splice.old, withAdded: splice.new.count) }
    pieces.replaceSubranges(cuts.finished())
  }
}

/// Where a sequence of pieces changes, from its beginning on.
private struct Cuts {
  private let pieces: SummaryTree<SpatialPieces.Piece>
  private var replacements: [SummaryTree<SpatialPieces.Piece>.Replacement] = []
  /// The first piece that is being replaced, and what takes the place of the pieces from there on; nil = no
  /// piece is being replaced.
  private var first: Int?
  private var elements: [SpatialPieces.Piece] = []
  /// The piece behind those that are being replaced.
  private var next = 0
  /// What is left of the last of them, and the current item with which it begins.
  private var rest = SpatialPieces.Piece.none
  private var start = 0

  init(pieces: SummaryTree<SpatialPieces.Piece>) { self.pieces = pieces }

  /// Replaces current items, which lie behind those replaced before.
  mutating func replace(_ range: Range<Int>, withAdded count: Int) {
    go(to: range.lowerBound)
    var new = SpatialPieces.Piece(dropped: 0, kept: 0, added: count)
    func drop(_ piece: SpatialPieces.Piece) { new.dropped += piece.dropped + piece.kept }
    while start < range.upperBound, !rest.isEmpty {
      let (before, after) = rest.split(at: range.upperBound - start)
      drop(before)
      start += before.currentCount
      rest = after
      if rest.isEmpty { takeNext() }
    }
    // Items that are gone, between those that are replaced and those behind them.
    while rest.currentCount == 0, !rest.isEmpty, !range.isEmpty {
      drop(rest)
      takeNext()
    }
    if !new.isEmpty { elements.append(new) }
  }

  /// Begins to replace the piece with a current item, or goes on to that item in it.
  private mutating func go(to item: Int) {
    if first == nil || item >= start + rest.currentCount {
      close()
      let place = pieces.place(of: item) { $0.current }
      first = place?.index ?? pieces.count
      next = (place?.index).map { $0 + 1 } ?? pieces.count
      rest = place?.element ?? .none
      start = place?.start ?? item
    }
    guard item > start else { return }
    let (before, after) = rest.split(at: item - start)
    elements.append(before)
    rest = after
    start = item
  }

  private mutating func takeNext() {
    guard next < pieces.count else {
      rest = .none
      return
    }
    rest = pieces[next]
    next += 1
  }

  /// Ends the replacement of the pieces so far.
  private mutating func close() {
    guard let first else { return }
    if !rest.isEmpty { elements.append(rest) }
    replacements.append(.init(first ..< next, with: elements))
    self.first = nil
    elements = []
    rest = .none
  }

  mutating func finished() -> [SummaryTree<SpatialPieces.Piece>.Replacement] {
    close()
    return replacements
  }
}

extension SpatialPieces.Piece {
  fileprivate static let none = Self(dropped: 0, kept: 0, added: 0)

  fileprivate var currentCount: Int { kept + added }

  /// What comes before one of the piece's current items, and the rest. Items that are gone come first.
  fileprivate func split(at place: Int) -> (before: Self, after: Self) {
    guard place > 0 else { return (.none, self) }
    guard place < currentCount else { return (self, .none) }
    let kept = min(place, self.kept)
    return (
      Self(dropped: dropped, kept: kept, added: place - kept),
      Self(dropped: 0, kept: self.kept - kept, added: added - (place - kept))
    )
  }
}
