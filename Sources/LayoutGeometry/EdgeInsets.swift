// SPDX-License-Identifier: Apache-2.0

/// Distances inwards from the four edges of a rectangle, in points. Leading is the left edge in
/// left-to-right environments and the right edge in right-to-left ones.
@frozen
public struct EdgeInsets: Hashable, Sendable {
  /// The distance from the top edge, in points.
  public var top: Double
  /// The distance from the edge where reading begins, in points.
  public var leading: Double
  /// The distance from the bottom edge, in points.
  public var bottom: Double
  /// The distance from the edge where reading ends, in points.
  public var trailing: Double

  /// Makes insets from the distances of all edges. A negative distance points outwards.
  @inlinable
  public init(top: Double, leading: Double, bottom: Double, trailing: Double) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
  }

  /// Makes insets with the same distance at all edges.
  @inlinable
  public init(all inset: Double) {
    self.init(top: inset, leading: inset, bottom: inset, trailing: inset)
  }

  /// No insets.
  public static let zero = EdgeInsets(all: 0)

  /// The sum of the leading and the trailing inset, in points.
  @inlinable public var horizontal: Double { leading + trailing }
  /// The sum of the top and the bottom inset, in points.
  @inlinable public var vertical: Double { top + bottom }
}
