// SPDX-License-Identifier: Apache-2.0

/// A place in content coordinates, in points. x grows to the right and y downwards.
@frozen
public struct Point: Hashable, Sendable {
  /// The distance from the left edge of the content, in points.
  public var x: Double
  /// The distance from the top edge of the content, in points.
  public var y: Double

  /// Makes a point from its coordinates, which must be finite.
  @inlinable
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The top-left corner of the content.
  public static let zero = Point(x: 0, y: 0)

  /// Whether both coordinates are.
  package var isFinite: Bool { x.isFinite && y.isFinite }

  /// The point `a` moved by the vector `b`.
  @inlinable
  public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }

  /// The vector from `b` to `a`.
  @inlinable
  public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
}

/// A width and a height in points, neither of them negative.
@frozen
public struct Size: Hashable, Sendable {
  /// The horizontal extent, in points; at least 0.
  public var width: Double
  /// The vertical extent, in points; at least 0.
  public var height: Double

  /// Makes a size from its lengths, which must be finite and not negative.
  @inlinable
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// A size without any extent.
  public static let zero = Size(width: 0, height: 0)
}
