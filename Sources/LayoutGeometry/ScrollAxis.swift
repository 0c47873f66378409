// SPDX-License-Identifier: Apache-2.0

/// The axis along which content grows.
///
/// Solvers work in *axis space*: `main` runs along the scroll axis and `cross` across it, from the
/// top or leading edge on. Conversions to content coordinates happen once, here, so that every
/// layout supports both directions; right-to-left is a mirror of the result.
@frozen
public enum ScrollAxis: UInt8, Hashable, Sendable, CaseIterable {
  case vertical
  case horizontal

  /// The length along the axis.
  @inlinable
  public func main(_ size: Size) -> Double { self == .vertical ? size.height : size.width }

  /// The length across the axis.
  @inlinable
  public func cross(_ size: Size) -> Double { self == .vertical ? size.width : size.height }

  /// The coordinate along the axis.
  @inlinable
  public func main(_ point: Point) -> Double { self == .vertical ? point.y : point.x }

  /// The coordinate across the axis.
  @inlinable
  public func cross(_ point: Point) -> Double { self == .vertical ? point.x : point.y }

  /// The inset before the content along the axis.
  @inlinable
  public func mainStart(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.top : insets.leading
  }

  /// The inset after the content along the axis.
  @inlinable
  public func mainEnd(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.bottom : insets.trailing
  }

  /// The inset at the start across the axis.
  @inlinable
  public func crossStart(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.leading : insets.top
  }

  /// The inset at the end across the axis.
  @inlinable
  public func crossEnd(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.trailing : insets.bottom
  }

  /// The size with these lengths.
  @inlinable
  public func size(main: Double, cross: Double) -> Size {
    self == .vertical ? Size(width: cross, height: main) : Size(width: main, height: cross)
  }

  /// The point with these coordinates.
  @inlinable
  public func point(main: Double, cross: Double) -> Point {
    self == .vertical ? Point(x: cross, y: main) : Point(x: main, y: cross)
  }

  /// From axis space to content coordinates.
  @inlinable
  public func rect(_ span: AxisRect) -> Rect {
    self == .vertical
      ? Rect(x: span.cross, y: span.main, width: span.crossLength, height: span.mainLength)
      : Rect(x: span.main, y: span.cross, width: span.mainLength, height: span.crossLength)
  }

  /// From content coordinates to axis space.
  @inlinable
  public func axisRect(_ rect: Rect) -> AxisRect {
    self == .vertical
      ? AxisRect(
        main: rect.y,
        cross: rect.x,
        mainLength: rect.height,
        crossLength: rect.width
      )
      : AxisRect(
        main: rect.x,
        cross: rect.y,
        mainLength: rect.width,
        crossLength: rect.height
      )
  }
}

/// A rectangle in axis space: see `ScrollAxis`.
@frozen
public struct AxisRect: Hashable, Sendable {
  /// Where it starts along the scroll axis, in points.
  public var main: Double
  /// Where it starts across the scroll axis, in points.
  public var cross: Double
  /// Its extent along the scroll axis, in points; at least 0.
  public var mainLength: Double
  /// Its extent across the scroll axis, in points; at least 0.
  public var crossLength: Double

  /// Makes a rectangle from its start and its extents in axis space.
  @inlinable
  public init(main: Double, cross: Double, mainLength: Double, crossLength: Double) {
    self.main = main
    self.cross = cross
    self.mainLength = mainLength
    self.crossLength = crossLength
  }

  /// Where it ends along the scroll axis.
  @inlinable public var mainEnd: Double { main + mainLength }
  /// Where it ends across the scroll axis.
  @inlinable public var crossEnd: Double { cross + crossLength }
}
