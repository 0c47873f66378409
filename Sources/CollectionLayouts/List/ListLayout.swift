// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One full-width row for each item, from top to bottom.
public struct ListLayout: Hashable, Sendable {
  /// Rows without a height of their own.
  public var rowHeight: Double
  /// Rows are self-sizing, from `rowHeight` until measured.
  public var isSelfSizing: Bool
  public var rowSpacing: Double
  public var sectionInset: EdgeInsets
  /// 0 = no header.
  public var headerHeight: Double
  /// 0 = no footer.
  public var footerHeight: Double
  public var headersPinToVisibleBounds: Bool
  public var footersPinToVisibleBounds: Bool
  /// Thickness of a decoration that starts where a row ends, of each row but a section's last, and
  /// takes no room. 0 = none.
  public var separatorThickness: Double
  public var separatorInsets: EdgeInsets

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
