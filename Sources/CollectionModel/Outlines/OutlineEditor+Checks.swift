// SPDX-License-Identifier: Apache-2.0

extension OutlineEditor {
  /// Where a place is.
  struct Target {
    var section: Int
    /// The index at which items are inserted.
    var item: Int
    /// The level of inserted roots.
    var level: Int
    /// The item that the place names; nil = it names a section.
    var named: IndexPath?
  }

  /// - Throws: KEY_UNKNOWN if the place names something that does not exist, BATCH_INCONSISTENT if
  ///   it is not in an outline.
  func resolve(_ place: OutlinePlace, _ field: String) throws(Refusal) -> Target {
    let field = "\(field).\(place.fieldName)"
    if case .lastRoot(let key) = place {
      guard let section = sectionIndex(ofKey: key) else { throw .keyUnknown(key, field: field) }
      try checkOutline(section, field)
      return Target(section: section, item: items(of: section).count, level: 0, named: nil)
    }
    guard let path = path(of: place.key), let item = path.item else {
      throw .keyUnknown(place.key, field: field)
    }
    try checkOutline(path.section, field)
    let items = items(of: path.section)
    let level = items.outlineItem(at: item).level
    var target = Target(section: path.section, item: item, level: level, named: path)
    switch place {
    case .before, .lastRoot: break
    case .after: target.item = items.endOfSubtree(at: item)
    case .lastChild:
      target.item = items.endOfSubtree(at: item)
      target.level = level + 1
    }
    return target
  }

  /// - Throws: BATCH_INCONSISTENT if a section is not an outline.
  func checkOutline(_ section: Int, _ field: String) throws(Refusal) {
    if contents.sections[section].contents.outline == nil {
      throw Refusal(.batchInconsistent, field: field, "section \(section) is no outline")
    }
  }

  /// - Parameter isOwn: whether this item may have one of the keys.
  /// - Throws: KEY_TAKEN with all keys that other items have, or that come twice, in order.
  func checkFree(_ keys: [String], _ isOwn: (IndexPath) -> Bool) throws(Refusal) {
    var seen: Set<ExactText> = []
    var taken: [String] = []
    for key in keys {
      let isNew = seen.insert(ExactText(key)).inserted
      if !isNew || path(of: key).map({ !isOwn($0) }) ?? false { taken.append(key) }
    }
    taken = taken.uniqued
    guard let first = taken.first else { return }
    var refusal = Refusal(
      .keyTaken,
      field: "blocks",
      "\"\(first)\" is the key of an item, or comes twice; every key must be new"
        + (taken.count > 1 ? "; so are \(taken.count - 1) more" : "")
    )
    refusal.metadata = ["keys": taken.listed]
    throw refusal
  }

  /// - Throws: QUOTA_ITEMS if the contents would have too many items.
  func checkRoom(for growth: Int) throws(Refusal) {
    let count = contents.itemCount + growth
    if count > limits.items {
      throw Refusal(
        .quotaItems,
        field: "blocks",
        "\(count) items after it; at most \(limits.items)"
      )
    }
  }
}

/// Items that an edit brings, with levels that count in their section.
struct NewOutlineItems {
  private var blocks: [ItemBlock]
  let keys: [String]
  /// The number of items.
  let count: Int

  static let none = NewOutlineItems()

  private init() {
    blocks = []
    keys = []
    count = 0
  }

  /// - Parameter level: the level of items at level 0 of the blocks.
  /// - Throws: FIELD_INVALID if a value is invalid, an item has no key, or the levels are not those
  ///   of trees; QUOTA_ITEMS if there are too many items.
  init(
    _ blocks: [ItemBlock],
    level: Int,
    of contents: CollectionContents,
    _ limits: ContentsLimits
  ) throws(Refusal) {
    var violations = Violations()
    checkItemCount(blocks, limits: limits, path: "blocks", into: &violations)
    for (i, block) in blocks.enumerated() where !violations.isFull {
      let path = "blocks[\(i)]"
      block.check(
        kindCount: contents.cellKindNames.count,
        limits: limits,
        path: path,
        into: &violations
      )
      if block.keys.count != block.count {
        let found = "\(block.keys.count) keys for \(block.count) items"
        violations.add(.fieldInvalid, "\(path).keys", "\(found); every item of an outline has one")
      }
    }
    try violations.throwIfAny()
    self.blocks = []
    var before = -1
    for (i, block) in blocks.enumerated() where block.count > 0 {
      var block = block
      let given = block.outline.levels
      let levels = (0 ..< block.count).map { given.count > 1 ? given[$0] : given.first ?? 0 }
      for (j, found) in levels.enumerated() {
        let field = "blocks[\(i)].outline.levels[\(min(j, max(given.count - 1, 0)))]"
        if found > before + 1 {
          throw Refusal(
            .fieldInvalid,
            field: field,
            before < 0
              ? "level \(found); the first item is at level 0, which is that of the place"
              : "level \(found) behind one at level \(before); allowed are levels up to \(before + 1)"
          )
        }
        if found + level > OutlineItem.highestLevel {
          throw .tooDeep(found + level, field: field)
        }
        before = found
      }
      block.outline.levels = levels.map { $0 + level }
      self.blocks.append(block)
    }
    keys = self.blocks.flatMap(\.keys)
    count = keys.count
  }

  var slices: [ChunkSlice] { blocks.map { ChunkSlice(ItemChunk($0, in: 0 ..< $0.count)) } }

  /// Whether the blocks leave open which items are expanded.
  var isSilentAboutExpansion: Bool { blocks.allSatisfy(\.outline.expanded.isEmpty) }

  /// Gives items the expansions that they had.
  ///
  /// - Parameter known: the earlier place of an item; nil = it is new.
  mutating func keepExpansions(_ known: (Int) -> OutlineItem?) {
    var start = 0
    for i in blocks.indices {
      let range = start ..< start + blocks[i].count
      blocks[i].outline.expanded = range.map { known($0)?.isExpanded ?? false }
      start = range.upperBound
    }
  }
}

extension ChunkSlice {
  /// The highest level of the items.
  var highestLevel: Int {
    chunk.outline.bytes(in: range).reduce(0) { max($0, Int($1 & 0x3F)) }
  }

  /// The items at other places in the outline.
  func placed(_ outline: OutlineColumn) -> ChunkSlice {
    ChunkSlice(ItemChunk(joining: [self], count: count, outline: outline))
  }

  /// The items some levels deeper.
  func shifted(by levels: Int) -> ChunkSlice {
    let bytes = chunk.outline.bytes(in: range)
    return placed(
      OutlineColumn(bytes.map { OutlineItem(rawValue: $0).shifted(by: levels).rawValue })
    )
  }
}

extension [OutlinePiece] {
  /// The same pieces, with adjacent ones that were adjacent before joined.
  var merged: [OutlinePiece] {
    var result: [OutlinePiece] = []
    for piece in self {
      guard let last = result.last, last.isFollowed(by: piece) else {
        result.append(piece)
        continue
      }
      result[result.count - 1].count += piece.count
    }
    return result
  }
}

extension OutlinePiece {
  fileprivate func isFollowed(by next: OutlinePiece) -> Bool {
    guard let old, let item = old.item else {
      return next.old == nil && isReconfigured == next.isReconfigured
    }
    return next.old == IndexPath(section: old.section, item: item + count)
      && isReconfigured == next.isReconfigured
  }
}

extension [String] {
  /// The same texts, each once, in order.
  var uniqued: [String] {
    var seen: Set<ExactText> = []
    return filter { seen.insert(ExactText($0)).inserted }
  }

  /// The first texts, for the metadata of a refusal.
  fileprivate var listed: String { prefix(Violations.limit).joined(separator: ",") }
}

extension Refusal {
  /// The refusal of an unknown key.
  public static func keyUnknown(_ key: String, field: String) -> Refusal {
    var refusal = Refusal(.keyUnknown, field: field, "nothing has the key \"\(key)\"")
    refusal.metadata = ["keys": key]
    return refusal
  }

  /// The refusal of an item below the deepest level.
  static func tooDeep(_ level: Int, field: String) -> Refusal {
    Refusal(
      .fieldInvalid,
      field: field,
      "level \(level); allowed are 0 to \(OutlineItem.highestLevel)"
    )
  }
}
