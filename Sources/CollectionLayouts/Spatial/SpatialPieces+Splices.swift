// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension SpatialPieces {
  /// Replaces current items by new ones at many places, in one pass over the tree.
  ///
  /// - Parameter splices: over the current items, sorted and disjoint.
  /// - Complexity: O(k log pieces + pieces replaced) for k splices
  mutating func replace(_ splices: [Splice]) {
    if splices.count >= Self.manySplices, count <= Self.piecesPerSplice * splices.count {
      var sweep = Sweep(splices, pieceCount: count)
      pieces.forEachLeaf { sweep.pass($0) }
      pieces = SummaryTree(sweep.finished())
      return
    }
    var cuts = Cuts(pieces: pieces)
    for splice in splices { cuts.replace(splice.old, withAdded: splice.new.count) }
    pieces.replaceSubranges(cuts.finished())
  }

  /// With fewer splices than this, pieces are always replaced one by one.
  private static let manySplices = 64
  /// Up to this many pieces for each splice, one pass over all pieces is faster than a search for
  /// each splice.
  private static let piecesPerSplice = 32
}

/// Rebuilds the list of pieces in one pass, applying splices on the way.
private struct Sweep {
  private let splices: [Splice]
  private var result: [SpatialPieces.Piece] = []
  /// The splice whose items come next, or are being passed.
  private var next = 0
  /// How many items of the index that splice has dropped so far; nil = its items have not begun.
  private var dropped: Int?
  /// The current item with which the rest of the piece begins.
  private var start = 0

  init(_ splices: [Splice], pieceCount: Int) {
    self.splices = splices
    result.reserveCapacity(pieceCount + 2 * splices.count)
  }

  /// Goes on past pieces that follow each other.
  mutating func pass(_ pieces: [SpatialPieces.Piece]) {
    let pieces = pieces.span
    var index = 0
    while index < pieces.count {
      // Most pieces end before the next splice begins.
      let limit =
        dropped != nil ? Int.min : next < splices.count ? splices[next].old.lowerBound : .max
      while index < pieces.count {
        let end = start + pieces[index].currentCount
        if end > limit { break }
        result.append(pieces[index])
        start = end
        index += 1
      }
      guard index < pieces.count else { return }
      pass(pieces[index])
      index += 1
    }
  }

  /// Goes on past a piece.
  private mutating func pass(_ piece: SpatialPieces.Piece) {
    var rest = piece
    while next < splices.count {
      let range = splices[next].old
      if dropped == nil {
        guard range.lowerBound < start + rest.currentCount else { break }
        let (before, after) = rest.split(at: range.lowerBound - start)
        result.append(joining: before)
        (rest, start, dropped) = (after, range.lowerBound, 0)
      }
      let (gone, after) = rest.split(at: range.upperBound - start)
      dropped = (dropped ?? 0) + gone.dropped + gone.kept
      start += gone.currentCount
      rest = after
      // The other items that the splice replaces are in later pieces.
      guard start >= range.upperBound else { return }
      endSplice()
    }
    start += rest.currentCount
    result.append(joining: rest)
  }

  private mutating func endSplice() {
    result.append(dropping: dropped ?? 0, adding: splices[next].new.count)
    dropped = nil
    next += 1
  }

  mutating func finished() -> [SpatialPieces.Piece] {
    // The remaining splices are after all items.
    while next < splices.count { endSplice() }
    return result
  }
}

/// Collects the changes to a sequence of pieces, from its beginning on.
private struct Cuts {
  private let pieces: SummaryTree<SpatialPieces.Piece>
  private var replacements: [SummaryTree<SpatialPieces.Piece>.Replacement] = []
  /// The first piece that is being replaced, and what takes the place of the pieces from there on;
  /// nil = no piece is being replaced.
  private var first: Int?
  private var elements: [SpatialPieces.Piece] = []
  /// The piece after those that are being replaced.
  private var next = 0
  /// What is left of the last of them, and the current item with which it begins.
  private var rest = SpatialPieces.Piece.none
  private var start = 0

  init(pieces: SummaryTree<SpatialPieces.Piece>) { self.pieces = pieces }

  /// Replaces current items; they lie behind those of earlier calls.
  mutating func replace(_ range: Range<Int>, withAdded count: Int) {
    go(to: range.lowerBound)
    var dropped = 0
    func drop(_ piece: SpatialPieces.Piece) { dropped += piece.dropped + piece.kept }
    while start < range.upperBound, !rest.isEmpty {
      let (before, after) = rest.split(at: range.upperBound - start)
      drop(before)
      start += before.currentCount
      rest = after
      if rest.isEmpty { takeNext() }
    }
    // Items that are gone, between the replaced items and the next ones.
    while rest.currentCount == 0, !rest.isEmpty, !range.isEmpty {
      drop(rest)
      takeNext()
    }
    elements.append(dropping: dropped, adding: count)
  }

  /// Goes on to the piece with a current item and begins to replace it, or goes on to that item
  /// within it.
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
    elements.append(joining: before)
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
    elements.append(joining: rest)
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

  /// What comes before one of the piece's current items, and the rest. Items that are gone come
  /// first.
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

extension [SpatialPieces.Piece] {
  /// Appends what takes the place of replaced items: the gone ones, and added ones.
  fileprivate mutating func append(dropping dropped: Int, adding added: Int) {
    // In this order the added items can join the previous piece, and the gone ones the next piece.
    append(joining: Element(dropped: 0, kept: 0, added: added))
    append(joining: Element(dropped: dropped, kept: 0, added: 0))
  }

  /// Appends a piece, unless it is empty: to the last one, if one piece is enough for both.
  fileprivate mutating func append(joining piece: Element) {
    guard !piece.isEmpty else { return }
    guard let last, last.kept == 0 || piece.dropped == 0, last.added == 0 || piece.kept == 0 else {
      return append(piece)
    }
    self[count - 1].dropped += piece.dropped
    self[count - 1].kept += piece.kept
    self[count - 1].added += piece.added
  }
}
