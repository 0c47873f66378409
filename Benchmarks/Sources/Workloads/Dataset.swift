// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// A collection that benchmarks make for themselves, the same one each time.
public struct Dataset: Hashable, Sendable {
  public enum Sizes: String, CaseIterable, Sendable {
    /// The data gives none.
    case equal
    /// Widths and heights uniform integers 40…200.
    case different
  }

  /// Where a batch edits.
  public enum Place: String, CaseIterable, Sendable {
    case head
    case middle
    case tail
    /// All over the collection.
    case scattered
  }

  public var count: Int
  public var sizes: Sizes
  /// nil = all in one.
  public var itemsPerSection: Int?
  /// Whether items have coordinates: in a square that holds some 34 of them in each 1024 × 768.
  public var isPlaced: Bool

  public init(count: Int, sizes: Sizes, itemsPerSection: Int? = nil, isPlaced: Bool = false) {
    self.count = count
    self.sizes = sizes
    self.itemsPerSection = itemsPerSection
    self.isPlaced = isPlaced
  }

  public func contents() -> CollectionContents {
    var random = SplitMix64(seed: 12345)
    let length = sectionLength
    return CollectionContents(
      sections: stride(from: 0, to: count, by: length).map { start in
        SectionContents(blocks: [block(min(length, count - start), &random)])
      }
    )
  }

  /// Items like those of the collection, of which each column is one value or one for each.
  func block(_ count: Int, _ random: inout SplitMix64) -> ItemBlock {
    var block = ItemBlock(count: count)
    if sizes == .different {
      block.widths = (0 ..< count).map { _ in Double(40 + random.int(below: 161)) }
      block.heights = (0 ..< count).map { _ in Double(40 + random.int(below: 161)) }
    }
    if isPlaced {
      let side = (Double(self.count) / 34 * 1024 * 768).squareRoot()
      block.xs = (0 ..< count).map { _ in (random.unit() * side).rounded() }
      block.ys = (0 ..< count).map { _ in (random.unit() * side).rounded() }
    }
    return block
  }

  // MARK: - Edits

  /// Two batches: the first inserts `number` items at a place, or one in front of each of so many
  /// neighbours; the second takes them away again.
  public func edits(_ number: Int, at place: Place) -> (insert: UpdateBatch, delete: UpdateBatch) {
    var random = SplitMix64(seed: 7)
    let paths = paths(number, at: place, &random)
    return (
      UpdateBatch(paths.map { .insertItems(at: $0, items: [block(1, &random)]) }),
      UpdateBatch(
        paths.map { path in
          let item = path.item ?? 0
          return .deleteItems(section: path.section, items: item ..< item + 1)
        }
      )
    )
  }

  /// Where the inserted items are once all are inserted.
  private func paths(
    _ number: Int,
    at place: Place,
    _ random: inout SplitMix64
  ) -> [IndexPath] {
    var paths: [IndexPath] = []
    var before = 0
    for ordinal in ordinals(number, at: place, &random) {
      let section = min(ordinal, count - 1) / sectionLength
      before = paths.last?.section == section ? before + 1 : 0
      paths.append(IndexPath(section: section, item: ordinal - section * sectionLength + before))
    }
    return paths
  }

  /// The items in front of which others are inserted, in order; `count` = behind the last.
  private func ordinals(
    _ number: Int,
    at place: Place,
    _ random: inout SplitMix64
  ) -> [Int] {
    let number = min(number, count)
    switch place {
    case .head: return Array(0 ..< number)
    case .middle: return Array((count - number) / 2 ..< (count - number) / 2 + number)
    case .tail: return Array(count + 1 - number ..< count + 1)
    case .scattered:
      var taken: Set<Int> = []
      while taken.count < number { taken.insert(random.int(below: count)) }
      return taken.sorted()
    }
  }

  private var sectionLength: Int { max(1, itemsPerSection ?? count) }
}
