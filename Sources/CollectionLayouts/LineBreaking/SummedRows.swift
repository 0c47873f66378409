// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Many rows of a list whose offsets are not stored: they follow from the lengths of the items, and
/// from sums that the items' tree keeps for outlines.
///
/// When an item of an outline is expanded, everything below it appears at once, however much it is.
/// The rows take over the nodes that hold it, and nothing is computed for rows that nobody looks
/// at.
final class SummedRows: Sendable {
  /// The items, in whole chunks.
  let items: ItemSequence
  private let axis: ScrollAxis
  /// The distance between rows, in points.
  private let spacing: Double
  /// The length of all rows with the spacing after each, in points.
  let length: Double

  /// The offsets of fewer rows are stored.
  static let least = 1024

  private init(_ items: ItemSequence, rule: LineRule) {
    self.items = items
    axis = rule.axis
    spacing = rule.lineSpacing
    length = Self.length(of: items.summary, axis: axis, spacing: spacing)
  }

  /// The rows of a range whose sums are known, and the index of the first of them. They begin with
  /// the first chunk that lies wholly in the range, and end before the first chunk whose lengths
  /// have not been added up. nil = there are too few.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `range` is within the items; the rule is that of a list.
  static func found(
    in range: Range<Int>,
    of items: ItemSequence,
    rule: LineRule
  ) -> (rows: SummedRows, start: Int)? {
    guard range.count >= least, items.summary.outline.hasValues else { return nil }
    let found = items.wholeChunks(in: range, atLeast: least) { isKnown($0, rule) }
    return found.map { (SummedRows($0.items, rule: rule), $0.start) }
  }

  private static func isKnown(_ summary: ItemSummary, _ rule: LineRule) -> Bool {
    let sum = sum(of: summary, axis: rule.axis)
    guard sum.isKnown, sum.total.isFinite else { return false }
    guard let grid = rule.pixelGrid else { return true }
    return sum.isWhole && grid.scale.rounded() == grid.scale
  }

  private static func sum(of summary: ItemSummary, axis: ScrollAxis) -> LengthSum {
    axis == .vertical ? summary.outline.heights : summary.outline.widths
  }

  private static func length(
    of summary: ItemSummary,
    axis: ScrollAxis,
    spacing: Double
  ) -> Double {
    sum(of: summary, axis: axis).total + Double(summary.count) * spacing
  }

  var count: Int { items.count }

  /// The memory that the rows take beyond the items, in bytes.
  var byteCount: Int { 320 + items.edgeByteCount }

  private func lengths(of chunk: ItemChunk) -> LengthColumn {
    axis == .vertical ? chunk.heights : chunk.widths
  }

  /// Where a row starts, in points from the first row's start.
  ///
  /// - Complexity: O(log n + items of a chunk)
  /// - Precondition: `row` is within 0 ..< count.
  func offset(ofRow row: Int) -> Double {
    let (chunk, start, before) = items.chunkWithPrefix(containing: row)
    return Self.length(of: before, axis: axis, spacing: spacing)
      + lengths(of: chunk).sum(ofFirst: row - start) + Double(row - start) * spacing
  }

  /// The first row that, with the spacing after it, ends at `offset` or behind it, and where it
  /// starts; the last row if none does.
  ///
  /// - Parameter offset: in points from the first row's start.
  /// - Complexity: O(log n + items of a chunk)
  func firstRow(endingAt offset: Double) -> (row: Int, start: Double) {
    let found = items.chunk(exceeding: offset.nextDown) {
      Self.length(of: $0, axis: axis, spacing: spacing)
    }
    guard let (chunk, first, before) = found else {
      return (count - 1, self.offset(ofRow: count - 1))
    }
    let lengths = lengths(of: chunk)
    var (row, start) = (0, before)
    while row + 1 < chunk.count {
      let end = start + (lengths.value(at: row) ?? 0) + spacing
      if end >= offset { break }
      (row, start) = (row + 1, end)
    }
    return (first + row, start)
  }

  /// Calls `body` with each row and where it starts, from the first row that ends at `offset` or
  /// behind it, until it returns false.
  ///
  /// - Parameter offset: in points from the first row's start.
  /// - Returns: whether `body` returned true for every row.
  func forEach(endingAt offset: Double, _ body: (Int, Double) -> Bool) -> Bool {
    var (row, start) = firstRow(endingAt: offset)
    while row < count {
      let (chunk, first) = items.chunk(containing: row)
      let lengths = lengths(of: chunk)
      while row < first + chunk.count {
        guard body(row, start) else { return false }
        start += (lengths.value(at: row - first) ?? 0) + spacing
        row += 1
      }
    }
    return true
  }
}
