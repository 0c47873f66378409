// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Spatial layout updates", .timeLimit(.minutes(2)))
struct SpatialUpdateTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))
  private var viewport: Viewport { Viewport(of: container) }

  private func prepared(
    _ layout: SpatialLayout,
    _ contents: CollectionContents
  )
    -> any PreparedLayout
  {
    layout.prepare(LayoutContext(contents: contents, container: container))
  }

  @Test("an updated layout answers as one prepared anew, through long series of batches")
  func agreesWithFreshPrepare() throws {
    var kept = 0
    for seed in 0 ..< 20 {
      var random = SplitMix64(seed: UInt64(seed))
      let layout = SpatialLayout(
        projection: random.chance(70) ? .points : .webMercator,
        itemSize: random.size(1 ... 60)
      )
      var contents = random.placedContents(items: random.chance(30) ? 800 : 100)
      var current = prepared(layout, contents)
      for step in 0 ..< 25 {
        let change = try contents.applying(
          UpdateBatch(random.batch(on: contents))
        )
        let index = (current as? PreparedSpatial)?.layers.first?.index
        current = layout.update(current, by: change)
        if let index, (current as? PreparedSpatial)?.layers.first?.index === index { kept += 1 }
        contents = change.new
        let fresh = prepared(layout, contents)
        let note = "seed \(seed), step \(step)"
        #expect(current.contentSize == fresh.contentSize, "\(note)")
        let everywhere = Rect(x: -1e10, y: -1e10, width: 2e10, height: 2e10)
        #expect(
          current.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
          "\(note)"
        )
        if step % 8 == 0 { current.checkConsistency(viewport, random: &random, note) }
      }
    }
    #expect(kept > 250, "hardly ever took the way that this is about: \(kept)")
  }

  @Test("keeps its index when an item is inserted in front of all others")
  func insertInFront() throws {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(
          count: 10_000,
          xs: (0 ..< 10_000).map { Double($0 % 100) * 30 },
          ys: (0 ..< 10_000).map { Double($0 / 100) * 30 }
        )
      ])
    ])
    let layout = SpatialLayout()
    let before = try #require(prepared(layout, contents) as? PreparedSpatial)
    let change = try contents.applying(
      UpdateBatch([
        .insertItems(
          at: IndexPath(section: 0, item: 0),
          items: [ItemBlock(count: 1, xs: [15], ys: [15])]
        )
      ])
    )
    let after = try #require(layout.update(before, by: change) as? PreparedSpatial)
    #expect(after.layers.first?.index === before.layers.first?.index)
    #expect(
      after.probed(in: Rect(x: 0, y: 0, width: 21, height: 21), viewport).map(\.key.indexPath.item)
        == [0, 1, 2, 101, 102]
    )
  }

  @Test("answers the same whenever layers are built, merged, renumbered and given up")
  func layers() throws {
    var (layerCounts, renumbered, rebuilt): (Set<Int>, Int, Int) = ([], 0, 0)
    for seed in 0 ..< 12 {
      var random = SplitMix64(seed: 700 + UInt64(seed))
      let layout = SpatialLayout(itemSize: random.size(1 ... 60))
      var contents = random.placedContents(items: seed % 3 == 0 ? 10 : 150)
      let context = LayoutContext(contents: contents, container: container)
      let limits = SpatialLimits(unindexed: 5, merged: 60, pieces: 6, layers: 6)
      var current: any PreparedLayout = PreparedSpatial(layout, context, limits: limits)
      for step in 0 ..< 60 {
        let change = try contents.applying(UpdateBatch(random.batch(on: contents)))
        let before = try #require(current as? PreparedSpatial)
        current = layout.update(current, by: change)
        contents = change.new
        let after = try #require(current as? PreparedSpatial)
        layerCounts.insert(after.layers.count)
        renumbered += after.layers.contains { $0.goneCount > 0 } ? 1 : 0
        if after.layers.first?.index !== before.layers.first?.index { rebuilt += 1 }
        #expect(after.added.count <= 5 && after.layers.count <= 7)
        let fresh = prepared(layout, contents)
        let note = "seed \(seed), step \(step)"
        #expect(current.contentSize == fresh.contentSize, "\(note)")
        let everywhere = Rect(x: -1e10, y: -1e10, width: 2e10, height: 2e10)
        #expect(
          current.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
          "\(note)"
        )
        if step % 20 == 0 { current.checkConsistency(viewport, random: &random, note) }
      }
    }
    let seen = "\(layerCounts), \(renumbered) renumbered, \(rebuilt) rebuilt"
    #expect(layerCounts.count > 4 && renumbered > 20 && rebuilt > 5, "\(seen)")
  }

  @Test("never indexes everything anew, however many items are added and taken out one by one")
  func singleEdits() throws {
    var contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(
          count: 20_000,
          xs: (0 ..< 20_000).map { Double($0 % 100) * 30 },
          ys: (0 ..< 20_000).map { Double($0 / 100) * 30 }
        )
      ])
    ])
    let layout = SpatialLayout()
    let limits = SpatialLimits(unindexed: 16, merged: 400, pieces: 64)
    var current: any PreparedLayout = PreparedSpatial(
      layout,
      LayoutContext(contents: contents, container: container),
      limits: limits
    )
    let places = (current as? PreparedSpatial)?.layers.first?.index.count
    var random = SplitMix64(seed: 5)
    for step in 0 ..< 1500 {
      let item = random.int(0 ... 19_000)
      let operation: UpdateOperation =
        step % 3 == 0
        ? .deleteItems(section: 0, items: item ..< item + 1)
        : .insertItems(
          at: IndexPath(section: 0, item: item),
          items: [ItemBlock(count: 1, xs: [Double(item)], ys: [7])]
        )
      let change = try contents.applying(UpdateBatch([operation]))
      current = layout.update(current, by: change)
      contents = change.new
      let spatial = try #require(current as? PreparedSpatial)
      #expect(spatial.layers.first?.index.count == places)
      #expect(spatial.layers.dropFirst().allSatisfy { $0.index.count <= 400 })
    }
    let fresh = prepared(layout, contents)
    #expect(current.contentSize == fresh.contentSize)
    for rect in [
      Rect(x: 0, y: 0, width: 900, height: 50), .init(x: 600, y: 900, width: 90, height: 90),
    ] {
      #expect(current.probed(in: rect, viewport) == fresh.probed(in: rect, viewport))
    }
  }

  @Test("takes about 22 bytes an item")
  func memory() {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(count: 50_000, xs: (0 ..< 50_000).map { Double($0) }, ys: [0])
      ])
    ])
    let spatial = prepared(SpatialLayout(), contents)
    #expect(spatial.byteCount < 50_000 * 23)
  }
}
