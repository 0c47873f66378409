// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutProtocol

/// Generates a sequence of small edits. The same seed and contents give the same sequence.
struct RandomEdits {
  /// The known state of one section: the number of items, and one item as a sample.
  struct SectionModel: Equatable {
    var count: Int
    var sample: ImportedItem
  }

  private(set) var sections: [SectionModel]
  private let keyPrefix: String
  private var generator: SplitMix64
  private var keyCount = 0
  /// The item near which all edits take place; nil = anywhere.
  private let near: IndexPath?

  private static let largestRun = 3
  private static let fewestItems = 3
  /// How many places away from `near` items are edited.
  private static let reach = 20

  /// - Parameter keyPrefix: the prefix for the keys of new items, if items have keys. It must be
  ///   unique for each run.
  /// - Parameter near: edits are of this item's section, near the item; nil = anywhere.
  init(sections: [SectionModel], seed: UInt64, keyPrefix: String, near: IndexPath? = nil) {
    self.near = near
    self.sections = sections
    self.keyPrefix = keyPrefix
    generator = SplitMix64(seed: seed)
  }

  /// Generates the next edit and updates the known sections as if it had been applied.
  ///
  /// - Returns: the edit and a short description; nil if there are no sections, or that of `near`
  ///   is not there.
  mutating func next() -> (operation: Wire.UpdateOperation, summary: String)? {
    guard !sections.isEmpty, near.map({ $0.section < sections.count }) ?? true else { return nil }
    let section = near?.section ?? random(sections.count)
    let count = sections[section].count
    switch random(100) {
    case _ where count < Self.fewestItems, 0 ..< 35: return insert(into: section)
    case 35 ..< 65: return delete(from: section)
    case 65 ..< 85: return move(from: section)
    default: return replace(in: section)
    }
  }

  private mutating func random(_ bound: Int) -> Int {
    Int.random(in: 0 ..< max(1, bound), using: &generator)
  }

  /// A place in a section, near the named item if there is one.
  private mutating func place(below bound: Int) -> Int {
    guard let item = near?.item else { return random(bound) }
    let highest = max(0, bound - 1)
    let first = min(max(0, item - Self.reach), highest)
    return first + random(min(highest, item + Self.reach) - first + 1)
  }

  private mutating func insert(into section: Int) -> (Wire.UpdateOperation, String) {
    let run = 1 + random(Self.largestRun)
    let item = place(below: sections[section].count + 1)
    var operation = Wire.UpdateOperation()
    operation.insertItems.at.section = UInt32(clamping: section)
    operation.insertItems.at.item = UInt32(clamping: item)
    operation.insertItems.blocks = items(run, like: sections[section].sample)
    sections[section].count += run
    return (operation, "insert \(run) at \(section).\(item)")
  }

  private mutating func delete(from section: Int) -> (Wire.UpdateOperation, String) {
    let (item, run) = range(in: section)
    var operation = Wire.UpdateOperation()
    operation.deleteItems = Self.range(section, item, run)
    sections[section].count -= run
    return (operation, "delete \(run) at \(section).\(item)")
  }

  private mutating func move(from section: Int) -> (Wire.UpdateOperation, String) {
    let item = place(below: sections[section].count)
    let target = near == nil && random(4) == 0 ? random(sections.count) : section
    sections[section].count -= 1
    let place = place(below: sections[target].count + 1)
    sections[target].count += 1
    var operation = Wire.UpdateOperation()
    operation.moveItem.from.section = UInt32(clamping: section)
    operation.moveItem.from.item = UInt32(clamping: item)
    operation.moveItem.to.section = UInt32(clamping: target)
    operation.moveItem.to.item = UInt32(clamping: place)
    return (operation, "move \(section).\(item) to \(target).\(place)")
  }

  private mutating func replace(in section: Int) -> (Wire.UpdateOperation, String) {
    let (item, run) = range(in: section)
    var replacement = Wire.ReplaceItems()
    replacement.range = Self.range(section, item, run)
    // Reloaded items keep their keys.
    var sample = sections[section].sample
    sample.key = nil
    replacement.blocks = items(run, like: sample)
    var operation = Wire.UpdateOperation()
    let isReload = random(2) == 0
    if isReload {
      operation.reloadItems = replacement
    } else {
      operation.reconfigureItems = replacement
    }
    return (operation, "\(isReload ? "reload" : "reconfigure") \(run) at \(section).\(item)")
  }

  private mutating func range(in section: Int) -> (item: Int, run: Int) {
    let count = sections[section].count
    let run = min(count, 1 + random(Self.largestRun))
    return (place(below: count - run + 1), run)
  }

  private static func range(_ section: Int, _ item: Int, _ count: Int) -> Wire.ItemRange {
    var range = Wire.ItemRange()
    range.section = UInt32(clamping: section)
    range.firstItem = UInt32(clamping: item)
    range.itemCount = UInt32(clamping: count)
    return range
  }

  /// New items with the same columns as the sample, half to twice as wide.
  private mutating func items(_ count: Int, like sample: ImportedItem) -> [Wire.ItemBlock] {
    var builder = ItemBlockBuilder()
    for _ in 0 ..< count {
      var item = sample
      item.width = sample.width.map { ($0 * Double(50 + random(150)) / 100).rounded() }
      // Positions stay near the sample's, and within the range of degrees.
      item.x = sample.x.map { $0 * Double(90 + random(10)) / 100 }
      item.y = sample.y.map { $0 * Double(90 + random(10)) / 100 }
      if sample.key != nil {
        keyCount += 1
        item.key = "\(keyPrefix)-\(keyCount)"
      }
      builder.append(item, kind: 0)
    }
    builder.finish()
    return builder.blocks
  }
}
