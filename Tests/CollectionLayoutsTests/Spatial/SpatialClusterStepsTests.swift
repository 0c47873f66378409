// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

/// What queries about clusters look at, in steps.
@Suite("Steps of clusters", .timeLimit(.minutes(2)))
struct SpatialClusterStepsTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))
  private var viewport: Viewport { Viewport(of: container) }
  private let everywhere = Rect(x: -1e16, y: -1e16, width: 2e16, height: 2e16)

  private func context(_ contents: CollectionContents) -> LayoutContext {
    LayoutContext(contents: contents, container: container)
  }

  private func contents(
    _ points: [(Double, Double)],
    sizes: [Double] = []
  ) -> CollectionContents {
    let block = ItemBlock(
      count: points.count,
      widths: sizes,
      heights: sizes,
      xs: points.map(\.0),
      ys: points.map(\.1)
    )
    return CollectionContents(
      sections: [SectionContents(blocks: [block])],
      cellKindNames: ["a", "b"]
    )
  }

  /// Items of which most have gone, from the last on, in as many updates as it takes that nothing
  /// is indexed anew.
  private func worn(_ layout: SpatialLayout, count: Int) throws -> PreparedSpatial {
    var contents = contents((0 ..< count).map { (Double($0) * 60 / Double(count), 10) })
    var prepared: any PreparedLayout = layout.prepare(context(contents))
    for _ in 0 ..< 5 {
      let left = contents.itemCount * 805 / 1000
      let gone = UpdateOperation.deleteItems(section: 0, items: left ..< contents.itemCount)
      let change = try contents.applying(UpdateBatch([gone]))
      (contents, prepared) = (change.new, layout.update(prepared, by: change))
    }
    let spatial = try #require(prepared as? PreparedSpatial)
    #expect(spatial.layers.map(\.index.count) == [count] && contents.itemCount < count / 2)
    return spatial
  }

  @Test("items that are gone count where they are looked at, and once for each version")
  func gone() throws {
    let layout = SpatialLayout(clusters: SpatialLayout.Clusters())
    let worn = try worn(layout, count: 40_000)
    func attributes(of item: Int, _ work: LayoutWork) -> LayoutAttributes? {
      worn.attributes(of: .cell(0, item), viewport: viewport, work: work)
    }
    var buffer = ElementBuffer(stepLimit: 1000)
    worn.appendElements(in: everywhere, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && buffer.elements.isEmpty)
    let few = LayoutWork(stepLimit: 1000)
    #expect(attributes(of: 3, few) == nil && few.isStopped)

    let fresh = layout.prepare(worn.context)
    let work = LayoutWork(stepLimit: 100_000)
    #expect(attributes(of: 3, work) == fresh.cell(0, 3, viewport))
    #expect(work.steps > 5000)
    let more = LayoutWork(stepLimit: 1000)
    for item in 0 ..< 50 {
      #expect(attributes(of: item, more) == fresh.cell(0, item, viewport))
    }
    #expect(!more.isStopped)
    #expect(worn.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport))
  }

  @Test("a search for the next visible item ends when it may take no more steps")
  func next() throws {
    let worn = try worn(SpatialLayout(clusters: SpatialLayout.Clusters()), count: 40_000)
    let work = LayoutWork(stepLimit: 1000)
    let queries = LayoutQueries(worn, viewport: viewport, work: work)
    _ = queries.neighbor(of: .element(.cell(0, 3)), step: .next, position: .nearest)
    #expect(work.isStopped && work.steps < 2000)
  }

  @Test("a question about a point in a cell of many items looks at those nearby")
  func largeCell() throws {
    let points = (0 ..< 40_000).map { (Double($0 % 200) * 30, Double($0 / 200) * 30) }
    let layout = SpatialLayout(
      clusters: SpatialLayout.Clusters(cellSize: 65_536, minimumCount: .max)
    )
    let prepared = layout.prepare(context(contents(points)))
    let work = LayoutWork(stepLimit: 1000)
    let queries = LayoutQueries(prepared, viewport: viewport, work: work)
    #expect(queries.hitTest(Point(x: 3001, y: 2402))?.key.indexPath.item == 80 * 200 + 100)
    #expect(!work.isStopped)
    var buffer = ElementBuffer(stepLimit: 1000)
    prepared.appendElements(in: everywhere, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && buffer.elements.count < 2000)
  }

  @Test("a large item does not widen every query to all cells")
  func largeItem() throws {
    var random = SplitMix64(seed: 13)
    let points = (0 ..< 20_000).map { _ in
      (random.length(-8e6 ... 8e6), random.length(-8e6 ... 8e6))
    }
    let sizes = (0 ..< points.count).map { $0 == 700 ? 1e9 : 1 }
    let layout = SpatialLayout(clusters: SpatialLayout.Clusters(cellSize: 1))
    let prepared = layout.prepare(context(contents(points, sizes: sizes)))
    for place in [Point(x: 1e7, y: 1e7), Point(x: 0, y: 0), Point(x: -3e6, y: 2e6)] {
      let work = LayoutWork(stepLimit: 4000)
      let queries = LayoutQueries(prepared, viewport: viewport, work: work)
      #expect(queries.hitTest(place)?.key.indexPath.item == 700)
      #expect(!work.isStopped, "\(place)")
    }
  }

  @Test("the squares that are looked at for a query count, in each layer")
  func squares() {
    var random = SplitMix64(seed: 14)
    let points = (0 ..< 5000).map { _ in (random.length(-8e6 ... 8e6), random.length(-8e6 ... 8e6))
    }
    let layout = SpatialLayout(clusters: SpatialLayout.Clusters(cellSize: 1))
    let prepared = layout.prepare(context(contents(points)))
    var buffer = ElementBuffer()
    buffer.work = LayoutWork()
    prepared.appendElements(in: everywhere, viewport: viewport, to: &buffer)
    #expect(buffer.elements.count == points.count)
    // Each item is alone in its cell, and below it are more than ten squares with no other item.
    #expect(buffer.work?.steps ?? 0 > 50_000)
  }

  @Test("queries in any rect find what reaches into it, however large items are")
  func agreesWithRule() throws {
    for seed in 0 ..< 40 as Range<UInt64> {
      var random = SplitMix64(seed: 9000 + seed)
      let layout = SpatialLayout(
        projection: random.chance(60) ? .points : .webMercator,
        zoom: random.length(0 ... 6),
        itemSize: random.size(1 ... 20),
        anchor: random.chance(50)
          ? Point(x: 0.5, y: 0.5) : Point(x: random.length(-1 ... 2), y: random.length(-1 ... 2)),
        clusters: SpatialLayout.Clusters(
          cellSize: random.length(1 ... 60),
          minimumCount: random.int(1 ... 4),
          size: random.size(0 ... 200),
          growth: random.length(0 ... 50),
          fillsCells: random.chance(20)
        )
      )
      let isMap = layout.projection != .points
      var contents = contents(
        (0 ..< 120).map { _ in
          (
            random.length(-180 ... 180) * (isMap ? 1 : 8),
            random.length(-80 ... 80) * (isMap ? 1 : 8)
          )
        },
        sizes: (0 ..< 120).map { _ in
          random.chance(10) ? random.length(200 ... 3000) : random.length(0 ... 20)
        }
      )
      let limits = SpatialLimits(unindexed: 5, merged: 60, pieces: 1, layers: 9, clusterSteps: 1)
      var current: any PreparedLayout = PreparedSpatial(layout, context(contents), limits: limits)
      for step in 0 ..< 5 {
        let naive = NaiveClusters(current.context, layout)
        for _ in 0 ..< 12 {
          let size = random.size(1 ... 400)
          let rect = Rect(
            x: random.length(isMap ? 0 ... 8000 : -2000 ... 2000),
            y: random.length(isMap ? 0 ... 8000 : -2000 ... 2000),
            width: size.width,
            height: size.height
          )
          let wanted = naive.attributes.filter { !$0.value.isHidden && $0.value.frame.meets(rect) }
          let found = current.probed(in: rect, viewport)
          #expect(found.count == wanted.count, "seed \(seed), step \(step), \(rect)")
          for element in found {
            #expect(
              wanted[element.key.indexPath] == element.attributes,
              "seed \(seed), step \(step)"
            )
          }
        }
        let change = try contents.applying(UpdateBatch(random.batch(on: contents)))
        (contents, current) = (change.new, layout.update(current, by: change))
      }
    }
  }

  @Test("another inset is applied to a size that is known", .timeLimit(.minutes(1)))
  func insets() throws {
    let layout = SpatialLayout()
    let worn = try worn(layout, count: 40_000)
    for bottom in 0 ..< 20_000 {
      let other = SpatialLayout(
        contentInset: EdgeInsets(top: 0, leading: 0, bottom: Double(bottom), trailing: 0)
      )
      let size = other.view(of: worn).contentSize
      try #require(size == Size(width: worn.contentSize.width, height: 20 + Double(bottom)))
    }
  }
}
