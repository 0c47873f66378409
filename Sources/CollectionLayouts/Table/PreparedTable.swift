// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Rows of a list with columns across them.
///
/// The rows are placed independently, in a width that does not depend on the columns. So tables
/// that differ only in their columns share their rows, and resizing a column does not affect the
/// rows.
struct PreparedTable: PreparedLayout {
  let layout: TableLayout
  let context: LayoutContext
  /// The rows, from their own origin on and `rowWidth` wide.
  let rows: any PreparedLayout
  /// What the viewer has changed of the layout's columns.
  let preferences: TablePreferences
  let columns: TableColumns
  let spans: TableSpans
  /// `kindNames`, which versions share, so that they are quickly found to be the same; nil = there
  /// are so many kinds of rows that names are put together when they are asked for.
  private let sharedKindNames: [String]?
  /// The number of the kind of separators among the rows.
  let separatorKind: UInt16
  /// The index in `kindNames` from which those of the columns and groups are.
  let kindBase: Int
  /// The height of all headers together; the rows begin below it.
  let headersHeight: Double
  let contentSize: Size

  /// The width in which rows are placed, whatever the width of the table.
  private static let rowWidth = 65_536.0

  /// Puts columns across rows.
  ///
  /// - Parameter last: an earlier table whose unchanged parts are reused.
  /// - Complexity: O(n log n) for n columns; less if they have not changed.
  init(
    _ layout: TableLayout,
    rows: any PreparedLayout,
    context: LayoutContext,
    preferences: TablePreferences = TablePreferences(),
    last: PreparedTable? = nil
  ) {
    self.layout = layout
    self.rows = rows
    self.context = context
    self.preferences = preferences
    let pixelGrid = context.pixelGrid
    let cellKinds = context.contents.cellKindNames
    if let last, last.preferences == preferences, last.layout == layout,
      last.context.container == context.container, last.context.options == context.options
    {
      columns = last.columns
      let hasSameKinds = last.context.contents.cellKindNames == cellKinds
      spans =
        hasSameKinds
        ? last.spans
        : TableSpans(layout.rowKinds, in: columns, cellKindNames: cellKinds)
      (kindBase, separatorKind, sharedKindNames) =
        hasSameKinds
        ? (last.kindBase, last.separatorKind, last.sharedKindNames)
        : Self.kinds(of: rows, and: columns)
    } else {
      columns = TableColumns(
        preferences.arranged(layout.columns),
        available: context.container.contentSize.width,
        pixelGrid: pixelGrid
      )
      spans = TableSpans(layout.rowKinds, in: columns, cellKindNames: cellKinds)
      (kindBase, separatorKind, sharedKindNames) = Self.kinds(of: rows, and: columns)
    }
    let height = pixelGrid.map { $0.round(layout.headerHeight) } ?? layout.headerHeight
    headersHeight = height * Double(columns.headerRows)
    contentSize = Size(width: columns.width, height: headersHeight + rows.contentSize.height)
  }

  /// With more kinds among the rows than this, versions do not keep the names of all kinds.
  private static let fewKinds = 1024

  /// The number of the kinds among the rows, which of them is that of separators, and the names of
  /// all kinds if there are few.
  private static func kinds(
    of rows: any PreparedLayout,
    and columns: TableColumns
  ) -> (count: Int, separator: UInt16, names: [String]?) {
    let names = rows.kindNames
    let separator = names.lastIndex { $0.hasSameBytes(as: StandardKind.separator) }
    let all = names.count <= fewKinds ? names + columns.ids : nil
    return (names.count, separator.map { UInt16(clamping: $0) } ?? .max, all)
  }

  /// What rows are placed for.
  static func rowContext(_ context: LayoutContext) -> LayoutContext {
    var inner = context
    inner.container = LayoutContainer(
      size: Size(width: rowWidth, height: 0),
      displayScale: context.container.displayScale
    )
    return inner
  }

  /// The same table as a viewer wants its columns.
  func arranged(
    by preferences: TablePreferences,
    last: (any PreparedLayout)?
  ) -> any PreparedLayout {
    guard preferences != self.preferences else { return self }
    return PreparedTable(
      layout,
      rows: rows,
      context: context,
      preferences: preferences,
      last: last as? PreparedTable
    )
  }

  /// The kinds of the rows, followed by those of columns and groups.
  var kindNames: [String] { sharedKindNames ?? rows.kindNames + columns.ids }
  /// One of them; nil = there is no such kind.
  func kindName(_ number: Int) -> String? {
    guard number >= kindBase else { return rows.kindName(number) }
    let index = number - kindBase
    return columns.ids.indices.contains(index) ? columns.ids[index] : nil
  }

  /// Vertical; nil if the columns are wider than the container.
  var scrollAxis: ScrollAxis? {
    contentSize.width > context.container.contentSize.width ? nil : .vertical
  }
  /// Whether the content is mirrored and can scroll horizontally.
  var startsAtRightEdge: Bool { isMirrored && scrollAxis == nil }
  /// Headers come first, and each row before its cells; but if cells may cover several rows, all
  /// cells come after all rows.
  var appendsInOrder: Bool { !hasRowSpans }
  /// The distance between rows, in points.
  var pageSpacing: Double { rows.pageSpacing }
  /// Columns that stay move with any step to the side, headers with any step.
  var scrollDependence: ScrollDependence {
    if columns.hasFrozen { return .everything }
    return headersHeight > 0 && !layout.headersScrollAway ? .pinnedElements : rows.scrollDependence
  }
  /// The memory that it takes beyond the contents, in bytes: an estimate.
  var byteCount: Int {
    MemoryLayout<Self>.stride + rows.byteCount + columns.byteCount + spans.byteCount
      + preferences.byteCount + (sharedKindNames?.count ?? 0) * MemoryLayout<String>.stride
  }

  /// The section without items in whose extent a point lies; nil = none.
  func emptySection(at point: Point) -> Int? {
    rows.emptySection(at: Point(x: 0, y: point.y - headersHeight))
  }

  var isMirrored: Bool { context.container.isRightToLeft }

  // MARK: - Places

  /// The viewport in which the rows are seen: what lies below the headers.
  func rowViewport(_ viewport: Viewport) -> Viewport {
    guard !layout.headersScrollAway else {
      var moved = viewport
      moved.offset.y -= headersHeight
      return moved
    }
    // Rows start `headersHeight` below the content's start, and are seen as far below the
    // viewport's.
    var below = viewport
    below.size.height = max(0, below.size.height - headersHeight)
    return below
  }

  /// A frame among the rows, in content coordinates. Rows are as wide as the content, whatever the
  /// insets of their section.
  func placed(_ frame: Rect, _ category: ElementCategory) -> Rect {
    let isRow = category == .cell
    let start = isRow ? 0 : frame.minX
    let end = isRow ? contentSize.width : frame.maxX - Self.rowWidth + contentSize.width
    return place(
      from: start,
      to: max(start, end),
      y: frame.minY + headersHeight,
      height: frame.height
    )
  }

  /// The range of a pinned element among the rows, in content coordinates.
  func placed(_ pin: PinRange) -> PinRange {
    PinRange(
      minOffset: pin.minOffset + headersHeight,
      maxOffset: pin.maxOffset + headersHeight,
      inset: pin.inset + (layout.headersScrollAway ? 0 : headersHeight)
    )
  }

  /// A rect in content coordinates, from distances from the leading edge.
  func place(from start: Double, to end: Double, y: Double, height: Double) -> Rect {
    Rect(
      x: isMirrored ? contentSize.width - end : start,
      y: y,
      width: end - start,
      height: height
    )
  }

  /// The distances from the leading edge between which a rect lies.
  func span(of rect: Rect) -> (start: Double, end: Double) {
    isMirrored
      ? (contentSize.width - rect.maxX, contentSize.width - rect.minX) : (rect.minX, rect.maxX)
  }

  /// How far the columns of a part are shifted from their natural place, so that they stay in view.
  func shift(of part: TableColumns.Part, viewport: Viewport) -> Double {
    guard columns.hasFrozen, part != .scrolling else { return 0 }
    let seen = span(of: viewport.unobscuredRect)
    let most = max(0, contentSize.width - (seen.end - seen.start))
    switch part {
    case .scrolling: return 0
    case .leading: return min(max(seen.start, 0), most)
    case .trailing: return -min(max(contentSize.width - seen.end, 0), most)
    }
  }
}
