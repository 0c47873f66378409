// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Overrides of a layout's metrics for one section, in points; nil = the layout's own value.
///
/// Which of them a layout uses is up to the layout. All numbers must be finite.
public struct SectionMetrics: Hashable, Sendable {
  /// The distance of the section's items from the section's edges; may be negative.
  public var inset: EdgeInsets?
  /// The distance between lines of items; may be negative.
  public var lineSpacing: Double?
  /// The distance between items of a line; may be negative.
  public var interitemSpacing: Double?
  /// The size of the section's header; not negative.
  public var headerSize: Size?
  /// The size of the section's footer; not negative.
  public var footerSize: Size?

  /// Metrics with the given overrides, which are not checked.
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
