// SPDX-License-Identifier: Apache-2.0

/// The cells of one row of a section, and those of rows above that reach into it.
struct SpannedRow: Sendable {
  /// A cell of a row above that covers columns of this row.
  struct Cover: Sendable {
    var columns: Range<Int>
    /// The row in which it begins.
    var row: Int
    /// The row before which it ends at the latest.
    var end: Int
  }

  /// How the row is divided where nothing covers it.
  let division: TableSpans.Division?
  /// From the leading edge on, and apart from one another. No cell of the row's own meets them.
  let covers: [Cover]

  /// The cell that begins in the row and in a column; nil = none does.
  func cell(at column: Int) -> TableSpans.Cell? {
    cover(of: column) == nil ? division.cell(at: column) : nil
  }

  /// What covers a column of the row; nil = nothing.
  func cover(of column: Int) -> Cover? { covers.first { $0.columns.contains(column) } }

  /// The cells that begin in the row and of which some part is in a range of columns.
  ///
  /// - Complexity: O(columns · spans + covers)
  func cells(in range: Range<Int>) -> [TableSpans.Cell] {
    guard !covers.isEmpty else { return division.cells(in: range) }
    var found: [TableSpans.Cell] = []
    var start = range.lowerBound
    for cover in covers
    where cover.columns.upperBound > start && cover.columns.lowerBound < range.upperBound {
      if start < cover.columns.lowerBound {
        found += division.cells(in: start ..< cover.columns.lowerBound)
      }
      start = cover.columns.upperBound
    }
    if start < range.upperBound { found += division.cells(in: start ..< range.upperBound) }
    return found
  }
}

/// Goes through the rows of a section from one to the next, and finds what cells of rows above cover.
///
/// A span into which one of a row above reaches is not shown, whether that one is shown or not. So what a row has
/// depends on few rows above it: with spans of n rows on 2n − 2, for a span that reaches the row begins at most n − 1 rows
/// above it, and what hides that span as many rows above that.
struct RowSpanSweep: Sendable {
  private struct Reach {
    var cover: SpannedRow.Cover
    var isShown: Bool
  }

  private var reaching: [Reach] = []

  /// Takes the next row.
  ///
  /// - Parameter division: how rows of its kind are divided.
  /// - Complexity: O(spans · spans of the rows above)
  mutating func next(_ division: TableSpans.Division?, row: Int) -> SpannedRow {
    // Spans end before a row that is shown as a whole.
    reaching.removeAll { $0.cover.end <= row || division?.isWhole == true }
    let covers = reaching.filter(\.isShown).map(\.cover)
      .sorted { $0.columns.lowerBound < $1.columns.lowerBound }
    guard case .spans(let cells) = division else {
      return SpannedRow(division: division, covers: covers)
    }
    var shown: [TableSpans.Cell] = []
    var beginning: [Reach] = []
    for cell in cells {
      let isShown = !reaching.contains { $0.cover.columns.overlaps(cell.columns) }
      if isShown { shown.append(cell) }
      guard cell.rows > 1 else { continue }
      let cover = SpannedRow.Cover(columns: cell.columns, row: row, end: row + cell.rows)
      beginning.append(Reach(cover: cover, isShown: isShown))
    }
    reaching += beginning
    return SpannedRow(division: .spans(shown), covers: covers)
  }
}
