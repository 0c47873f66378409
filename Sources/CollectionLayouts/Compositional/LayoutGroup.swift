// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Items and groups that follow each other along an axis, or lie at frames of their own.
public struct LayoutGroup: Hashable, Sendable {
  /// The axis along which the subitems of a group follow each other, in content coordinates.
  public enum Axis: UInt8, Hashable, Sendable, CaseIterable {
    /// From the leading edge to the trailing edge.
    case horizontal
    /// From top to bottom.
    case vertical
  }

  /// The axis along which subitems follow each other; nil = not given, which is valid only with
  /// custom frames.
  public var axis: Axis?
  /// The size of the group. Subitems that do not fit stick out of it without making it larger.
  public var size: LayoutSize
  /// The items and groups in it, repeated in their order until the group is full; once each if the
  /// group has an estimated length along its axis.
  ///
  /// A section's last group may have fewer items than there are places. Those items are where they
  /// would be in a full group, and the group ends before the full one's end by as much as the last
  /// of them ends before the last place.
  public var subitems: [LayoutSubitem]
  /// If not 0, the group has exactly this many of its only subitem, of equal lengths along the
  /// axis. Default 0.
  public var count: Int
  /// The distance between subitems along the axis. Default 0.
  public var interitemSpacing: LayoutSpacing
  /// Room between the group's edges and its subitems, in points; ignored along an axis with an
  /// estimated length. Default 0.
  public var contentInsets: EdgeInsets
  /// Room around the group, outside of its size. Default 0.
  public var edgeSpacing: EdgeSpacing
  /// Badges on the group. The item of their index path is the number of the badge among all badges
  /// of its kind on groups of the section. Default: none.
  public var supplementaryItems: [AnchoredSupplementaryItem]
  /// Frames in points and the group's own coordinates, one for each item. If there are any,
  /// `subitems` must be empty. The group keeps its size if it has fewer items. Default: none.
  public var customFrames: [Rect]

  /// Makes a group; the defaults leave no room between and around its subitems.
  public init(
    axis: Axis?,
    size: LayoutSize,
    subitems: [LayoutSubitem] = [],
    count: Int = 0,
    interitemSpacing: LayoutSpacing = .zero,
    contentInsets: EdgeInsets = .zero,
    edgeSpacing: EdgeSpacing = .zero,
    supplementaryItems: [AnchoredSupplementaryItem] = [],
    customFrames: [Rect] = []
  ) {
    self.axis = axis
    self.size = size
    self.subitems = subitems
    self.count = count
    self.interitemSpacing = interitemSpacing
    self.contentInsets = contentInsets
    self.edgeSpacing = edgeSpacing
    self.supplementaryItems = supplementaryItems
    self.customFrames = customFrames
  }
}
