// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Neighbours", .timeLimit(.minutes(3)))
struct NeighborTests {
  private func step(
    _ step: NeighborStep,
    from key: ElementKey,
    in prepared: any PreparedLayout,
    _ viewport: Viewport,
    position: ScrollPosition = .nearest
  ) -> ScrollTarget? {
    LayoutQueries(prepared, viewport: viewport)
      .scrollTarget(for: .neighbor(of: .element(key), step: step, position: position))
  }

  private func list(_ count: Int) -> any PreparedLayout {
    ListLayout(rowHeight: 50).prepare(
      LayoutContext(
        contents: plainContents(count),
        container: LayoutContainer(size: Size(width: 320, height: 400))
      )
    )
  }

  private let screen = Viewport(offset: .zero, size: Size(width: 320, height: 400))

  @Test("go through rows and sections, and off the screen")
  func rowsAndSections() {
    let prepared = FlowLayout(
      itemSize: Size(width: 100, height: 50),
      minimumLineSpacing: 10,
      minimumInteritemSpacing: 10,
      headerReferenceSize: Size(width: 320, height: 40)
    ).prepare(
      LayoutContext(
        contents: plainContents(8, 0, 3),
        container: LayoutContainer(size: Size(width: 320, height: 200))
      )
    )
    let viewport = Viewport(offset: .zero, size: Size(width: 320, height: 200))
    func to(_ step: NeighborStep, _ section: Int, _ item: Int) -> ElementKey? {
      self.step(step, from: .cell(section, item), in: prepared, viewport)?.element
    }
    #expect(to(.right, 0, 0) == .cell(0, 1))
    #expect(to(.right, 0, 2) == nil)
    #expect(to(.left, 0, 3) == nil)
    #expect(to(.down, 0, 1) == .cell(0, 4))
    // Nothing lies below in the last row: the next section's item does.
    #expect(to(.down, 0, 7) == .cell(2, 1))
    #expect(to(.up, 2, 0) == .cell(0, 6))
    #expect(to(.down, 2, 0) == nil)
    #expect(to(.next, 0, 7) == .cell(2, 0))
    #expect(to(.previous, 2, 0) == .cell(0, 7))
    #expect(to(.next, 2, 2) == nil)
    #expect(to(.previous, 0, 0) == nil)
    // The rows end at 90, 150 and 210; two more fit with the first one.
    #expect(to(.pageDown, 0, 1) == .cell(0, 7))
    #expect(to(.pageUp, 2, 1) == .cell(0, 7))
    let target = step(.down, from: .cell(0, 7), in: prepared, viewport, position: .end)
    #expect(target?.neighbor?.attributes.frame == Rect(x: 110, y: 290, width: 100, height: 50))
    #expect(target?.offset == Point(x: 0, y: 140))
  }

  @Test("are left and right on the screen, whatever the reading direction")
  func mirrored() {
    let container = LayoutContainer(size: Size(width: 320, height: 200), isRightToLeft: true)
    let prepared = FlowLayout(itemSize: Size(width: 100, height: 50)).prepare(
      LayoutContext(contents: plainContents(3), container: container)
    )
    let viewport = Viewport(of: container)
    #expect(step(.left, from: .cell(0, 0), in: prepared, viewport)?.element == .cell(0, 1))
    #expect(step(.right, from: .cell(0, 1), in: prepared, viewport)?.element == .cell(0, 0))
    #expect(step(.right, from: .cell(0, 0), in: prepared, viewport)?.element == nil)
    #expect(step(.next, from: .cell(0, 0), in: prepared, viewport)?.element == .cell(0, 1))
  }

  @Test("turn pages along the axis in which content scrolls")
  func pages() {
    let prepared = list(100)
    func to(_ step: NeighborStep, _ item: Int) -> ScrollTarget? {
      self.step(step, from: .cell(0, item), in: prepared, screen)
    }
    // Eight rows fit.
    #expect(to(.pageDown, 0)?.element == .cell(0, 7))
    #expect(to(.pageDown, 7)?.element == .cell(0, 14))
    #expect(to(.pageDown, 7)?.offset.y == 350)
    #expect(to(.pageDown, 97)?.element == .cell(0, 99))
    #expect(to(.pageDown, 99)?.element == nil)
    #expect(to(.pageUp, 99)?.element == .cell(0, 92))
    #expect(to(.pageUp, 3)?.element == .cell(0, 0))
    let tall = ListLayout(rowHeight: 900).prepare(prepared.context)
    #expect(step(.pageDown, from: .cell(0, 4), in: tall, screen)?.element == .cell(0, 5))
  }

  @Test("begin at headers and points too")
  func origins() {
    let prepared = ListLayout(rowHeight: 50, headerHeight: 30).prepare(
      LayoutContext(
        contents: plainContents(3, 3),
        container: LayoutContainer(size: Size(width: 320, height: 400))
      )
    )
    let queries = LayoutQueries(prepared, viewport: screen)
    func to(_ step: NeighborStep, _ origin: NeighborOrigin) -> ElementKey? {
      queries.scrollTarget(for: .neighbor(of: origin, step: step, position: .nearest))?.element
    }
    let header = NeighborOrigin.element(.supplementary("header", section: 1))
    #expect(to(.down, header) == .cell(1, 0))
    #expect(to(.up, header) == .cell(0, 2))
    #expect(to(.next, header) == .cell(1, 0))
    #expect(to(.previous, header) == .cell(0, 2))
    #expect(to(.down, .point(Point(x: 10, y: 5))) == .cell(0, 0))
    #expect(to(.next, .point(Point(x: 10, y: 35))) == .cell(0, 1))
    #expect(to(.next, .point(Point(x: 10, y: 5))) == nil)
    #expect(to(.up, .point(Point(x: 10, y: 5))) == nil)
    let missing = ScrollTargetRequest.neighbor(
      of: .element(.cell(7, 0)),
      step: .down,
      position: .nearest
    )
    #expect(queries.scrollTarget(for: missing) == nil)
  }

  @Test("move the section if it scrolls by itself")
  func orthogonal() {
    let row = CompositionalSection(
      group: rows(width: .absolute(100)),
      interGroupSpacing: 10,
      orthogonalScrolling: .continuous
    )
    let prepared = CompositionalLayout(sections: [row]).prepare(
      LayoutContext(
        contents: plainContents(20, 20),
        container: LayoutContainer(size: Size(width: 320, height: 400))
      )
    )
    func to(_ step: NeighborStep, _ section: Int, _ item: Int) -> ScrollTarget? {
      self.step(step, from: .cell(section, item), in: prepared, screen)
    }
    #expect(to(.right, 0, 1)?.element == .cell(0, 2))
    #expect(to(.right, 0, 1)?.sectionOffset == 0)
    // Item 3 ends at 430, and 320 are visible.
    #expect(to(.right, 0, 2)?.element == .cell(0, 3))
    #expect(to(.right, 0, 2)?.sectionOffset == 110)
    #expect(to(.right, 0, 2)?.neighbor?.attributes.frame.x == 220)
    let item = LayoutQueries(prepared, viewport: screen)
      .scrollTarget(for: .element(.cell(0, 3), position: .end))
    #expect(item == ScrollTarget(offset: .zero, element: .cell(0, 3), sectionOffset: 110))
    #expect(to(.right, 0, 19)?.element == nil)
    #expect(to(.left, 0, 19)?.element == .cell(0, 18))
    #expect(to(.down, 0, 1)?.element == .cell(1, 1))
    #expect(to(.next, 0, 19)?.element == .cell(1, 0))
  }

  @Test("of a carousel are beside the item in the middle, wherever it is")
  func carousel() {
    let prepared = CarouselLayout(style: .coverFlow, itemSize: Size(width: 100, height: 100))
      .prepare(
        LayoutContext(
          contents: plainContents(50),
          container: LayoutContainer(size: Size(width: 320, height: 400))
        )
      )
    let target = step(.right, from: .cell(0, 30), in: prepared, screen)
    #expect(target?.element == .cell(0, 31))
    #expect(target?.offset == Point(x: 3100, y: 0))
    #expect(step(.next, from: .cell(0, 48), in: prepared, screen)?.element == .cell(0, 49))
    #expect(step(.right, from: .cell(0, 49), in: prepared, screen)?.element == nil)
  }

  @Test("cost no more in large content, also where there are none")
  func cost() {
    let prepared = list(1_000_000)
    for item in [0, 500_000, 999_999] {
      for step in NeighborStep.allCases {
        let work = LayoutWork()
        _ = LayoutQueries(prepared, viewport: screen, work: work).scrollTarget(
          for: .neighbor(of: .element(.cell(0, item)), step: step, position: .nearest)
        )
        #expect(work.steps < 4000, "\(work.steps) steps \(step) from \(item)")
      }
    }
  }
}
