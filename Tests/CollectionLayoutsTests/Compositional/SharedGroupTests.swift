// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Dispatch
import LayoutGeometry
import Synchronization
import TestSupport
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
    let others = LentThread()
    let ended = DispatchSemaphore(value: 0)
    let hasEnded = Mutex<Bool?>(nil)
    // Asked for the first time once the group has taken its steps.
    let work = LayoutWork(stepsBetweenChecks: 10_000) {
      hasEnded.withLock { hasEnded in
        guard hasEnded == nil else { return }
        _ = others.lend { _ in
          _ = Self.layout.update(prepared, by: change)
          ended.signal()
        }
        hasEnded = ended.wait(timeout: .now() + 20) == .success
      }
      return true
    }
    let updated = try Self.layout.update(prepared, by: change, work: work)
    others.wait()
    #expect(hasEnded.withLock { $0 } == true)
    #expect(updated.contentSize == Self.layout.update(prepared, by: change).contentSize)
  }
}
