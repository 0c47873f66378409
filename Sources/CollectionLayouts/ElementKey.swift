// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// What an element shows: an item, other data, or nothing but adornment.
@frozen
public enum ElementCategory: UInt8, Hashable, Sendable, Comparable, CaseIterable {
  /// An item of the data.
  case cell = 1
  /// Data beside the cells, such as a header or a badge.
  case supplementary = 2
  /// An adornment that shows no data, such as a background or a separator.
  case decoration = 3

  /// Orders categories as answers list them: cells, supplementary elements, decorations.
  @inlinable
  public static func < (a: ElementCategory, b: ElementCategory) -> Bool { a.rawValue < b.rawValue }
}

/// Identifies one element of a layout, for one version of the data.
public struct ElementKey: Hashable, Sendable {
  /// What the element shows.
  public var category: ElementCategory
  /// For a cell, its reuse kind, where "" is the default kind; for other elements, the element
  /// kind.
  public var kind: String
  /// The index path of the item for a cell. Other elements have the path of a section or of an item
  /// in it.
  public var indexPath: IndexPath

  /// Makes a key from its parts.
  public init(category: ElementCategory, kind: String, indexPath: IndexPath) {
    self.category = category
    self.kind = kind
    self.indexPath = indexPath
  }

  /// The key of an item's cell.
  public static func cell(_ section: Int, _ item: Int, kind: String = "") -> ElementKey {
    ElementKey(
      category: .cell,
      kind: kind,
      indexPath: IndexPath(section: section, item: item)
    )
  }

  /// The key of a supplementary element that belongs to a whole section.
  public static func supplementary(_ kind: String, section: Int) -> ElementKey {
    ElementKey(category: .supplementary, kind: kind, indexPath: IndexPath(section: section))
  }

  /// The key of a decoration that belongs to a whole section.
  public static func decoration(_ kind: String, section: Int) -> ElementKey {
    ElementKey(category: .decoration, kind: kind, indexPath: IndexPath(section: section))
  }
}

/// The names of the element kinds that the built-in layouts use.
public enum StandardKind {
  /// The supplementary element at a section's start.
  public static let header = "header"
  /// The supplementary element at a section's end.
  public static let footer = "footer"
  /// The decoration between the rows of a list, or below one.
  public static let separator = "separator"
  /// The decoration above a row of a list.
  public static let topSeparator = "top-separator"
}
