// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// All items on one circle about the viewport's centre, whatever their section: the circle layout
/// of WWDC 2012, session 219.
///
/// The content is as large as the viewport less its insets, so it does not scroll. It is not
/// mirrored in right-to-left environments. Sizes that the data gives are ignored.
public struct CircleLayout: CollectionLayout {
  /// The size of every item, in points. Default 70 × 70.
  public var itemSize: Size
  /// The divisor in radius = min(viewport width, height) / radiusDivisor; at least 0.001. Default
  /// 2.5.
  public var radiusDivisor: Double
  /// The angle of the first item: radians from the positive x axis, clockwise as seen. Default 0.
  public var startAngle: Double

  /// Makes a circle with the defaults of the WWDC sample.
  public init(
    itemSize: Size = Size(width: 70, height: 70),
    radiusDivisor: Double = 2.5,
    startAngle: Double = 0
  ) {
    self.itemSize = itemSize
    self.radiusDivisor = radiusDivisor
    self.startAngle = startAngle
  }

  /// "circle".
  public var kindName: String { "circle" }
}
