// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// A section of rows, as UICollectionLayoutListConfiguration describes it.
///
/// There is one row for each item, as wide as the insets leave. Its height is that of the data or
/// what the renderer measured, until then `estimatedRowHeight`. Headers and footers are boundary
/// supplementary items of the kinds "header" and "footer", which are inset like the rows.
public struct ListConfiguration: Hashable, Sendable {
  /// The style of a list, which decides its insets and the lengths of headers and footers.
  public enum Appearance: UInt8, Hashable, Sendable, CaseIterable {
    /// Rows over the whole width; headers and footers are pinned.
    case plain = 1
    /// Sections apart from each other.
    case grouped
    /// Sections apart from each other and from the sides.
    case insetGrouped
    /// A sidebar.
    case sidebar
    /// A sidebar with pinned headers and footers.
    case sidebarPlain
  }

  /// What the header of a section is.
  public enum HeaderMode: UInt8, Hashable, Sendable, CaseIterable {
    /// There is none.
    case none = 1
    /// A supplementary element.
    case supplementary
    /// The first item, a row like the others.
    case firstItemInSection
  }

  /// What the footer of a section is.
  public enum FooterMode: UInt8, Hashable, Sendable, CaseIterable {
    /// There is none.
    case none = 1
    /// A supplementary element.
    case supplementary
  }

  /// Whose figures count where they differ. They were recorded on a Mac.
  public enum Idiom: UInt8, Hashable, Sendable, CaseIterable {
    /// Rows are 44 high, and sidebars have 10 at their sides: the Mac's figures without its scales.
    case phone = 1
    /// Rows are 40.04 high, and sidebars have 12.987 at their sides.
    case mac
  }

  /// The style. Default: plain.
  public var appearance: Appearance
  /// Default: no header.
  public var headerMode: HeaderMode
  /// Default: no footer.
  public var footerMode: FooterMode
  /// Default: phone.
  public var idiom: Idiom
  /// Room above a section's header, in points; at least 0. nil, the default, = 22 in a plain list
  /// whose header is the first item, else 0. It has no effect without a header.
  public var headerTopPadding: Double?
  /// The height of rows that have none yet, in points; at least 0. nil, the default, = the idiom's.
  public var estimatedRowHeight: Double?
  /// Room around the rows, in points, apart from `headerTopPadding`. nil, the default, = the
  /// appearance's.
  public var contentInsets: EdgeInsets?
  /// Whether rows have separators: decorations of the kinds "separator", below a row, and
  /// "top-separator", above one. They take no room. Default true.
  public var showsSeparators: Bool
  /// The thickness of separators, in points; at least 0. nil, the default, = one pixel.
  public var separatorThickness: Double?
  /// The separators of all rows for which `rowSeparators` has none.
  public var separator: ListSeparator
  /// The separators of the rows of some cell kinds, which must differ. Default: none.
  public var rowSeparators: [RowSeparator]

  /// The separators of all rows of one cell kind.
  public struct RowSeparator: Hashable, Sendable {
    /// The name of the cell kind; "" = rows whose kind has no name.
    public var cellKind: String
    /// The separators of these rows.
    public var separator: ListSeparator

    /// Makes the separators of a cell kind.
    public init(cellKind: String, separator: ListSeparator) {
      self.cellKind = cellKind
      self.separator = separator
    }
  }

  /// Makes a list; the defaults are those of a plain one on a phone.
  public init(
    appearance: Appearance = .plain,
    headerMode: HeaderMode = .none,
    footerMode: FooterMode = .none,
    idiom: Idiom = .phone,
    headerTopPadding: Double? = nil,
    estimatedRowHeight: Double? = nil,
    contentInsets: EdgeInsets? = nil,
    showsSeparators: Bool = true,
    separatorThickness: Double? = nil,
    separator: ListSeparator = ListSeparator(),
    rowSeparators: [RowSeparator] = []
  ) {
    self.appearance = appearance
    self.headerMode = headerMode
    self.footerMode = footerMode
    self.idiom = idiom
    self.headerTopPadding = headerTopPadding
    self.estimatedRowHeight = estimatedRowHeight
    self.contentInsets = contentInsets
    self.showsSeparators = showsSeparators
    self.separatorThickness = separatorThickness
    self.separator = separator
    self.rowSeparators = rowSeparators
  }
}
