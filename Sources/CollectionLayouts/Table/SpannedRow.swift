// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

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

  /// How the row is divided if no cell of a row above covers it.
  let division: TableSpans.Division?
  /// From the leading edge on, without overlaps. The row's own cells do not meet them.
  let covers: [Cover]

  /// The cell that begins in the row and in a column; nil = none does.
  func cell(at column: Int) -> TableSpans.Cell? {
    cover(of: column) == nil ? division.cell(at: column) : nil
  }

  /// What covers a column of the row; nil = nothing.
  ///
  /// - Complexity: O(log covers)
  func cover(of column: Int) -> Cover? {
    let cover = covers[covers.partitioningIndex { $0.columns.upperBound > column }...].first
    return cover?.columns.contains(column) == true ? cover : nil
  }

  /// The cells that begin in the row and of which some part is in a range of columns.
  ///
  /// - Complexity: O(columns + covers · log spans)
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

/// Goes through the rows of a section in order, and finds what cells of rows above cover.
///
/// A span is hidden if a span of a row above reaches into it, whether or not that one is shown
/// itself. So a row depends on few rows above it. With spans of n rows these are 2n − 2: a span
/// that reaches the row begins at most n − 1 rows above it, and a span that hides it at most n − 1
/// rows above that.
struct RowSpanSweep: Sendable {
  private let columnCount: Int
  /// For each column, the row before which all spans of rows above end that cover it, shown or not;
  /// empty = there are none.
  private var ends: [Int] = []
  /// What covers columns of the newest row, and of rows below it: from the leading edge on, and
  /// apart from one another.
  private var covers: [SpannedRow.Cover] = []
  /// What the rows since the last `takeSteps` took: the columns and cells that were looked at.
  private var steps = 0

  init(columnCount: Int) { self.columnCount = columnCount }

  /// The steps since the last call.
  mutating func takeSteps() -> Int {
    defer { steps = 0 }
    return steps
  }

  /// Takes the next row.
  ///
  /// - Parameter division: how rows of its kind are divided.
  /// - Complexity: O(columns of its spans + covers)
  mutating func next(_ division: TableSpans.Division?, row: Int) -> SpannedRow {
    steps += 1 + covers.count
    if division?.isWhole == true {
      // Spans end before a row that is shown as a whole.
      (covers, ends) = ([], [])
    } else {
      covers.removeAll { $0.end <= row }
    }
    guard case .spans(let cells) = division else {
      return SpannedRow(division: division, covers: covers)
    }
    var shown: [TableSpans.Cell] = []
    var beginning: [SpannedRow.Cover] = []
    for cell in cells {
      steps += cell.columns.count
      let isShown = ends.isEmpty || !ends[cell.columns].contains { $0 > row }
      if isShown { shown.append(cell) }
      guard cell.rows > 1 else { continue }
      let end = row + cell.rows
      if isShown { beginning.append(.init(columns: cell.columns, row: row, end: end)) }
      reach(into: cell.columns, before: end)
    }
    let above = covers
    cover(by: beginning)
    return SpannedRow(division: .spans(shown), covers: above)
  }

  private mutating func reach(into columns: Range<Int>, before end: Int) {
    if ends.isEmpty {
      ends = Array(repeating: 0, count: columnCount)
      steps += columnCount
    }
    for column in columns where ends[column] < end { ends[column] = end }
  }

  /// Adds covers that begin in a row. None of them meets an earlier one.
  ///
  /// - Parameter beginning: from the leading edge on.
  private mutating func cover(by beginning: [SpannedRow.Cover]) {
    guard !beginning.isEmpty else { return }
    var merged: [SpannedRow.Cover] = []
    merged.reserveCapacity(covers.count + beginning.count)
    var next = beginning[...]
    for cover in covers {
      while let first = next.first, first.columns.lowerBound < cover.columns.lowerBound {
        merged.append(next.removeFirst())
      }
      merged.append(cover)
    }
    covers = merged + next
  }
}
