// SPDX-License-Identifier: Apache-2.0

/// Rounds lengths and positions to the pixels of a display.
@frozen
public struct PixelGrid: Hashable, Sendable {
  /// Pixels to a point, at least 1e-3.
  public let scale: Double

  /// Makes the grid of a display with `scale` pixels to a point, which must be at least 1e-3.
  @inlinable
  public init(scale: Double) { self.scale = scale }

  /// The nearest pixel edge; ties go away from zero, as measured from UIKit.
  ///
  /// What lies within a millionth of a pixel of a tie counts as one, so that two ways of adding up
  /// the same lengths do not come to lie a pixel apart.
  @inlinable
  public func round(_ value: Double) -> Double {
    let pixels = value * scale
    let nudged = pixels + (pixels < 0 ? -1e-6 : 1e-6)
    return nudged.rounded(.toNearestOrAwayFromZero) / scale
  }

  /// Both lengths rounded by themselves.
  @inlinable
  public func round(_ size: Size) -> Size {
    Size(width: round(size.width), height: round(size.height))
  }

  /// Both coordinates rounded.
  @inlinable
  public func round(_ point: Point) -> Point { Point(x: round(point.x), y: round(point.y)) }
}
