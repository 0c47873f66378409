// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Collects items into blocks, column by column.
///
/// Within a block either all items have a value in a column or none has, so a new block begins where
/// that changes. A column whose values are all equal is stored as one value.
struct ItemBlockBuilder {
  static let maxItems = 4096

  /// The finished blocks. The caller removes those that it has sent.
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

  /// Finishes the current block.
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
  /// The column, reduced to one value if all are equal.
  fileprivate var collapsed: [Element] {
    guard let first, allSatisfy({ $0 == first }) else { return self }
    return [first]
  }
}
