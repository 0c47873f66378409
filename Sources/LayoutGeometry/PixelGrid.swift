// SPDX-License-Identifier: Apache-2.0

/// Rounds lengths and positions to the pixels of a display.
@frozen
public struct PixelGrid: Hashable, Sendable {
  /// Pixels per point; at least 1e-3.
  public let scale: Double

  /// Makes the grid of a display with `scale` pixels per point, which must be at least 1e-3.
  @inlinable
  public init(scale: Double) { self.scale = scale }

  /// The pixel edge nearest to `value`, in points. Ties go away from zero, as measured from UIKit.
  ///
  /// A value within a millionth of a pixel of a tie counts as a tie. Otherwise two ways of adding
  /// up the same lengths could end up a pixel apart.
  @inlinable
  public func round(_ value: Double) -> Double {
    let pixels = value * scale
    let nudged = pixels + (pixels < 0 ? -1e-6 : 1e-6)
    return nudged.rounded(.toNearestOrAwayFromZero) / scale
  }

  /// The last pixel edge that is not beyond `value`, in points.
  ///
  /// A value within a millionth of a pixel before an edge counts as that edge, because fractions of
  /// a length seldom come out exactly.
  @inlinable
  public func floor(_ value: Double) -> Double {
    (value * scale + 1e-6).rounded(.down) / scale
  }

  /// A size with both lengths rounded, each by itself.
  @inlinable
  public func round(_ size: Size) -> Size {
    Size(width: round(size.width), height: round(size.height))
  }

  /// A point with both coordinates rounded.
  @inlinable
  public func round(_ point: Point) -> Point { Point(x: round(point.x), y: round(point.y)) }
}
