// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport

@testable import CollectionModel

/// Random contents and random batches, most of them applicable.
struct BatchGenerator {
  var random: SplitMix64
  let hasKeys: Bool
  /// Operations of a batch lie up to this far from each other…
  private let gap: Int
  /// …and each takes up to this many items.
  private let length: Int
  private var nextKey = 0

  init(seed: UInt64, hasKeys: Bool, gap: Int = 5, length: Int = 4) {
    random = SplitMix64(seed: seed)
    self.hasKeys = hasKeys
    self.gap = gap
    self.length = length
  }

  mutating func key(_ prefix: String) -> String {
    nextKey += 1
    return "\(prefix)\(nextKey)"
  }

  mutating func block(_ count: Int, keyed: Bool? = nil) -> ItemBlock {
    func column(_ random: inout SplitMix64) -> [Double] {
      switch random.below(4) {
      case 0: []
      case 1: [Double(random.below(3))]
      case 2: (0 ..< count).map { _ in Double(random.below(100)) / 4 }
      default: (0 ..< count).map { _ in Double(random.below(100)) / 3 }
      }
    }
    let keyed = keyed ?? (hasKeys && random.chance(90))
    return ItemBlock(
      count: count,
      widths: column(&random),
      heights: column(&random),
      xs: random.chance(10) ? column(&random) : [],
      cellKinds: random.chance(20) ? (0 ..< count).map { _ in random.below(2) } : [],
      keys: keyed ? (0 ..< count).map { _ in key("i") } : [],
      data: data(count)
    )
  }

  /// Two forms of the same character among them, which are equal as strings and have different
  /// bytes.
  private mutating func data(_ count: Int) -> [String] {
    let texts = ["", "x", "a longer text than fits beside others", "\u{E9}", "e\u{301}"]
    return switch random.below(4) {
    case 0: [texts[random.below(texts.count)]]
    case 1: (0 ..< count).map { _ in texts[random.below(texts.count)] }
    default: []
    }
  }

  mutating func blocks(_ count: Int) -> [ItemBlock] {
    let first = random.below(count + 1)
    return [block(first), block(count - first)].filter { $0.count > 0 }
  }

  mutating func section(items: Int) -> SectionContents {
    SectionContents(
      key: hasKeys ? key("s") : "",
      metrics: SectionMetrics(lineSpacing: random.chance(50) ? 3 : nil),
      blocks: blocks(items)
    )
  }

  mutating func contents(sections: Int, items: Int) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< sections).map { _ in section(items: random.below(items + 1)) },
      cellKindNames: ["a", "b"]
    )
  }

  /// Distinct numbers below a limit, sorted.
  mutating func pick(_ count: Int, below limit: Int) -> [Int] {
    Array((0 ..< limit).shuffled(using: &random).prefix(count)).sorted()
  }

  mutating func batch(for model: ReferenceModel) -> [UpdateOperation] {
    var operations: [UpdateOperation] = []
    let count = model.sections.count
    // Sections: some old ones are named, some new places taken.
    var deleted: Set<Int> = []
    var moved: [Int] = []
    var reloaded: Set<Int> = []
    if random.chance(50) {
      for section in pick(random.below(4), below: count) {
        switch random.below(4) {
        case 0: deleted.insert(section)
        case 1: moved.append(section)
        case 2:
          reloaded.insert(section)
          operations.append(.reloadSection(section, self.section(items: random.below(6))))
        default: operations.append(.setSectionMetrics(section, SectionMetrics(lineSpacing: 7)))
        }
      }
    }
    for section in deleted { operations.append(.deleteSections(section ..< section + 1)) }
    let inserted = random.chance(30) ? random.below(3) : 0
    let after = count - deleted.count + inserted
    let places = pick(moved.count + inserted, below: after).shuffled(using: &random)
    for (section, place) in zip(moved, places) {
      operations.append(.moveSection(from: section, to: place))
    }
    for place in places.dropFirst(moved.count) {
      operations.append(.insertSections(at: place, [section(items: random.below(6))]))
    }
    var order = Array(repeating: -1, count: max(after, 0))
    for place in places { order[place] = -2 }
    for (section, place) in zip(moved, places) { order[place] = section }
    var rest = (0 ..< count).filter { !deleted.contains($0) && !moved.contains($0) }[...]
    for i in order.indices where order[i] == -1 { order[i] = rest.popFirst() ?? -2 }
    addItemOperations(model, order.map { reloaded.contains($0) ? -2 : $0 }, deleted, &operations)
    if random.chance(25) { spoil(&operations, model) }
    return operations.shuffled(using: &random)
  }

  private mutating func addItemOperations(
    _ model: ReferenceModel,
    _ order: [Int],
    _ deleted: Set<Int>,
    _ operations: inout [UpdateOperation]
  ) {
    let targets = order.indices.filter { order[$0] >= 0 }
    var removedCount: [Int: Int] = [:]
    var leaving: [IndexPath] = []
    for section in targets.map({ order[$0] }) + deleted.sorted() where random.chance(70) {
      let isDeleted = deleted.contains(section)
      var item = 0
      let count = model.sections[section].items.count
      while item < count {
        item += random.below(gap + 1)
        let length = min(1 + random.below(length), count - item)
        guard length > 0 else { break }
        switch random.below(isDeleted ? 6 : 4) {
        case 0:
          operations.append(.deleteItems(section: section, items: item ..< item + length))
          removedCount[section, default: 0] += length
        case 1:
          operations.append(
            .reloadItems(section: section, items: item ..< item + length, blocks: blocks(length))
          )
        case 2:
          let keyed = random.chance(10) ? true : false
          operations.append(
            .reconfigureItems(
              section: section,
              items: item ..< item + length,
              blocks: [block(length, keyed: keyed)]
            )
          )
        default:
          leaving.append(IndexPath(section: section, item: item))
          removedCount[section, default: 0] += 1
        }
        item += length
      }
    }
    leaving.shuffle(using: &random)
    if targets.isEmpty { return }
    var arrivals: [Int: [IndexPath]] = [:]
    for path in leaving { arrivals[targets[random.below(targets.count)], default: []].append(path) }
    for target in targets {
      let moves = arrivals[target] ?? []
      let inserts = random.chance(50) ? random.below(5) : 0
      let section = order[target]
      let count =
        model.sections[section].items.count - (removedCount[section] ?? 0) + moves.count + inserts
      let places = pick(moves.count + inserts, below: count).shuffled(using: &random)
      for (move, place) in zip(moves, places) {
        operations.append(.moveItem(from: move, to: IndexPath(section: target, item: place)))
      }
      for place in places.dropFirst(moves.count) {
        operations.append(
          .insertItems(at: IndexPath(section: target, item: place), items: [block(1)])
        )
      }
    }
  }

  /// Adds what may contradict the rest.
  private mutating func spoil(_ operations: inout [UpdateOperation], _ model: ReferenceModel) {
    let section = random.below(model.sections.count + 1)
    let path = IndexPath(section: section, item: random.below(8))
    switch random.below(6) {
    case 0: operations.append(.deleteItems(section: section, items: 0 ..< 1 + random.below(3)))
    case 1: operations.append(.insertItems(at: path, items: blocks(1 + random.below(2))))
    case 2: operations.append(.moveItem(from: path, to: IndexPath(section: 0, item: 0)))
    case 3: operations.append(.moveSection(from: section, to: random.below(5)))
    case 4:
      let used = model.sections.flatMap { $0.items.compactMap(\.values.key) }.randomElement(
        using: &random
      )
      var items = block(1, keyed: false)
      if let used { items.keys = [used] }
      operations.append(.insertItems(at: path, items: [items]))
    default: operations.append(.deleteSections(section ..< section + 1))
    }
  }
}
