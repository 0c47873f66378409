// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// How the rows of each kind are divided into cells.
struct TableSpans: Sendable {
  /// How rows of one kind are divided.
  enum Division: Sendable {
    /// No cells.
    case whole
    /// Cells across these columns, in order and apart from one another; elsewhere one for each column.
    case spans([Range<Int>])
  }

  /// By kinds of cells, as the contents number them; nil = one cell for each column.
  private let divisions: [Division?]
  /// Whether all rows have one cell for each column.
  let isPlain: Bool

  init(_ rowKinds: [TableRowKind], in columns: TableColumns, cellKindNames: [String]) {
    guard !rowKinds.isEmpty else {
      (divisions, isPlain) = ([], true)
      return
    }
    var byName: [String: Division] = [:]
    for kind in rowKinds where byName[kind.cellKind] == nil {
      byName[kind.cellKind] = kind.isWhole ? .whole : .spans(Self.ranges(kind.spans, in: columns))
    }
    divisions = cellKindNames.isEmpty ? [byName[""]] : cellKindNames.map { byName[$0] }
    isPlain = divisions.allSatisfy { $0 == nil }
  }

  private static func ranges(_ spans: [TableSpan], in columns: TableColumns) -> [Range<Int>] {
    let all = spans.compactMap { span -> Range<Int>? in
      guard let start = columns.column(span.column) else { return nil }
      let end = columns.columns(of: columns.part(of: start)).upperBound
      return start ..< start + min(span.count ?? .max, end - start)
    }
    var kept: [Range<Int>] = []
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound })
    where range.lowerBound >= kept.last?.upperBound ?? 0 { kept.append(range) }
    return kept
  }

  /// How rows are divided whose cells have this kind; nil = one cell for each column.
  func division(ofKind kind: Int) -> Division? {
    divisions.indices.contains(kind) ? divisions[kind] : nil
  }
}

extension TableSpans.Division? {
  /// The columns of the cell that begins in a column; nil = none does.
  func cell(at column: Int) -> Range<Int>? {
    switch self {
    case nil: return column ..< column + 1
    case .whole: return nil
    case .spans(let ranges):
      guard let range = ranges.first(where: { $0.contains(column) }) else {
        return column ..< column + 1
      }
      return range.lowerBound == column ? range : nil
    }
  }

  /// The columns of the cells of which some part is in a range of columns.
  func cells(in range: Range<Int>) -> [Range<Int>] {
    switch self {
    case nil: return range.map { $0 ..< $0 + 1 }
    case .whole: return []
    case .spans(let ranges):
      var cells: [Range<Int>] = []
      var column = range.lowerBound
      while column < range.upperBound {
        let cell = ranges.first { $0.contains(column) } ?? column ..< column + 1
        cells.append(cell)
        column = cell.upperBound
      }
      return cells
    }
  }
}
