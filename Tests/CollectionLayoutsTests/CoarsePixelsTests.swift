// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Pixels that are larger than points", .timeLimit(.minutes(1)))
struct CoarsePixelsTests {
  private static let layouts: [any CollectionLayout] = [
    CircleLayout(itemSize: Size(width: 61, height: 33), startAngle: 0.3),
    CircleLayout(itemSize: Size(width: 10, height: 10), startAngle: 1e12),
    CarouselLayout(style: .linear, itemSize: Size(width: 70, height: 70), spacing: 1.013),
    CarouselLayout(style: .coverFlow, itemSize: Size(width: 70, height: 70), spacing: 1.013),
    LineLayout(itemSize: Size(width: 61, height: 33), lineSpacing: 7.3),
    SpatialLayout(itemSize: Size(width: 31, height: 23)),
    SpatialLayout(
      itemSize: Size(width: 31, height: 23),
      clusters: SpatialLayout.Clusters(cellSize: 16, minimumCount: 4)
    ),
  ]

  private static func prepare(
    _ layout: any CollectionLayout,
    scale: Double,
    _ random: inout SplitMix64
  ) -> any PreparedLayout {
    var block = ItemBlock(count: 60)
    block.xs = (0 ..< 60).map { _ in Double.random(in: 0 ..< 900, using: &random) }
    block.ys = (0 ..< 60).map { _ in Double.random(in: 0 ..< 700, using: &random) }
    return layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
        container: LayoutContainer(size: Size(width: 777, height: 555), displayScale: scale),
        options: LayoutOptions(isPixelAligned: true)
      )
    )
  }

  @Test(
    "queries find what is rounded into their rect",
    arguments: layouts,
    [0.021, 0.13, 0.4, 1, 3]
  )
  func queries(layout: any CollectionLayout, scale: Double) {
    var random = SplitMix64(seed: 12)
    let prepared = Self.prepare(layout, scale: scale, &random)
    let viewport = Viewport(offset: .zero, size: prepared.context.container.size)
    let all = prepared.probed(in: .everywhere, viewport)
    #expect(!all.isEmpty)
    for element in all {
      let box = element.attributes.boundingBox
      for point in [box.origin, Point(x: box.maxX, y: box.maxY)] {
        let rect = Rect(center: point, size: Size(width: 0.2, height: 0.2))
        let wanted = all.filter { $0.attributes.boundingBox.meets(rect) }
        #expect(prepared.probed(in: rect, viewport) == wanted, "\(rect)")
      }
    }
  }

  @Test("a circle that has been turned many times stands as evenly as another")
  func manyTurns() throws {
    let layout = CircleLayout(itemSize: Size(width: 1, height: 1), startAngle: 1e15)
    let container = LayoutContainer(size: Size(width: 500, height: 500))
    let contents = plainContents(360)
    let prepared = layout.prepare(LayoutContext(contents: contents, container: container))
    let viewport = Viewport(of: container)
    let centers = try (0 ..< 360).map {
      try #require(prepared.cell(0, $0, viewport)?.frame.center)
    }
    let distances = zip(centers, centers.dropFirst()).map { a, b in
      ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
    }
    #expect((distances.max() ?? 0) < (distances.min() ?? 0) + 1)
  }
}
