// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutProtocol

/// Makes update batches that hold whatever other editors do at the same time.
///
/// Each editor deletes no more than it has inserted, section by section. So a section never gets
/// shorter than it was before the load, and an item within that count is always there.
struct LoadEditor: Sendable {
  /// Of each section before the load; nil = unknown, and then an edit may come too late.
  private let itemsPerSection: Int?
  private var random: SplitMix64
  private var surplus: [Int: Int] = [:]

  private static let maxInserted = 3
  private static let longestMove = 20

  init(seed: UInt64, itemsPerSection: Int?) {
    self.itemsPerSection = itemsPerSection
    random = SplitMix64(seed: seed)
  }

  /// One operation at one of `paths`, which are items that the editor sees; nil where it sees none.
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
