// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Rows beside held items", .timeLimit(.minutes(1)))
struct HeldRowsTests {
  @Test(
    "every row is found where moving the items one by one puts it, and back",
    arguments: 0 ..< 80 as Range<UInt64>
  )
  func places(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sections = (0 ..< Int.random(in: 1 ... 4, using: &random)).map { section in
      let keys = (0 ..< Int.random(in: 0 ... 12, using: &random)).map { "\(section).\($0)" }
      return SectionContents(blocks: [ItemBlock(count: keys.count, keys: keys)])
    }
    let contents = CollectionContents(sections: sections)
    let all = sections.indices.flatMap { section in
      (0 ..< contents.section(at: section).items.count).map {
        IndexPath(section: section, item: $0)
      }
    }
    let chosen = all.shuffled(using: &random).prefix(Int.random(in: 1 ... 9, using: &random))
    guard !chosen.isEmpty else { return }
    let items = chosen.map { HeldItem(item: $0, row: $0) }
    for section in sections.indices {
      let others =
        contents.section(at: section).items.count - chosen.count { $0.section == section }
      for gap in 0 ... others {
        let state = MovementState(items: items, path: IndexPath(section: section, item: gap))
        let change = try contents.rearranging(state.moves)
        for row in all {
          #expect(state.moved(row) == change.newIndexPath(ofOld: row))
          #expect(state.unmoved(state.moved(row)) == row)
        }
      }
    }
  }

  @Test("rows before held ones are counted, section by section")
  func counts() {
    let rows = [(1, 3), (0, 2), (1, 0), (3, 5)].map { IndexPath(section: $0, item: $1) }
    let held = HeldRows(rows.map { HeldItem(row: $0) })
    #expect((0 ..< 4).map { held.count(inSection: $0) } == [1, 2, 0, 1])
    #expect(held.count(before: IndexPath(section: 1, item: 3)) == 1)
    #expect(held.count(before: IndexPath(section: 1, item: 4)) == 2)
    #expect(held.index(of: rows[0]) == 0)
    #expect(held.index(of: IndexPath(section: 1, item: 1)) == nil)
    // Rows 0 and 3 are held, so the others are 1, 2, 4, 5.
    let others = (0 ..< 4).map { held.row(behind: $0, ofSection: 1).item }
    #expect(others == [1, 2, 4, 5])
  }

  @Test("sizes that are measured under a movement are offered for the items that were measured")
  func sharedSizes() {
    var viewers = SharedScenes(
      2,
      of: .keyed(12),
      layout: ListLayout(rowHeight: 40, isSelfSizing: true)
    )
    viewers.scenes[0].send(.movement(.beginItems(.keys(["a9", "a1", "a4"]))))
    viewers.scenes[0].send(.movement(.target(IndexPath(section: 0, item: 2))))
    #expect(viewers.scenes[0].problem == nil)
    let heights = (0 ..< 12).map { ("a\($0)", Size(width: 320, height: Double(20 + $0))) }
    viewers.measure(heights.map { (key: $0.0, size: $0.1) }, by: 0)
    #expect(viewers.outcome?.accepted == 12)
    #expect(viewers.sizes == Dictionary(uniqueKeysWithValues: heights))
  }
}
