// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
package import LayoutSession

// MARK: - Reading

extension FieldReader {
  /// Reads a step of reordering by hand.
  ///
  /// - Returns: nil = a field was refused.
  mutating func movement(
    _ message: Wire.InteractiveMovement,
    limits: ContentsLimits
  ) -> InteractiveMovement? {
    let highest = UInt32(OutlineItem.highestLevel)
    if message.hasLevel, message.level > highest {
      reject("level", "\(message.level) found; 0 to \(highest) are allowed")
      return nil
    }
    let level = message.hasLevel ? Int(message.level) : nil
    switch message.step {
    case .begin(let path): return .begin(itemPath(path, "begin"))
    case .beginItems(let items):
      return within("begin_items") { reader in
        reader.movementItems(items, limits: limits).map(InteractiveMovement.beginItems)
      }
    case .position(let position):
      return .position(
        point(position, "position"),
        wish: DropPreference(nests: message.nest, level: level)
      )
    case .target(let path): return .target(itemPath(path, "target"), level: level)
    case .rules(let rules):
      return within("rules") { reader in
        reader.movementRules(rules, limits: limits).map(InteractiveMovement.rules)
      }
    case .end: return .end
    case .cancel: return .cancel
    case .beginForeign(let items):
      return within("begin_foreign") { reader in
        reader.foreignItems(items, limits: limits).map(InteractiveMovement.beginForeign)
      }
    case nil:
      return refuse(
        "step",
        "nothing found; begin, begin_items, begin_foreign, position, target, end, cancel or rules is needed"
      )
    }
  }

  private mutating func movementItems(
    _ message: Wire.MovementItems,
    limits: ContentsLimits
  ) -> MovementItems? {
    let most = MovementRules.maxHeldItems
    guard limit(message.paths.count, "paths", to: most), limit(message.keys.count, "keys", to: most)
    else { return nil }
    if message.keys.isEmpty {
      guard !message.paths.isEmpty else {
        return refuse("paths", "nothing found; paths or keys are needed")
      }
      return .paths(
        each(message.paths, "paths") { path, reader in
          reader.path(ofItem: path)
        }
      )
    }
    guard message.paths.isEmpty else {
      return refuse("keys", "\(message.keys.count) keys found besides paths; only one of both")
    }
    return .keys(texts(message.keys, "keys", maxBytes: limits.keyBytes))
  }

  private mutating func foreignItems(
    _ message: Wire.ForeignItems,
    limits: ContentsLimits
  ) -> ForeignItems? {
    switch message.origin {
    case .collectionItems(let items):
      return within("collection_items") { reader in
        guard reader.limit(items.keys.count, "keys", to: MovementRules.maxHeldItems) else {
          return nil
        }
        let keys = reader.texts(items.keys, "keys", maxBytes: limits.keyBytes)
        return .collection(items.collection, keys: keys)
      }
    case .newItems(let items):
      return within("new_items") { $0.newItems(items) }.map { .new($0) }
    case nil:
      return refuse("origin", "nothing found; collection_items or new_items is needed")
    }
  }

  private mutating func newItems(_ message: Wire.NewItems) -> DraggedItems? {
    let names = kindNames(message.cellKindNames, "cell_kind_names")
    guard limit(message.blocks.count, "blocks", to: MovementRules.maxHeldItems) else { return nil }
    // No overflow: a message has fewer than 2³¹ blocks, each of less than 2³² items.
    let count = message.blocks.reduce(0) { $0 + Int($1.count) }
    guard limit(count, "blocks", to: MovementRules.maxHeldItems) else { return nil }
    let blocks = blocks(message.blocks, kindCount: max(1, names.count))
    for (index, block) in blocks.enumerated() where !block.outline.isEmpty {
      reject("blocks", at: index, "places in an outline found; new items have none")
    }
    return DraggedItems(blocks, cellKindNames: names)
  }

  /// Reads the index path of an item, which is the current message.
  mutating func path(ofItem message: Wire.IndexPath) -> IndexPath {
    if !message.hasItem { reject("item", "nothing found; the index of an item is needed") }
    return indexPath(message)
  }

  private mutating func texts(
    _ values: [String],
    _ name: StaticString,
    maxBytes: Int
  ) -> [String] {
    for (index, value) in values.enumerated() where value.utf8.count > maxBytes {
      reject(name, at: index, "\(value.utf8.count) bytes found; at most \(maxBytes) are allowed")
    }
    return values
  }

  private mutating func movementRules(
    _ message: Wire.MovementRules,
    limits: ContentsLimits
  ) -> MovementRules? {
    let most = MovementRules.maxHeldItems
    guard limit(message.fixedKinds.count, "fixed_kinds", to: most),
      limit(message.fixedKeys.count, "fixed_keys", to: most),
      limit(message.targets.count, "targets", to: most)
    else { return nil }
    return MovementRules(
      fixedKinds: texts(
        message.fixedKinds,
        "fixed_kinds",
        maxBytes: FieldReader.maxNameBytes
      ),
      fixedKeys: texts(message.fixedKeys, "fixed_keys", maxBytes: limits.keyBytes),
      mostItems: message.maxHeldItems > 0 ? Int(message.maxHeldItems) : nil,
      staysInSection: message.sameSection,
      targets: each(message.targets, "targets") { target, reader in
        reader.movementTarget(target, limits: limits)
      }
    )
  }

  private mutating func movementTarget(
    _ message: Wire.MovementTarget,
    limits: ContentsLimits
  ) -> MovementRules.Target {
    var section = MovementRules.Section.gone
    switch message.section {
    case .index(let index): section = .index(Int(index))
    case .key(let key): section = .key(text(key, "key", maxBytes: limits.keyBytes))
    case .layoutName(let name):
      section = .layoutName(text(name, "layout_name", maxBytes: FieldReader.maxNameBytes))
    case nil: reject("section", "nothing found; index, key or layout_name is needed")
    }
    var kinds: [String] = []
    if limit(message.kinds.count, "kinds", to: MovementRules.maxHeldItems) {
      kinds = texts(message.kinds, "kinds", maxBytes: FieldReader.maxNameBytes)
    }
    return MovementRules.Target(
      section,
      kinds: kinds,
      mostItems: message.maxItems > 0 ? Int(message.maxItems) : nil
    )
  }
}

// MARK: - Writing

extension Wire.InteractiveMovement {
  /// The message of a step.
  package init(_ step: InteractiveMovement) {
    self.init()
    switch step {
    case .begin(let path): begin = Wire.IndexPath(path)
    case .beginItems(.paths(let paths)): beginItems.paths = paths.map { Wire.IndexPath($0) }
    case .beginItems(.keys(let keys)): beginItems.keys = keys
    case .beginForeign(.collection(let name, let keys)):
      beginForeign.collectionItems.collection = name
      beginForeign.collectionItems.keys = keys
    case .beginForeign(.new(let items)):
      beginForeign.newItems.blocks = items.blocks.map(Wire.ItemBlock.init)
      beginForeign.newItems.cellKindNames = items.cellKindNames
    case .position(let point, let wish):
      position = Wire.Point(point)
      nest = wish.nests
      if let level = wish.level { self.level = UInt32(clamping: level) }
    case .target(let path, let level):
      target = Wire.IndexPath(path)
      if let level { self.level = UInt32(clamping: level) }
    case .rules(let rules): self.rules = Wire.MovementRules(rules)
    case .end: end = true
    case .cancel: cancel = true
    }
  }
}

extension Wire.MovementRules {
  /// The message of rules. A section that no longer exists is left empty, and the server refuses
  /// that entry.
  package init(_ rules: MovementRules) {
    self.init()
    fixedKinds = rules.fixedKinds
    fixedKeys = rules.fixedKeys
    maxHeldItems = UInt32(clamping: rules.mostItems ?? 0)
    sameSection = rules.staysInSection
    targets = rules.targets.map { target in
      var message = Wire.MovementTarget()
      switch target.section {
      case .index(let index): message.index = UInt32(clamping: index)
      case .key(let key): message.key = key
      case .layoutName(let name): message.layoutName = name
      case .gone: break
      }
      message.kinds = target.kinds
      message.maxItems = UInt32(clamping: target.mostItems ?? 0)
      return message
    }
  }
}
