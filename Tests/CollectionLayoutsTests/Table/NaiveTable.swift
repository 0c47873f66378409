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
    for row in rows.rows { add(row.path, row.y, row.height, kind: row.kind) }
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
  ) -> (rows: [(path: IndexPath, y: Double, height: Double, kind: String)], end: Double) {
    var rows: [(path: IndexPath, y: Double, height: Double, kind: String)] = []
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

  private mutating func add(_ path: IndexPath, _ y: Double, _ height: Double, kind: String) {
    frames[ElementKey(category: .cell, kind: kind, indexPath: path)] =
      Rect(x: 0, y: y, width: contentSize.width, height: height)
    let rowKind = layout.rowKinds.first { $0.cellKind == kind }
    if rowKind?.isWhole == true { return }
    var index = 0
    while index < leaves.count {
      let id = leaves[index].column.id
      let span = rowKind?.spans.filter { $0.column == id }.first
      var end = index + 1
      if let span {
        while end < leaves.count, leaves[end].edge == leaves[index].edge,
          end - index < span.count ?? .max
        { end += 1 }
      }
      frames[ElementKey(category: .supplementary, kind: id, indexPath: path)] =
        rect(index ..< end, y, height)
      index = end
    }
  }
}
