// SPDX-License-Identifier: Apache-2.0

/// Blocks that follow each other, and where each of them begins among all their items.
struct BlockOffsets {
  let blocks: [ItemBlock]
  /// The first item of each block, and at the end the number of all items.
  private let starts: [Int]

  /// - Precondition: the blocks were checked: their counts are not negative and do not overflow.
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

  /// The block that holds an item; nil where there is none.
  ///
  /// - Complexity: O(log blocks)
  func block(of item: Int) -> ItemBlock? {
    guard item >= 0, item < starts[blocks.count] else { return nil }
    return blocks[index(of: item)]
  }

  /// Calls `body` with each block that has items of a range, with the first item of the block and
  /// those of its items that the range has.
  ///
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

  /// The last block that begins at or before an item of a block, which is the one that holds it.
  private func index(of item: Int) -> Int {
    firstIndex(blocks.count) { starts[$0] > item } - 1
  }
}
