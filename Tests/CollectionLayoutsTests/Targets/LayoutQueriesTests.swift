// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("LayoutQueries", .timeLimit(.minutes(2)))
struct LayoutQueriesTests {
  private func queries(
    _ layout: some CollectionLayout,
    _ contents: CollectionContents,
    _ viewport: Viewport,
    options: LayoutOptions = .init()
  ) -> LayoutQueries {
    let container = LayoutContainer(
      size: viewport.size,
      insets: viewport.insets,
      isRightToLeft: viewport.isRightToLeft
    )
    return LayoutQueries(
      layout.prepare(LayoutContext(contents: contents, container: container, options: options)),
      viewport: viewport
    )
  }

  private let rows = ListLayout(rowHeight: 50)
  private let hundred = plainContents(100)

  private func viewport(y: Double, insets: EdgeInsets = .zero) -> Viewport {
    Viewport(
      offset: Point(x: 0, y: y),
      size: Size(width: 320, height: 400),
      insets: insets
    )
  }

  @Test(
    "scrolls to an element as far as the position asks and the content goes",
    arguments: [
      (20, ScrollPosition.start, 0.0, 1000.0), (20, .end, 0, 650), (20, .center, 0, 825),
      (20, .nearest, 0, 650), (3, .nearest, 500, 150), (5, .nearest, 120, 120),
      (2, .nearest, 120, 100), (99, .start, 0, 4600), (1, .end, 4600, 0),
    ]
  )
  func toElement(item: Int, position: ScrollPosition, y: Double, expected: Double) {
    let target = queries(rows, hundred, viewport(y: y))
      .scrollTarget(for: .element(.cell(0, item), position: position))
    #expect(target == ScrollTarget(offset: Point(x: 0, y: expected), element: .cell(0, item)))
  }

  @Test("counts content insets when it scrolls to an element")
  func insets() {
    let insets = EdgeInsets(top: 40, leading: 0, bottom: 60, trailing: 0)
    let queries = queries(rows, hundred, viewport(y: 0, insets: insets))
    func y(_ item: Int, _ position: ScrollPosition) -> Double? {
      queries.scrollTarget(for: .element(.cell(0, item), position: position))?.offset.y
    }
    #expect(y(20, .start) == 960)
    #expect(y(20, .end) == 710)
    #expect(y(0, .end) == -40)
    #expect(y(99, .start) == 4660)
    #expect(y(100, .start) == nil)
  }

  @Test("scrolls to a pinned header's natural place")
  func pinnedHeader() {
    let layout = ListLayout(rowHeight: 50, headerHeight: 30, headersPinToVisibleBounds: true)
    let target = queries(layout, plainContents(10, 30), viewport(y: 900))
      .scrollTarget(
        for: .element(.supplementary("header", section: 1), position: .start)
      )
    #expect(target?.offset.y == 530)
  }

  @Test("rests nowhere in particular without a rule")
  func noSnap() {
    let release = ScrollTargetRequest.release(
      proposed: Point(x: 0, y: 333),
      velocity: .zero,
      section: nil
    )
    let none = LayoutOptions(scrollSnap: ScrollSnap.none)
    #expect(
      queries(rows, hundred, viewport(y: 0)).scrollTarget(for: release)?.offset.y == 333
    )
    #expect(
      queries(rows, hundred, viewport(y: 0), options: none).scrollTarget(for: release)?.offset.y
        == 333
    )
  }

  @Test(
    "rests on pages, at most one from where it is",
    arguments: [
      (1280.0, 10.0, 960.0), (1280, 3000, 1600), (0, 100, 0), (0, 200, 320), (480, 2000, 640),
      (480, 0, 320),
    ]
  )
  func pages(from: Double, proposed: Double, expected: Double) {
    let layout = FlowLayout(
      scrollDirection: .horizontal,
      itemSize: Size(width: 320, height: 480),
      minimumLineSpacing: 0
    )
    let queries = queries(
      layout,
      plainContents(10),
      Viewport(offset: Point(x: from, y: 0), size: Size(width: 320, height: 480)),
      options: LayoutOptions(scrollSnap: .page)
    )
    let target = queries.scrollTarget(
      for: .release(proposed: Point(x: proposed, y: 0), velocity: .zero, section: nil)
    )
    #expect(target?.offset == Point(x: expected, y: 0))
  }

  /// Whatever the layout, the item found is as near as any.
  @Test("rests on the nearest item of all", arguments: 0 ..< 6)
  func nearest(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 30 {
      let layout = random.flow()
      let axis = layout.scrollDirection
      let container = random.container()
      let snap: ScrollSnap = random.chance(50) ? .itemCenter : .itemLeading
      let context = LayoutContext(
        contents: random.sizedContents(),
        container: container,
        options: LayoutOptions(scrollSnap: snap)
      )
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: container)
      let legal = viewport.legalOffsets(contentSize: prepared.contentSize)
      let low = axis.main(legal.min)
      let proposed = axis.point(main: random.double(low ... axis.main(legal.max) + 1e-9), cross: 0)
      let target = LayoutQueries(prepared, viewport: viewport).scrollTarget(
        for: .release(proposed: proposed, velocity: .zero, section: nil)
      )
      guard prepared.cellKeys.count > 0 else {
        expectClose(target.map { axis.main($0.offset) } ?? .nan, axis.main(proposed))
        continue
      }
      var resting = viewport
      resting.offset = proposed
      let visible = resting.unobscuredRect
      let isReversed = container.isRightToLeft && axis == .horizontal
      func place(_ rect: Rect) -> Double {
        let extent = axis.main(rect.size)
        let start = axis.main(rect.origin)
        return snap == .itemCenter ? start + extent / 2 : isReversed ? start + extent : start
      }
      // Insets may be larger than the viewport; then what they leave has no extent of its own.
      let startInset = axis.mainStart(viewport.insets)
      let endInset = axis.mainEnd(viewport.insets)
      guard startInset + endInset < axis.main(viewport.size) else { continue }
      let distances = prepared.cellKeys.compactMap {
        prepared.attributes(of: $0, viewport: viewport).map {
          abs(place($0.frame) - place(visible))
        }
      }
      guard let element = target?.element,
        let frame = prepared.attributes(of: element, viewport: viewport)?.frame
      else {
        Issue.record("no item: \(seed).\(round) \(layout)")
        continue
      }
      expectClose(
        abs(place(frame) - place(visible)),
        distances.min() ?? 0,
        "\(seed).\(round) \(layout)"
      )
    }
  }

  @Test("finds the front-most element under a point")
  func hitTest() {
    let layout = ListLayout(headerHeight: 30, headersPinToVisibleBounds: true)
    let options = LayoutOptions(sectionBackgrounds: [SectionBackground(kind: "bg")])
    let queries = queries(
      layout,
      plainContents(30),
      viewport(y: 100),
      options: options
    )
    #expect(queries.hitTest(Point(x: 10, y: 100))?.key == .supplementary("header", section: 0))
    #expect(queries.hitTest(Point(x: 10, y: 130))?.key == .cell(0, 2))
    #expect(queries.hitTest(Point(x: 320, y: 130)) == nil)
    #expect(queries.hitTest(Point(x: 10, y: 5000)) == nil)
    #expect(queries.hitTest(Point(x: 10, y: 10))?.key == .decoration("bg", section: 0))
  }

  @Test("answers in order of section, item, category and kind")
  func order() {
    let layout = ListLayout(headerHeight: 30, footerHeight: 10, separatorThickness: 1)
    let options = LayoutOptions(sectionBackgrounds: [SectionBackground(kind: "bg")])
    let queries = queries(layout, plainContents(2, 1), viewport(y: 0), options: options)
    let keys = queries.elements(in: nil).elements.map(queries.key(of:))
    #expect(
      keys == [
        .supplementary("header", section: 0), .supplementary("footer", section: 0),
        .decoration("bg", section: 0), .cell(0, 0),
        ElementKey(
          category: .decoration,
          kind: "separator",
          indexPath: IndexPath(section: 0, item: 0)
        ),
        .cell(0, 1), .supplementary("header", section: 1), .supplementary("footer", section: 1),
        .decoration("bg", section: 1), .cell(1, 0),
      ]
    )
  }
}
