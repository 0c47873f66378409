// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

// Cells that cover several rows. They are not stored: a query also looks at the rows above its
// first row, as far as spans can reach.
extension PreparedTable {
  /// Whether cells may cover several rows.
  var hasRowSpans: Bool { spans.mostRows > 1 }

  /// The row at an index path, which need not exist; a row without cells if the work has stopped.
  ///
  /// - Complexity: that of `division(at:)`; if cells may cover n rows, 2n times that plus the
  ///   columns of their spans
  func spannedRow(at path: IndexPath, _ work: LayoutWork) -> SpannedRow {
    guard hasRowSpans, let item = path.item else {
      return SpannedRow(division: division(at: path), covers: [])
    }
    guard var sweep = sweep(to: item, in: path.section, { work.proceed($0) }) else {
      return SpannedRow(division: .whole, covers: [])
    }
    defer { work.proceed(sweep.takeSteps()) }
    return sweep.next(division(at: path), row: item)
  }

  /// Goes through the rows of a section above `item` that affect it.
  ///
  /// - Parameter proceed: counts steps; returns whether to go on.
  /// - Returns: nil = the work has stopped.
  private func sweep(
    to item: Int,
    in section: Int,
    _ proceed: (Int) -> Bool
  ) -> RowSpanSweep? {
    var sweep = RowSpanSweep(columnCount: columns.count)
    for row in item - min(item, 2 * (spans.mostRows - 1)) ..< item {
      _ = sweep.next(division(at: IndexPath(section: section, item: row)), row: row)
      guard proceed(sweep.takeSteps()) else { return nil }
    }
    return sweep
  }

  /// The last row of a cell: it ends with its section, and before a row that is shown as a whole.
  ///
  /// - Parameter rows: how many it covers at most.
  func lastRow(ofCellAt path: IndexPath, rows: Int, _ work: LayoutWork) -> Int {
    let item = path.item ?? 0
    guard rows > 1 else { return item }
    let end = min(context.contents.itemCount(in: path.section), item + rows)
    guard spans.hasWhole else { return max(item, end - 1) }
    var last = item
    while last + 1 < end, work.proceed(1) {
      let next = IndexPath(section: path.section, item: last + 1)
      if division(at: next)?.isWhole == true { break }
      last += 1
    }
    return last
  }

  /// Where a cell ends, among the rows: nil = one of its rows does not exist.
  ///
  /// - Parameter frame: of the row in which it begins, among the rows.
  func height(
    ofCellAt path: IndexPath,
    rows: Int,
    in frame: Rect,
    _ viewport: Viewport,
    _ work: LayoutWork
  ) -> Double? {
    let last = lastRow(ofCellAt: path, rows: rows, work)
    guard last != path.item else { return frame.height }
    return self.rows.attributes(
      of: .cell(path.section, last),
      viewport: viewport,
      work: work
    ).map { max(0, $0.frame.maxY - frame.minY) }
  }

  /// Appends the cells that meet a rect, whether their row is in it or above it.
  ///
  /// - Complexity: O(log n) for each row in the rect, and for as many rows above as spans can reach
  func appendSpannedCells(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let work = buffer.work ?? .unlimited
    let top = rect.minY - headersHeight
    // Rows of no height may start at the very edge.
    let place = top - max(Self.slack, abs(top) * 0x1p-40)
    guard let first = rows.itemProgress(at: place, along: .vertical, work: work)?.item else {
      return
    }
    let query = SpannedCells(self, rect: rect, viewport: viewport, work: work)
    var start = first.item ?? 0
    for section in first.section ..< context.contents.sectionCount {
      guard buffer.visit(1) else { return }
      let count = context.contents.itemCount(in: section)
      if start < count {
        guard var sweep = sweep(to: start, in: section, { buffer.visit($0) }) else { return }
        for item in start ..< count {
          let path = IndexPath(section: section, item: item)
          let row = sweep.next(division(at: path), row: item)
          guard buffer.visit(sweep.takeSteps()) else { return }
          if item == start { query.append(covers: row.covers, in: section, to: &buffer) }
          guard query.append(row, at: path, to: &buffer) else { return }
        }
      }
      start = 0
    }
  }
}

/// A query for the cells of a table in which cells may cover several rows.
private struct SpannedCells {
  let table: PreparedTable
  let rect: Rect
  let viewport: Viewport
  let work: LayoutWork
  /// The columns that meet the rect, of each part, and how far they are away from their natural
  /// place.
  private let columns: [(range: Range<Int>, shift: Double)]

  init(_ table: PreparedTable, rect: Rect, viewport: Viewport, work: LayoutWork) {
    self.table = table
    self.rect = rect
    self.viewport = viewport
    self.work = work
    let span = table.span(of: rect)
    columns = TableColumns.Part.allCases.map { part in
      table.columns(of: part, from: span.start, to: span.end, viewport: viewport)
    }
  }

  /// Appends the cells that begin in a row.
  ///
  /// - Returns: whether to go on; false behind the rect, and if the buffer takes no more.
  func append(_ row: SpannedRow, at path: IndexPath, to buffer: inout ElementBuffer) -> Bool {
    guard let frame = frame(ofRowAt: path), frame.minY + table.headersHeight < rect.maxY else {
      return false
    }
    var steps = 1 + row.covers.count
    for (range, shift) in columns {
      let cells = row.cells(in: range)
      steps += cells.count
      for cell in cells { append(cell, at: path, in: frame, shift, to: &buffer) }
    }
    return buffer.visit(steps) && !buffer.isFull
  }

  /// Appends the cells of rows above that reach into the first row.
  func append(covers: [SpannedRow.Cover], in section: Int, to buffer: inout ElementBuffer) {
    for cover in covers {
      guard let (_, shift) = columns.first(where: { $0.range.overlaps(cover.columns) }) else {
        continue
      }
      let path = IndexPath(section: section, item: cover.row)
      guard buffer.visit(table.spans.mostRows), let frame = frame(ofRowAt: path) else { return }
      let cell = TableSpans.Cell(cover.columns, rows: cover.end - cover.row)
      append(cell, at: path, in: frame, shift, to: &buffer)
    }
  }

  /// Where a row is, among the rows.
  private func frame(ofRowAt path: IndexPath) -> Rect? {
    table.rows.attributes(
      of: .cell(path.section, path.item ?? 0),
      viewport: viewport,
      work: work
    )?.frame
  }

  private func append(
    _ spanned: TableSpans.Cell,
    at path: IndexPath,
    in row: Rect,
    _ shift: Double,
    to buffer: inout ElementBuffer
  ) {
    let height = table.height(ofCellAt: path, rows: spanned.rows, in: row, viewport, work)
    guard let height else { return }
    let cell = table.cell(spanned, shift: shift)
    let frame = table.place(
      from: cell.start,
      to: cell.end,
      y: row.minY + table.headersHeight,
      height: height
    )
    guard frame.meets(rect) else { return }
    buffer.append(table.element(of: cell, at: path, frame))
  }
}
