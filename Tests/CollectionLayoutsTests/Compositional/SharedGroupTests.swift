// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Synchronization
import Testing

@Suite("Groups that versions share", .timeLimit(.minutes(1)))
struct SharedGroupTests {
  private static let layout = CompositionalLayout(sections: [
    CompositionalSection(name: "short", group: rows()),
    CompositionalSection(
      name: "large",
      group: LayoutGroup(
        axis: .horizontal,
        size: LayoutSize(width: .fractionalWidth(1), height: .absolute(10)),
        subitems: [
          .item(LayoutItem(size: LayoutSize(width: .absolute(1), height: .absolute(10))))
        ],
        count: 10_000
      )
    ),
  ])

  @Test("a computation that pauses while it solves a group does not keep others from solving it")
  func pausing() throws {
    let contents = CollectionContents(sections: [
      SectionContents(layoutName: "short", blocks: [ItemBlock(count: 3)])
    ])
    let large = SectionContents(layoutName: "large", blocks: [ItemBlock(count: 3)])
    let change = try contents.applying(UpdateBatch([.insertSections(at: 1, [large])]))
    let prepared = Self.layout.prepare(
      LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 400, height: 600))
      )
    )
    let wanted = Self.layout.update(prepared, by: change).contentSize
    let other = Mutex<(any PreparedLayout)?>(nil)
    // Asked for the first time once the group has taken its steps. Another computation on the same
    // thread could not take a lock that this one holds.
    let paused = Self.layout.prepare(prepared.context)
    let work = LayoutWork(stepsBetweenChecks: 10_000) {
      other.withLock { $0 = $0 ?? Self.layout.update(paused, by: change) }
      return true
    }
    let updated = try Self.layout.update(paused, by: change, work: work)
    #expect(other.withLock { $0?.contentSize } == wanted)
    #expect(updated.contentSize == wanted)
  }

  @Test("a large group is given up in the middle, and what there is of it is not shared")
  func stopping() throws {
    let contents = CollectionContents(sections: [
      SectionContents(layoutName: "short", blocks: [ItemBlock(count: 3)])
    ])
    let large = SectionContents(layoutName: "large", blocks: [ItemBlock(count: 9000)])
    let change = try contents.applying(UpdateBatch([.insertSections(at: 1, [large])]))
    let context = LayoutContext(
      contents: contents,
      container: LayoutContainer(size: Size(width: 400, height: 600))
    )
    let wanted = Self.layout.update(Self.layout.prepare(context), by: change).contentSize
    let prepared = Self.layout.prepare(context)
    let few = LayoutWork(stepLimit: 30_000)
    #expect(throws: LayoutWork.Stop.tooManySteps(limit: 30_000)) {
      try Self.layout.update(prepared, by: change, work: few)
    }
    #expect(few.steps < 40_000)
    #expect(Self.layout.update(prepared, by: change).contentSize == wanted)
  }
}
