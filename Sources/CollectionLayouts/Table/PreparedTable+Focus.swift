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
    if let header = header(of: key) {
      return FocusStep(headerFocus(step, from: header, work))
    }
    guard key.category == .supplementary, key.indexPath.item != nil,
      let column = columns.column(key.kind)
    else { return nil }
    let path = key.indexPath
    let next: ElementKey?
    switch step {
    case .left: next = cell(at: path, beside: column, isForward: isMirrored)
    case .right: next = cell(at: path, beside: column, isForward: !isMirrored)
    case .up: next = row(above: path, work).flatMap { cell(at: $0, covering: column) }
    case .down: next = row(below: path, work).flatMap { cell(at: $0, covering: column) }
    case .pageUp, .pageDown:
      next = row(aPageFrom: path, step, viewport, work).flatMap { cell(at: $0, covering: column) }
    case .next:
      next = cell(at: path, beside: column, isForward: true) ?? firstCell(below: path, work)
    case .previous:
      next = cell(at: path, beside: column, isForward: false) ?? lastCell(above: path, work)
    case .first: next = firstCell(below: nil, work)
    case .last: next = lastCell(above: nil, work)
    }
    return FocusStep(next)
  }

  // MARK: - In a row

  /// The cell of a row beside the one that covers a column; nil = there is none.
  private func cell(
    at path: IndexPath,
    beside column: Int,
    isForward: Bool
  ) -> ElementKey? {
    let range = division(at: path).cell(at: column) ?? column ..< column + 1
    return cell(at: path, covering: isForward ? range.upperBound : range.lowerBound - 1)
  }

  /// The cell of a row that covers a column; the row itself if it has no cells; nil = there is no such column.
  private func cell(at path: IndexPath, covering column: Int) -> ElementKey? {
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

  /// The first cell of the row behind a place; nil as the place = of the first row.
  private func firstCell(below path: IndexPath?, _ work: LayoutWork) -> ElementKey? {
    row(below: path, work).flatMap { cell(at: $0, covering: 0) }
  }

  /// The last cell of the row before a place; nil as the place = of the last row.
  private func lastCell(above path: IndexPath?, _ work: LayoutWork) -> ElementKey? {
    row(above: path, work).flatMap { cell(at: $0, covering: columns.count - 1) }
  }

  // MARK: - Among headers

  /// - Parameter index: of a column or group in the table's identifiers.
  private func headerFocus(
    _ step: NeighborStep,
    from index: Int,
    _ work: LayoutWork
  ) -> ElementKey? {
    switch step {
    case .left: header(beside: index, isForward: isMirrored)
    case .right: header(beside: index, isForward: !isMirrored)
    case .down: row(below: nil, work).flatMap { cell(at: $0, covering: firstColumn(of: index)) }
    case .first: firstCell(below: nil, work)
    case .last: lastCell(above: nil, work)
    case .up, .pageUp, .pageDown, .next, .previous: nil
    }
  }

  /// The header beside one: of a group that of a group of the same level, if there is one beside it.
  private func header(beside index: Int, isForward: Bool) -> ElementKey? {
    let group = index < columns.count ? nil : columns.groups[index - columns.count]
    let range = group?.columns ?? index ..< index + 1
    let next = isForward ? range.upperBound : range.lowerBound - 1
    guard (0 ..< columns.count).contains(next) else { return nil }
    let beside = columns.groups.firstIndex {
      $0.level == group?.level && $0.columns.contains(next)
    }
    return .supplementary(columns.ids[beside.map { columns.count + $0 } ?? next], section: 0)
  }

  // MARK: - From row to row

  /// The row that is a page away: the last one that is seen together with the row, or the one beside it.
  private func row(
    aPageFrom path: IndexPath,
    _ step: NeighborStep,
    _ viewport: Viewport,
    _ work: LayoutWork
  ) -> IndexPath? {
    let row = ElementKey.cell(path.section, path.item ?? 0)
    let below = LayoutQueries(rows, viewport: rowViewport(viewport), work: work)
    return below.neighbor(of: .element(row), step: step, position: .nearest)?.element?.indexPath
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

extension FocusStep {
  fileprivate init(_ key: ElementKey?) {
    self = key.map { .to($0) } ?? .nowhere
  }
}

extension CollectionContents {
  fileprivate func itemCount(in section: Int) -> Int {
    (0 ..< sectionCount).contains(section) ? self.section(at: section).items.count : 0
  }
}
