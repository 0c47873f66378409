// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Overrides of a layout's own metrics for one section, in points; nil = the layout's own.
public struct SectionMetrics: Hashable, Sendable {
  public var inset: EdgeInsets?
  public var lineSpacing: Double?
  public var interitemSpacing: Double?
  public var headerSize: Size?
  public var footerSize: Size?

  public init(
    inset: EdgeInsets? = nil,
    lineSpacing: Double? = nil,
    interitemSpacing: Double? = nil,
    headerSize: Size? = nil,
    footerSize: Size? = nil
  ) {
    self.inset = inset
    self.lineSpacing = lineSpacing
    self.interitemSpacing = interitemSpacing
    self.headerSize = headerSize
    self.footerSize = footerSize
  }
}
