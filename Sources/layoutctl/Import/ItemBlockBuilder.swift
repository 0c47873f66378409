// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Collects items into blocks, column by column.
///
/// Within a block either all items have a value in a column or none has, so a new block begins
/// where that changes. A column whose values are all equal is stored as one value.
struct ItemBlockBuilder {
  static let maxItems = 4096
  /// The bytes of data after which a block is full, far below those of a message.
  static let maxDataBytes = 1 << 20

  /// The finished blocks. The caller removes those that it has sent.
  var blocks: [Wire.ItemBlock] = []
  private var block = Wire.ItemBlock()
  private var dataBytes = 0

  mutating func append(_ item: ImportedItem, kind: UInt32) {
    let isAlike =
      block.widths.isEmpty == (item.width == nil) && block.heights.isEmpty == (item.height == nil)
      && block.xs.isEmpty == (item.x == nil) && block.ys.isEmpty == (item.y == nil)
      && block.keys.isEmpty == (item.key == nil)
    let isFull = block.count >= Self.maxItems || dataBytes >= Self.maxDataBytes
    if block.count > 0, !isAlike || isFull { finish() }
    block.count += 1
    if let width = item.width { block.widths.append(width) }
    if let height = item.height { block.heights.append(height) }
    if let x = item.x { block.xs.append(x) }
    if let y = item.y { block.ys.append(y) }
    if let key = item.key { block.keys.append(key) }
    block.cellKinds.append(kind)
    block.data.append(item.data ?? "")
    dataBytes += item.data?.utf8.count ?? 0
  }

  /// Finishes the current block.
  mutating func finish() {
    guard block.count > 0 else { return }
    block.widths = block.widths.collapsed
    block.heights = block.heights.collapsed
    block.xs = block.xs.collapsed
    block.ys = block.ys.collapsed
    block.cellKinds = block.cellKinds.allSatisfy { $0 == 0 } ? [] : block.cellKinds.collapsed
    if dataBytes == 0 { block.data = [] }
    blocks.append(block)
    block = Wire.ItemBlock()
    dataBytes = 0
  }
}

extension Array where Element: Equatable {
  /// The column, reduced to one value if all are equal.
  fileprivate var collapsed: [Element] {
    guard let first, allSatisfy({ $0 == first }) else { return self }
    return [first]
  }
}
