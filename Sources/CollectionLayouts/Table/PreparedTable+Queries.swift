// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The z-indices of a table's elements. Rows are at 0, and headers of sections that are pinned at
/// 10.
private enum TableLevel {
  static let cell: Int32 = 1
  static let frozenCell: Int32 = 2
  /// Separators are seen on all cells.
  static let separator: Int32 = 3
  static let header: Int32 = 20
  static let frozenHeader: Int32 = 21
}

/// A cell of a row, wherever the row is.
struct TableCell: Sendable {
  /// The index of its column among those of the table.
  var column: Int
  /// Distances from the leading edge of the content, in points.
  var start: Double
  var end: Double
  /// How many rows it covers, if its section has that many.
  var rows: Int
  var zIndex: Int32
}

extension PreparedTable {
  /// Appends the headers, then the rows that meet the rect, each followed by its cells that do. If
  /// only cells are wanted, it appends the rows alone, because these are the cells of the table's
  /// items.
  ///
  /// - Complexity: O(log n + k) for k elements
  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let withCells = !buffer.wantsCellsOnly
    if withCells { appendHeaders(in: rect, viewport: viewport, to: &buffer) }
    let expander = RowExpander(
      self,
      rect: rect,
      viewport: viewport,
      withCells: withCells && !hasRowSpans
    )
    guard buffer.visit(expander.plain.count / 4) else { return }
    buffer.beginExpanding(expander)
    rows.appendElements(
      in: everyRow(in: rect),
      viewport: rowViewport(viewport),
      to: &buffer
    )
    buffer.endExpanding()
    if withCells, hasRowSpans { appendSpannedCells(in: rect, viewport: viewport, to: &buffer) }
  }

  /// A rect among the rows that all elements meet that are as far down as a rect of the table,
  /// wherever they are across it.
  private func everyRow(in rect: Rect) -> Rect {
    var wide = Rect.everywhere
    wide.y = rect.minY - headersHeight
    wide.height = rect.height
    return wide
  }

  /// The cells of a row divided like this that lie at least partly between two places.
  func cells(
    _ division: TableSpans.Division?,
    from start: Double,
    to end: Double,
    viewport: Viewport
  ) -> [TableCell] {
    var found: [TableCell] = []
    for part in TableColumns.Part.allCases {
      let (range, shift) = columns(of: part, from: start, to: end, viewport: viewport)
      for cell in division.cells(in: range) { found.append(self.cell(cell, shift: shift)) }
    }
    return found
  }

  /// The columns of a part that lie at least partly between two places, and how far they are from
  /// their natural place.
  func columns(
    of part: TableColumns.Part,
    from start: Double,
    to end: Double,
    viewport: Viewport
  ) -> (range: Range<Int>, shift: Double) {
    let shift = shift(of: part, viewport: viewport)
    let range = columns.columns(
      in: columns.columns(of: part),
      from: start - shift - Self.slack,
      to: end - shift + Self.slack
    )
    return (range, shift)
  }

  /// By how much the range of places is widened on each side, because a shift there and back may be
  /// rounded. Cells outside a rect are dropped by their frames.
  static var slack: Double { 0.001 }

  /// A cell as it is seen across the table.
  func cell(_ cell: TableSpans.Cell, shift: Double) -> TableCell {
    let range = cell.columns
    return TableCell(
      column: range.lowerBound,
      start: columns.edges[range.lowerBound] + shift,
      end: columns.edges[range.upperBound] + shift,
      rows: cell.rows,
      zIndex: isFrozen(range.lowerBound) ? TableLevel.frozenCell : TableLevel.cell
    )
  }

  /// The element of a cell.
  func element(of cell: TableCell, at path: IndexPath, _ frame: Rect) -> LayoutElement {
    LayoutElement(
      category: .supplementary,
      kind: UInt16(clamping: kindBase + cell.column),
      indexPath: path,
      frame: frame,
      zIndex: cell.zIndex
    )
  }

  private func isFrozen(_ column: Int) -> Bool {
    columns.hasFrozen && columns.part(of: column) != .scrolling
  }

  // MARK: - Headers

  private func appendHeaders(
    in rect: Rect,
    viewport: Viewport,
    to buffer: inout ElementBuffer
  ) {
    guard headersHeight > 0 else { return }
    let span = span(of: rect)
    for part in TableColumns.Part.allCases {
      let shift = shift(of: part, viewport: viewport)
      let own = columns.columns(of: part)
      let start = span.start - shift - Self.slack
      let end = span.end - shift + Self.slack
      for column in columns.columns(in: own, from: start, to: end) {
        guard buffer.visit(1) else { return }
        append(headerOf: column, in: rect, viewport, to: &buffer)
      }
      for group in columns.groups(in: own, from: start, to: end) {
        guard buffer.visit(1) else { return }
        append(headerOf: columns.count + group, in: rect, viewport, to: &buffer)
      }
    }
  }

  /// Appends a header if it meets the rect, or if the renderer may move it there.
  ///
  /// - Parameter index: of a column or group in the table's identifiers.
  private func append(
    headerOf index: Int,
    in rect: Rect,
    _ viewport: Viewport,
    to buffer: inout ElementBuffer
  ) {
    let (frame, zIndex, pin) = header(index, viewport: viewport)
    var sweep = frame
    if let pin { sweep.height += pin.maxOffset - frame.minY }
    guard sweep.meets(rect) else { return }
    let element = LayoutElement(
      category: .supplementary,
      kind: UInt16(clamping: kindBase + index),
      indexPath: IndexPath(section: 0),
      frame: frame,
      zIndex: zIndex
    )
    if let pin {
      buffer.append(element, extra: ElementExtra(pin: pin))
    } else {
      buffer.append(element)
    }
  }

  /// Where a header is: its frame, its z-index, and where the renderer may move it.
  private func header(
    _ index: Int,
    viewport: Viewport
  ) -> (frame: Rect, zIndex: Int32, pin: PinRange?) {
    let rowHeight = headersHeight / Double(columns.headerRows)
    let isGroup = index >= columns.count
    let range = isGroup ? columns.groups[index - columns.count].columns : index ..< index + 1
    let level = isGroup ? columns.groups[index - columns.count].level : columns.levels[index]
    let top = Double(level) * rowHeight
    let height = isGroup ? rowHeight : headersHeight - top
    let shift = shift(of: columns.part(of: range.lowerBound), viewport: viewport)
    var frame = place(
      from: columns.edges[range.lowerBound] + shift,
      to: columns.edges[range.upperBound] + shift,
      y: top,
      height: height
    )
    let zIndex = isFrozen(range.lowerBound) ? TableLevel.frozenHeader : TableLevel.header
    guard !layout.headersScrollAway else { return (frame, zIndex, nil) }
    let most = contentSize.height - headersHeight
    if viewport.rendererPins {
      let pin = PinRange(
        minOffset: top,
        maxOffset: top + most,
        inset: top + viewport.insets.top
      )
      return (frame, zIndex, pin)
    }
    let seen = viewport.offset.y + viewport.insets.top
    frame.y = top + min(max(seen, 0), most)
    return (frame, zIndex, nil)
  }

  // MARK: - Single elements

  /// The attributes of one element, wherever it is; nil if no such element exists.
  ///
  /// - Complexity: O(log sections + log items), and as much for each row that spans can reach over
  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    attributes(of: key, viewport: viewport, work: .unlimited)
  }

  /// The attributes of one element, within limits.
  func attributes(of key: ElementKey, viewport: Viewport, work: LayoutWork) -> LayoutAttributes? {
    if let header = header(of: key) {
      let (frame, zIndex, _) = self.header(header, viewport: viewport)
      return LayoutAttributes(frame: frame, zIndex: Int(zIndex))
    }
    if let cell = cell(of: key, viewport: viewport, work) {
      let row = ElementKey.cell(key.indexPath.section, key.indexPath.item ?? 0)
      guard var attributes = rows.attributes(of: row, viewport: viewport, work: work),
        let height = height(
          ofCellAt: key.indexPath,
          rows: cell.rows,
          in: attributes.frame,
          viewport,
          work
        )
      else { return nil }
      attributes.frame = place(
        from: cell.start,
        to: cell.end,
        y: attributes.frame.minY + headersHeight,
        height: height
      )
      attributes.zIndex = Int(cell.zIndex)
      return attributes
    }
    guard var attributes = rows.attributes(of: key, viewport: rowViewport(viewport), work: work)
    else { return nil }
    attributes.frame = placed(attributes.frame, key.category)
    if key.kind == StandardKind.separator, key.category == .decoration {
      attributes.zIndex = Int(TableLevel.separator)
    }
    return attributes
  }

  /// The range in which a renderer may move a pinned element; nil for elements that are not pinned.
  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? {
    var viewport = viewport
    viewport.rendererPins = true
    if let header = header(of: key) { return self.header(header, viewport: viewport).pin }
    return rows.pinRange(of: key, viewport: rowViewport(viewport)).map { placed($0) }
  }

  /// The index of the column or group whose header a key names; nil = it names none that is shown.
  func header(of key: ElementKey) -> Int? {
    guard headersHeight > 0, key.category == .supplementary,
      key.indexPath == IndexPath(section: 0)
    else { return nil }
    return columns.column(key.kind) ?? columns.group(key.kind).map { columns.count + $0 }
  }

  /// The first column below a header.
  ///
  /// - Parameter index: of a column or group in the table's identifiers.
  func firstColumn(of index: Int) -> Int {
    index < columns.count ? index : columns.groups[index - columns.count].columns.lowerBound
  }

  /// The cell of a row that a key names; nil = it names none, or no row of this division has it.
  /// The row need not exist.
  func cell(of key: ElementKey, viewport: Viewport, _ work: LayoutWork) -> TableCell? {
    guard key.category == .supplementary, key.indexPath.item != nil,
      let column = columns.column(key.kind),
      let cell = spannedRow(at: key.indexPath, work).cell(at: column)
    else { return nil }
    return self.cell(cell, shift: shift(of: columns.part(of: column), viewport: viewport))
  }

  /// How the row at an index path is divided.
  ///
  /// - Complexity: O(1) if all rows are divided alike, else O(log n).
  func division(at path: IndexPath) -> TableSpans.Division? {
    guard !spans.isPlain, let item = context.contents.item(at: path) else { return nil }
    return spans.division(ofKind: item.cellKind)
  }
}

/// Puts rows at their place in a table, and adds their cells.
private struct RowExpander: ElementExpander {
  private let table: PreparedTable
  private let rect: Rect
  private let viewport: Viewport
  private let span: (start: Double, end: Double)
  /// The cells of rows that have one for each column.
  let plain: [TableCell]
  private let separator: UInt16
  /// Whether rows get cells.
  private let withCells: Bool

  init(_ table: PreparedTable, rect: Rect, viewport: Viewport, withCells: Bool) {
    self.table = table
    self.rect = rect
    self.viewport = viewport
    self.withCells = withCells
    span = table.span(of: rect)
    plain =
      withCells ? table.cells(nil, from: span.start, to: span.end, viewport: viewport) : []
    separator = table.separatorKind
  }

  func expand(_ element: LayoutElement, _ extra: ElementExtra?, into buffer: inout ElementBuffer) {
    var element = element
    element.frame = table.placed(element.frame, element.category)
    if element.category == .decoration, element.kind == separator {
      element.zIndex = TableLevel.separator
    }
    if var extra {
      extra.pin = extra.pin.map { table.placed($0) }
      // What the renderer pins may be moved into the rect.
      if extra.pin != nil || element.frame.meets(rect) { buffer.append(element, extra: extra) }
    } else if element.frame.meets(rect) {
      buffer.append(element)
    }
    guard withCells, element.category == .cell else { return }
    let division = table.division(at: element.indexPath)
    let cells =
      division == nil
      ? plain : table.cells(division, from: span.start, to: span.end, viewport: viewport)
    guard buffer.visit(cells.count) else { return }
    for cell in cells {
      let frame = table.place(
        from: cell.start,
        to: cell.end,
        y: element.frame.minY,
        height: element.frame.height
      )
      guard frame.meets(rect) else { continue }
      buffer.append(table.element(of: cell, at: element.indexPath, frame))
    }
  }
}
