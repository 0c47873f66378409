// SPDX-License-Identifier: Apache-2.0

/// Distances from the four edges, in points. Leading is the left edge in left-to-right
/// environments and the right edge in right-to-left ones.
@frozen
public struct EdgeInsets: Hashable, Sendable {
  public var top: Double
  public var leading: Double
  public var bottom: Double
  public var trailing: Double

  @inlinable
  public init(top: Double, leading: Double, bottom: Double, trailing: Double) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
  }

  @inlinable
  public init(all inset: Double) {
    self.init(top: inset, leading: inset, bottom: inset, trailing: inset)
  }

  public static let zero = EdgeInsets(all: 0)

  @inlinable public var horizontal: Double { leading + trailing }
  @inlinable public var vertical: Double { top + bottom }
}
