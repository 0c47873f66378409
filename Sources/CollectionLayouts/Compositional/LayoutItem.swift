// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The place of one item of the data within a group.
public struct LayoutItem: Hashable, Sendable {
  public var size: LayoutSize
  /// Taken off the frame once it is laid out; ignored along an axis with an estimated length.
  public var contentInsets: EdgeInsets
  public var edgeSpacing: EdgeSpacing
  /// Badges.
  public var supplementaryItems: [AnchoredSupplementaryItem]

  public init(
    size: LayoutSize,
    contentInsets: EdgeInsets = .zero,
    edgeSpacing: EdgeSpacing = .zero,
    supplementaryItems: [AnchoredSupplementaryItem] = []
  ) {
    self.size = size
    self.contentInsets = contentInsets
    self.edgeSpacing = edgeSpacing
    self.supplementaryItems = supplementaryItems
  }
}

/// What a group is made of.
public enum LayoutSubitem: Hashable, Sendable {
  /// Nothing was said. Not valid; laid out as if it were not there.
  case unspecified
  case item(LayoutItem)
  case group(LayoutGroup)
}
