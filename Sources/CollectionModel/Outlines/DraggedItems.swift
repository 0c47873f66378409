// SPDX-License-Identifier: Apache-2.0

/// Items on their way into a collection, as viewers may see them before they arrive.
public struct DraggedItems: Hashable, Sendable {
  /// The values of the items alone, without places in an outline and without descendants.
  public let blocks: [ItemBlock]
  /// The names that `ItemBlock.cellKinds` refers to; never empty.
  public let cellKindNames: [String]
  /// The size of each item's subtree.
  public let trees: [Tree]

  /// The size of an item's subtree.
  public struct Tree: Hashable, Sendable {
    /// The number of items, including the item itself.
    public var count = 1
    /// The number of levels below the item.
    public var depth = 0
  }

  /// New items without descendants.
  ///
  /// - Parameter cellKindNames: empty = one unnamed kind.
  public init(_ blocks: [ItemBlock], cellKindNames: [String]) {
    self.init(
      blocks,
      cellKindNames: cellKindNames.isEmpty ? [""] : cellKindNames,
      trees: Array(repeating: Tree(), count: blocks.reduce(0) { $0 + $1.count })
    )
  }

  fileprivate init(_ blocks: [ItemBlock], cellKindNames: [String], trees: [Tree]) {
    self.blocks = blocks
    self.cellKindNames = cellKindNames
    self.trees = trees
  }

  /// The number of items, without descendants.
  public var count: Int { trees.count }
  /// The keys of the items that have one.
  public var keys: [String] { blocks.flatMap(\.keys) }
  /// Whether all items have keys, as those of outlines do.
  public var areKeyed: Bool { blocks.allSatisfy { $0.keys.count == $0.count } }
  /// Whether some item has descendants, so that it has to go into an outline.
  public var hasTrees: Bool { trees.contains { $0.count > 1 } }

  /// The names of the cell kinds that items have.
  public var usedKinds: Set<String> {
    var kinds: Set<Int> = []
    for block in blocks where block.count > 0 {
      kinds.formUnion(block.cellKinds.isEmpty ? [0] : block.cellKinds)
    }
    return Set(kinds.compactMap { cellKindNames.indices.contains($0) ? cellKindNames[$0] : nil })
  }

  /// The blocks with the cell kinds of some contents, and the kinds that these lack.
  public func blocks(
    for contents: CollectionContents
  ) -> (blocks: [ItemBlock], newCellKinds: [String]) {
    var kinds = KindNumbering(contents.cellKindNames)
    let blocks = blocks.map { kinds.renumbered($0, from: cellKindNames) }
    return (blocks, kinds.new)
  }

  /// Roughly the memory in use, in bytes.
  ///
  /// - Complexity: O(items)
  public var byteCount: Int {
    let columns = blocks.reduce(0) { bytes, block in
      let numbers = block.widths.count + block.heights.count + block.xs.count + block.ys.count
      return bytes + MemoryLayout<ItemBlock>.stride + 8 * (numbers + block.cellKinds.count)
    }
    let texts = (keys + cellKindNames + blocks.flatMap(\.data)).reduce(0) {
      $0 + 48 + $1.utf8.count
    }
    return columns + texts + trees.count * MemoryLayout<Tree>.stride
  }
}

extension CollectionContents {
  /// The items with some keys, each once, without descendants of others.
  ///
  /// - Parameter stepLimit: how many items may be visited; if there are more descendants, they are
  ///   assumed to be as deep as possible.
  /// - Complexity: O(k log n + descendants)
  /// - Throws: KEY_UNKNOWN if one is not there.
  public func dragged(
    keys: [String],
    field: @autoclosure () -> String,
    stepLimit: Int
  ) throws(Refusal) -> DraggedItems {
    var slices: [ChunkSlice] = []
    var trees: [DraggedItems.Tree] = []
    var steps = stepLimit
    for path in separateTrees(try paths(ofKeys: keys, field: field())) {
      guard let item = path.item else { continue }
      let items = section(at: path.section).items
      slices += items.slices(in: item ..< item + 1).map {
        $0.chunk.outline.isAbsent ? $0 : $0.placed(.absent)
      }
      var tree = DraggedItems.Tree(count: subtreeCount(of: path))
      if tree.count > 1 {
        steps -= tree.count
        let deepest =
          steps < 0 ? OutlineItem.highestLevel : items.highestLevel(in: item ..< item + tree.count)
        tree.depth = deepest - items.outlineItem(at: item).level
      }
      trees.append(tree)
    }
    var blocks: [ItemBlock] = []
    ItemSequence(slices: slices).forEachBlock(limit: ChunkAssembly.highestCount) {
      blocks.append($0)
      return true
    }
    return DraggedItems(blocks, cellKindNames: cellKindNames, trees: trees)
  }

  // MARK: - Preview

  /// Shows items as rows that these contents do not have. The result can be shown, but not edited.
  ///
  /// - Complexity: O(k log n) for k items
  /// - Throws: INDEX_OUT_OF_RANGE if the place does not exist, BATCH_INCONSISTENT if keys are
  ///   taken.
  public func showing(
    _ items: DraggedItems,
    at path: IndexPath
  ) throws(Refusal) -> ContentsChange {
    let (blocks, newKinds) = items.blocks(for: self)
    let named = try addingKinds(newKinds, limits: .standard)
    let change = try named.changingRows([.insertItems(at: path, items: blocks)])
    return change.between(self, and: change.new)
  }

  /// Removes rows that `showing` has added.
  ///
  /// - Parameter kindNames: the cell kinds of the contents without them.
  /// - Complexity: O(k log n) for k rows
  /// - Throws: INDEX_OUT_OF_RANGE if they are not there.
  public func hiding(
    _ rows: Range<Int>,
    ofSection section: Int,
    kindNames: [String]
  ) throws(Refusal) -> ContentsChange {
    let change = try changingRows([.deleteItems(section: section, items: rows)])
    var contents = change.new
    contents.cellKindNames = kindNames
    return change.between(self, and: contents)
  }

  /// Applies operations to what a viewer sees, without regard to trees.
  func changingRows(_ operations: [UpdateOperation]) throws(Refusal) -> ContentsChange {
    let plan = try BatchPlan(
      operations,
      of: self,
      limits: ContentsLimits(items: .max, sections: .max, operations: operations.count),
      keepsTrees: false
    )
    // Hardly any preview is searched for keys, and each entry that moves would copy a part of the
    // index: some megabytes for a thousand items.
    return BatchApplication.change(plan, isAnimated: false, keepsIndex: false)
  }
}
