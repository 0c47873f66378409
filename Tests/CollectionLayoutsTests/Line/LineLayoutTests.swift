// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Line layout", .timeLimit(.minutes(2)))
struct LineLayoutTests {
  private func prepared(
    _ contents: CollectionContents,
    _ layout: LineLayout = LineLayout(),
    _ container: LayoutContainer = LayoutContainer(size: Size(width: 1024, height: 768)),
    options: LayoutOptions = LayoutOptions()
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container, options: options))
  }

  @Test("places the sample's items 250 apart, centred between the insets")
  func places() {
    let line = prepared(plainContents(60))
    let viewport = Viewport(offset: Point(x: 5000, y: 0), size: Size(width: 1024, height: 768))
    #expect(line.contentSize == Size(width: 60 * 250 - 50, height: 768))
    #expect(line.cell(0, 5, viewport)?.frame == Rect(x: 1250, y: 284, width: 200, height: 200))
  }

  @Test(
    "magnifies by the sample's formula",
    arguments: [
      (-250.0, 1.0, 0), (-200, 1, 0), (-199, 1.0015, 1), (-150, 1.075, 1), (-100, 1.15, 1),
      (0, 1.3, 1), (25, 1.2625, 1), (100, 1.15, 1), (199.5, 1.00075, 1), (200, 1, 0),
    ]
  )
  func magnifies(distance: Double, scale: Double, zIndex: Int) throws {
    let line = prepared(plainContents(60))
    let viewport = Viewport(
      offset: Point(x: 1350 + distance - 512, y: 0),
      size: Size(width: 1024, height: 768)
    )
    let attributes = try #require(line.cell(0, 5, viewport))
    expectClose(attributes.transform.matrix.rows.0.x, scale)
    expectClose(attributes.transform.matrix.rows.1.y, scale)
    #expect(attributes.zIndex == zIndex)
    #expect(attributes.frame.x == 1250)
  }

  @Test(
    "rests where the nearest item is centred",
    arguments: [
      (0.0, 88.0), (30, 88), (137.5, 88), (250, 338), (333, 338), (5000.25, 5088), (213, 88),
      (213.01, 338), (-500, 88), (20_000, 13_838),
    ]
  )
  func rests(proposed: Double, expected: Double) throws {
    let line = prepared(plainContents(60))
    let viewport = Viewport(offset: .zero, size: Size(width: 1024, height: 768))
    let target = try #require(
      line.restingOffset(
        proposed: Point(x: proposed, y: 0),
        velocity: .zero,
        section: nil,
        viewport: viewport
      )
    )
    #expect(target.offset == Point(x: expected, y: 0))
  }

  @Test("puts sections one after another with their own insets and spacing")
  func sections() {
    var metrics = SectionMetrics()
    metrics.inset = EdgeInsets(top: 0, leading: 7, bottom: 0, trailing: 9)
    metrics.lineSpacing = 1
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: 2)]),
      SectionContents(),
      SectionContents(metrics: metrics, blocks: [ItemBlock(count: 2)]),
    ])
    let line = prepared(
      contents,
      LineLayout(
        itemSize: Size(width: 10, height: 10),
        lineSpacing: 5,
        sectionInset: EdgeInsets(top: 0, leading: 1, bottom: 0, trailing: 2)
      ),
      LayoutContainer(size: Size(width: 100, height: 30))
    )
    let viewport = Viewport(offset: Point(x: 9999, y: 0), size: Size(width: 100, height: 30))
    #expect(line.cell(0, 1, viewport)?.frame == Rect(x: 16, y: 10, width: 10, height: 10))
    // 28 behind section 0, 31 behind the empty one.
    #expect(line.cell(2, 0, viewport)?.frame == Rect(x: 38, y: 10, width: 10, height: 10))
    #expect(line.cell(2, 1, viewport)?.frame == Rect(x: 49, y: 10, width: 10, height: 10))
    #expect(line.contentSize == Size(width: 68, height: 30))
    #expect(line.cell(2, 2, viewport) == nil)
    #expect(line.cell(3, 0, viewport) == nil)
  }

  @Test("mirrors in right-to-left environments, and magnifies what is then in the middle")
  func mirrors() {
    let container = LayoutContainer(size: Size(width: 300, height: 600), isRightToLeft: true)
    let line = prepared(plainContents(3), LineLayout(), container)
    #expect(line.contentSize.width == 700)
    let viewport = Viewport(of: container, at: Point(x: 450, y: 0))
    #expect(line.cell(0, 0, viewport)?.frame == Rect(x: 500, y: 200, width: 200, height: 200))
    #expect(line.cell(0, 0, viewport)?.transform == .scale(1 + 0.3))
  }

  @Test("magnified items belong to rects that only their magnified box meets")
  func magnifiedBoxes() {
    let line = prepared(plainContents(60))
    let viewport = Viewport(
      offset: Point(x: 1350 - 512, y: 0),
      size: Size(width: 1024, height: 768)
    )
    // Item 5 spans 1250…1450, magnified 1220…1480.
    let found = line.probed(in: Rect(x: 1460, y: 300, width: 10, height: 10), viewport)
    #expect(found.map(\.key) == [.cell(0, 5)])
    #expect(line.probed(in: Rect(x: 1481, y: 300, width: 10, height: 10), viewport).isEmpty)
  }

  @Test("finds items that lie up to a pixel from their place", arguments: [0.01, 0.02, 0.3, 3])
  func coarsePixels(displayScale: Double) {
    let container = LayoutContainer(
      size: Size(width: 400, height: 300),
      displayScale: displayScale
    )
    let line = prepared(
      plainContents(40),
      LineLayout(itemSize: Size(width: 50, height: 50), lineSpacing: 33.3, zoomFactor: 0),
      container,
      options: LayoutOptions(isPixelAligned: true)
    )
    let viewport = Viewport(of: container)
    for item in 0 ..< 40 {
      let frame = line.cell(0, item, viewport)?.frame ?? .zero
      for x in [frame.x, frame.maxX] {
        let found = line.probed(
          in: Rect(x: x - 0.1, y: frame.midY, width: 0.2, height: 1),
          viewport
        )
        #expect(found.map(\.key).contains(.cell(0, item)) || frame.width == 0)
      }
    }
  }

  @Test("answers every question alike, and as a loop over all items would")
  func agreesWithNaiveReference() {
    var random = SplitMix64(seed: 11)
    for round in 0 ..< 400 {
      let container = random.container()
      let layout = LineLayout(
        scrollDirection: random.chance(50) ? .horizontal : .vertical,
        itemSize: random.chance(5) ? .zero : random.size(1 ... 300),
        lineSpacing: random.chance(10) ? 0 : random.length(0 ... 80),
        sectionInset: random.insets(0 ... 200),
        activeDistance: random.length(0 ... 400),
        zoomFactor: random.double(-1 ... 2)
      )
      let backgrounds =
        random.chance(30)
        ? [
          SectionBackground(kind: "bg", insets: random.insets(-20 ... 20), sections: [0, 2]),
          SectionBackground(kind: "bg", zIndex: -2),
        ] : []
      let options = LayoutOptions(
        sectionBackgrounds: backgrounds,
        isPixelAligned: random.chance(20)
      )
      let contents = random.contents()
      let line = prepared(contents, layout, container, options: options)
      let viewport = Viewport(
        of: container,
        at: Point(x: random.length(-100 ... 3000), y: random.length(-100 ... 3000))
      )
      let note = "round \(round)"
      line.checkConsistency(viewport, random: &random, note)
      if !options.isPixelAligned {
        checkFrames(line, layout, viewport, note)
      }
      checkResting(line, layout, viewport, &random, note)
    }
  }

  private func checkFrames(
    _ line: any PreparedLayout,
    _ layout: LineLayout,
    _ viewport: Viewport,
    _ note: String
  ) {
    let contents = line.context.contents
    let container = line.context.container
    let axis = layout.scrollDirection
    var place = 0.0
    var frames: [(IndexPath, Rect)] = []
    contents.forEachSection(in: 0 ..< contents.sectionCount) { index, section in
      let inset = section.metrics.inset ?? layout.sectionInset
      place += axis.mainStart(inset)
      let cross =
        (axis.crossStart(inset) + axis.cross(container.contentSize) - axis.crossEnd(inset)) / 2
      for item in 0 ..< section.items.count {
        if item > 0 { place += section.metrics.lineSpacing ?? layout.lineSpacing }
        frames.append(
          (
            IndexPath(section: index, item: item),
            axis.rect(
              AxisRect(
                main: place,
                cross: cross - axis.cross(layout.itemSize) / 2,
                mainLength: axis.main(layout.itemSize),
                crossLength: axis.cross(layout.itemSize)
              )
            )
          )
        )
        place += axis.main(layout.itemSize)
      }
      place += axis.mainEnd(inset)
      return true
    }
    expectClose(axis.main(line.contentSize), place, note)
    expectClose(axis.cross(line.contentSize), axis.cross(container.contentSize), note)
    for (path, frame) in frames {
      let expected =
        container.isRightToLeft ? frame.mirrored(inWidth: line.contentSize.width) : frame
      let attributes = line.cell(path.section, path.item ?? 0, viewport)
      expectClose(attributes?.frame, expected, note)
      let distance = abs(axis.main(viewport.rect.center) - axis.main(expected.center))
      let zoom =
        distance < layout.activeDistance
        ? 1 + layout.zoomFactor * (1 - distance / layout.activeDistance) : 1
      expectClose(attributes?.transform.matrix.rows.0.x ?? .nan, zoom, tolerance: 1e-5, note)
    }
  }

  private func checkResting(
    _ line: any PreparedLayout,
    _ layout: LineLayout,
    _ viewport: Viewport,
    _ random: inout SplitMix64,
    _ note: String
  ) {
    let axis = layout.scrollDirection
    let proposed = viewport.clamped(
      Point(x: random.length(-100 ... 3000), y: random.length(-100 ... 3000)),
      contentSize: line.contentSize
    )
    let target = line.restingOffset(
      proposed: proposed,
      velocity: .zero,
      section: nil,
      viewport: viewport
    )
    let middle = axis.main(proposed) + axis.main(viewport.size) / 2
    let centers = line.cellKeys.compactMap {
      line.attributes(of: $0, viewport: viewport).map { axis.main($0.frame.center) }
    }
    guard let nearest = centers.map({ abs($0 - middle) }).min() else {
      #expect(target == nil, "\(note)")
      return
    }
    guard let target, let key = target.element,
      let rested = line.attributes(of: key, viewport: viewport)
    else {
      Issue.record("no target: \(note)")
      return
    }
    expectClose(abs(axis.main(rested.frame.center) - middle), nearest, note)
    let wanted = axis.main(rested.frame.center) - axis.main(viewport.size) / 2
    #expect(
      target.offset
        == viewport.clamped(
          axis.point(main: wanted, cross: axis.cross(proposed)),
          contentSize: line.contentSize
        ),
      "\(note)"
    )
  }

  @Test("stays finite with nothing to lay out, or nowhere to")
  func degenerate() {
    for contents in [plainContents(), plainContents(0), plainContents(0, 1, 0)] {
      for size in [Size.zero, Size(width: 100, height: 100)] {
        let line = prepared(
          contents,
          LineLayout(itemSize: .zero, lineSpacing: 0, activeDistance: 0),
          LayoutContainer(size: size)
        )
        var random = SplitMix64(seed: 1)
        line.checkConsistency(Viewport(offset: .zero, size: size), random: &random, "\(size)")
      }
    }
  }

  @Test("names every wrong parameter")
  func validates() {
    #expect(rejectedFields(LineLayout()).isEmpty)
    #expect(
      rejectedFields(
        LineLayout(
          itemSize: Size(width: -1, height: .nan),
          lineSpacing: .infinity,
          sectionInset: EdgeInsets(all: .nan),
          activeDistance: -1,
          zoomFactor: -2
        )
      )
        == [
          "item_size.width", "item_size.height", "line_spacing", "section_inset.top",
          "section_inset.leading", "section_inset.bottom", "section_inset.trailing",
          "active_distance", "zoom_factor",
        ]
    )
  }
}
