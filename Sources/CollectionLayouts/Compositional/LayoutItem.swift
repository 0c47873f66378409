// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The place of one item of the data within a group.
public struct LayoutItem: Hashable, Sendable {
  /// The size of the item, its insets included.
  public var size: LayoutSize
  /// Distances by which the finished frame is made smaller, in points; ignored along an axis with
  /// an estimated length. Default 0.
  public var contentInsets: EdgeInsets
  /// Room around the item, outside of its size. Default 0.
  public var edgeSpacing: EdgeSpacing
  /// Badges on the item. Their index path is the item's. Default: none.
  public var supplementaryItems: [AnchoredSupplementaryItem]

  /// Makes an item; the defaults leave no room around it.
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

/// A part of a group.
public enum LayoutSubitem: Hashable, Sendable {
  /// Not given. It is not valid, and laid out as if it were not there.
  case unspecified
  /// A place for one item.
  case item(LayoutItem)
  /// A nested group.
  case group(LayoutGroup)
}

extension LayoutSubitem {
  /// The size of the item or group; nil if neither was given.
  var size: LayoutSize? {
    switch self {
    case .unspecified: nil
    case .item(let item): item.size
    case .group(let group): group.size
    }
  }

  /// Whether it is a nested group.
  var isGroup: Bool {
    if case .group = self { true } else { false }
  }

  /// The room around the item or group.
  var edgeSpacing: EdgeSpacing {
    switch self {
    case .unspecified: .zero
    case .item(let item): item.edgeSpacing
    case .group(let group): group.edgeSpacing
    }
  }
}
