// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// What an element is: content, content beside the cells, or adornment.
@frozen
public enum ElementCategory: UInt8, Hashable, Sendable, Comparable, CaseIterable {
  case cell = 1
  case supplementary = 2
  case decoration = 3

  @inlinable
  public static func < (a: ElementCategory, b: ElementCategory) -> Bool { a.rawValue < b.rawValue }
}

/// Identifies an element within one data version of one layout.
public struct ElementKey: Hashable, Sendable {
  public var category: ElementCategory
  /// Of a cell its reuse kind, empty for the default; of the others the element kind.
  public var kind: String
  public var indexPath: IndexPath

  public init(category: ElementCategory, kind: String, indexPath: IndexPath) {
    self.category = category
    self.kind = kind
    self.indexPath = indexPath
  }

  /// An item's cell.
  public static func cell(_ section: Int, _ item: Int, kind: String = "") -> ElementKey {
    ElementKey(
      category: .cell,
      kind: kind,
      indexPath: IndexPath(section: section, item: item)
    )
  }

  /// A section's supplementary element.
  public static func supplementary(_ kind: String, section: Int) -> ElementKey {
    ElementKey(category: .supplementary, kind: kind, indexPath: IndexPath(section: section))
  }

  /// A section's decoration element.
  public static func decoration(_ kind: String, section: Int) -> ElementKey {
    ElementKey(category: .decoration, kind: kind, indexPath: IndexPath(section: section))
  }
}

/// The element kinds that built-in layouts use.
public enum StandardKind {
  public static let header = "header"
  public static let footer = "footer"
  public static let separator = "separator"
}
