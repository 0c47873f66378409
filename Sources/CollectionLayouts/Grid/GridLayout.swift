// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Each section is one row of cells of one size; content scrolls in both directions.
///
///     x = interitemSpacing + item · (width + interitemSpacing)
///     y = lineSpacing + section · (height + lineSpacing)
public struct GridLayout: Hashable, Sendable {
  public var itemSize: Size
  public var interitemSpacing: Double
  public var lineSpacing: Double

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
