// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Items and groups one after the other along an axis, or at frames of their own.
public struct LayoutGroup: Hashable, Sendable {
  /// Along which items follow each other, in content coordinates.
  public enum Axis: UInt8, Hashable, Sendable, CaseIterable {
    case horizontal
    case vertical
  }

  /// nil = nothing was said; valid for groups with custom frames only.
  public var axis: Axis?
  public var size: LayoutSize
  /// Repeated in order until the group is full.
  public var subitems: [LayoutSubitem]
  /// Not 0: exactly this many of the only subitem, at equal lengths along the axis.
  public var count: Int
  public var interitemSpacing: LayoutSpacing
  public var contentInsets: EdgeInsets
  public var edgeSpacing: EdgeSpacing
  /// Badges.
  public var supplementaryItems: [AnchoredSupplementaryItem]
  /// Instead of subitems: frames in the group's own coordinates, one for each item.
  public var customFrames: [Rect]

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
