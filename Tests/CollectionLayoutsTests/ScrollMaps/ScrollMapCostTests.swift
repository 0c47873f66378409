// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("What scroll maps cost", .timeLimit(.minutes(1)))
struct ScrollMapCostTests {
  private static let fractions = (0 ..< 4096).map { Double($0) / 4095 }

  private func list(_ count: Int) -> any PreparedLayout {
    ListLayout(rowHeight: 20).prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: count)])]
        ),
        container: LayoutContainer(size: Size(width: 300, height: 400))
      )
    )
  }

  private func map(
    _ prepared: any PreparedLayout,
    _ fractions: [Double],
    _ work: LayoutWork = LayoutWork()
  ) -> ScrollMap {
    var viewport = Viewport(of: prepared.context.container)
    viewport.size.width = 200
    return LayoutQueries(prepared, viewport: viewport, work: work)
      .scrollMap(ScrollMapRequest(axis: .horizontal, fractions: fractions))
  }

  @Test("many fractions across a list look at its items a few times, not once for each")
  func acrossList() {
    let prepared = list(20_000)
    let (one, many) = (LayoutWork(), LayoutWork())
    _ = map(prepared, [0.5], one)
    let found = map(prepared, Self.fractions, many)
    #expect(many.steps < 6 * one.steps + 32 * Self.fractions.count + 16_384)
    #expect(found.places.count == Self.fractions.count)
    #expect(found.places.allSatisfy { $0.item == IndexPath(section: 0, item: 0) })
  }

  @Test("work that stops leaves places out")
  func stopping() {
    let prepared = list(20_000)
    let few = LayoutWork(stepLimit: 10_000)
    #expect(map(prepared, Self.fractions, few).places.count < Self.fractions.count)
    #expect(few.isStopped)
  }

  @Test(
    "one pass for all fractions finds what a look for each finds",
    arguments: 0 ..< 20 as Range<UInt64>
  )
  func passes(seed: UInt64) {
    var random = SplitMix64(seed: 91_000 + seed)
    let count = random.int(1 ... 60)
    func column(_ range: ClosedRange<Double>) -> [Double] {
      (0 ..< count).map { _ in random.chance(20) ? 0 : random.double(range) }
    }
    let block = ItemBlock(
      count: count,
      widths: column(0 ... 90),
      heights: column(0 ... 30),
      xs: column(0 ... 500),
      ys: column(0 ... 500)
    )
    // Circles and the like have no index of places: each look takes as many steps as there are
    // items.
    let layouts: [any CollectionLayout] = [
      CircleLayout(), ListLayout(rowHeight: 20), CarouselLayout(), StackLayout(),
    ]
    for layout in layouts {
      let prepared = layout.prepare(
        LayoutContext(
          contents: CollectionContents(sections: [
            SectionContents(blocks: [block]), SectionContents(blocks: [ItemBlock(count: 3)]),
          ]),
          container: LayoutContainer(size: Size(width: 300, height: 400))
        )
      )
      let fractions = (0 ..< 3000).map { _ in random.double(0 ... 1) }
      let all = map(prepared, fractions).places
      for index in stride(from: 0, to: fractions.count, by: 37) {
        #expect(all[index] == map(prepared, [fractions[index]]).places[0])
      }
    }
  }
}
