// SPDX-License-Identifier: Apache-2.0

/// Distances from the four edges, in points. Leading is the left edge in left-to-right
/// environments and the right edge in right-to-left ones.
@frozen
public struct EdgeInsets: Hashable, Sendable {
  /// From the top edge, in points.
  public var top: Double
  /// From the edge where reading begins, in points.
  public var leading: Double
  /// From the bottom edge, in points.
  public var bottom: Double
  /// From the edge where reading ends, in points.
  public var trailing: Double

  /// Makes insets from the distances of all edges; negative ones lie outside.
  @inlinable
  public init(top: Double, leading: Double, bottom: Double, trailing: Double) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
  }

  /// Makes insets with one distance for all edges.
  @inlinable
  public init(all inset: Double) {
    self.init(top: inset, leading: inset, bottom: inset, trailing: inset)
  }

  /// No insets.
  public static let zero = EdgeInsets(all: 0)

  /// What both horizontal insets take together.
  @inlinable public var horizontal: Double { leading + trailing }
  /// What both vertical insets take together.
  @inlinable public var vertical: Double { top + bottom }
}
