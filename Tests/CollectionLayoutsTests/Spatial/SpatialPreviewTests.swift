// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Previews of spatial layouts", .timeLimit(.minutes(2)))
struct SpatialPreviewTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))
  private var viewport: Viewport { Viewport(of: container) }

  private func context(_ contents: CollectionContents) -> LayoutContext {
    LayoutContext(contents: contents, container: container)
  }

  private func layout(_ random: inout SplitMix64) -> SpatialLayout {
    SpatialLayout(
      projection: random.chance(40) ? .points : random.chance(50) ? .webMercator : .equirectangular,
      zoom: random.chance(50) ? Double(random.int(0 ... 6)) : random.length(-2 ... 9),
      itemSize: random.size(1 ... 60),
      anchor: Point(x: random.double(-1 ... 2), y: random.double(0 ... 1)),
      clusters: random.chance(70)
        ? SpatialLayout.Clusters(
          cellSize: random.length(1 ... 400),
          minimumCount: random.int(1 ... 6),
          fillsCells: random.chance(20)
        ) : nil
    )
  }

  @Test("show in a rect what the whole layout shows there, if all items are looked at")
  func exact() throws {
    var found = 0
    for seed in 0 ..< 120 {
      var random = SplitMix64(seed: 600 + UInt64(seed))
      let layout = layout(&random)
      let contents = random.placedContents(items: random.chance(20) ? 5000 : 60)
      let whole = layout.prepare(context(contents))
      let size = whole.contentSize
      for _ in 0 ..< 3 {
        let rect = Rect(
          x: random.double(-0.2 ... 1) * size.width,
          y: random.double(-0.2 ... 1) * size.height,
          width: random.double(0 ... 1) * random.double(0 ... 1) * size.width,
          height: random.double(0 ... 1) * size.height
        )
        let preview = try #require(
          layout.preview(context(contents), of: rect, work: .unlimited),
          "seed \(seed)"
        )
        let expected = whole.probed(in: rect, viewport)
        #expect(preview.probed(in: rect, viewport) == expected, "seed \(seed), \(rect)")
        found += expected.count
        if layout.projection != .points { #expect(preview.contentSize == size) }
      }
    }
    #expect(found > 1000)
  }

  @Test("stand for all items where only some are looked at, and say so")
  func samples() throws {
    var random = SplitMix64(seed: 4)
    let count = 200_000
    // In order of longitude: the beginning of the contents is one side of the world.
    let block = ItemBlock(
      count: count,
      xs: (0 ..< count).map { Double($0) / Double(count) * 360 - 180 },
      ys: (0 ..< count).map { _ in random.double(-85 ... 85) }
    )
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    let layout = SpatialLayout(projection: .equirectangular, zoom: 1, clusters: .init())
    let world = Rect(x: 0, y: 0, width: 512, height: 256)
    var limits = SpatialSample.Limits()
    limits.found = 40_000
    let sampled = PreparedSpatial(
      previewing: world,
      layout,
      context(contents),
      limits: limits,
      work: .unlimited
    )
    let preview = try #require(sampled)
    let whole = layout.prepare(context(contents)).probed(in: world, viewport)
    let elements = preview.probed(in: world, viewport)
    let cells = Set(whole.map { PixelCell($0.attributes.frame.center) })
    #expect(elements.count == whole.count && whole.count == cells.count)
    var total = 0.0
    for element in elements {
      let custom = element.attributes.custom
      guard case .number(let about)? = custom?[SpatialLayout.ClusterAttribute.count],
        case .number(let seen)? = custom?[SpatialLayout.ClusterAttribute.sample]
      else {
        Issue.record("\(element.key) has no counts")
        continue
      }
      #expect(seen < about && contents.contains(element.key.indexPath))
      #expect(cells.contains(PixelCell(element.attributes.frame.center)))
      total += about
    }
    #expect(abs(total - Double(count)) < Double(count) / 100)
    #expect(
      whole.allSatisfy { $0.attributes.custom?[SpatialLayout.ClusterAttribute.sample] == nil }
    )
  }

  /// The cell of 64 points in which a point is.
  private struct PixelCell: Hashable {
    let column: Int
    let row: Int

    init(_ point: Point) { (column, row) = (Int(point.x / 64), Int(point.y / 64)) }
  }

  @Test("single items of a sample are where the whole layout has them")
  func items() throws {
    var random = SplitMix64(seed: 5)
    let count = 60_000
    let block = ItemBlock(
      count: count,
      xs: (0 ..< count).map { _ in random.double(0 ... 9000) },
      ys: (0 ..< count).map { _ in random.double(0 ... 9000) }
    )
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    let layout = SpatialLayout()
    var limits = SpatialSample.Limits()
    limits.seen = 20_000
    let rect = Rect(x: 1000, y: 2000, width: 1500, height: 1500)
    let sampled = PreparedSpatial(
      previewing: rect,
      layout,
      context(contents),
      limits: limits,
      work: .unlimited
    )
    let preview = try #require(sampled)
    let whole = layout.prepare(context(contents))
    let elements = preview.probed(in: rect, viewport)
    let all = whole.probed(in: rect, viewport)
    #expect(elements.count * 5 > all.count && elements.count * 2 < all.count)
    #expect(Set(elements.map(\.key)).isSubset(of: all.map(\.key)))
    for element in elements {
      #expect(whole.attributes(of: element.key, viewport: viewport) == element.attributes)
    }
    #expect(abs(preview.contentSize.width - whole.contentSize.width) < 30)
  }

  @Test("end when their work does, and are prepared anew with what was committed since")
  func limits() throws {
    var random = SplitMix64(seed: 6)
    let layout = SpatialLayout(projection: .webMercator, zoom: 2, clusters: .init())
    let count = 30_000
    let block = ItemBlock(
      count: count,
      xs: (0 ..< count).map { _ in random.double(-180 ... 180) },
      ys: (0 ..< count).map { _ in random.double(-80 ... 80) }
    )
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    let world = Rect(x: 0, y: 0, width: 1024, height: 1024)
    let few = LayoutWork(stepLimit: 1000)
    #expect(layout.preview(context(contents), of: world, work: few) == nil)
    let preview = try #require(layout.preview(context(contents), of: world, work: .unlimited))
    let change = try contents.applying(
      UpdateBatch([.deleteItems(section: 0, items: 0 ..< 100)])
    )
    let updated = layout.update(preview, by: change)
    #expect(
      updated.probed(in: world, viewport)
        == layout.prepare(context(change.new)).probed(in: world, viewport)
    )
  }
}
