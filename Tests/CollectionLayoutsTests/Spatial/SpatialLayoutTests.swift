// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Spatial layout", .timeLimit(.minutes(2)))
struct SpatialLayoutTests {
  private func prepared(
    _ blocks: [ItemBlock],
    _ layout: SpatialLayout = SpatialLayout(),
    options: LayoutOptions = LayoutOptions(),
    displayScale: Double = 1
  ) -> any PreparedLayout {
    layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: blocks)]),
        container: LayoutContainer(
          size: Size(width: 320, height: 480),
          displayScale: displayScale
        ),
        options: options
      )
    )
  }

  private let viewport = Viewport(offset: .zero, size: Size(width: 320, height: 480))

  @Test("centres items of points on their positions")
  func points() {
    let spatial = prepared([ItemBlock(count: 2, xs: [100, 30], ys: [50, 40])])
    #expect(spatial.cell(0, 0, viewport)?.frame == Rect(x: 90, y: 40, width: 20, height: 20))
    #expect(spatial.cell(0, 1, viewport)?.frame == Rect(x: 20, y: 30, width: 20, height: 20))
    #expect(spatial.contentSize == Size(width: 110, height: 60))
  }

  @Test("content ends at the outermost items and the insets there")
  func contentSize() {
    let layout = SpatialLayout(
      anchor: .zero,
      contentInset: EdgeInsets(top: 100, leading: 100, bottom: 7, trailing: 5)
    )
    #expect(
      prepared([ItemBlock(count: 2, xs: [100, 30], ys: [50, 90])], layout).contentSize
        == Size(width: 125, height: 117)
    )
    #expect(prepared([], layout).contentSize == .zero)
    #expect(
      prepared([ItemBlock(count: 1, xs: [-500], ys: [-500])], layout).contentSize == .zero
    )
  }

  @Test("indexes items beside one whose rounded position is infinite")
  func infinitePosition() {
    // So many pixels to a point that the first position overflows when it is rounded to them.
    let spatial = prepared(
      [ItemBlock(count: 2, xs: [1e10, 0], ys: [0, 0])],
      options: LayoutOptions(isPixelAligned: true),
      displayScale: 1e300
    )
    let found = spatial.probed(in: Rect(x: -20, y: -20, width: 40, height: 40), viewport)
    #expect(found.map(\.key) == [.cell(0, 1)])
  }

  @Test("lays the anchor on the position, also an explicit zero")
  func anchor() {
    let block = ItemBlock(count: 1, xs: [100], ys: [50])
    let pin = SpatialLayout(
      itemSize: Size(width: 20, height: 40),
      anchor: Point(x: 0.5, y: 1)
    )
    #expect(
      prepared([block], pin).cell(0, 0, viewport)?.frame
        == Rect(x: 90, y: 10, width: 20, height: 40)
    )
    #expect(
      prepared([block], SpatialLayout(anchor: .zero)).cell(0, 0, viewport)?.frame
        == Rect(x: 100, y: 50, width: 20, height: 20)
    )
  }

  @Test("gives items their own size, and the layout's for what the data leaves open")
  func sizes() {
    let spatial = prepared([
      ItemBlock(count: 1, widths: [6], heights: [8], xs: [100], ys: [100]),
      ItemBlock(count: 1, widths: [6], xs: [100], ys: [100]),
    ])
    #expect(spatial.cell(0, 0, viewport)?.frame == Rect(x: 97, y: 96, width: 6, height: 8))
    #expect(spatial.cell(0, 1, viewport)?.frame == Rect(x: 97, y: 90, width: 6, height: 20))
  }

  @Test("items without both coordinates have no element")
  func withoutPosition() {
    let spatial = prepared([
      ItemBlock(count: 2), ItemBlock(count: 1, xs: [5]), ItemBlock(count: 1, xs: [5], ys: [5]),
    ])
    #expect(spatial.cell(0, 0, viewport) == nil)
    #expect(spatial.cell(0, 2, viewport) == nil)
    #expect(spatial.probed(in: Rect(x: -9, y: -9, width: 99, height: 99), viewport).count == 1)
  }

  @Test(
    "projects by Web Mercator's formula",
    arguments: [
      (-0.1278, 51.5074, 0.0, 117.90912, 75.126534), (139.6503, 35.6762, 0, 217.30688, 90.811579),
      (-68.303, -54.8019, 3, 625.431822, 1388.261993),
      (151.2093, -33.8688, 10, 241169.252053, 157300.583166),
      (36.8219, -1.2921, 4.5, 3478.796121, 2907.101812),
    ]
  )
  func mercator(longitude: Double, latitude: Double, zoom: Double, x: Double, y: Double) {
    let spatial = prepared(
      [ItemBlock(count: 1, xs: [longitude], ys: [latitude])],
      SpatialLayout(projection: .webMercator, zoom: zoom)
    )
    expectClose(
      spatial.cell(0, 0, viewport)?.frame,
      Rect(x: x, y: y, width: 20, height: 20),
      tolerance: 1e-6
    )
    expectClose(spatial.contentSize.width, 256 * Double.power(2, zoom))
    #expect(spatial.contentSize.width == spatial.contentSize.height)
  }

  @Test("draws the poles at the edges of Web Mercator's square")
  func poles() throws {
    let spatial = prepared(
      [ItemBlock(count: 4, xs: [180, -180, 0, 0], ys: [90, -90, 85.05112878, -100])],
      SpatialLayout(projection: .webMercator, anchor: .zero)
    )
    for (item, x, y) in [(0, 256.0, 0.0), (1, 0, 256), (2, 128, 0), (3, 128, 256)] {
      expectClose(
        spatial.cell(0, item, viewport)?.frame,
        Rect(x: x, y: y, width: 20, height: 20),
        tolerance: 1e-5
      )
    }
  }

  @Test("an equirectangular world is half as high as wide")
  func equirectangular() {
    let spatial = prepared(
      [ItemBlock(count: 1, xs: [-0.1278], ys: [51.5074])],
      SpatialLayout(projection: .equirectangular)
    )
    expectClose(
      spatial.cell(0, 0, viewport)?.frame,
      Rect(x: 117.90912, y: 17.372516, width: 20, height: 20)
    )
    #expect(spatial.contentSize == Size(width: 256, height: 128))
  }

  @Test(
    "rounds positions to pixels, ties away from zero",
    arguments: [(48.75, 2.0, 49.0), (51.25, 2, 51.5), (48.5, 3, 146.0 / 3), (-0.25, 2, -0.5)]
      as [(Double, Double, Double)]
  )
  func pixels(y: Double, scale: Double, expected: Double) {
    let spatial = prepared(
      [ItemBlock(count: 1, xs: [100], ys: [y])],
      SpatialLayout(itemSize: Size(width: 10, height: 10), anchor: .zero),
      options: LayoutOptions(isPixelAligned: true),
      displayScale: scale
    )
    expectClose(
      spatial.cell(0, 0, viewport)?.frame,
      Rect(x: 100, y: expected, width: 10, height: 10)
    )
    let found = spatial.probed(in: Rect(x: 0, y: -100, width: 1000, height: 1000), viewport)
    #expect(found.first?.attributes == spatial.cell(0, 0, viewport))
  }

  @Test("answers every question alike for scattered, crowded and absurd positions")
  func agreesWithNaiveReference() {
    var random = SplitMix64(seed: 53)
    for round in 0 ..< 300 {
      let layout = SpatialLayout(
        projection: random.chance(60)
          ? .points : random.chance(50) ? .webMercator : .equirectangular,
        zoom: random.double(-2 ... 6),
        itemSize: random.chance(10) ? .zero : random.size(1 ... 60),
        anchor: random.chance(30)
          ? .zero : Point(x: random.double(-1 ... 2), y: random.double(0 ... 1))
      )
      let contents = random.placedContents(items: random.chance(10) ? 2000 : 60)
      let container = LayoutContainer(
        size: random.size(100 ... 500),
        insets: random.insets(0 ... 20),
        displayScale: Double(random.int(1 ... 3)),
        isRightToLeft: random.chance(50)
      )
      let spatial = layout.prepare(
        LayoutContext(
          contents: contents,
          container: container,
          options: LayoutOptions(isPixelAligned: random.chance(20))
        )
      )
      let viewport = Viewport(of: container)
      spatial.checkConsistency(viewport, random: &random, "round \(round)")
      if layout.projection == .points {
        let frames = spatial.cellKeys.compactMap {
          spatial.attributes(of: $0, viewport: viewport)?.frame
        }
        let size = Size(
          width: max(0, frames.map(\.maxX).max() ?? 0),
          height: max(0, frames.map(\.maxY).max() ?? 0)
        )
        #expect(spatial.contentSize == size, "round \(round)")
      }
    }
  }

  @Test("positions beyond all measure stay finite")
  func absurd() {
    for projection in SpatialLayout.Projection.allCases {
      let spatial = prepared(
        [
          ItemBlock(
            count: 4,
            xs: [1e308, -1e308, 0, .leastNonzeroMagnitude],
            ys: [-1e308, 1e308, .leastNonzeroMagnitude, 0]
          )
        ],
        SpatialLayout(projection: projection, zoom: 1e9)
      )
      for item in 0 ..< 4 {
        let frame = spatial.cell(0, item, viewport)?.frame
        #expect(frame?.x.isFinite == true && frame?.y.isFinite == true)
      }
      #expect(spatial.contentSize.width.isFinite && spatial.contentSize.height.isFinite)
    }
  }

  @Test("names every wrong parameter")
  func validates() {
    #expect(rejectedFields(SpatialLayout()).isEmpty)
    #expect(
      rejectedFields(
        SpatialLayout(
          projection: .webMercator,
          zoom: 99,
          itemSize: Size(width: -1, height: .nan),
          anchor: Point(x: .nan, y: .infinity),
          contentInset: EdgeInsets(all: .nan)
        )
      )
        == [
          "zoom", "item_size.width", "item_size.height", "anchor.x", "anchor.y",
          "content_inset.top", "content_inset.leading", "content_inset.bottom",
          "content_inset.trailing",
        ]
    )
  }
}
