// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// One change, small enough to be written on a line.
public struct TestOperation: Hashable, Sendable {
  public enum Kind: Int32, CaseIterable, Sendable {
    case insertItems, deleteItems, insertSection, deleteSection, replace
  }

  public var kind: Kind
  public var section: Int
  public var item: Int
  public var count: Int
  public var seed: Int

  public init(_ kind: Kind, section: Int = 0, item: Int = 0, count: Int = 0, seed: Int = 0) {
    self.kind = kind
    self.section = section
    self.item = item
    self.count = count
    self.seed = seed
  }

  /// One that contents of this shape allow; never `replace`.
  public static func random(
    for counts: [Int],
    using generator: inout some RandomNumberGenerator
  ) -> TestOperation {
    let seed = Int.random(in: 0 ..< 1_000_000, using: &generator)
    let count = Int.random(in: 1 ... 20, using: &generator)
    let draw = Int.random(in: 0 ..< 10, using: &generator)
    if counts.isEmpty || (draw == 0 && counts.count < 8) {
      let place = Int.random(in: 0 ... counts.count, using: &generator)
      return TestOperation(.insertSection, section: place, count: count, seed: seed)
    }
    let section = Int.random(in: 0 ..< counts.count, using: &generator)
    if draw == 1 { return TestOperation(.deleteSection, section: section) }
    let items = counts[section]
    if draw < 5, items > 0 {
      let first = Int.random(in: 0 ..< items, using: &generator)
      return TestOperation(
        .deleteItems,
        section: section,
        item: first,
        count: min(count, items - first)
      )
    }
    let place = Int.random(in: 0 ... items, using: &generator)
    return TestOperation(.insertItems, section: section, item: place, count: count, seed: seed)
  }

  /// For `replace`: as many items in one section.
  public var contents: CollectionContents { TestCodec.contents([Self.heights(count, seed)]) }

  public func batch(requestID: String = "") -> UpdateBatch {
    UpdateBatch(requestID: requestID, change: .operations([operation]))
  }

  private var operation: UpdateOperation {
    let block = ItemBlock(count: count, heights: Self.heights(count, seed))
    switch kind {
    case .insertItems:
      return .insertItems(at: IndexPath(section: section, item: item), items: [block])
    case .deleteItems: return .deleteItems(section: section, items: item ..< item + count)
    case .insertSection:
      return .insertSections(at: section, [SectionContents(blocks: [block])])
    case .deleteSection: return .deleteSections(section ..< section + 1)
    case .replace: return .reloadSection(0, SectionContents(blocks: [block]))
    }
  }

  public func apply(to model: inout [[Double]]) {
    let heights = Self.heights(count, seed)
    switch kind {
    case .insertItems: model[section].insert(contentsOf: heights, at: item)
    case .deleteItems: model[section].removeSubrange(item ..< item + count)
    case .insertSection: model.insert(heights, at: section)
    case .deleteSection: model.remove(at: section)
    case .replace: model = [heights]
    }
  }

  private static func heights(_ count: Int, _ seed: Int) -> [Double] {
    (0 ..< count).map { Double((seed + $0 * 7919) % 4000) / 4 }
  }

  // MARK: - As words

  public var words: [Int] { [Int(kind.rawValue), section, item, count, seed] }

  public init?(words: [Int]) {
    guard words.count == 5, let kind = Kind(rawValue: Int32(truncatingIfNeeded: words[0])) else {
      return nil
    }
    self.init(kind, section: words[1], item: words[2], count: words[3], seed: words[4])
  }
}
