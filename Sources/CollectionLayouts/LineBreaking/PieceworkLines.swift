// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Many items that are broken into lines piece by piece, by two threads while a second one is lent.
struct PieceworkLines {
  private let items: ItemSequence
  private let rule: LineRule
  private let pieces: SharedParts<LinePiece>
  private var reader: ItemLengthReader
  /// How many pieces were not joined, without one that was.
  private var failures = 0

  /// The number of items in a piece.
  private let pieceItems: Int
  /// The number of items in a piece, which take a tenth of a millisecond or more. About 55 of them
  /// are broken twice.
  static let pieceItems = 1 << 16
  /// With fewer items it does not pay to wake a second thread.
  private static let leastItems = 1 << 18
  /// The most items of a piece that are added one by one in order to join it. Of different sizes
  /// 1,200 are enough 99 times out of 100.
  private static let mostDisturbed = 4096
  /// After this many pieces in a row that could not be joined, no more are broken ahead.
  private static let mostFailures = 2

  /// - Parameter pieceItems: at least 1.
  init(_ items: ItemSequence, rule: LineRule, pieceItems: Int = Self.pieceItems) {
    self.items = items
    self.rule = rule
    self.pieceItems = pieceItems
    pieces = SharedParts(count: (items.count + pieceItems - 1) / pieceItems)
    reader = ItemLengthReader(items, rule: rule)
  }

  /// Whether the items are enough for two threads. Chunks of equal items take next to no time,
  /// however large they are.
  static func paysOff(for items: ItemSequence) -> Bool {
    items.count - items.summary.unsizedCount >= leastItems
      && items.chunkCount >= leastItems / LineBreaker.leafItems
  }

  /// Adds all items.
  mutating func add(to breaker: inout LineBreaker, work: LayoutWork) {
    defer { pieces.close() }
    var item = 0
    while item < items.count, !work.isStopped {
      lend(work)
      let piece = item / pieceItems
      switch pieces.take(piece) {
      case .done(let piece): item = join(piece, to: &breaker, from: item, work: work)
      case .free: item = add(upTo: range(ofPiece: piece).upperBound, from: item, to: &breaker, work)
      case .taken:
        if let ahead = pieces.takeFirst() {
          let range = range(ofPiece: ahead)
          pieces.finish(ahead, LinePiece(range, of: items, rule: rule, work: work))
        } else {
          // Goes on by itself rather than wait, and looks again after some hundred lines.
          let end = min(range(ofPiece: piece).upperBound, item + Self.mostDisturbed)
          item = add(upTo: end, from: item, to: &breaker, work)
        }
      }
    }
  }

  private func range(ofPiece piece: Int) -> Range<Int> {
    piece * pieceItems ..< min((piece + 1) * pieceItems, items.count)
  }

  private func lend(_ work: LayoutWork) {
    pieces.lend(from: work) { [items, rule, pieceItems] piece, limits in
      let start = piece * pieceItems
      return LinePiece(
        start ..< min(start + pieceItems, items.count),
        of: items,
        rule: rule,
        work: limits
      )
    }
  }

  private func add(
    upTo end: Int,
    from item: Int,
    to breaker: inout LineBreaker,
    _ work: LayoutWork
  ) -> Int {
    breaker.add(items, in: item ..< end, work: work)
    return end
  }

  /// Takes over the lines of a piece, or breaks its items again if no line begins where one of the
  /// piece does.
  ///
  /// - Returns: the next item to add.
  private mutating func join(
    _ piece: LinePiece,
    to breaker: inout LineBreaker,
    from item: Int,
    work: LayoutWork
  ) -> Int {
    let most = Self.mostDisturbed
    let (next, added) = breaker.join(piece, from: item, most: most, reader: &reader)
    work.proceed(added)
    guard next < piece.range.upperBound else {
      failures = 0
      return next
    }
    failures += 1
    if failures >= Self.mostFailures { pieces.close() }
    return add(upTo: piece.range.upperBound, from: next, to: &breaker, work)
  }
}
