// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Rows of cells of one size, one row for each section. Content scrolls in both directions.
///
///     x = interitemSpacing + item · (width + interitemSpacing)
///     y = lineSpacing + section · (height + lineSpacing)
public struct GridLayout: Hashable, Sendable {
  /// The size of every cell, in points. Default 50 × 50.
  public var itemSize: Size
  /// The distance between the cells of a row and at its ends, in points; at least 0. Default 0.
  public var interitemSpacing: Double
  /// The distance between rows, before the first and after the last, in points; at least 0. Default
  /// 0.
  public var lineSpacing: Double

  /// Makes a grid; the defaults leave no room between cells.
  public init(
    itemSize: Size = Size(width: 50, height: 50),
    interitemSpacing: Double = 0,
    lineSpacing: Double = 0
  ) {
    self.itemSize = itemSize
    self.interitemSpacing = interitemSpacing
    self.lineSpacing = lineSpacing
  }
}
