// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import Testing

@testable import CollectionLayouts

@Suite("Spatial layout updates")
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

  /// A few operations that fit together.
  private func batch(
    on contents: CollectionContents,
    random: inout ProbeRandom
  ) -> [UpdateOperation] {
    guard contents.sectionCount > 0, !random.chance(8) else {
      return [
        .insertSections(
          at: random.int(0 ... contents.sectionCount),
          [SectionContents(blocks: [random.block(count: random.int(1 ... 20))])]
        )
      ]
    }
    let section = random.int(0 ... contents.sectionCount - 1)
    let count = contents.section(at: section).items.count
    func index() -> Int { random.int(0 ... count - 1) }
    func path(_ item: Int) -> IndexPath { IndexPath(section: section, item: item) }
    switch random.int(0 ... 9) {
    case 0: return [.deleteSections(section ..< section + 1)]
    case 1: return [.moveSection(from: section, to: random.int(0 ... contents.sectionCount - 1))]
    case 2: return [.reloadSection(section, SectionContents(blocks: [random.block(count: 3)]))]
    case 3 where count > 0:
      let start = index()
      let end = min(count, start + random.int(1 ... 10))
      return [.deleteItems(section: section, items: start ..< end)]
    case 4 where count > 0: return [.moveItem(from: path(index()), to: path(index()))]
    case 5 where count > 0:
      let item = index()
      return [
        .reloadItems(section: section, items: item ..< item + 1, blocks: [random.block(count: 1)])
      ]
    case 6 where count > 0:
      let item = index()
      return [
        .reconfigureItems(
          section: section,
          items: item ..< item + 1,
          blocks: [random.block(count: 1)]
        )
      ]
    case 7 where count > 2:
      let item = random.int(0 ... count - 2)
      return [
        .deleteItems(section: section, items: item ..< item + 1),
        .insertItems(at: path(random.int(0 ... count - 2)), items: [random.block(count: 1)]),
      ]
    default:
      return [
        .insertItems(
          at: path(random.int(0 ... count)),
          items: [random.block(count: random.int(1 ... 5))]
        )
      ]
    }
  }

  @Test("an updated layout answers as one prepared anew, through long series of batches")
  func agreesWithFreshPrepare() throws {
    var kept = 0
    for seed in 0 ..< 20 {
      var random = ProbeRandom(seed: UInt64(seed))
      let layout = SpatialLayout(
        projection: random.chance(70) ? .points : .webMercator,
        itemSize: random.size(1 ... 60)
      )
      var contents = random.placedContents(items: random.chance(30) ? 800 : 100)
      var current = prepared(layout, contents)
      for step in 0 ..< 25 {
        let change = try contents.applying(
          UpdateBatch(batch(on: contents, random: &random))
        )
        let index = (current as? PreparedSpatial)?.index
        current = layout.update(current, by: change)
        if let index, (current as? PreparedSpatial)?.index === index { kept += 1 }
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
    #expect(after.index === before.index)
    #expect(
      after.probed(in: Rect(x: 0, y: 0, width: 21, height: 21), viewport).map(\.key.indexPath.item)
        == [0, 1, 2, 101, 102]
    )
  }

  @Test("builds its index anew once much has been added beside it, or taken out of it")
  func rebuilds() throws {
    var contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: 500, xs: [3], ys: [4])])
    ])
    let layout = SpatialLayout()
    var current = prepared(layout, contents)
    for _ in 0 ..< 300 {
      let change = try contents.applying(
        UpdateBatch([
          .deleteItems(section: 0, items: 7 ..< 8),
          .insertItems(
            at: IndexPath(section: 0, item: 3),
            items: [ItemBlock(count: 1, xs: [1], ys: [2])]
          ),
        ])
      )
      current = layout.update(current, by: change)
      contents = change.new
      let spatial = try #require(current as? PreparedSpatial)
      #expect(spatial.added.count <= 64)
      #expect(spatial.pieces.totals.dropped <= 64 + 500 / 4)
    }
    #expect(current.probed(in: Rect(x: 0, y: 0, width: 9, height: 9), viewport).count == 500)
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
