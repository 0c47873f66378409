// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Gathers items into blocks, column by column.
///
/// Inside one block all items have a value or none has, so a new one begins where that changes; and
/// a column whose values are all equal is kept as one value.
struct ItemBlockBuilder {
  static let maxItems = 4096

  /// Those that are full. To be taken from here by whoever passes them on.
  var blocks: [Wire.ItemBlock] = []
  private var block = Wire.ItemBlock()

  mutating func append(_ item: ImportedItem, kind: UInt32) {
    let isAlike =
      block.widths.isEmpty == (item.width == nil) && block.heights.isEmpty == (item.height == nil)
      && block.xs.isEmpty == (item.x == nil) && block.ys.isEmpty == (item.y == nil)
      && block.keys.isEmpty == (item.key == nil)
    if block.count > 0, !isAlike || block.count >= Self.maxItems { finish() }
    block.count += 1
    if let width = item.width { block.widths.append(width) }
    if let height = item.height { block.heights.append(height) }
    if let x = item.x { block.xs.append(x) }
    if let y = item.y { block.ys.append(y) }
    if let key = item.key { block.keys.append(key) }
    block.cellKinds.append(kind)
  }

  /// Ends the block in the making.
  mutating func finish() {
    guard block.count > 0 else { return }
    block.widths = block.widths.collapsed
    block.heights = block.heights.collapsed
    block.xs = block.xs.collapsed
    block.ys = block.ys.collapsed
    block.cellKinds = block.cellKinds.allSatisfy { $0 == 0 } ? [] : block.cellKinds.collapsed
    blocks.append(block)
    block = Wire.ItemBlock()
  }
}

extension Array where Element: Equatable {
  /// One value where all are equal.
  fileprivate var collapsed: [Element] {
    guard let first, allSatisfy({ $0 == first }) else { return self }
    return [first]
  }
}
