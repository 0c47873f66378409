// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Steps for the elements of sections", .timeLimit(.minutes(1)))
struct ElementStepsTests {
  @Test("a section takes more steps the more elements are around its items")
  func boundaryItems() throws {
    let layout = CompositionalLayout(sections: [
      CompositionalSection(
        group: rows(),
        boundarySupplementaryItems: (0 ..< 64).map { header("h\($0)") }
      )
    ])
    // Neighbours differ, so that none shares the solution of another.
    let contents = CollectionContents(
      sections: (0 ..< 200).map { SectionContents(blocks: [ItemBlock(count: 1 + $0 % 3)]) }
    )
    let work = LayoutWork()
    _ = try layout.prepare(
      LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 300, height: 400))
      ),
      work: work
    )
    #expect(work.steps >= 200 * 64 / 4)
  }
}
