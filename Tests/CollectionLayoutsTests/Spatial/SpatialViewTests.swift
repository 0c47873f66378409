// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Views of spatial layouts", .timeLimit(.minutes(2)))
struct SpatialViewTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480), displayScale: 2)
  private var viewport: Viewport { Viewport(of: container) }
  private let everywhere = Rect(x: -1e16, y: -1e16, width: 2e16, height: 2e16)

  private func context(
    _ contents: CollectionContents,
    isPixelAligned: Bool = false
  ) -> LayoutContext {
    LayoutContext(
      contents: contents,
      container: container,
      options: LayoutOptions(isPixelAligned: isPixelAligned)
    )
  }

  /// Layouts with one basis: they differ in zoom, anchor, insets and how clusters look.
  private struct Family {
    var projection: SpatialLayout.Projection
    var itemSize: Size
    var hasClusters: Bool
    var anchor: Point
    /// Of cells among points, whose width is a power of two.
    var cellPower: Int

    init(_ random: inout SplitMix64) {
      projection =
        random.chance(30) ? .points : random.chance(50) ? .webMercator : .equirectangular
      itemSize = random.size(1 ... 60)
      hasClusters = random.chance(70)
      anchor = Point(x: random.double(-1 ... 2), y: random.double(0 ... 1))
      cellPower = random.int(0 ... 9)
    }

    func member(_ random: inout SplitMix64) -> SpatialLayout {
      let width = Double(1 << cellPower)
      return SpatialLayout(
        projection: projection,
        zoom: random.chance(50) ? Double(random.int(0 ... 6)) : random.length(-2 ... 9),
        itemSize: itemSize,
        anchor: projection == .points
          ? anchor : Point(x: random.double(-1 ... 2), y: random.double(0 ... 1)),
        contentInset: EdgeInsets(all: random.double(0 ... 9)),
        clusters: hasClusters
          ? SpatialLayout.Clusters(
            cellSize: projection == .points
              ? max(1, random.double(width * 0.51 ... width)) : random.length(1 ... 400),
            minimumCount: random.int(1 ... 6),
            size: random.size(0 ... 50),
            growth: random.length(0 ... 20),
            fillsCells: random.chance(20)
          ) : nil
      )
    }
  }

  /// A view answers as what its layout prepares.
  private func check(
    _ view: any PreparedLayout,
    _ layout: SpatialLayout,
    _ random: inout SplitMix64,
    _ note: String
  ) {
    let fresh = layout.prepare(view.context)
    #expect(view.contentSize == fresh.contentSize, "\(note)")
    #expect(
      view.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
      "\(note)"
    )
    for _ in 0 ..< 4 {
      let rect = Rect(
        x: random.double(-50 ... 600),
        y: random.double(-50 ... 600),
        width: random.double(0 ... 300),
        height: random.double(0 ... 300)
      )
      #expect(view.probed(in: rect, viewport) == fresh.probed(in: rect, viewport), "\(note)")
    }
    for (number, key) in fresh.cellKeys.enumerated() where number % 7 == 0 {
      #expect(
        view.attributes(of: key, viewport: viewport)
          == fresh.attributes(of: key, viewport: viewport),
        "\(key): \(note)"
      )
    }
  }

  @Test("what was prepared for one zoom is seen at another as if it had been prepared there")
  func views() throws {
    for seed in 0 ..< 24 {
      var random = SplitMix64(seed: 9000 + UInt64(seed))
      let family = Family(&random)
      let first = family.member(&random)
      let contents = random.placedContents(items: random.chance(20) ? 300 : 60)
      let prepared = first.prepare(context(contents, isPixelAligned: random.chance(30)))
      for step in 0 ..< 3 {
        let other = family.member(&random)
        let view = other.view(of: prepared)
        let spatial = try #require(view as? PreparedSpatial)
        let index = (prepared as? PreparedSpatial)?.layers.first?.index
        #expect(spatial.layers.first?.index === index)
        check(view, other, &random, "seed \(seed), view \(step)")
      }
    }
  }

  @Test("a view of what was derived from another zoom answers like one prepared anew")
  func updates() throws {
    for seed in 0 ..< 12 {
      var random = SplitMix64(seed: 9500 + UInt64(seed))
      let family = Family(&random)
      var contents = random.placedContents(items: seed % 3 == 0 ? 10 : 150)
      let limits =
        seed % 2 == 0
        ? SpatialLimits(unindexed: 5, merged: 60, pieces: 6, layers: 6) : SpatialLimits.standard
      var current: any PreparedLayout = PreparedSpatial(
        family.member(&random),
        context(contents),
        limits: limits
      )
      for step in 0 ..< 20 {
        let change = try contents.applying(UpdateBatch(random.batch(on: contents)))
        current = family.member(&random).update(current, by: change)
        contents = change.new
        let other = family.member(&random)
        check(other.view(of: current), other, &random, "seed \(seed), step \(step)")
      }
    }
  }

  @Test("layouts with other indices have another basis")
  func bases() {
    func isCommon(_ a: SpatialLayout, _ b: SpatialLayout) -> Bool {
      LayoutConfiguration(a).settled == LayoutConfiguration(b).settled
    }
    let map = SpatialLayout(projection: .webMercator, zoom: 3, clusters: .init())
    var other = map
    other.zoom = 7
    other.clusters?.cellSize = 200
    other.clusters?.fillsCells = true
    other.anchor = .zero
    #expect(isCommon(map, other))
    other.itemSize.width = 9
    #expect(!isCommon(map, other))
    other = map
    other.projection = .equirectangular
    #expect(!isCommon(map, other))
    other = map
    other.clusters = nil
    #expect(!isCommon(map, other))
    let points = SpatialLayout(clusters: .init(cellSize: 40))
    #expect(isCommon(points, SpatialLayout(clusters: .init(cellSize: 64, minimumCount: 9))))
    #expect(!isCommon(points, SpatialLayout(clusters: .init(cellSize: 65))))
    #expect(!isCommon(points, SpatialLayout(anchor: .zero, clusters: .init(cellSize: 40))))
  }

  @Test("counts stay right when more items come and go than the keys that are remembered")
  func manyEdits() throws {
    var random = SplitMix64(seed: 31)
    let layout = SpatialLayout(projection: .equirectangular, zoom: 2, clusters: .init())
    func block(_ count: Int) -> ItemBlock {
      ItemBlock(
        count: count,
        xs: (0 ..< count).map { _ in random.length(-180 ... 180) },
        ys: (0 ..< count).map { _ in random.length(-80 ... 80) }
      )
    }
    var contents = CollectionContents(sections: [SectionContents(blocks: [block(300)])])
    var limits = SpatialLimits(unindexed: 20, merged: 100, pieces: 20)
    limits.counts = 30
    var current: any PreparedLayout = PreparedSpatial(layout, context(contents), limits: limits)
    var (rebuilt, most) = (0, 0)
    for step in 0 ..< 120 {
      let item = random.int(0 ... 250)
      let batch = UpdateBatch([
        .deleteItems(section: 0, items: item ..< item + 3),
        .insertItems(at: IndexPath(section: 0, item: 0), items: [block(3)]),
      ])
      let change = try contents.applying(batch)
      let index = (current as? PreparedSpatial)?.layers.first?.index
      current = layout.update(current, by: change)
      contents = change.new
      let spatial = try #require(current as? PreparedSpatial)
      if spatial.layers.first?.index !== index { rebuilt += 1 }
      most = max(most, spatial.counts?.count ?? 0)
      if step % 10 == 0 { check(current, layout, &random, "step \(step)") }
    }
    #expect(rebuilt > 0 && rebuilt < 30 && most > 40 && most < 150, "\(rebuilt), \(most)")
  }
}
