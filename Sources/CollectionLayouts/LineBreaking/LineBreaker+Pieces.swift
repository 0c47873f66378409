// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension LineBreaker {
  /// Adds all items of a section. If there are many and a second thread is lent, that thread breaks
  /// pieces of them ahead.
  ///
  /// The lines are those of `add(_:in:work:)`. Only the ends of leaves may differ.
  ///
  /// - Parameter work: told of the items. Once it has stopped, the lines must not be used.
  mutating func addInPieces(_ items: ItemSequence, work: LayoutWork) {
    guard work.mayBeAssisted, PieceworkLines.paysOff(for: items) else {
      return add(items, in: 0 ..< items.count, work: work)
    }
    var piecework = PieceworkLines(items, rule: rule)
    piecework.add(to: &self, work: work)
  }

  /// Adds items one by one until one of them begins a line at which the piece begins one too, and
  /// then takes over the rest of the piece.
  ///
  /// - Parameter first: an item of the piece, the next one to add.
  /// - Parameter most: the most items to add one by one.
  /// - Returns: the next item to add, which is the end of the piece if it was joined; and how many
  ///   items were added one by one.
  mutating func join(
    _ piece: LinePiece,
    from first: Int,
    most: Int,
    reader: inout ItemLengthReader
  ) -> (next: Int, added: Int) {
    let end = min(piece.range.upperBound, first + most)
    var place = piece.beginning
    for item in first ..< end {
      guard add(reader.lengths(at: item)), piece.go(&place, toLineAt: item) else { continue }
      // The line that the item has begun is the piece's.
      lineItems = 0
      takeOver(piece, from: place)
      return (piece.range.upperBound, item - first)
    }
    return (end, end - first)
  }

  /// Adds the lines of a piece, from one of them on.
  ///
  /// - Precondition: no line is open.
  private mutating func takeOver(_ piece: LinePiece, from place: LinePiece.Place) {
    var next = place.leaf
    if next < piece.leaves.count, place.line > 0 {
      let leaf = piece.leaves[next]
      add(place.line ..< leaf.summary.lines, of: leaf)
      next += 1
    }
    let whole = piece.leaves.count - (piece.lastLeafIsOpen ? 1 : 0)
    if next < whole {
      sealEvenly()
      leaves.append(contentsOf: piece.leaves[next ..< whole])
    }
    if next <= whole, piece.lastLeafIsOpen {
      let last = piece.leaves[whole]
      add(0 ..< last.summary.lines, of: last)
    }
    lineItems = piece.openLine.items
    lineLength = piece.openLine.length
    remaining = piece.openLine.remaining
  }
}
