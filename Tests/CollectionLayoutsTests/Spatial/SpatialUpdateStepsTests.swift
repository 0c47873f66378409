// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@Suite("Steps of updates of spatial layouts", .timeLimit(.minutes(1)))
struct SpatialUpdateStepsTests {
  private static let count = 100_000
  private static let layouts = [
    SpatialLayout(), SpatialLayout(clusters: SpatialLayout.Clusters()),
  ]

  private static func block(_ count: Int, _ random: inout SplitMix64) -> ItemBlock {
    var block = ItemBlock(count: count)
    block.xs = (0 ..< count).map { _ in Double.random(in: 0 ..< 10_000, using: &random) }
    block.ys = (0 ..< count).map { _ in Double.random(in: 0 ..< 10_000, using: &random) }
    return block
  }

  private static func prepare(
    _ layout: SpatialLayout,
    count: Int = count,
    _ random: inout SplitMix64
  ) -> any PreparedLayout {
    layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [
          SectionContents(blocks: [block(count, &random)])
        ]),
        container: LayoutContainer(size: Size(width: 400, height: 600))
      )
    )
  }

  @Test(
    "an update takes steps for the items that come and go, and ends among them",
    arguments: layouts
  )
  func steps(layout: SpatialLayout) throws {
    var random = SplitMix64(seed: 31)
    let prepared = Self.prepare(layout, &random)
    let change = try prepared.context.contents.applying(
      UpdateBatch([
        .reloadItems(section: 0, items: 0 ..< 20_000, blocks: [Self.block(20_000, &random)])
      ])
    )
    let work = LayoutWork()
    let updated = try layout.update(prepared, by: change, work: work)
    #expect(work.steps >= 20_000)
    #expect(updated.contentSize == layout.prepare(updated.context).contentSize)

    let unwanted = LayoutWork(stepsBetweenChecks: 500) { false }
    #expect(throws: LayoutWork.Stop.cancelled) {
      try layout.update(prepared, by: change, work: unwanted)
    }
    #expect(unwanted.steps < 5000)
  }

  @Test("an update that removes the last items and merges layers may end anywhere")
  func ended() throws {
    var random = SplitMix64(seed: 33)
    func sized(_ count: Int) -> ItemBlock {
      var block = Self.block(count, &random)
      // Not exact as floats, so that the sizes of slots are looked up in the contents.
      block.widths = (0 ..< count).map { _ in Double.random(in: 20 ..< 60, using: &random) }
      block.heights = (0 ..< count).map { _ in Double.random(in: 20 ..< 60, using: &random) }
      return block
    }
    let layout = SpatialLayout()
    let first = layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: [sized(20_000)])]),
        container: LayoutContainer(size: Size(width: 400, height: 600))
      )
    )
    func insertion(of count: Int, at item: Int) -> UpdateOperation {
      .insertItems(at: IndexPath(section: 0, item: item), items: [sized(count)])
    }
    // The last items are a layer of their own, which the next one is merged with.
    let prepared = layout.update(
      first,
      by: try first.context.contents.applying(UpdateBatch([insertion(of: 1000, at: 20_000)]))
    )
    let change = try prepared.context.contents.applying(
      UpdateBatch([.deleteItems(section: 0, items: 20_300 ..< 21_000), insertion(of: 300, at: 0)])
    )
    var (checks, isDone) = (0, false)
    while !isDone {
      checks += 1
      let left = Mutex(checks)
      let work = LayoutWork(stepsBetweenChecks: 1) {
        left.withLock { left in
          left -= 1
          return left > 0
        }
      }
      do {
        let updated = try layout.update(prepared, by: change, work: work)
        isDone = true
        #expect(updated.contentSize == layout.prepare(updated.context).contentSize)
      } catch { #expect(error == .cancelled) }
    }
    #expect(checks > 3)
  }

  @Test("the content ends where its outermost items do, whichever of them come and go")
  func farCorner() throws {
    var random = SplitMix64(seed: 32)
    let layout = SpatialLayout()
    var prepared = Self.prepare(layout, count: 2000, &random)
    for _ in 0 ..< 12 {
      let contents = prepared.context.contents
      let wide = Double(random.int(9000 ... 11_000))
      var block = Self.block(2, &random)
      if random.chance(30) { block.xs[0] = wide }
      let start = random.int(0 ... contents.itemCount - 60)
      // Now and then the outermost item goes.
      let outermost = try #require(
        (0 ..< contents.itemCount).max {
          let a = prepared.cell(0, $0, Self.viewport)?.frame.maxX ?? 0
          return a < prepared.cell(0, $1, Self.viewport)?.frame.maxX ?? 0
        }
      )
      let gone = random.chance(40) ? outermost ..< outermost + 1 : start ..< start + 50
      let change = try contents.applying(
        UpdateBatch([
          .deleteItems(section: 0, items: gone),
          .insertItems(at: IndexPath(section: 0, item: 0), items: [block]),
        ])
      )
      prepared = layout.update(prepared, by: change)
      #expect(prepared.contentSize == layout.prepare(prepared.context).contentSize)
    }
  }

  private static let viewport = Viewport(offset: .zero, size: Size(width: 400, height: 600))
}
