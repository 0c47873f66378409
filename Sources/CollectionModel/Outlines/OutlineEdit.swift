// SPDX-License-Identifier: Apache-2.0

/// One edit of outlines, which names items by key.
public enum OutlineEdit: Hashable, Sendable {
  /// Inserts items, or whole trees, whose levels are relative to the place.
  case insert(at: OutlinePlace, blocks: [ItemBlock])
  /// Removes items with their descendants.
  case remove(keys: [String])
  /// Replaces all descendants of an item; in the blocks, level 0 = its children. Items whose keys
  /// recur keep their identity.
  case replaceChildren(parent: String, blocks: [ItemBlock])
  /// Moves an item with its descendants, anywhere except below itself.
  case move(key: String, to: OutlinePlace)
  /// Expands and collapses items of sections that share their expansions.
  case expansion(ExpansionChange)
}

/// A place in an outline.
public enum OutlinePlace: Hashable, Sendable {
  /// Below an item, after the children that it has.
  case lastChild(of: String)
  /// A sibling before an item.
  case before(String)
  /// A sibling after an item and its descendants.
  case after(String)
  /// After the last root of the section with this key.
  case lastRoot(ofSection: String)

  /// The key that the place names.
  var key: String {
    switch self {
    case .lastChild(let key), .before(let key), .after(let key), .lastRoot(let key): key
    }
  }

  /// The name of the contract's field.
  var fieldName: String {
    switch self {
    case .lastChild: "last_child_of"
    case .before: "before"
    case .after: "after"
    case .lastRoot: "last_root_of"
    }
  }
}

/// Items to expand and to collapse.
public struct ExpansionChange: Hashable, Sendable {
  /// The keys of items to expand. Unknown ones are ignored.
  public var expanded: [String]
  /// The keys of items to collapse. Unknown ones are ignored.
  public var collapsed: [String]
  /// Whether descendants of these items are expanded or collapsed with them.
  public var includesDescendants: Bool

  /// A change with the given values.
  public init(
    expanded: [String] = [],
    collapsed: [String] = [],
    includesDescendants: Bool = false
  ) {
    self.expanded = expanded
    self.collapsed = collapsed
    self.includesDescendants = includesDescendants
  }

  /// Checks that no key is named on both sides.
  ///
  /// - Throws: FIELD_INVALID if a key is both expanded and collapsed.
  public func checkKeys() throws(Refusal) {
    if let both = firstOnBothSides {
      throw Refusal(
        .fieldInvalid,
        field: "collapse[\(both)]",
        "\"\(collapsed[both])\" is also to be expanded; only one of both"
      )
    }
  }

  /// The first key that is both expanded and collapsed; nil = there is none.
  ///
  /// - Complexity: O(number of keys)
  public var firstKeyOnBothSides: String? { firstOnBothSides.map { collapsed[$0] } }

  private var firstOnBothSides: Int? {
    guard !expanded.isEmpty, !collapsed.isEmpty else { return nil }
    let expanded = Set(expanded)
    return collapsed.firstIndex { expanded.contains($0) }
  }
}
