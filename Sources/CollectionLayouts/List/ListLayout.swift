// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Rows over the full width, one for each item, from top to bottom.
public struct ListLayout: Hashable, Sendable {
  /// The height of rows for which the data gives none, in points; at least 0. Default 44.
  public var rowHeight: Double
  /// Whether rows take the height that the renderer measures. Until then they have `rowHeight`.
  /// Default false.
  public var isSelfSizing: Bool
  /// The distance between rows, in points; at least 0. Default 0.
  public var rowSpacing: Double
  /// Room around the rows of a section, in points. Default 0.
  public var sectionInset: EdgeInsets
  /// The height of section headers, in points; 0, the default, = no header.
  public var headerHeight: Double
  /// The height of section footers, in points; 0, the default, = no footer.
  public var footerHeight: Double
  /// Whether a header stays at the top of the visible bounds while its section passes. Default
  /// false.
  public var headersPinToVisibleBounds: Bool
  /// Whether a footer stays at the bottom of the visible bounds while its section passes. Default
  /// false.
  public var footersPinToVisibleBounds: Bool
  /// The thickness of the separators, in points; 0, the default, = no separators.
  ///
  /// A separator is a decoration that starts where a row ends and takes no room of its own. Every
  /// row of a section has one except the last.
  public var separatorThickness: Double
  /// How much smaller a separator is than the strip behind its row, on each side, in points.
  /// Default 0.
  public var separatorInsets: EdgeInsets

  /// Makes a list; the defaults give rows of 44 points without headers, footers and separators.
  public init(
    rowHeight: Double = 44,
    isSelfSizing: Bool = false,
    rowSpacing: Double = 0,
    sectionInset: EdgeInsets = .zero,
    headerHeight: Double = 0,
    footerHeight: Double = 0,
    headersPinToVisibleBounds: Bool = false,
    footersPinToVisibleBounds: Bool = false,
    separatorThickness: Double = 0,
    separatorInsets: EdgeInsets = .zero
  ) {
    self.rowHeight = rowHeight
    self.isSelfSizing = isSelfSizing
    self.rowSpacing = rowSpacing
    self.sectionInset = sectionInset
    self.headerHeight = headerHeight
    self.footerHeight = footerHeight
    self.headersPinToVisibleBounds = headersPinToVisibleBounds
    self.footersPinToVisibleBounds = footersPinToVisibleBounds
    self.separatorThickness = separatorThickness
    self.separatorInsets = separatorInsets
  }
}
