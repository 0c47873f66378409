// SPDX-License-Identifier: Apache-2.0

/// A place in content coordinates, in points; y grows downwards.
@frozen
public struct Point: Hashable, Sendable {
  /// Distance from the left edge of the content, in points.
  public var x: Double
  /// Distance from the top edge of the content, in points.
  public var y: Double

  /// Makes a point from its coordinates, which must be finite.
  @inlinable
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The top-left corner of the content.
  public static let zero = Point(x: 0, y: 0)

  /// Moved by a vector.
  @inlinable
  public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }

  /// The vector from `b` to `a`.
  @inlinable
  public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
}

/// An extent in points. Neither length is negative.
@frozen
public struct Size: Hashable, Sendable {
  /// Horizontal extent, in points; at least 0.
  public var width: Double
  /// Vertical extent, in points; at least 0.
  public var height: Double

  /// Makes a size from its lengths, which must be finite and not negative.
  @inlinable
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// No extent at all.
  public static let zero = Size(width: 0, height: 0)
}
