// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// How the rows of each kind are divided into cells.
struct TableSpans: Sendable {
  /// A cell that begins in a row.
  struct Cell: Sendable {
    /// The columns that it covers.
    var columns: Range<Int>
    /// How many rows it covers, if its section has that many; at least 1.
    var rows: Int

    /// The cell of one column in one row.
    init(_ column: Int) { (columns, rows) = (column ..< column + 1, 1) }

    init(_ columns: Range<Int>, rows: Int) { (self.columns, self.rows) = (columns, rows) }
  }

  /// How rows of one kind are divided.
  enum Division: Sendable {
    /// No cells.
    case whole
    /// These cells, in order and apart from one another; elsewhere one for each column.
    case spans([Cell])

    /// Whether the row has no cells.
    var isWhole: Bool { if case .whole = self { true } else { false } }
  }

  /// By kind of cells, as the contents number them; nil = one cell for each column.
  private let divisions: [Division?]
  /// Whether all rows have one cell for each column.
  let isPlain: Bool
  /// The number of cells that begin in one row of each kind.
  private let cellCount: Int
  /// The most rows that a cell covers; 1 = no cell covers several.
  let mostRows: Int
  /// Whether rows may have no cells.
  let hasWhole: Bool

  init(_ rowKinds: [TableRowKind], in columns: TableColumns, cellKindNames: [String]) {
    guard !rowKinds.isEmpty else {
      (divisions, isPlain, mostRows, hasWhole, cellCount) = ([], true, 1, false, 0)
      return
    }
    var byName: [String: Division] = [:]
    for kind in rowKinds where byName[kind.cellKind] == nil {
      byName[kind.cellKind] = kind.isWhole ? .whole : .spans(Self.cells(kind.spans, in: columns))
    }
    cellCount = byName.values.reduce(0) { sum, division in
      if case .spans(let cells) = division { sum + cells.count } else { sum }
    }
    divisions = cellKindNames.isEmpty ? [byName[""]] : cellKindNames.map { byName[$0] }
    isPlain = divisions.allSatisfy { $0 == nil }
    hasWhole = divisions.contains { $0?.isWhole == true }
    mostRows = divisions.reduce(1) { most, division in
      guard case .spans(let cells) = division else { return most }
      return cells.reduce(most) { max($0, $1.rows) }
    }
  }

  private static func cells(_ spans: [TableSpan], in columns: TableColumns) -> [Cell] {
    let all = spans.compactMap { span -> Cell? in
      guard let start = columns.column(span.column) else { return nil }
      let end = columns.columns(of: columns.part(of: start)).upperBound
      return Cell(start ..< start + min(span.count ?? .max, end - start), rows: span.rowCount)
    }
    var kept: [Cell] = []
    for cell in all.sorted(by: { $0.columns.lowerBound < $1.columns.lowerBound })
    where cell.columns.lowerBound >= kept.last?.columns.upperBound ?? 0 { kept.append(cell) }
    return kept
  }

  /// The memory that they take, in bytes: an estimate. Kinds of one name share their cells.
  var byteCount: Int {
    divisions.count * MemoryLayout<Division?>.stride + cellCount * MemoryLayout<Cell>.stride
  }

  /// How rows are divided whose cells have this kind; nil = one cell for each column.
  func division(ofKind kind: Int) -> Division? {
    divisions.indices.contains(kind) ? divisions[kind] : nil
  }
}

extension TableSpans.Division? {
  /// The first of some cells that ends behind the start of a column.
  private static func first(of cells: [TableSpans.Cell], endingBehind column: Int) -> Int {
    cells.partitioningIndex { $0.columns.upperBound > column }
  }

  /// The cell that begins in a column; nil = none does.
  func cell(at column: Int) -> TableSpans.Cell? {
    switch self {
    case nil: return TableSpans.Cell(column)
    case .whole: return nil
    case .spans(let cells):
      let cell = cells[Self.first(of: cells, endingBehind: column)...].first
      guard let cell, cell.columns.contains(column) else { return TableSpans.Cell(column) }
      return cell.columns.lowerBound == column ? cell : nil
    }
  }

  /// The cells that lie at least partly in a range of columns.
  ///
  /// - Complexity: O(columns + log spans)
  func cells(in range: Range<Int>) -> [TableSpans.Cell] {
    switch self {
    case nil: return range.map { TableSpans.Cell($0) }
    case .whole: return []
    case .spans(let cells):
      var found: [TableSpans.Cell] = []
      var column = range.lowerBound
      var index = Self.first(of: cells, endingBehind: column)
      while column < range.upperBound {
        if index < cells.count, cells[index].columns.contains(column) {
          found.append(cells[index])
          index += 1
        } else {
          found.append(TableSpans.Cell(column))
        }
        column = found.last?.columns.upperBound ?? range.upperBound
      }
      return found
    }
  }
}
