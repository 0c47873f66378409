// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedTable {
  /// From cell to cell, and between the headers: to the sides in the row, up and down in the column, from the headers into
  /// the first row. In reading order the first cell of a row follows the last one of the row before.
  ///
  /// Of a row without a cell in the column, the row itself is the next one. Steps from rows are those of lists.
  ///
  /// - Complexity: O(log n), but for rows and sections without any that are passed over.
  func focus(
    _ step: NeighborStep,
    from key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> FocusStep? {
    let header = header(of: key)
    guard let column = header ?? columns.column(key.kind), header != nil || key.indexPath.item != nil,
      key.category == .supplementary
    else { return nil }
    let found: ElementKey?
    switch step {
    case .left, .right:
      let isForward = (step == .right) != isMirrored
      found = header != nil ? headerBeside(column, isForward) : cellBeside(key, column, isForward)
    case .up: found = header != nil ? nil : cell(in: column, above: key.indexPath, work)
    case .down:
      found = cell(in: column, below: header != nil ? nil : key.indexPath, work)
    case .pageUp, .pageDown:
      found = header != nil ? nil : cellOnPage(key, column, step == .pageDown, viewport, work)
    case .next:
      found = header != nil ? nil : cellBeside(key, column, true) ?? edgeCell(key.indexPath, true, work)
    case .previous:
      found = header != nil ? nil : cellBeside(key, column, false) ?? edgeCell(key.indexPath, false, work)
    case .first: found = row(below: nil, work).flatMap { cell(at: $0, from: 0, isForward: true) }
    case .last:
      found = row(above: nil, work).flatMap { cell(at: $0, from: columns.count - 1, isForward: false) }
    }
    return found.map { .to($0) } ?? .nowhere
  }

  // MARK: - In a row

  private func headerBeside(_ index: Int, _ isForward: Bool) -> ElementKey? {
    let next: Int
    if index >= columns.count {
      let group = columns.groups[index - columns.count]
      next = isForward ? group.columns.upperBound : group.columns.lowerBound - 1
      // The group of the same level beside it, if there is one.
      let beside = columns.groups.firstIndex {
        $0.level == group.level && $0.columns.contains(next)
      }
      if let beside { return .supplementary(columns.ids[columns.count + beside], section: 0) }
    } else {
      next = isForward ? index + 1 : index - 1
    }
    guard (0 ..< columns.count).contains(next) else { return nil }
    return .supplementary(columns.ids[next], section: 0)
  }

  private func cellBeside(_ key: ElementKey, _ column: Int, _ isForward: Bool) -> ElementKey? {
    let range = division(at: key.indexPath).cell(at: column) ?? column ..< column + 1
    return cell(
      at: key.indexPath,
      from: isForward ? range.upperBound : range.lowerBound - 1,
      isForward: isForward
    )
  }

  /// The cell of a row that covers a column; the row itself if it has no cells; nil = there is no such column.
  private func cell(at path: IndexPath, from column: Int, isForward: Bool) -> ElementKey? {
    guard (0 ..< columns.count).contains(column) else { return nil }
    guard let range = division(at: path).cells(in: column ..< column + 1).first else {
      return cellKey(at: path)
    }
    return ElementKey(
      category: .supplementary,
      kind: columns.ids[range.lowerBound],
      indexPath: path
    )
  }

  /// The cell at the start of the next row, or at the end of the one before.
  private func edgeCell(_ path: IndexPath, _ isForward: Bool, _ work: LayoutWork) -> ElementKey? {
    let row = isForward ? row(below: path, work) : row(above: path, work)
    return row.flatMap {
      cell(at: $0, from: isForward ? 0 : columns.count - 1, isForward: isForward)
    }
  }

  // MARK: - From row to row

  private func cell(in column: Int, below path: IndexPath?, _ work: LayoutWork) -> ElementKey? {
    let first = column < columns.count ? column : columns.groups[column - columns.count].columns.lowerBound
    return row(below: path, work).flatMap { cell(at: $0, from: first, isForward: true) }
  }

  private func cell(in column: Int, above path: IndexPath, _ work: LayoutWork) -> ElementKey? {
    row(above: path, work).flatMap { cell(at: $0, from: column, isForward: true) }
  }

  /// The cell of the row that is a page away: the last one that is seen together with the row, or the one beside it.
  private func cellOnPage(
    _ key: ElementKey,
    _ column: Int,
    _ isForward: Bool,
    _ viewport: Viewport,
    _ work: LayoutWork
  ) -> ElementKey? {
    let row = ElementKey.cell(key.indexPath.section, key.indexPath.item ?? 0)
    let below = LayoutQueries(rows, viewport: rowViewport(viewport), work: work)
    let target = below.neighbor(
      of: .element(row),
      step: isForward ? .pageDown : .pageUp,
      position: .nearest
    )
    return (target?.element?.indexPath).flatMap { cell(at: $0, from: column, isForward: true) }
  }

  /// The row behind a place; nil = the first one, or there is none.
  private func row(below path: IndexPath?, _ work: LayoutWork) -> IndexPath? {
    let contents = context.contents
    if let path, let item = path.item, item + 1 < contents.itemCount(in: path.section) {
      return IndexPath(section: path.section, item: item + 1)
    }
    var section = path.map { $0.section + 1 } ?? 0
    while section < contents.sectionCount, work.proceed(1) {
      if contents.itemCount(in: section) > 0 { return IndexPath(section: section, item: 0) }
      section += 1
    }
    return nil
  }

  /// The row before a place; nil = the last one, or there is none.
  private func row(above path: IndexPath?, _ work: LayoutWork) -> IndexPath? {
    let contents = context.contents
    if let path, let item = path.item, item > 0 {
      return IndexPath(section: path.section, item: item - 1)
    }
    var section = (path?.section ?? contents.sectionCount) - 1
    while section >= 0, section < contents.sectionCount, work.proceed(1) {
      let count = contents.itemCount(in: section)
      if count > 0 { return IndexPath(section: section, item: count - 1) }
      section -= 1
    }
    return nil
  }
}

extension CollectionContents {
  fileprivate func itemCount(in section: Int) -> Int {
    (0 ..< sectionCount).contains(section) ? self.section(at: section).items.count : 0
  }
}
