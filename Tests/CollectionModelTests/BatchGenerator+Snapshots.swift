// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import FuzzTargets
import TestSupport

extension BatchGenerator {
  /// The contents of a snapshot made from others by shuffling, dropping, adding and changing items,
  /// and the keys of some items that it reloads and reconfigures. Items without keys are left out.
  mutating func wanted(
    after model: ReferenceModel,
    changes: Int
  ) -> (contents: CollectionContents, reloaded: [String], reconfigured: [String]) {
    var sections = model.sections.map {
      ($0.key, $0.metrics, $0.items.map(\.values).filter { $0.key != nil })
    }
    for _ in 0 ..< changes where !sections.isEmpty {
      let from = random.below(sections.count)
      let to = random.below(sections.count)
      let count = sections[from].2.count
      switch random.below(9) {
      case 0 where random.chance(30): sections.remove(at: from)
      case 1 where random.chance(30):
        sections.insert((self.key("s"), SectionMetrics(), []), at: to)
      case 2 where random.chance(50): sections.swapAt(from, to)
      case 3 where count > 0: sections[from].2.remove(at: random.below(count))
      case 4:
        let values = ItemValues(height: 5, key: self.key("i"))
        sections[from].2.insert(values, at: random.below(count + 1))
      case 5 where count > 0: sections[from].2[random.below(count)].height = 77
      case 6: sections[from].1.lineSpacing = 9
      case 8 where count > 0: sections[from].2[random.below(count)].data = "other"
      case 7 where count > 0:
        let item = sections[from].2.remove(at: random.below(count))
        sections[to].2.insert(item, at: random.below(sections[to].2.count + 1))
      default: break
      }
    }
    let contents = sections.map { key, metrics, items in
      SectionContents(
        key: key,
        metrics: metrics,
        items: ItemSequence(items.map(Self.block))
      )
    }
    let keys = sections.flatMap { $0.2.compactMap(\.key) }.shuffled(using: &random)
    let reloaded = Array(keys.prefix(random.below(3)))
    let reconfigured = Array(keys.dropFirst(3).prefix(random.below(3)))
    return (
      CollectionContents(sections: contents, cellKindNames: ["a", "b"]), reloaded, reconfigured
    )
  }

  private static func block(_ values: ItemValues) -> ItemBlock {
    ItemBlock(
      count: 1,
      widths: values.width.map { [$0] } ?? [],
      heights: values.height.map { [$0] } ?? [],
      xs: values.x.map { [$0] } ?? [],
      ys: values.y.map { [$0] } ?? [],
      cellKinds: [values.cellKind],
      keys: values.key.map { [$0] } ?? [],
      data: [values.data]
    )
  }
}
