// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedTable {
  /// Steps between cells and between headers: sideways within the row, up and down within the
  /// column, and from the headers into the first row. In reading order the first cell of a row
  /// follows the last one of the row before.
  ///
  /// A step into a row that has no cell in the column leads to the row itself. Steps from rows are
  /// those of lists. A cell that covers several rows is reached from each of them; steps sideways
  /// leave it from its first row, and steps down from its last. In reading order it belongs to its
  /// first row alone.
  ///
  /// - Complexity: O(log n), not counting rows and sections that are passed over because they have
  ///   no cells or rows.
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
    case .left: next = cell(at: path, beside: column, isForward: isMirrored, work)
    case .right: next = cell(at: path, beside: column, isForward: !isMirrored, work)
    case .up: next = row(above: path, work).flatMap { cell(at: $0, covering: column, work) }
    case .down: next = cell(below: path, in: column, work)
    case .pageUp, .pageDown:
      let page = row(aPageFrom: path, step, viewport, work).flatMap {
        cell(at: $0, covering: column, work)
      }
      // A page may end within the cell.
      next = page != key ? page : step == .pageDown ? cell(below: path, in: column, work) : nil
    case .next:
      next =
        ownCell(at: path, beside: column, isForward: true, work) ?? firstCell(below: path, work)
    case .previous:
      next =
        ownCell(at: path, beside: column, isForward: false, work) ?? lastCell(above: path, work)
    case .first: next = firstCell(below: nil, work)
    case .last: next = lastCell(above: nil, work)
    }
    return FocusStep(next)
  }

  // MARK: - In a row

  /// The cell beside the cell that begins in a row and a column; nil = there is none.
  private func cell(
    at path: IndexPath,
    beside column: Int,
    isForward: Bool,
    _ work: LayoutWork
  ) -> ElementKey? {
    let next = self.column(beside: column, of: spannedRow(at: path, work), isForward: isForward)
    return cell(at: path, covering: next, work)
  }

  /// The column beside the cell of a row that begins in a column; it need not exist.
  private func column(beside column: Int, of row: SpannedRow, isForward: Bool) -> Int {
    let range = row.cell(at: column)?.columns ?? column ..< column + 1
    return isForward ? range.upperBound : range.lowerBound - 1
  }

  /// The cell that covers a column of a row, which may begin in a row above; the row itself if it
  /// has no cells; nil = there is no such column.
  private func cell(at path: IndexPath, covering column: Int, _ work: LayoutWork) -> ElementKey? {
    guard (0 ..< columns.count).contains(column) else { return nil }
    let row = spannedRow(at: path, work)
    if let cover = row.cover(of: column) {
      return key(cover.columns, at: IndexPath(section: path.section, item: cover.row))
    }
    guard let cell = row.division.cells(in: column ..< column + 1).first else {
      return cellKey(at: path)
    }
    return key(cell.columns, at: path)
  }

  private func key(_ columns: Range<Int>, at path: IndexPath) -> ElementKey {
    ElementKey(
      category: .supplementary,
      kind: self.columns.ids[columns.lowerBound],
      indexPath: path
    )
  }

  /// The cell below the cell that begins in a row and a column.
  private func cell(below path: IndexPath, in column: Int, _ work: LayoutWork) -> ElementKey? {
    let rows = spannedRow(at: path, work).cell(at: column)?.rows ?? 1
    let last = IndexPath(section: path.section, item: lastRow(ofCellAt: path, rows: rows, work))
    return row(below: last, work).flatMap { cell(at: $0, covering: column, work) }
  }

  // MARK: - In reading order

  /// The next cell that begins in a row, on one side of a column; nil = there is none.
  private func ownCell(
    at path: IndexPath,
    beside column: Int,
    isForward: Bool,
    _ work: LayoutWork
  ) -> ElementKey? {
    let row = spannedRow(at: path, work)
    let next = self.column(beside: column, of: row, isForward: isForward)
    guard (0 ..< columns.count).contains(next) else { return nil }
    let found =
      isForward ? row.cells(in: next ..< columns.count).first : row.cells(in: 0 ..< next + 1).last
    return found.map { key($0.columns, at: path) }
  }

  /// The first cell that begins in a row behind a path; nil as the path = the first cell of all.
  private func firstCell(below path: IndexPath?, _ work: LayoutWork) -> ElementKey? {
    ownCell(from: path, isForward: true, work)
  }

  /// The last cell that begins in a row before a path; nil as the path = the last cell of all.
  private func lastCell(above path: IndexPath?, _ work: LayoutWork) -> ElementKey? {
    ownCell(from: path, isForward: false, work)
  }

  /// The first or last cell of the next row in which some begin; a row without cells is itself the
  /// next one.
  private func ownCell(from path: IndexPath?, isForward: Bool, _ work: LayoutWork) -> ElementKey? {
    guard columns.count > 0 else { return nil }
    var path = path
    while let next = isForward ? row(below: path, work) : row(above: path, work), work.proceed(1) {
      let row = spannedRow(at: next, work)
      if row.division?.isWhole == true { return cellKey(at: next) }
      let cells = row.cells(in: 0 ..< columns.count)
      guard work.proceed(columns.count + row.covers.count) else { return nil }
      if let cell = isForward ? cells.first : cells.last { return key(cell.columns, at: next) }
      path = next
    }
    return nil
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
    case .down:
      row(below: nil, work).flatMap { cell(at: $0, covering: firstColumn(of: index), work) }
    case .first: firstCell(below: nil, work)
    case .last: lastCell(above: nil, work)
    case .up, .pageUp, .pageDown, .next, .previous: nil
    }
  }

  /// The header beside a header; beside a group's header, the header of a neighbouring group of the
  /// same level, if there is one.
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

  /// The row a page away: the last one that is seen together with the row, or the one beside it.
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

  /// The row behind a path; nil as the path = the first row; nil as the result = there is none.
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
  /// The number of items of a section; 0 if there is no such section.
  func itemCount(in section: Int) -> Int {
    (0 ..< sectionCount).contains(section) ? self.section(at: section).items.count : 0
  }
}
