// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Clusters of spatial layouts", .timeLimit(.minutes(2)))
struct SpatialClusterTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))
  private var viewport: Viewport { Viewport(of: container) }
  private let everywhere = Rect(x: -1e16, y: -1e16, width: 2e16, height: 2e16)

  private func context(_ contents: CollectionContents) -> LayoutContext {
    LayoutContext(contents: contents, container: container)
  }

  private func contents(_ points: [(Double, Double)]) -> CollectionContents {
    let block = ItemBlock(count: points.count, xs: points.map(\.0), ys: points.map(\.1))
    return CollectionContents(sections: [SectionContents(blocks: [block])])
  }

  private func layout(_ random: inout SplitMix64) -> SpatialLayout {
    SpatialLayout(
      projection: random.chance(60) ? .points : random.chance(50) ? .webMercator : .equirectangular,
      zoom: random.chance(50) ? Double(random.int(0 ... 6)) : random.length(-2 ... 9),
      itemSize: random.size(1 ... 60),
      clusters: SpatialLayout.Clusters(
        cellSize: random.chance(30) ? 64 : random.length(1 ... 400),
        minimumCount: random.int(1 ... 6),
        size: random.size(0 ... 50),
        growth: random.length(0 ... 20),
        fillsCells: random.chance(20)
      )
    )
  }

  /// Compares all answers with the rule.
  private func check(_ prepared: any PreparedLayout, _ layout: SpatialLayout, _ note: String) {
    let naive = NaiveClusters(prepared.context, layout)
    let shown = naive.attributes.filter { !$0.value.isHidden }
    let found = prepared.probed(in: everywhere, viewport)
    #expect(found.count == shown.count, "\(note)")
    for element in found {
      #expect(shown[element.key.indexPath] == element.attributes, "\(element.key): \(note)")
    }
    for (path, attributes) in naive.attributes {
      let item = prepared.cell(path.section, path.item ?? 0, viewport)
      #expect(item == attributes, "\(path): \(note)")
    }
  }

  @Test("items near each other are one element, by the rule, in every projection")
  func agreesWithRule() {
    var clusterCount = 0
    for seed in 0 ..< 60 {
      var random = SplitMix64(seed: 4000 + UInt64(seed))
      let layout = layout(&random)
      let contents = random.placedContents(items: random.chance(20) ? 600 : 60)
      let prepared = layout.prepare(context(contents))
      check(prepared, layout, "seed \(seed)")
      prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
      clusterCount +=
        prepared.probed(in: everywhere, viewport).filter { $0.attributes.custom != nil }.count
    }
    #expect(clusterCount > 500)
  }

  @Test("items that come, go, move and change are counted at once")
  func updates() throws {
    var (layerCounts, renumbered): (Set<Int>, Int) = ([], 0)
    for seed in 0 ..< 16 {
      var random = SplitMix64(seed: 5000 + UInt64(seed))
      let layout = layout(&random)
      var contents = random.placedContents(items: seed % 3 == 0 ? 10 : 150)
      let limits =
        seed % 2 == 0
        ? SpatialLimits(unindexed: 5, merged: 60, pieces: 1, layers: 6, clusterSteps: 1)
        : SpatialLimits.standard
      var current: any PreparedLayout = PreparedSpatial(layout, context(contents), limits: limits)
      for step in 0 ..< 40 {
        let change = try contents.applying(UpdateBatch(random.batch(on: contents)))
        current = layout.update(current, by: change)
        contents = change.new
        let spatial = try #require(current as? PreparedSpatial)
        layerCounts.insert(spatial.layers.count)
        renumbered += spatial.layers.contains { $0.goneCount > 0 } ? 1 : 0
        let note = "seed \(seed), step \(step)"
        let fresh = layout.prepare(context(contents))
        #expect(current.contentSize == fresh.contentSize, "\(note)")
        #expect(
          current.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
          "\(note)"
        )
        if step % 5 == 0 { check(current, layout, note) }
        if step % 20 == 0 { current.checkConsistency(viewport, random: &random, note) }
      }
    }
    #expect(layerCounts.count > 2 && renumbered > 10, "\(layerCounts), \(renumbered) renumbered")
  }

  @Test("the representative of a cell is that of one of its four cells at the next zoom")
  func representatives() {
    var random = SplitMix64(seed: 77)
    let contents = contents(
      (0 ..< 3000).map { _ in (random.length(-180 ... 180), random.length(-80 ... 80)) }
    )
    var coarser: Set<ElementKey> = []
    for zoom in 0 ... 6 {
      let layout = SpatialLayout(
        projection: .webMercator,
        zoom: Double(zoom),
        clusters: SpatialLayout.Clusters(minimumCount: 1)
      )
      let found = Set(layout.prepare(context(contents)).probed(in: everywhere, viewport).map(\.key))
      #expect(coarser.isSubset(of: found), "zoom \(zoom)")
      coarser = found
    }
    #expect(coarser.count > 1000)
  }

  @Test("a hidden item is in the middle of its cluster, where it is scrolled to")
  func hiddenItems() throws {
    let layout = SpatialLayout(clusters: SpatialLayout.Clusters(cellSize: 128))
    let prepared = layout.prepare(context(contents([(400, 420), (480, 440), (10, 10)])))
    let queries = LayoutQueries(prepared, viewport: viewport)
    let hit = try #require(queries.hitTest(Point(x: 440, y: 430)))
    #expect(hit.attributes.custom?[SpatialLayout.ClusterAttribute.count] == .number(2))
    let other = ElementKey.cell(0, 1 - (hit.key.indexPath.item ?? 0))
    let hidden = try #require(queries.attributes(of: other))
    #expect(hidden.isHidden && hidden.alpha == 0 && hidden.custom == nil)
    #expect(hidden.frame == Rect(x: 430, y: 420, width: 20, height: 20))
    #expect(queries.hitTest(Point(x: 10, y: 10))?.key == .cell(0, 2))
    #expect(queries.attributes(of: .cell(0, 2))?.zIndex == 0)
  }

  @Test("counting ten thousand items of one cell does not look at each of them")
  func steps() {
    let contents = contents((0 ..< 10_000).map { (Double($0 % 100) / 10, Double($0 / 100) / 10) })
    let layout = SpatialLayout(clusters: SpatialLayout.Clusters())
    let prepared = layout.prepare(context(contents))
    // A few more for the squares around the cell.
    var buffer = ElementBuffer(stepLimit: 50)
    prepared.appendElements(in: everywhere, viewport: viewport, to: &buffer)
    #expect(!buffer.isCutShort && buffer.elements.count == 1)
  }

  @Test("parameters beyond their limits are refused with the field")
  func validation() {
    func fields(_ clusters: SpatialLayout.Clusters) -> [String] {
      var findings = LayoutFindings()
      SpatialLayout(clusters: clusters).validate(viewportSize: nil, findings: &findings)
      return findings.violations.map(\.field)
    }
    #expect(fields(SpatialLayout.Clusters()).isEmpty)
    #expect(fields(.init(cellSize: 0.5)) == ["clusters.cell_size"])
    #expect(fields(.init(cellSize: .nan)) == ["clusters.cell_size"])
    #expect(fields(.init(cellSize: 65_537)) == ["clusters.cell_size"])
    #expect(fields(.init(minimumCount: 0)) == ["clusters.minimum_count"])
    #expect(fields(.init(size: Size(width: -1, height: 1))) == ["clusters.size.width"])
    #expect(fields(.init(growth: -1)) == ["clusters.growth"])
    #expect(fields(.init(growth: 1001)) == ["clusters.growth"])
  }
}
