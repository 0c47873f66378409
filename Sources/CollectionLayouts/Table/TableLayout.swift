// SPDX-License-Identifier: Apache-2.0

/// Rows and columns: an item is a row, and the layout has the columns.
///
/// An item's cell is its whole row. What stands in a column of it is a supplementary element at the
/// item's index path, whose kind is the column's identifier; the column's header has the same kind,
/// section 0 and no item. So a table of ten million rows has no element that is not asked for, and
/// needs no more of the data than a list.
public struct TableLayout: Hashable, Sendable {
  /// The columns and groups of columns, from the leading edge on.
  public var columns: [TableColumn]
  /// The height of rows for which the data gives none, in points; at least 0. Default 44.
  public var rowHeight: Double
  /// Whether rows take the height that the renderer measures of their cells. Default false.
  public var isSelfSizing: Bool
  /// The distance between rows, in points; at least 0. Default 0.
  public var rowSpacing: Double
  /// The height of each row of headers, in points; 0 = no headers. Default 32. There is one row for
  /// the columns, and one above it for each level of groups.
  public var headerHeight: Double
  /// Whether the headers scroll with the rows, instead of staying at the top. Default false.
  public var headersScrollAway: Bool
  /// The height of the headers of sections, in points; 0, the default, = none.
  public var sectionHeaderHeight: Double
  /// The height of the footers of sections, in points; 0, the default, = none.
  public var sectionFooterHeight: Double
  /// Whether a section's header stays below the headers of the columns while its section passes.
  /// Default false.
  public var sectionHeadersPinToVisibleBounds: Bool
  /// The thickness of the separators behind rows, in points; 0, the default, = none.
  public var separatorThickness: Double
  /// Rows that are not made of one cell for each column, by the kinds of their items' cells.
  public var rowKinds: [TableRowKind]

  /// Makes a table; the defaults give rows of 44 points below headers of 32.
  public init(
    columns: [TableColumn],
    rowHeight: Double = 44,
    isSelfSizing: Bool = false,
    rowSpacing: Double = 0,
    headerHeight: Double = 32,
    headersScrollAway: Bool = false,
    sectionHeaderHeight: Double = 0,
    sectionFooterHeight: Double = 0,
    sectionHeadersPinToVisibleBounds: Bool = false,
    separatorThickness: Double = 0,
    rowKinds: [TableRowKind] = []
  ) {
    self.columns = columns
    self.rowHeight = rowHeight
    self.isSelfSizing = isSelfSizing
    self.rowSpacing = rowSpacing
    self.headerHeight = headerHeight
    self.headersScrollAway = headersScrollAway
    self.sectionHeaderHeight = sectionHeaderHeight
    self.sectionFooterHeight = sectionFooterHeight
    self.sectionHeadersPinToVisibleBounds = sectionHeadersPinToVisibleBounds
    self.separatorThickness = separatorThickness
    self.rowKinds = rowKinds
  }

  /// The most columns and groups together.
  public static let maximumColumnCount = 10_000
  /// The most groups within one another.
  public static let maximumGroupLevels = 4
  /// The most kinds of rows, and the most spans of one of them.
  public static let maximumRowKindCount = 64
  /// The most rows that a cell covers.
  public static let maximumSpannedRowCount = 64

  /// The rows as a list, which knows nothing of columns.
  var rows: ListLayout {
    ListLayout(
      rowHeight: rowHeight,
      isSelfSizing: isSelfSizing,
      rowSpacing: rowSpacing,
      headerHeight: sectionHeaderHeight,
      footerHeight: sectionFooterHeight,
      headersPinToVisibleBounds: sectionHeadersPinToVisibleBounds,
      separatorThickness: separatorThickness
    )
  }
}

/// A column of a table, or a group of columns.
public struct TableColumn: Hashable, Sendable {
  /// How wide a column is.
  public enum Width: Hashable, Sendable {
    /// In points.
    case points(Double)
    /// A part of the room that columns in points leave: its share of all shares.
    case share(Double)
  }

  /// The kind of the column's cells and of its header.
  public var id: String
  /// How wide the column is. Of a group it does not matter.
  public var width: Width
  /// The least width, in points. Default 0.
  public var minimum: Double
  /// The greatest width, in points; nil, the default, = any.
  public var maximum: Double?
  /// Whether it is not shown. Default false.
  public var isHidden: Bool
  /// The edge of the viewport at which it stays; nil, the default, = it scrolls. A group stays as a
  /// whole, so columns and groups inside it have no edge of their own.
  public var frozen: TableEdge?
  /// The columns and groups of a group; empty = this is a column.
  public var columns: [TableColumn]

  /// Makes a column.
  public init(
    _ id: String,
    width: Width = .points(120),
    minimum: Double = 0,
    maximum: Double? = nil,
    isHidden: Bool = false,
    frozen: TableEdge? = nil,
    columns: [TableColumn] = []
  ) {
    self.id = id
    self.width = width
    self.minimum = minimum
    self.maximum = maximum
    self.isHidden = isHidden
    self.frozen = frozen
    self.columns = columns
  }

  /// Whether it is a group.
  var isGroup: Bool { !columns.isEmpty }
}

/// An edge of the viewport at which columns stay; raw values are those of the contract.
public enum TableEdge: UInt8, Hashable, Sendable, CaseIterable {
  /// Where reading begins.
  case leading = 1
  /// Where reading ends.
  case trailing = 2
}

/// Rows that are not made of one cell for each column.
public struct TableRowKind: Hashable, Sendable {
  /// The kind of their items' cells.
  public var cellKind: String
  /// Whether such a row is shown as a whole and has no cells. Default false.
  public var isWhole: Bool
  /// Cells across several columns or rows. If spans of a row overlap, the one that begins first
  /// wins. If spans of several rows do, the upper one wins: a span is hidden if one of a row above
  /// reaches into it, even if that one is hidden too.
  public var spans: [TableSpan]

  /// Makes a kind of rows.
  public init(cellKind: String, isWhole: Bool = false, spans: [TableSpan] = []) {
    self.cellKind = cellKind
    self.isWhole = isWhole
    self.spans = spans
  }
}

/// A cell across several columns, several rows or both.
public struct TableSpan: Hashable, Sendable {
  /// The identifier of the column in which the cell begins. The cell's kind.
  public var column: String
  /// How many of the columns it covers that are shown from there on and stay or scroll together
  /// with the first; nil = all of these.
  public var count: Int?
  /// How many rows it covers from its own on, 1 to `TableLayout.maximumSpannedRowCount`. It ends
  /// with its section, and before a row that is shown as a whole. Default 1.
  public var rowCount: Int

  /// Makes a span.
  public init(column: String, count: Int? = nil, rowCount: Int = 1) {
    self.column = column
    self.count = count
    self.rowCount = rowCount
  }
}
