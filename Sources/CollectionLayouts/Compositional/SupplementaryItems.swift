// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The edges of a host (none, one or two adjacent) and a displacement from them.
public struct LayoutAnchor: Hashable, Sendable {
  /// The displacement from the edges.
  public enum Offset: Hashable, Sendable {
    /// In points.
    case absolute(Point)
    /// As fractions of the supplementary element's own size.
    case fractional(Point)
  }

  public var top: Bool
  public var leading: Bool
  public var bottom: Bool
  public var trailing: Bool
  public var offset: Offset

  public init(
    top: Bool = false,
    leading: Bool = false,
    bottom: Bool = false,
    trailing: Bool = false,
    offset: Offset = .absolute(.zero)
  ) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
    self.offset = offset
  }
}

/// A supplementary element on an item or a group: a badge.
public struct AnchoredSupplementaryItem: Hashable, Sendable {
  public var kind: String
  /// Fractions are of the host's frame.
  public var size: LayoutSize
  public var containerAnchor: LayoutAnchor
  /// nil = the element is aligned inside the edges of `containerAnchor`; otherwise this point of
  /// the element lies on that of the host.
  public var itemAnchor: LayoutAnchor?
  public var zIndex: Int

  public init(
    kind: String,
    size: LayoutSize,
    containerAnchor: LayoutAnchor = LayoutAnchor(),
    itemAnchor: LayoutAnchor? = nil,
    zIndex: Int = 1
  ) {
    self.kind = kind
    self.size = size
    self.containerAnchor = containerAnchor
    self.itemAnchor = itemAnchor
    self.zIndex = zIndex
  }
}

/// Where a rectangle keeps to in another.
public enum RectAlignment: UInt8, Hashable, Sendable, CaseIterable {
  case top = 1
  case topLeading
  case leading
  case bottomLeading
  case bottom
  case bottomTrailing
  case trailing
  case topTrailing
  case center
}

/// A supplementary element at an edge of a section, outside its content insets, or of the whole
/// layout: a header.
public struct BoundarySupplementaryItem: Hashable, Sendable {
  public var kind: String
  /// Fractions are of the container, less the section's insets across the scroll axis where the
  /// element follows them.
  public var size: LayoutSize
  /// nil = nothing was said. Not valid; taken as the top edge.
  public var alignment: RectAlignment?
  public var absoluteOffset: Point
  /// Whether content makes room for it.
  public var extendsBoundary: Bool
  public var pinToVisibleBounds: Bool
  /// nil = 1, and 10 where it is pinned, as pinned elements have to be in front of all others.
  public var zIndex: Int?

  public init(
    kind: String,
    size: LayoutSize,
    alignment: RectAlignment?,
    absoluteOffset: Point = .zero,
    extendsBoundary: Bool = true,
    pinToVisibleBounds: Bool = false,
    zIndex: Int? = nil
  ) {
    self.kind = kind
    self.size = size
    self.alignment = alignment
    self.absoluteOffset = absoluteOffset
    self.extendsBoundary = extendsBoundary
    self.pinToVisibleBounds = pinToVisibleBounds
    self.zIndex = zIndex
  }
}
