// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutProtocol

/// Generates update batches that are valid regardless of what other editors do at the same time.
///
/// In each section an editor deletes at most as many items as it has inserted. So a section never
/// gets shorter than it was before the load, and every index below that count is always valid.
struct LoadEditor: Sendable {
  /// Items in each section before the load; nil = unknown. In that case an edit may be refused
  /// because the section has changed.
  private let itemsPerSection: Int?
  private var random: SplitMix64
  private var surplus: [Int: Int] = [:]

  private static let maxInserted = 3
  private static let longestMove = 20

  init(seed: UInt64, itemsPerSection: Int?) {
    self.itemsPerSection = itemsPerSection
    random = SplitMix64(seed: seed)
  }

  /// A batch of one operation.
  ///
  /// - Parameter paths: the visible items, one of which is edited.
  /// - Returns: nil if no item is visible.
  mutating func batch(at paths: [IndexPath]) -> Wire.UpdateBatch? {
    guard let path = paths.randomElement(using: &random), let seen = path.item else { return nil }
    let section = path.section
    let item = itemsPerSection.map { min(seen, max(0, $0 - 1)) } ?? seen
    var operation = Wire.UpdateOperation()
    let choice = Int.random(in: 0 ..< 8, using: &random)
    if choice < 3, surplus[section, default: 0] > 0 {
      operation.deleteItems = range(section, item)
      surplus[section, default: 0] -= 1
    } else if choice < 4 {
      let last = itemsPerSection.map { max(0, $0 - 1) } ?? item
      let target = Int.random(
        in: max(0, item - Self.longestMove) ... max(item, min(last, item + Self.longestMove)),
        using: &random
      )
      operation.moveItem.from = Wire.IndexPath(section, item)
      operation.moveItem.to = Wire.IndexPath(section, target)
    } else if choice < 6 {
      operation.reconfigureItems.range = range(section, item)
      operation.reconfigureItems.blocks = [GeneratedContents.block(count: 1, using: &random)]
    } else {
      let count = Int.random(in: 1 ... Self.maxInserted, using: &random)
      operation.insertItems.at = Wire.IndexPath(section, item)
      operation.insertItems.blocks = [GeneratedContents.block(count: count, using: &random)]
      surplus[section, default: 0] += count
    }
    var batch = Wire.UpdateBatch()
    batch.operations.operations = [operation]
    return batch
  }

  private func range(_ section: Int, _ item: Int) -> Wire.ItemRange {
    var range = Wire.ItemRange()
    range.section = UInt32(clamping: section)
    range.firstItem = UInt32(clamping: item)
    range.itemCount = 1
    return range
  }
}

extension Wire.IndexPath {
  fileprivate init(_ section: Int, _ item: Int) {
    self.init()
    self.section = UInt32(clamping: section)
    self.item = UInt32(clamping: item)
  }
}
