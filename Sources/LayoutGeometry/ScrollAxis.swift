// SPDX-License-Identifier: Apache-2.0

/// The axis along which content grows.
///
/// Solvers work in *axis space*: `main` runs along the scroll axis and `cross` across it, both from
/// the top or leading edge on. Frames are converted to content coordinates once, here, so that
/// every layout supports both directions. Right-to-left layouts mirror the result.
@frozen
public enum ScrollAxis: UInt8, Hashable, Sendable, CaseIterable {
  /// Content grows downwards: `main` is y, `cross` is x.
  case vertical
  /// Content grows in reading direction: `main` is x, `cross` is y.
  case horizontal

  /// The length of `size` along the axis.
  @inlinable
  public func main(_ size: Size) -> Double { self == .vertical ? size.height : size.width }

  /// The length of `size` across the axis.
  @inlinable
  public func cross(_ size: Size) -> Double { self == .vertical ? size.width : size.height }

  /// The coordinate of `point` along the axis.
  @inlinable
  public func main(_ point: Point) -> Double { self == .vertical ? point.y : point.x }

  /// The coordinate of `point` across the axis.
  @inlinable
  public func cross(_ point: Point) -> Double { self == .vertical ? point.x : point.y }

  /// The inset before the content, along the axis.
  @inlinable
  public func mainStart(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.top : insets.leading
  }

  /// The inset after the content, along the axis.
  @inlinable
  public func mainEnd(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.bottom : insets.trailing
  }

  /// The inset at the start edge, across the axis.
  @inlinable
  public func crossStart(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.leading : insets.top
  }

  /// The inset at the end edge, across the axis.
  @inlinable
  public func crossEnd(_ insets: EdgeInsets) -> Double {
    self == .vertical ? insets.trailing : insets.bottom
  }

  /// The size with these lengths along and across the axis.
  @inlinable
  public func size(main: Double, cross: Double) -> Size {
    self == .vertical ? Size(width: cross, height: main) : Size(width: main, height: cross)
  }

  /// The point with these coordinates along and across the axis.
  @inlinable
  public func point(main: Double, cross: Double) -> Point {
    self == .vertical ? Point(x: cross, y: main) : Point(x: main, y: cross)
  }

  /// Converts a rectangle from axis space to content coordinates.
  @inlinable
  public func rect(_ span: AxisRect) -> Rect {
    self == .vertical
      ? Rect(x: span.cross, y: span.main, width: span.crossLength, height: span.mainLength)
      : Rect(x: span.main, y: span.cross, width: span.mainLength, height: span.crossLength)
  }

  /// Converts a rectangle from content coordinates to axis space.
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

/// A rectangle in axis space, which `ScrollAxis` describes.
@frozen
public struct AxisRect: Hashable, Sendable {
  /// The start along the scroll axis, in points.
  public var main: Double
  /// The start across the scroll axis, in points.
  public var cross: Double
  /// The extent along the scroll axis, in points; at least 0.
  public var mainLength: Double
  /// The extent across the scroll axis, in points; at least 0.
  public var crossLength: Double

  /// Makes a rectangle from its starts and its extents in axis space.
  @inlinable
  public init(main: Double, cross: Double, mainLength: Double, crossLength: Double) {
    self.main = main
    self.cross = cross
    self.mainLength = mainLength
    self.crossLength = crossLength
  }

  /// The end along the scroll axis.
  @inlinable public var mainEnd: Double { main + mainLength }
  /// The end across the scroll axis.
  @inlinable public var crossEnd: Double { cross + crossLength }
}
