// SPDX-License-Identifier: Apache-2.0

/// Rounds lengths and positions to the pixels of a display.
@frozen
public struct PixelGrid: Hashable, Sendable {
  /// Pixels to a point, at least 1e-3.
  public let scale: Double

  @inlinable
  public init(scale: Double) { self.scale = scale }

  /// The nearest pixel edge; ties go away from zero, as measured from UIKit.
  @inlinable
  public func round(_ value: Double) -> Double {
    (value * scale).rounded(.toNearestOrAwayFromZero) / scale
  }

  @inlinable
  public func round(_ size: Size) -> Size {
    Size(width: round(size.width), height: round(size.height))
  }

  @inlinable
  public func round(_ point: Point) -> Point { Point(x: round(point.x), y: round(point.y)) }
}
