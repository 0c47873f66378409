// SPDX-License-Identifier: Apache-2.0

/// An axis-parallel rectangle in content coordinates, in points. Its size is never negative.
@frozen
public struct Rect: Hashable, Sendable {
  /// The left edge, in points.
  public var x: Double
  /// The top edge, in points.
  public var y: Double
  /// The horizontal extent, in points; at least 0.
  public var width: Double
  /// The vertical extent, in points; at least 0.
  public var height: Double

  /// The greatest length and the greatest magnitude of a position that come from outside, in
  /// points: 2⁴⁰. A double has a precision of 2⁻¹² points there, and the lengths of all items of
  /// the largest collection, fewer than 2³², add up to less than 2⁷².
  @inlinable public static var greatestLength: Double { 0x1p40 }

  /// Makes a rectangle from its top-left corner and its lengths, which must not be negative.
  @inlinable
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Makes a rectangle from its top-left corner and its size.
  @inlinable
  public init(origin: Point, size: Size) {
    self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
  }

  /// Makes a rectangle from its centre and its size.
  @inlinable
  public init(center: Point, size: Size) {
    self.init(
      x: center.x - size.width / 2,
      y: center.y - size.height / 2,
      width: size.width,
      height: size.height
    )
  }

  /// A rectangle without extent in the top-left corner of the content.
  public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

  /// The left edge.
  @inlinable public var minX: Double { x }
  /// The top edge.
  @inlinable public var minY: Double { y }
  /// The right edge.
  @inlinable public var maxX: Double { x + width }
  /// The bottom edge.
  @inlinable public var maxY: Double { y + height }
  /// Halfway between the left and the right edge.
  @inlinable public var midX: Double { x + width / 2 }
  /// Halfway between the top and the bottom edge.
  @inlinable public var midY: Double { y + height / 2 }
  /// The top-left corner.
  @inlinable public var origin: Point { Point(x: x, y: y) }
  /// The width and the height.
  @inlinable public var size: Size { Size(width: width, height: height) }
  /// The point halfway between all edges.
  @inlinable public var center: Point { Point(x: midX, y: midY) }

  /// Whether an element with this frame belongs to the elements of `rect`.
  ///
  /// As in Core Graphics, rectangles that only touch do not meet.
  ///
  /// **Edge cases:** on each axis, an element of length 0 counts as a point, which meets `rect`
  /// from its start edge, included, to its end edge, excluded. A `rect` of length 0 is met by
  /// elements that contain it strictly between their edges.
  @inlinable
  public func meets(_ rect: Rect) -> Bool {
    Rect.spans(x, width, meet: rect.x, rect.width)
      && Rect.spans(y, height, meet: rect.y, rect.height)
  }

  /// The rule of `meets(_:)` on one axis, for solvers that work along one axis.
  ///
  /// - Parameter start: where the element starts; it ends at `start + length`.
  /// - Parameter otherStart: where the other span starts; it ends at `otherStart + otherLength`.
  @inlinable
  public static func spans(
    _ start: Double,
    _ length: Double,
    meet otherStart: Double,
    _ otherLength: Double
  ) -> Bool {
    let end = otherStart + otherLength
    guard start < end else { return false }
    return start + length > otherStart || (length == 0 && start == otherStart && otherLength > 0)
  }

  /// Whether the point lies inside. The start edges count as inside, the end edges do not.
  @inlinable
  public func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  /// Whether `rect` lies wholly inside. Edges may coincide.
  @inlinable
  public func contains(_ rect: Rect) -> Bool {
    rect.minX >= minX && rect.maxX <= maxX && rect.minY >= minY && rect.maxY <= maxY
  }

  /// The smallest rectangle that contains both.
  @inlinable
  public func union(_ other: Rect) -> Rect {
    let left = min(minX, other.minX)
    let top = min(minY, other.minY)
    return Rect(
      x: left,
      y: top,
      width: max(maxX, other.maxX) - left,
      height: max(maxY, other.maxY) - top
    )
  }

  /// The area that both rectangles cover; nil if they have no area in common.
  @inlinable
  public func intersection(_ other: Rect) -> Rect? {
    let left = max(minX, other.minX)
    let top = max(minY, other.minY)
    let right = min(maxX, other.maxX)
    let bottom = min(maxY, other.maxY)
    guard right > left, bottom > top else { return nil }
    return Rect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The rectangle moved by a vector, in points.
  @inlinable
  public func offset(by vector: Point) -> Rect {
    Rect(x: x + vector.x, y: y + vector.y, width: width, height: height)
  }

  /// The rectangle made smaller by the insets. A length never falls below 0.
  ///
  /// - Parameter rightToLeft: whether leading means the right edge instead of the left one.
  @inlinable
  public func inset(by insets: EdgeInsets, rightToLeft: Bool = false) -> Rect {
    Rect(
      x: x + (rightToLeft ? insets.trailing : insets.leading),
      y: y + insets.top,
      width: max(0, width - insets.leading - insets.trailing),
      height: max(0, height - insets.top - insets.bottom)
    )
  }

  /// The rectangle mirrored about the vertical middle of a content area, for right-to-left
  /// environments.
  ///
  /// - Parameter contentWidth: the width of the content area, in points.
  @inlinable
  public func mirrored(inWidth contentWidth: Double) -> Rect {
    Rect(x: contentWidth - x - width, y: y, width: width, height: height)
  }
}
