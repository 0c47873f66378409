// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// A table of text in aligned columns.
struct TextTable {
  enum Alignment {
    case left
    case right
  }

  struct Column {
    var title: String
    var alignment: Alignment

    init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  var columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row. Missing cells are empty, extra cells are dropped, and unprintable characters are
  /// escaped.
  mutating func append(_ row: [String]) {
    let cells = row.prefix(columns.count).map(\.printable)
    rows.append(cells + Array(repeating: "", count: columns.count - cells.count))
  }

  /// The titles and one line for each row, without trailing spaces.
  var lines: [String] {
    let all = [columns.map(\.title)] + rows
    let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      var line = ""
      for (index, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - cell.count)
        if index > 0 { line += "  " }
        line += columns[index].alignment == .left ? cell + padding : padding + cell
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  var text: String { lines.joined(separator: "\n") }
}
