// SPDX-License-Identifier: Apache-2.0

/// A run of blocks, with the index that the first item of each has among the items of all blocks.
struct BlockOffsets {
  let blocks: [ItemBlock]
  /// The index of each block's first item, followed by the number of all items.
  private let starts: [Int]

  /// - Precondition: the blocks were checked: no count is negative, and their sum does not
  ///   overflow.
  /// - Complexity: O(blocks)
  init(_ blocks: [ItemBlock]) {
    self.blocks = blocks
    var starts: [Int] = []
    starts.reserveCapacity(blocks.count + 1)
    var next = 0
    for block in blocks {
      starts.append(next)
      next += block.count
    }
    starts.append(next)
    self.starts = starts
  }

  /// The block that contains an item; nil = the index is out of range.
  ///
  /// - Complexity: O(log blocks)
  func block(of item: Int) -> ItemBlock? {
    guard item >= 0, item < starts[blocks.count] else { return nil }
    return blocks[index(of: item)]
  }

  /// Calls `body` with each block that has items in a range, the index of the block's first item,
  /// and the part of the range that the block covers, in order.
  ///
  /// - Parameter range: item indices; what is outside the blocks is ignored.
  /// - Complexity: O(log blocks + blocks in the range)
  func forEach(in range: Range<Int>, _ body: (ItemBlock, Int, Range<Int>) -> Void) {
    let range = range.clamped(to: 0 ..< starts[blocks.count])
    guard !range.isEmpty else { return }
    var index = index(of: range.lowerBound)
    while index < blocks.count, starts[index] < range.upperBound {
      let covered = range.clamped(to: starts[index] ..< starts[index + 1])
      if !covered.isEmpty { body(blocks[index], starts[index], covered) }
      index += 1
    }
  }

  /// The index of the block that contains an item: the last one that begins at or before it.
  private func index(of item: Int) -> Int {
    blocks.indices.partitioningIndex { starts[$0] > item } - 1
  }
}
