// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// All items, whatever their section, on one circle about the viewport's centre: the circle layout
/// of WWDC 2012, session 219.
///
/// Content is as large as the viewport less its insets, so it does not scroll. Right-to-left
/// environments do not mirror it. Sizes that the data gives do not count.
public struct CircleLayout: CollectionLayout {
  public var itemSize: Size
  /// radius = min(viewport width, height) / radiusDivisor.
  public var radiusDivisor: Double
  /// Of the first item: radians from the positive x axis, clockwise as seen.
  public var startAngle: Double

  public init(
    itemSize: Size = Size(width: 70, height: 70),
    radiusDivisor: Double = 2.5,
    startAngle: Double = 0
  ) {
    self.itemSize = itemSize
    self.radiusDivisor = radiusDivisor
    self.startAngle = startAngle
  }

  public var kindName: String { "circle" }
}
