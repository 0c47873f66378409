// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Every row, cell and header of a table for one viewport, placed one after the other.
struct NaiveTable {
  private(set) var frames: [ElementKey: Rect] = [:]
  private(set) var contentSize = Size.zero

  private struct Leaf {
    var column: TableColumn
    var width: Double
    var edge: TableEdge?
    /// The groups that it is in, the outermost first.
    var groups: [String]
    /// Where it is by itself, and where it is seen.
    var start = 0.0
    var seen = 0.0
  }

  private typealias Row = (path: IndexPath, y: Double, height: Double, kind: String)

  private let layout: TableLayout
  private let viewport: Viewport
  private let available: Double
  private var leaves: [Leaf] = []

  init(_ layout: TableLayout, _ contents: CollectionContents, _ viewport: Viewport) {
    self.layout = layout
    self.viewport = viewport
    available = max(0, viewport.size.width - viewport.insets.horizontal)
    for edge in [TableEdge.leading, nil, .trailing] {
      for column in layout.columns where column.frozen == edge { gather(column, edge, []) }
    }
    shareRoom()
    var end = 0.0
    for index in leaves.indices {
      leaves[index].start = end
      leaves[index].seen = end
      end += leaves[index].width
    }
    contentSize.width = max(available, end)
    let levels = leaves.map(\.groups.count).max() ?? 0
    let headersHeight = layout.headerHeight * Double(levels + 1)
    let rows = rows(contents, from: headersHeight)
    contentSize.height = rows.end
    freeze()
    addHeaders(levels: levels, height: headersHeight)
    for section in 0 ..< contents.sectionCount {
      add(rows.rows.filter { $0.path.section == section })
    }
  }

  private mutating func gather(_ column: TableColumn, _ edge: TableEdge?, _ groups: [String]) {
    guard !column.isHidden else { return }
    guard column.columns.isEmpty else {
      for inner in column.columns { gather(inner, edge, groups + [column.id]) }
      return
    }
    leaves.append(Leaf(column: column, width: 0, edge: edge, groups: groups))
  }

  private func width(_ column: TableColumn, _ wanted: Double) -> Double {
    max(column.minimum, min(column.maximum ?? .infinity, wanted))
  }

  /// Finds what one share is worth by halving.
  private mutating func shareRoom() {
    func widths(_ share: Double) -> [Double] {
      leaves.map { leaf in
        switch leaf.column.width {
        case .points(let points): width(leaf.column, points)
        case .share(let part): width(leaf.column, part * share)
        }
      }
    }
    var low = 0.0
    var high = 1e7
    for _ in 0 ..< 200 {
      let middle = (low + high) / 2
      if widths(middle).reduce(0, +) <= available { low = middle } else { high = middle }
    }
    for (index, width) in widths(low).enumerated() { leaves[index].width = width }
  }

  private func rows(
    _ contents: CollectionContents,
    from start: Double
  ) -> (rows: [Row], end: Double) {
    var rows: [Row] = []
    var y = start
    contents.forEachSection(in: 0 ..< contents.sectionCount) { index, section in
      y += layout.sectionHeaderHeight + (section.metrics.inset?.top ?? 0)
      for item in 0 ..< section.items.count {
        if item > 0 { y += section.metrics.lineSpacing ?? layout.rowSpacing }
        let values = section.items.item(at: item)
        let height = values.height ?? layout.rowHeight
        let kind = contents.cellKindNames[values.cellKind]
        rows.append((IndexPath(section: index, item: item), y, height, kind))
        y += height
      }
      y += (section.metrics.inset?.bottom ?? 0) + layout.sectionFooterHeight
      return true
    }
    return (rows, y)
  }

  /// Moves what is frozen to where it is seen.
  private mutating func freeze() {
    let frozen = leaves.reduce(0) { $1.edge == nil ? $0 : $0 + $1.width }
    guard frozen < available, contentSize.width > available + 1e-6 else { return }
    let seen = viewport.unobscuredRect
    let start = viewport.isRightToLeft ? contentSize.width - seen.maxX : seen.minX
    let most = contentSize.width - seen.width
    for index in leaves.indices {
      switch leaves[index].edge {
      case nil: break
      case .leading: leaves[index].seen += min(max(start, 0), most)
      case .trailing: leaves[index].seen += min(max(start, 0), most) - most
      }
    }
  }

  private func rect(_ range: Range<Int>, _ y: Double, _ height: Double) -> Rect {
    let start = leaves[range.lowerBound].seen
    let last = leaves[range.upperBound - 1]
    let end = last.seen + last.width
    return Rect(
      x: viewport.isRightToLeft ? contentSize.width - end : start,
      y: y,
      width: end - start,
      height: height
    )
  }

  private mutating func addHeaders(levels: Int, height: Double) {
    guard height > 0 else { return }
    let seen = viewport.offset.y + viewport.insets.top
    let top = layout.headersScrollAway ? 0 : min(max(seen, 0), contentSize.height - height)
    for (index, leaf) in leaves.enumerated() {
      let y = Double(leaf.groups.count) * layout.headerHeight
      frames[.supplementary(leaf.column.id, section: 0)] =
        rect(index ..< index + 1, top + y, height - y)
      for (level, group) in leaf.groups.enumerated() {
        let members = leaves.indices.filter { leaves[$0].groups.contains(group) }
        frames[.supplementary(group, section: 0)] = rect(
          members[0] ..< members[0] + members.count,
          top + Double(level) * layout.headerHeight,
          layout.headerHeight
        )
      }
    }
  }

  /// A span as its row's kind has it, whether it is shown or not.
  private struct Span {
    var row: Int
    var columns: Range<Int>
    /// The rows that it covers where nothing hides it.
    var rows: ClosedRange<Int>
    var isShown = true
  }

  /// Adds the rows of a section.
  private mutating func add(_ rows: [Row]) {
    var spans: [Span] = []
    for (number, row) in rows.enumerated() {
      frames[ElementKey(category: .cell, kind: row.kind, indexPath: row.path)] =
        Rect(x: 0, y: row.y, width: contentSize.width, height: row.height)
      let rowKind = layout.rowKinds.first { $0.cellKind == row.kind }
      if rowKind?.isWhole == true { continue }
      let above = spans
      func isHidden(_ columns: Range<Int>) -> Bool {
        above.contains { $0.rows.contains(number) && $0.columns.overlaps(columns) }
      }
      for columns in spannedColumns(rowKind) {
        let id = leaves[columns.lowerBound].column.id
        let rowCount = rowKind?.spans.first { $0.column == id }?.rowCount ?? 1
        let last = lastRow(from: number, rowCount, rows)
        let span = Span(
          row: number,
          columns: columns,
          rows: number ... last,
          isShown: !isHidden(columns)
        )
        spans.append(span)
        if span.isShown { add(span, rows) }
      }
      for column in leaves.indices {
        let isCovered = spans.contains {
          $0.isShown && $0.rows.contains(number) && $0.columns.contains(column)
        }
        guard !isCovered else { continue }
        add(Span(row: number, columns: column ..< column + 1, rows: number ... number), rows)
      }
    }
  }

  private mutating func add(_ span: Span, _ rows: [Row]) {
    let (first, last) = (rows[span.rows.lowerBound], rows[span.rows.upperBound])
    let kind = leaves[span.columns.lowerBound].column.id
    frames[ElementKey(category: .supplementary, kind: kind, indexPath: first.path)] =
      rect(span.columns, first.y, last.y + last.height - first.y)
  }

  /// The columns of the spans of a row, from the leading edge on.
  private func spannedColumns(_ rowKind: TableRowKind?) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = 0
    while index < leaves.count {
      let id = leaves[index].column.id
      var end = index + 1
      if let span = rowKind?.spans.first(where: { $0.column == id }) {
        while end < leaves.count, leaves[end].edge == leaves[index].edge,
          end - index < span.count ?? .max
        { end += 1 }
        found.append(index ..< end)
      }
      index = end
    }
    return found
  }

  private func lastRow(from row: Int, _ count: Int, _ rows: [Row]) -> Int {
    var last = row
    while last + 1 < rows.count, last + 1 < row + count {
      let next = rows[last + 1].kind
      if layout.rowKinds.first(where: { $0.cellKind == next })?.isWhole == true { break }
      last += 1
    }
    return last
  }
}
