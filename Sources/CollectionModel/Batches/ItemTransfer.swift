// SPDX-License-Identifier: Apache-2.0

/// Items that leave one collection for another, with all that the data says of them.
public struct ItemTransfer: Hashable, Sendable {
  /// Names items of the source.
  public enum Items: Hashable, Sendable {
    /// By their keys.
    case keys([String])
    /// By their places among all items.
    case paths([IndexPath])
  }

  /// Names a place in the destination.
  public enum Place: Hashable, Sendable {
    /// The place, among all items, that the first of the items has afterwards; without an item, the
    /// end of the section.
    case path(IndexPath)
    /// Beside an item, below it, or at the end of a section.
    case relative(OutlinePlace)
  }

  /// The items, in the order in which they lie at the destination.
  public var items: Items
  /// Where they go.
  public var place: Place
  /// Makes a retry safe: a transfer is not repeated if both collections remember the identifier. ""
  /// = a retry repeats it.
  public var requestID: String
  /// The data version that the source must have; nil = any.
  public var expectedSourceVersion: UInt64?
  /// The data version that the destination must have; nil = any.
  public var expectedDestinationVersion: UInt64?
  /// Whether renderers should animate from the old state to the new.
  public var isAnimated: Bool
  /// A digest of the request that brought the transfer, with the names of both collections, by
  /// which a retry is told from another transfer with the same identifier; nil = there was no
  /// request, or it has no identifier.
  public var digest: UInt64?

  /// A transfer with the given values, which are not checked.
  public init(
    _ items: Items,
    to place: Place,
    requestID: String = "",
    expectedSourceVersion: UInt64? = nil,
    expectedDestinationVersion: UInt64? = nil,
    isAnimated: Bool = false
  ) {
    self.items = items
    self.place = place
    self.requestID = requestID
    self.expectedSourceVersion = expectedSourceVersion
    self.expectedDestinationVersion = expectedDestinationVersion
    self.isAnimated = isAnimated
  }

  /// How many items are named.
  public var count: Int {
    switch items {
    case .keys(let keys): keys.count
    case .paths(let paths): paths.count
    }
  }
}

/// A transfer as a batch of each collection.
public struct TransferBatches: Sendable {
  /// Removes the items from the source.
  public let removal: UpdateBatch
  /// Inserts them into the destination.
  public let insertion: UpdateBatch
  /// What `removal` does to the source.
  public let sourceChange: ContentsChange
  /// What `insertion` does to the destination.
  public let destinationChange: ContentsChange

  /// Makes the batches of a transfer between contents, and applies them. Expected versions are not
  /// checked.
  ///
  /// - Complexity: O(k log n) for k items with their descendants; O(n) if contents have keys and no
  ///   key index yet.
  /// - Throws: `Refusal` if either side refuses. Its paths are relative to the request:
  ///   "source.keys[3]".
  public init(
    _ transfer: ItemTransfer,
    from source: CollectionContents,
    to destination: CollectionContents,
    limits: ContentsLimits = .standard
  ) throws(Refusal) {
    let trees = try source.trees(of: transfer, limits: limits)
    let items: TransferredItems
    do throws(Refusal) {
      let target = try destination.target(of: transfer.place)
      items = try TransferredItems(trees, of: source, to: destination, target)
      insertion = UpdateBatch(
        requestID: transfer.requestID,
        change: .operations([.insertItems(at: target.path, items: items.blocks)]),
        isAnimated: transfer.isAnimated,
        newCellKinds: items.newCellKinds
      )
    } catch { throw error.within("destination") }
    removal = UpdateBatch(
      requestID: transfer.requestID,
      change: .operations(source.deletions(of: trees)),
      isAnimated: transfer.isAnimated
    )
    do throws(Refusal) { sourceChange = try source.applying(removal, limits: limits) } catch {
      throw error.blaming("source")
    }
    do throws(Refusal) {
      destinationChange = try destination.applying(insertion, limits: limits)
    } catch { throw error.blaming("destination") }
  }
}

/// An item of the source with its descendants.
private struct ItemTree {
  var section: Int
  var items: Range<Int>
}

/// Where items go.
private struct TransferTarget {
  /// The place of the first one.
  var path: IndexPath
  /// The level of roots there.
  var level = 0
}

extension CollectionContents {
  // MARK: - The source

  /// The items that leave, in order.
  ///
  /// - Throws: FIELD_INVALID if there are none, QUOTA_OPERATIONS or QUOTA_STEPS if there are too
  ///   many, KEY_UNKNOWN or INDEX_OUT_OF_RANGE if one is not there.
  fileprivate func trees(
    of transfer: ItemTransfer,
    limits: ContentsLimits
  ) throws(Refusal) -> [ItemTree] {
    let paths = try self.paths(of: transfer, limits: limits)
    var total = 0
    var trees: [ItemTree] = []
    for path in separateTrees(paths) {
      guard let item = path.item else { continue }
      let count = subtreeCount(of: path)
      trees.append(ItemTree(section: path.section, items: item ..< item + count))
      total += count
    }
    guard total <= limits.outlineSteps else {
      throw Refusal(
        .quotaSteps,
        field: "source",
        "\(total) items with all that is below them; at most \(limits.outlineSteps)"
      )
    }
    return trees
  }

  private func paths(
    of transfer: ItemTransfer,
    limits: ContentsLimits
  ) throws(Refusal) -> [IndexPath] {
    let field = if case .keys = transfer.items { "source.keys" } else { "source.paths" }
    guard transfer.count > 0 else {
      throw Refusal(.fieldInvalid, field: field, "nothing found; items are needed")
    }
    guard transfer.count <= limits.operations else {
      throw Refusal(
        .quotaOperations,
        field: field,
        "\(transfer.count) items; at most \(limits.operations)"
      )
    }
    switch transfer.items {
    case .keys(let keys): return try paths(ofKeys: keys, field: field)
    case .paths(let paths):
      for (i, path) in paths.enumerated() where path.item == nil || !contains(path) {
        let found = "there is no item at \(path)"
        throw Refusal(.indexOutOfRange, field: "\(field)[\(i)]", found)
      }
      return paths
    }
  }

  /// The places of items, among all items.
  ///
  /// - Throws: KEY_UNKNOWN if one is not there.
  public func paths(
    ofKeys keys: [String],
    field: @autoclosure () -> String
  ) throws(Refusal) -> [IndexPath] {
    var paths: [IndexPath] = []
    paths.reserveCapacity(keys.count)
    for (i, key) in keys.enumerated() {
      guard let path = indexPath(ofItemKey: key) else {
        throw .keyUnknown(key, field: "\(field())[\(i)]")
      }
      paths.append(path)
    }
    return paths
  }

  /// Deletes trees: one operation for consecutive ones.
  fileprivate func deletions(of trees: [ItemTree]) -> [UpdateOperation] {
    var ranges: [ItemTree] = []
    let sorted = trees.sorted {
      ($0.section, $0.items.lowerBound) < ($1.section, $1.items.lowerBound)
    }
    for tree in sorted {
      if let last = ranges.last, last.section == tree.section,
        last.items.upperBound == tree.items.lowerBound
      {
        ranges[ranges.count - 1].items = last.items.lowerBound ..< tree.items.upperBound
      } else {
        ranges.append(tree)
      }
    }
    return ranges.map { .deleteItems(section: $0.section, items: $0.items) }
  }

  // MARK: - The destination

  /// - Throws: INDEX_OUT_OF_RANGE, KEY_UNKNOWN or BATCH_INCONSISTENT if there is no such place.
  fileprivate func target(of place: ItemTransfer.Place) throws(Refusal) -> TransferTarget {
    switch place {
    case .path(let path):
      guard path.section < sectionCount else {
        throw Refusal(.indexOutOfRange, field: "at.section", "there is no section \(path.section)")
      }
      let items = section(at: path.section).items
      let item = path.item ?? items.count
      guard item <= items.count else {
        let found = "\(item) found; the section has \(items.count) items"
        throw Refusal(.indexOutOfRange, field: "at.item", found)
      }
      let level = item < items.count ? items.outlineItem(at: item).level : 0
      return TransferTarget(path: IndexPath(section: path.section, item: item), level: level)
    case .relative(let place): return try target(relativeTo: place)
    }
  }

  private func target(relativeTo place: OutlinePlace) throws(Refusal) -> TransferTarget {
    let field = "relative_to.\(place.fieldName)"
    if case .lastRoot(let key) = place {
      guard let section = sectionIndex(ofKey: key) else { throw .keyUnknown(key, field: field) }
      let end = self.section(at: section).items.count
      return TransferTarget(path: IndexPath(section: section, item: end))
    }
    guard let path = indexPath(ofItemKey: place.key), let item = path.item else {
      throw .keyUnknown(place.key, field: field)
    }
    let section = section(at: path.section)
    let level = section.items.outlineItem(at: item).level
    let behind = IndexPath(section: path.section, item: item + subtreeCount(of: path))
    switch place {
    case .before, .lastRoot: return TransferTarget(path: path, level: level)
    case .after: return TransferTarget(path: behind, level: level)
    case .lastChild:
      guard section.outline != nil else {
        let found = "section \(path.section) is no outline"
        throw Refusal(.batchInconsistent, field: field, found)
      }
      return TransferTarget(path: behind, level: level + 1)
    }
  }
}

/// Items on their way from one collection to another.
private struct TransferredItems {
  /// Blocks with the cell kinds and the levels of the destination.
  var blocks: [ItemBlock] = []
  /// The kinds that the destination does not have yet.
  var newCellKinds: [String] = []

  /// - Throws: KEY_TAKEN with keys that the destination has already, BATCH_INCONSISTENT if a tree
  ///   would go into a section that is not an outline, FIELD_INVALID if items would be too deep.
  init(
    _ trees: [ItemTree],
    of source: CollectionContents,
    to destination: CollectionContents,
    _ target: TransferTarget
  ) throws(Refusal) {
    let isOutline = destination.section(at: target.path.section).outline != nil
    var slices: [ChunkSlice] = []
    for tree in trees {
      let items = source.section(at: tree.section).items
      let new = items.slices(in: tree.items)
      guard isOutline else {
        guard tree.items.count == 1 else { throw .treeOutsideOutline(target.path.section) }
        slices += new.map { $0.chunk.outline.isAbsent ? $0 : $0.placed(.absent) }
        continue
      }
      let shift = target.level - items.outlineItem(at: tree.items.lowerBound).level
      for slice in new {
        let highest = slice.highestLevel + shift
        guard highest <= OutlineItem.highestLevel else { throw .tooDeep(highest, field: "") }
        slices.append(shift == 0 ? slice : slice.shifted(by: shift))
      }
    }
    var kinds = KindNumbering(destination.cellKindNames)
    var taken: [String] = []
    var blocks: [ItemBlock] = []
    ItemSequence(slices: slices).forEachBlock(limit: ChunkAssembly.highestCount) { block in
      blocks.append(kinds.renumbered(block, from: source.cellKindNames))
      taken += block.keys.filter { destination.indexPath(ofItemKey: $0) != nil }
      return taken.count < Violations.limit
    }
    guard taken.isEmpty else { throw .keysTaken(taken) }
    self.blocks = blocks
    newCellKinds = kinds.new
  }
}

extension Refusal {
  /// The refusal of an item with descendants for a section that is not an outline.
  fileprivate static func treeOutsideOutline(_ section: Int) -> Refusal {
    let found = "section \(section) is no outline; an item with others below it goes only into one"
    return Refusal(.batchInconsistent, field: "", found)
  }

  /// The refusal of items whose keys the contents have already.
  public static func keysTaken(_ keys: [String], field: String = "") -> Refusal {
    let listed = keys.prefix(Violations.limit)
    var refusal = Refusal(
      .keyTaken,
      field: field,
      "the collection has items with the key \"\(listed.first ?? "")\" and perhaps others already"
    )
    refusal.metadata = ["keys": listed.joined(separator: ",")]
    return refusal
  }

  /// The same for a caller who does not know the batch: everything is the fault of one field of the
  /// request.
  public func blaming(_ field: String) -> Refusal {
    guard let first = violations.first else { return self }
    var refusal = Refusal(reason, field: field, first.description)
    refusal.metadata = metadata
    return refusal
  }
}
