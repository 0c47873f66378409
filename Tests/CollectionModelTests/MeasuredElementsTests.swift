// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionModel

@Suite("Measured elements", .timeLimit(.minutes(2)))
struct MeasuredElementsTests {
  /// The sizes one by one, each sent where its element goes.
  private func followed(
    _ sizes: [MeasuredElement: Size],
    _ change: ContentsChange
  ) -> [MeasuredElement: Size] {
    var result: [MeasuredElement: Size] = [:]
    for (element, size) in sizes {
      switch element {
      case .layout: result[element] = size
      case .section(let section, let kind):
        guard let path = change.newIndexPath(ofOld: IndexPath(section: section)) else { continue }
        result[.section(path.section, kind: kind)] = size
      case .item(let path, let kind):
        guard let path = change.newIndexPath(ofOld: path) else { continue }
        result[.item(path, kind: kind)] = size
      case .group(let section, let ordinal, let kind):
        guard let path = change.newIndexPath(ofOld: IndexPath(section: section)) else { continue }
        result[.group(section: path.section, ordinal: ordinal, kind: kind)] = size
      }
    }
    return result
  }

  private func measured(_ sizes: [MeasuredElement: Size]) -> MeasuredElements {
    var measured = MeasuredElements()
    _ = measured.insert(sizes)
    return measured
  }

  private func randomSizes(
    in contents: CollectionContents,
    _ random: inout SplitMix64
  ) -> [MeasuredElement: Size] {
    var sizes: [MeasuredElement: Size] = [:]
    func size() -> Size { Size(width: Double(random.below(90)), height: 7) }
    if random.chance(20) { sizes[.layout(kind: "banner")] = size() }
    for section in 0 ..< contents.sectionCount {
      if random.chance(30) { sizes[.section(section, kind: "title")] = size() }
      for item in 0 ..< contents.section(at: section).items.count where random.chance(30) {
        let kind = random.chance(50) ? "badge" : "dot"
        sizes[.item(IndexPath(section: section, item: item), kind: kind)] = size()
      }
      if random.chance(30) {
        sizes[.group(section: section, ordinal: random.below(9), kind: "ribbon")] = size()
      }
    }
    return sizes
  }

  /// Whether both hold the same sizes. The greatest lengths may come from sizes that are gone.
  private func areEqual(
    _ found: MeasuredElements,
    _ sizes: [MeasuredElement: Size],
    in contents: CollectionContents
  ) -> Bool {
    guard found.count == sizes.count else { return false }
    return sizes.allSatisfy { element, size in
      switch element {
      case .layout(let kind): found.layout[kind] == size
      case .section(let section, let kind): found[section: section].sizes[kind] == size
      case .item(let path, let kind):
        found[section: path.section].onItems[kind]?[path.item ?? -1] == size
      case .group(let section, let ordinal, let kind):
        found[section: section].onGroups[kind]?[ordinal] == size
      }
    }
  }

  @Test("go where their elements go, through batches of every kind")
  func following() {
    var steps = 0
    for seed in 0 ..< 200 as Range<UInt64> {
      var generator = BatchGenerator(seed: seed, hasKeys: !seed.isMultiple(of: 3))
      var contents = generator.contents(sections: 4, items: 8)
      var sizes = randomSizes(in: contents, &generator.random)
      var elements = measured(sizes)
      for step in 0 ..< 10 {
        let batch = UpdateBatch(generator.batch(for: ReferenceModel(contents)))
        guard let change = try? contents.applying(batch) else { continue }
        sizes = followed(sizes, change)
        elements = elements.following(change)
        contents = change.new
        guard areEqual(elements, sizes, in: contents) else {
          Issue.record("seed \(seed), step \(step)")
          break
        }
        let more = randomSizes(in: contents, &generator.random).filter { $0.value.width < 20 }
        sizes.merge(more) { $1 }
        let before = elements
        let changed = elements.insert(more)
        for section in 0 ..< contents.sectionCount {
          let differs = before[section: section] != elements[section: section]
          #expect(changed.contains(section) == differs, "seed \(seed), step \(step)")
        }
        #expect(areEqual(elements, sizes, in: contents), "seed \(seed), step \(step)")
        steps += 1
      }
    }
    #expect(steps > 500)
  }

  @Test("sections tell what was measured in them, and contents without sizes tell nothing")
  func sections() {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: 3)]), SectionContents(),
    ])
    let size = Size(width: 4, height: 5)
    let elements = measured([.section(1, kind: "title"): size])
    let change = ContentsChange.replacement(of: contents, with: contents)
      .settingMeasuredElements(elements, in: [1])
    #expect(change.new.section(at: 1).measured.sizes == ["title": size])
    #expect(change.new.section(at: 0).measured == .none)
    #expect(change.old.section(at: 1).measured == .none)
  }
}
