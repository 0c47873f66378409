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

  private func map(of block: ItemBlock, isRightToLeft: Bool = false) -> any PreparedLayout {
    SpatialLayout(itemSize: Size(width: 40, height: 30)).prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
        container: LayoutContainer(
          size: Size(width: 300, height: 400),
          isRightToLeft: isRightToLeft
        )
      )
    )
  }

  private func buckets(
    _ count: Int,
    of prepared: any PreparedLayout,
    _ axis: ScrollAxis,
    _ work: LayoutWork = LayoutWork()
  ) -> [Int] {
    LayoutQueries(prepared, viewport: Viewport(of: prepared.context.container), work: work)
      .scrollMap(ScrollMapRequest(axis: axis, bucketCount: count)).buckets.map(\.itemCount)
  }

  @Test("many buckets look at a pile of items once, not once for each")
  func piles() {
    let count = 20_000
    let pile = [Double](repeating: 5, count: count)
    let prepared = map(of: ItemBlock(count: count, xs: pile, ys: pile))
    for axis in [ScrollAxis.vertical, .horizontal] {
      let (two, many) = (LayoutWork(), LayoutWork())
      #expect(buckets(2, of: prepared, axis, two).reduce(0, +) == count)
      #expect(buckets(1000, of: prepared, axis, many).reduce(0, +) == count)
      #expect(many.steps < 2 * two.steps + 16_000)
    }
  }

  @Test("of many items, those that have gone are taken off where they were, about as many as there")
  func manyGone() throws {
    let count = 100_000
    let block = ItemBlock(
      count: count,
      xs: (0 ..< count).map { Double($0 % 100) * 50 },
      ys: (0 ..< count).map { Double($0 / 100) * 40 }
    )
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    let change = try contents.applying(
      UpdateBatch([.deleteItems(section: 0, items: 1000 ..< 30_000)])
    )
    let layout = SpatialLayout(itemSize: Size(width: 40, height: 30))
    let edited = layout.update(map(of: block), by: change)
    let counts = buckets(5, of: edited, .vertical)
    // The content's end is not at the end of a row.
    for (count, expected) in zip(counts, [1000, 10_000, 20_000, 20_000, 20_000]) {
      #expect(abs(count - expected) < 300, "\(counts)")
    }
    // Estimates of small buckets miss by more than is in them, and must not add up.
    let many = buckets(4000, of: edited, .vertical)
    #expect(abs(many.reduce(0, +) - 71_000) < 300)
  }

  @Test("items in piles are counted as one by one", arguments: 0 ..< 60 as Range<UInt64>)
  func pileCounts(seed: UInt64) throws {
    var random = SplitMix64(seed: 92_000 + seed)
    let (count, places) = (random.int(1 ... 900), random.int(1 ... 12))
    let isSized = random.chance(50)
    func column(_ range: ClosedRange<Double>) -> [Double] {
      let values = (0 ..< places).map { _ in random.double(range).rounded() }
      return (0 ..< count).map { _ in values[random.int(0 ... places - 1)] }
    }
    let block = ItemBlock(
      count: count,
      widths: isSized ? column(0 ... 90) : [],
      heights: isSized ? column(0 ... 90) : [],
      xs: column(0 ... 500),
      ys: column(0 ... 500)
    )
    let isRightToLeft = random.chance(50)
    let prepared = map(of: block, isRightToLeft: isRightToLeft)
    let viewport = Viewport(of: prepared.context.container)
    let frames = try (0 ..< count).map { item in
      let key = ElementKey.cell(0, item)
      return try #require(prepared.attributes(of: key, viewport: viewport)).frame
    }
    for axis in [ScrollAxis.vertical, .horizontal] {
      let bucketCount = random.int(1 ... 300)
      let extent = axis.main(prepared.contentSize)
      let isReversed = axis == .horizontal && isRightToLeft
      // Each item is in the last bucket that begins at or before its start.
      var expected = [Int](repeating: 0, count: bucketCount)
      for frame in frames {
        let (low, length) = (axis.main(frame.origin), axis.main(frame.size))
        let ends = (1 ..< max(bucketCount, 1)).map { extent * (Double($0) / Double(bucketCount)) }
        let bucket = ends.firstIndex { isReversed ? low + length > extent - $0 : low < $0 }
        expected[bucket ?? bucketCount - 1] += 1
      }
      #expect(buckets(bucketCount, of: prepared, axis) == expected, "\(axis)")
    }
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
