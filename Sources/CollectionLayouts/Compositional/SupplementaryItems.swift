// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// A place on a host: edges of it and a displacement from there.
///
/// Along an axis without an edge, or with both, the place is in the middle.
public struct LayoutAnchor: Hashable, Sendable {
  /// The displacement from the edges.
  public enum Offset: Hashable, Sendable {
    /// A vector in points.
    case absolute(Point)
    /// A vector in fractions of the supplementary element's own size.
    case fractional(Point)
  }

  /// Whether the place is at the top edge. Default false, as for the other edges.
  public var top: Bool
  /// Whether the place is at the leading edge.
  public var leading: Bool
  /// Whether the place is at the bottom edge.
  public var bottom: Bool
  /// Whether the place is at the trailing edge.
  public var trailing: Bool
  /// The displacement from the edges. Default: none.
  public var offset: Offset

  /// Makes an anchor; without edges it is the centre of the host.
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
  /// The element kind; not empty.
  public var kind: String
  /// The size of the element. Fractions are of the item's frame after its insets; on a group, of
  /// what contains the group.
  public var size: LayoutSize
  /// The place on the host at which the element lies. Default: its centre.
  public var containerAnchor: LayoutAnchor
  /// The point of the element that lies on `containerAnchor`, except that its offset moves the
  /// element as that of `containerAnchor` does. nil, the default, = the element lies inside the
  /// edges of `containerAnchor`.
  public var itemAnchor: LayoutAnchor?
  /// The z-index, a 32-bit integer. Default 1.
  public var zIndex: Int

  /// Makes a badge of this kind and size.
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

/// The edge, corner or middle of a rectangle at which another one is placed.
public enum RectAlignment: UInt8, Hashable, Sendable, CaseIterable {
  /// The middle of the top edge.
  case top = 1
  /// The corner of the top and the leading edge.
  case topLeading
  /// The middle of the leading edge.
  case leading
  /// The corner of the bottom and the leading edge.
  case bottomLeading
  /// The middle of the bottom edge.
  case bottom
  /// The corner of the bottom and the trailing edge.
  case bottomTrailing
  /// The middle of the trailing edge.
  case trailing
  /// The corner of the top and the trailing edge.
  case topTrailing
  /// The middle of the rectangle.
  case center
}

/// A supplementary element at an edge of a section, outside its content insets, or at an edge of
/// the whole layout: for example a header.
///
/// Elements at one edge each lie against the content and cover each other.
public struct BoundarySupplementaryItem: Hashable, Sendable {
  /// The element kind; not empty, and different from those of the section's or layout's other
  /// boundary items.
  public var kind: String
  /// The size of the element. Fractions are of the whole container along the scroll axis; across it
  /// less the section's insets if the element follows them.
  public var size: LayoutSize
  /// The edge or corner at which it is placed; nil = not given, which is not valid and taken as the
  /// top edge.
  public var alignment: RectAlignment?
  /// A displacement from that place, in points. Along the scroll axis it also changes the room that
  /// content makes. Default 0.
  public var absoluteOffset: Point
  /// Whether content makes room for the element along the scroll axis; otherwise the element
  /// overlaps the content. An element between the section's start and end overlaps it in any case,
  /// but the section is at least as long as the element. Default true.
  public var extendsBoundary: Bool
  /// Whether the element stays in the visible bounds while its section passes. Default false.
  public var pinToVisibleBounds: Bool
  /// The z-index, a 32-bit integer; nil, the default, = 1. That of a pinned element is raised by
  /// 1,000,000,000, so that it lies in front of all others.
  public var zIndex: Int?

  /// Makes an element of this kind and size at an edge.
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
