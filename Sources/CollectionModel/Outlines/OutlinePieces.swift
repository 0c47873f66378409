// SPDX-License-Identifier: Apache-2.0

/// Consecutive items of a section that is being edited, and where they come from.
struct OutlinePiece: SummarizedElement {
  /// The index path of the first one before all edits; nil = they are new.
  var old: IndexPath?
  var count: Int
  /// Whether the items have new values.
  var isReconfigured = false

  var summary: ItemTotal { ItemTotal(count: count) }

  /// Some of the items.
  func part(_ range: Range<Int>) -> OutlinePiece {
    var part = self
    part.count = range.count
    if let old, let item = old.item {
      part.old = IndexPath(section: old.section, item: item + range.lowerBound)
    }
    return part
  }
}

/// A number of items.
struct ItemTotal: TreeSummary {
  var count: Int

  static let zero = ItemTotal(count: 0)

  static func + (a: ItemTotal, b: ItemTotal) -> ItemTotal { ItemTotal(count: a.count + b.count) }
}

/// The items of a section that is being edited, as pieces of what they were before all edits.
struct OutlinePieces {
  private var pieces: SummaryTree<OutlinePiece>

  /// A section as it was before all edits.
  init(section: Int, count: Int) {
    let whole = OutlinePiece(old: IndexPath(section: section, item: 0), count: count)
    pieces = SummaryTree(count > 0 ? [whole] : [])
  }

  /// All pieces in order.
  var all: [OutlinePiece] { Array(pieces) }

  /// The pieces of a range of items.
  ///
  /// - Complexity: O(log pieces + pieces in the range)
  func pieces(in range: Range<Int>) -> [OutlinePiece] {
    guard !range.isEmpty, let first = place(of: range.lowerBound) else { return [] }
    var result: [OutlinePiece] = []
    var start = first.start
    pieces.forEach(in: first.index ..< pieces.count) { piece, _, _ in
      guard start < range.upperBound else { return false }
      let part = (start ..< start + piece.count).clamped(to: range)
      result.append(piece.part(part.lowerBound - start ..< part.upperBound - start))
      start += piece.count
      return true
    }
    return result
  }

  /// Replaces a range of items by pieces.
  ///
  /// - Complexity: O(log pieces + new pieces)
  mutating func replace(_ range: Range<Int>, with new: [OutlinePiece]) {
    guard let first = place(of: range.lowerBound) else {
      pieces.append(contentsOf: SummaryTree(new))
      return
    }
    let last = place(of: range.upperBound)
    let end = last.map { $0.start + $0.element.count } ?? range.upperBound
    let replaced = first.index ..< (last?.index ?? pieces.count - 1) + 1
    let head = pieces(in: first.start ..< range.lowerBound)
    let tail = pieces(in: range.upperBound ..< end)
    pieces.replaceSubrange(replaced, with: head + new + tail)
  }

  private func place(of item: Int) -> SummaryTree<OutlinePiece>.Place? {
    pieces.place(of: item) { $0.count }
  }
}

extension SequencePlan {
  /// The items of a section after all edits, compared with those before.
  ///
  /// - Parameter count: the number of items before all edits.
  /// - Parameter moves: receives the pieces that have moved.
  init(section: Int, count: Int, pieces: [OutlinePiece], moves: inout [PlaceMove]) {
    self.init()
    let own = pieces.indices.filter { pieces[$0].old?.section == section }
    let staying = Set(Self.staying(own.map { pieces[$0] }).map { own[$0] })
    var oldEnd = 0
    var next = 0
    for (i, piece) in pieces.enumerated() {
      let range = next ..< next + piece.count
      next = range.upperBound
      if let old = piece.old, let start = old.item, staying.contains(i) {
        appendRemoval(oldEnd ..< start)
        oldEnd = start + piece.count
        if piece.isReconfigured {
          replacements.append(
            PlaceClaim(range: start ..< oldEnd, use: .reconfigure, operation: 0)
          )
        }
        continue
      }
      insertions.append(PlaceClaim(range: range, use: .insert, operation: 0))
      guard let old = piece.old else { continue }
      let new = IndexPath(section: section, item: range.lowerBound)
      let kind = piece.isReconfigured ? SpliceKind.reconfigure : .edit
      moves.append(PlaceMove(old: old, new: new, count: piece.count, kind: kind))
    }
    appendRemoval(oldEnd ..< count)
    sort()
  }

  private mutating func appendRemoval(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    removals.append(PlaceClaim(range: range, use: .delete, operation: 0))
  }

  /// The positions of pieces that can stay while the others move: as many items as possible, if
  /// there are few enough pieces to compute that.
  private static func staying(_ pieces: [OutlinePiece]) -> [Int] {
    let starts = pieces.map { $0.old?.item ?? 0 }
    guard pieces.count <= 64 else { return longestIncreasingSubsequence(starts) }
    var best = pieces.map(\.count)
    var previous = [Int?](repeating: nil, count: pieces.count)
    for i in pieces.indices {
      for j in 0 ..< i where starts[j] < starts[i] && best[j] + pieces[i].count > best[i] {
        best[i] = best[j] + pieces[i].count
        previous[i] = j
      }
    }
    var result: [Int] = []
    var next = best.indices.max { best[$0] < best[$1] }
    while let i = next {
      result.append(i)
      next = previous[i]
    }
    return result.reversed()
  }
}
