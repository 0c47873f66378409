// SPDX-License-Identifier: Apache-2.0

package import CollectionModel
import LayoutSession

extension FieldReader {
  /// Reads the edits of outlines; the current message is the update.
  mutating func outlineEdits(
    _ message: Wire.OutlineUpdate,
    limits: ContentsLimits
  ) -> [OutlineEdit] {
    guard message.edits.count <= limits.operations else {
      fail(
        .quotaExceeded(
          .operations,
          limit: UInt64(limits.operations),
          found: UInt64(message.edits.count),
          field: path(to: "edits")
        )
      )
      return []
    }
    return each(message.edits, "edits") { $1.outlineEdit($0) }.compactMap(\.self)
  }

  /// - Returns: nil = the edit was refused.
  private mutating func outlineEdit(_ message: Wire.OutlineEdit) -> OutlineEdit? {
    switch message.edit {
    case .insert(let insert):
      return within("insert") { reader in
        let blocks = reader.blocks(insert.blocks, kindCount: nil)
        if blocks.allSatisfy({ $0.count == 0 }), !insert.hasAt {
          return .insert(at: .lastRoot(ofSection: ""), blocks: [])
        }
        return reader.outlinePlace(insert.at, "at").map { .insert(at: $0, blocks: blocks) }
      }
    case .remove(let remove):
      return .remove(keys: remove.keys)
    case .replaceChildren(let replace):
      return within("replace_children") { reader in
        .replaceChildren(
          parent: replace.parent,
          blocks: reader.blocks(replace.blocks, kindCount: nil)
        )
      }
    case .move(let move):
      return within("move") { reader in
        reader.outlinePlace(move.to, "to").map { .move(key: move.key, to: $0) }
      }
    case .expansion(let change):
      return within("expansion") { reader in
        if !change.toggledSlots.isEmpty {
          reader.reject(
            "toggled_slots",
            "\(change.toggledSlots.count) slots found; a batch names items by key"
          )
        }
        return .expansion(ExpansionChange(change))
      }
    case nil:
      reject(nil, "nothing found, or an edit that this version of the server does not know")
      return nil
    }
  }

  /// Reads a place in an outline.
  ///
  /// - Returns: nil = it was refused.
  mutating func outlinePlace(
    _ message: Wire.OutlinePlace,
    _ name: StaticString
  ) -> OutlinePlace? {
    switch message.place {
    case .lastChildOf(let key): return .lastChild(of: key)
    case .before(let key): return .before(key)
    case .after(let key): return .after(key)
    case .lastRootOf(let key): return .lastRoot(ofSection: key)
    case nil:
      reject(name, "nothing found; a place is needed")
      return nil
    }
  }
}

extension FieldReader {
  /// Reads an event by which a viewer expands and collapses items.
  mutating func outlineEvent(_ message: Wire.OutlineChange) -> SessionEvent? {
    let most = FieldReader.maxNamedElements
    guard limit(message.expand.count, "expand", to: most),
      limit(message.collapse.count, "collapse", to: most),
      limit(message.toggledSlots.count, "toggled_slots", to: most)
    else { return nil }
    return .outline(
      OutlineEvent(
        change: ExpansionChange(message),
        toggledSlots: message.toggledSlots,
        isAnimated: message.animated
      )
    )
  }

  /// Reads what a viewer has expanded.
  ///
  /// - Parameter limit: the most exceptions from the base.
  package mutating func expansions(
    _ message: Wire.ExpansionState,
    limit: Int
  ) -> ViewerExpansions {
    let count = message.expanded.count + message.collapsed.count
    guard count <= limit else {
      fail(
        .quotaExceeded(
          .expansions,
          limit: UInt64(clamping: limit),
          found: UInt64(count),
          field: path()
        )
      )
      return ViewerExpansions()
    }
    let expanded = Set(distinct: message.expanded)
    if let both = message.collapsed.firstIndex(where: { expanded.contains($0) }) {
      reject("collapsed", at: both, "\(Quoted(message.collapsed[both])) is also in `expanded`")
    }
    var base = ExpansionBase.contents
    switch message.base {
    case .unspecified, .contents: break
    case .collapsed: base = .collapsed
    case .expanded: base = .expanded
    case .UNRECOGNIZED(let value):
      reject("base", "\(value) found; a value of ExpansionState.Base is needed")
    }
    return ViewerExpansions(base: base, expanded: message.expanded, collapsed: message.collapsed)
  }
}

extension Wire.ExpansionState {
  /// The message of what a viewer has expanded.
  package init(_ value: ViewerExpansions) {
    self.init()
    base =
      switch value.base {
      case .contents: .contents
      case .collapsed: .collapsed
      case .expanded: .expanded
      }
    expanded = value.expanded
    collapsed = value.collapsed
  }
}

extension ExpansionChange {
  /// The items that a message names by key.
  package init(_ message: Wire.OutlineChange) {
    self.init(
      expanded: message.expand,
      collapsed: message.collapse,
      includesDescendants: message.descendants
    )
  }
}

extension Wire.OutlineEdit {
  /// The message of an edit.
  package init(_ value: OutlineEdit) {
    self.init()
    switch value {
    case .insert(let place, let blocks):
      insert.at = Wire.OutlinePlace(place)
      insert.blocks = blocks.map(Wire.ItemBlock.init)
    case .remove(let keys): remove.keys = keys
    case .replaceChildren(let parent, let blocks):
      replaceChildren.parent = parent
      replaceChildren.blocks = blocks.map(Wire.ItemBlock.init)
    case .move(let key, let place):
      move.key = key
      move.to = Wire.OutlinePlace(place)
    case .expansion(let change):
      expansion = Wire.OutlineChange(change)
    }
  }
}

extension Wire.OutlineChange {
  /// The message of a change by key.
  package init(_ change: ExpansionChange) {
    self.init()
    expand = change.expanded
    collapse = change.collapsed
    descendants = change.includesDescendants
  }
}

extension Wire.OutlinePlace {
  /// The message of a place.
  init(_ value: OutlinePlace) {
    self.init()
    switch value {
    case .lastChild(let key): lastChildOf = key
    case .before(let key): before = key
    case .after(let key): after = key
    case .lastRoot(let key): lastRootOf = key
    }
  }
}
