// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A grid in closed form: of every row only the number of items is kept.
struct PreparedGrid: PreparedLayout {
  let layout: GridLayout
  let context: LayoutContext
  let rows: SummaryTree<GridRow>
  let contentSize: Size
  /// The size of every cell, rounded to whole pixels if the layout is pixel-aligned.
  private let itemSize: Size
  private let placement: SectionPlacement
  private let cellKinds: CellKinds
  private let backgrounds: SectionBackgrounds

  init(layout: GridLayout, context: LayoutContext, rows: SummaryTree<GridRow>) {
    self.layout = layout
    self.context = context
    self.rows = rows
    let environment = SectionEnvironment(
      axis: .vertical,
      container: context.container,
      options: context.options
    )
    itemSize = environment.pixelGrid?.round(layout.itemSize) ?? layout.itemSize
    let s = layout.interitemSpacing
    let l = layout.lineSpacing
    contentSize = Size(
      width: Double(rows.summary.longestRow) * (itemSize.width + s) + s,
      height: Double(rows.count) * (itemSize.height + l) + l
    )
    placement = SectionPlacement(
      axis: .vertical,
      pixelGrid: environment.pixelGrid,
      isMirrored: context.container.isRightToLeft,
      contentWidth: contentSize.width
    )
    cellKinds = CellKinds(context.contents)
    backgrounds = SectionBackgrounds(context.options)
  }

  var kindNames: [String] { context.contents.cellKindNames + backgrounds.kinds }
  func kindName(_ number: Int) -> String? { kindName(number, own: backgrounds.kinds) }
  var scrollAxis: ScrollAxis? { nil }
  var appendsInOrder: Bool { true }
  var startsAtRightEdge: Bool { context.container.isRightToLeft }
  var pageSpacing: Double { layout.lineSpacing }
  var byteCount: Int {
    MemoryLayout<PreparedGrid>.stride + rows.count * 24 + context.options.byteCount
  }

  /// The row without items that a point lies in.
  func emptySection(at point: Point) -> Int? {
    let place = placement.axisRect(Rect(origin: point, size: .zero)).main - layout.lineSpacing
    guard place >= 0, rowStep > 0, place / rowStep < Double(rows.count) else { return nil }
    let index = Int(place / rowStep)
    guard index < rows.count, place - Double(index) * rowStep < itemSize.height,
      rows[index].itemCount == 0
    else { return nil }
    return index
  }

  /// Rows follow each other vertically.
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress? {
    guard axis == .vertical else { return nil }
    let extents = EqualExtents(
      start: layout.lineSpacing,
      length: itemSize.height,
      step: rowStep,
      count: rows.count
    )
    let row = extents.first(endingAfter: place)
    let passed = context.contents.itemCount(before: row)
    return ItemProgress(
      passed: passed,
      item: context.contents.indexPath(ofOrdinal: passed),
      section: rows.isEmpty ? nil : min(row, rows.count - 1)
    )
  }

  func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? {
    axis == .vertical ? layout.lineSpacing + Double(section) * rowStep : nil
  }

  private var columnStep: Double { itemSize.width + layout.interitemSpacing }
  private var rowStep: Double { itemSize.height + layout.lineSpacing }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let span = placement.searchSpan(rect)
    // Backgrounds may be larger than their rows.
    let overhang = backgrounds.overhang(along: .vertical)
    let reach = max(overhang.start, overhang.end)
    let sections = Self.indices(
      meeting: span.main - reach,
      span.mainLength + 2 * reach,
      first: layout.lineSpacing,
      step: rowStep,
      count: rows.count
    )
    let columns = Self.indices(
      meeting: span.cross,
      span.crossLength,
      first: layout.interitemSpacing,
      step: columnStep,
      count: rows.summary.longestRow
    )
    rows.forEach(in: sections) { row, section, _ in
      appendBackgrounds(of: section, itemCount: row.itemCount, in: rect, to: &buffer)
      let items = columns.clamped(to: 0 ..< row.itemCount)
      guard !items.isEmpty else { return buffer.visit(1) && !buffer.isFull }
      for item in items {
        guard buffer.visit(1) else { return false }
        let frame = frame(section: section, item: item)
        guard frame.meets(rect) else { continue }
        let path = IndexPath(section: section, item: item)
        buffer.append(
          LayoutElement(
            category: .cell,
            kind: cellKinds.kind(at: path),
            indexPath: path,
            frame: frame
          )
        )
        if buffer.isFull { return false }
      }
      return true
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    if key.category == .cell {
      guard cellKinds.contains(key), let item = key.indexPath.item else { return nil }
      return LayoutAttributes(frame: frame(section: key.indexPath.section, item: item))
    }
    let section = key.indexPath.section
    guard key.category == .decoration, key.indexPath.item == nil, section < rows.count,
      let background = backgrounds.background(ofKind: key.kind, section: section)
    else { return nil }
    return attributes(of: background, section: section, itemCount: rows[section].itemCount)
  }

  private func frame(section: Int, item: Int) -> Rect {
    placement.rect(
      AxisRect(
        main: layout.lineSpacing + Double(section) * rowStep,
        cross: layout.interitemSpacing + Double(item) * columnStep,
        mainLength: itemSize.height,
        crossLength: itemSize.width
      )
    )
  }

  /// In a row of equal extents, the indices of those that can meet a span, with one to spare at
  /// each end.
  ///
  /// - Parameter first: where extent 0 starts.
  /// - Parameter step: from the start of one extent to the start of the next.
  static func indices(
    meeting start: Double,
    _ length: Double,
    first: Double,
    step: Double,
    count: Int
  ) -> Range<Int> {
    guard step > 0 else { return 0 ..< count }
    return Range(
      from: ((start - first) / step).rounded(.down) - 1,
      through: ((start + length - first) / step).rounded(.up) + 1,
      count: count
    )
  }
}

// Decorations behind the items of a row. A row without items has none.
extension PreparedGrid {
  private func appendBackgrounds(
    of section: Int,
    itemCount: Int,
    in rect: Rect,
    to buffer: inout ElementBuffer
  ) {
    guard !backgrounds.isEmpty else { return }
    backgrounds.forEach(of: section) { background, kind in
      guard let attributes = attributes(of: background, section: section, itemCount: itemCount),
        attributes.frame.meets(rect)
      else { return }
      buffer.append(
        attributes,
        category: .decoration,
        kind: UInt16(clamping: context.contents.cellKindNames.count + kind),
        indexPath: IndexPath(section: section)
      )
    }
  }

  private func attributes(
    of background: SectionBackground,
    section: Int,
    itemCount: Int
  ) -> LayoutAttributes? {
    guard itemCount > 0 else { return nil }
    let whole = Rect(
      x: layout.interitemSpacing,
      y: layout.lineSpacing + Double(section) * rowStep,
      width: Double(itemCount) * columnStep - layout.interitemSpacing,
      height: itemSize.height
    )
    return LayoutAttributes(
      frame: placement.rect(ScrollAxis.vertical.axisRect(whole.inset(by: background.insets))),
      zIndex: background.zIndex,
      custom: background.custom
    )
  }
}
