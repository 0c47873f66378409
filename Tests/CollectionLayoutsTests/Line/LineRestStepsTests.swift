// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Steps until a line comes to rest", .timeLimit(.minutes(1)))
struct LineRestStepsTests {
  @Test("sections whose items may lie anywhere are counted, and the search ends among them")
  func overlap() {
    let layout = LineLayout(
      sectionInset: EdgeInsets(top: 0, leading: -1e9, bottom: 0, trailing: 1e9)
    )
    let size = Size(width: 400, height: 300)
    let prepared = layout.prepare(
      LayoutContext(
        contents: CollectionContents(
          sections: (0 ..< 20_000).map { _ in SectionContents(blocks: [ItemBlock(count: 1)]) }
        ),
        container: LayoutContainer(size: size)
      )
    )
    let viewport = Viewport(offset: .zero, size: size)
    func release(_ work: LayoutWork) -> ScrollTarget? {
      LayoutQueries(prepared, viewport: viewport, work: work).scrollTarget(
        for: .release(
          proposed: Point(x: 500, y: 0),
          velocity: .zero,
          section: nil,
          deceleration: .normal
        )
      )
    }
    let work = LayoutWork()
    #expect(release(work)?.element != nil)
    #expect(work.steps >= 20_000)
    let limited = LayoutWork(stepLimit: 1000)
    _ = release(limited)
    #expect(limited.stop == .tooManySteps(limit: 1000))
    #expect(limited.steps < 2000)
  }
}
