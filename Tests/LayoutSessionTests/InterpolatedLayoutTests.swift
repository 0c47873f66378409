// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("InterpolatedLayout", .timeLimit(.minutes(1)))
struct InterpolatedLayoutTests {
  @Test(
    "a query that one of the two layouts does not finish is cut short",
    arguments: [true, false]
  )
  func cutShort(isFirst: Bool) {
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))
    let context = LayoutContext(
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 20_000)])]),
      container: LayoutContainer(size: viewport.size)
    )
    // All cells of one lie in the rect, few of the other.
    let (dense, sparse) = (
      GridLayout(itemSize: .zero).prepare(context), GridLayout().prepare(context)
    )
    let (from, to) = isFirst ? (dense, sparse) : (sparse, dense)
    let mixed = InterpolatedLayout(
      from: from,
      to: to,
      kinds: InterpolatedKinds(from: from, to: to),
      progress: 0.5
    )
    let rect = Rect(x: -10, y: -10, width: 400, height: 400)
    var buffer = ElementBuffer(stepLimit: 1000)
    mixed.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && buffer.isFull)

    buffer = ElementBuffer()
    mixed.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(!buffer.isCutShort)
    #expect(!buffer.elements.isEmpty)
  }

  private static let photos: [any CollectionLayout] = [
    ListLayout(rowHeight: 44), ListLayout(rowHeight: 200), ListLayout(rowHeight: 3),
    FlowLayout(itemSize: Size(width: 120, height: 120)),
    FlowLayout(
      itemSize: Size(width: 180, height: 180),
      headerReferenceSize: Size(width: 0, height: 30)
    ),
    WaterfallLayout(columns: .count(3)),
    FlowLayout(scrollDirection: .horizontal, itemSize: Size(width: 70, height: 60)),
    CircleLayout(),
    WaterfallLayout(columns: .count(5), itemSpacing: 7),
  ]

  /// Something between two of the layouts.
  private static func between(
    _ layouts: [any CollectionLayout],
    _ context: LayoutContext,
    _ random: inout SplitMix64
  ) throws -> InterpolatedLayout {
    let from = try #require(layouts.randomElement(using: &random)).prepare(context)
    let to = try #require(layouts.randomElement(using: &random)).prepare(context)
    return InterpolatedLayout(
      from: from,
      to: to,
      kinds: InterpolatedKinds(from: from, to: to),
      progress: Double.random(in: 0 ... 1, using: &random)
    )
  }

  @Test("all items are found that are in a rect between two layouts", arguments: 0 ..< 100)
  func complete(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let heights = (0 ..< 600).map { _ in Double.random(in: 20 ... 90, using: &random) }
    let sections = [heights, heights.reversed(), [50]].map { heights in
      SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])
    }
    let isSized = Bool.random(using: &random)
    let contents =
      isSized
      ? CollectionContents(sections: sections)
      : CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 1500)])])
    let context = LayoutContext(
      contents: contents,
      container: LayoutContainer(size: Size(width: 400, height: 300))
    )
    let mixed = try Self.between(Self.photos, context, &random)
    var viewport = Viewport(offset: .zero, size: Size(width: 400, height: 300))
    let paths = (0 ..< contents.sectionCount).flatMap { section in
      (0 ..< contents.section(at: section).items.count).map {
        IndexPath(section: section, item: $0)
      }
    }
    for _ in 0 ..< 10 {
      let size = mixed.contentSize
      viewport.offset.y = Double.random(in: -50 ... size.height, using: &random)
      viewport.offset.x = Double.random(in: -50 ... max(0, size.width - 400), using: &random)
      let rect = viewport.rect
      var buffer = ElementBuffer()
      mixed.appendElements(in: rect, viewport: viewport, to: &buffer)
      let found = buffer.elements.filter { $0.category == .cell }.map(\.indexPath)
      let expected = paths.filter { path in
        guard let key = mixed.from.cellKey(at: path) else { return false }
        return mixed.attributes(of: key, viewport: viewport)?.boundingBox.meets(rect) == true
      }
      #expect(found.count == Set(found).count)
      #expect(Set(found) == Set(expected), "\(rect)")
    }
  }

  private static let shapes: [any CollectionLayout] =
    photos + [
      GridLayout(itemSize: Size(width: 50, height: 50)), SpatialLayout(),
      table(2, width: 350, rowHeight: 44), table(3, width: 100, rowHeight: 80),
      FlowLayout(scrollDirection: .horizontal, itemSize: Size(width: 60, height: 40)),
    ]

  @Test(
    "of layouts with few items, whatever their order, all is found in any rect between them",
    arguments: 0 ..< 120
  )
  func small(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sections = (0 ..< random.int(1 ... 4)).map { _ in
      let count = random.int(1 ... 60)
      func places(_ extent: Double) -> [Double] {
        (0 ..< count).map { _ in Double.random(in: 0 ... extent, using: &random) }
      }
      return SectionContents(
        blocks: [
          ItemBlock(
            count: count,
            widths: [60],
            heights: [40],
            xs: places(500),
            ys: places(1000)
          )
        ]
      )
    }
    let context = LayoutContext(
      contents: CollectionContents(sections: sections),
      container: LayoutContainer(size: Size(width: 300, height: 400))
    )
    let mixed = try Self.between(Self.shapes, context, &random)
    let (from, to) = (mixed.from, mixed.to)
    var viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))
    for _ in 0 ..< 12 {
      let size = mixed.contentSize
      viewport.offset.y = Double.random(in: -50 ... size.height, using: &random)
      viewport.offset.x = Double.random(in: -50 ... size.width, using: &random)
      // Everything, found without the places in between.
      var all: [ElementKey: Rect] = [:]
      for layout in [from, to] {
        var buffer = ElementBuffer()
        let everywhere = Rect(x: -1e6, y: -1e6, width: 2e6, height: 2e6)
        var pinning = viewport
        pinning.rendererPins = false
        layout.appendElements(in: everywhere, viewport: pinning, to: &buffer)
        for element in buffer.elements {
          let key = ElementKey(
            category: element.category,
            kind: layout.kindNames[Int(element.kind)],
            indexPath: element.indexPath
          )
          all[key] = mixed.attributes(of: key, viewport: viewport)?.boundingBox
        }
      }
      let box = try #require(all.values.randomElement(using: &random))
      let corner = Rect(
        x: box.x + box.width * 0.8,
        y: box.y + box.height * 0.8,
        width: 1,
        height: 1
      )
      for rect in [viewport.rect, corner] {
        var buffer = ElementBuffer()
        mixed.appendElements(in: rect, viewport: viewport, to: &buffer)
        let found = buffer.elements.map {
          ElementKey(
            category: $0.category,
            kind: mixed.kindNames[Int($0.kind)],
            indexPath: $0.indexPath
          )
        }
        #expect(found.count == Set(found).count)
        let expected = Set(all.filter { $0.value.meets(rect) }.keys)
        #expect(Set(found).symmetricDifference(expected).isEmpty, "\(rect)")
      }
    }
  }

  /// A table of columns of one width, all of which are in sight of a viewport.
  private static func table(_ count: Int, width: Double, rowHeight: Double) -> TableLayout {
    TableLayout(
      columns: (0 ..< count).map { TableColumn("\($0)", width: .points(width)) },
      rowHeight: rowHeight,
      headerHeight: 0
    )
  }

  @Test(
    "a query of fewer elements than one of the two layouts has is full",
    arguments: [true, false]
  )
  func full(isFirst: Bool) {
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))
    let context = LayoutContext(
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 2000)])]),
      container: LayoutContainer(size: viewport.size)
    )
    let dense = Self.table(300, width: 1, rowHeight: 10).prepare(context)
    let sparse = Self.table(300, width: 100, rowHeight: 100).prepare(context)
    let (from, to) = isFirst ? (dense, sparse) : (sparse, dense)
    let kinds = InterpolatedKinds(from: from, to: to)
    for progress in [0, 0.3, 0.7, 1] {
      let mixed = InterpolatedLayout(from: from, to: to, kinds: kinds, progress: progress)
      var all = ElementBuffer()
      mixed.appendElements(in: viewport.rect, viewport: viewport, to: &all)
      // 40 rows of 301 elements, and 4 rows of 4.
      let isSparse = progress == (isFirst ? 1 : 0)
      let limit = isSparse ? 15 : 12_000
      var few = ElementBuffer(limit: limit)
      mixed.appendElements(in: viewport.rect, viewport: viewport, to: &few)
      #expect(few.isFull, "\(progress)")
      var enough = ElementBuffer(limit: 13_000)
      mixed.appendElements(in: viewport.rect, viewport: viewport, to: &enough)
      #expect(enough.elements.count == all.elements.count && !enough.isFull, "\(progress)")
    }
  }

  @Test(
    "a transition between tables of many narrow columns shows all of what it covers, in few steps"
  )
  func manyColumns() throws {
    var session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(1000),
        layout: LayoutConfiguration(Self.table(2000, width: 1, rowHeight: 44)),
        viewport: ViewportChange(size: Size(width: 1000, height: 1000)),
        options: SessionOptions(prefetch: PrefetchOptions(maxItems: 10)),
        maxElements: 5000
      )
    )
    var scratch = SessionScratch()
    func show(_ note: String) throws {
      while let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
      let work = LayoutWork(stepLimit: 2_000_000)
      let due = session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
      let frame = try #require(due, "\(note)")
      try session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
      _ = session.nextPrefetch(at: .zero, effort: .bounded(work))
      #expect(work.stop == nil, "\(note)")
      let query = try #require(session.query)
      var all = ElementBuffer()
      query.shown.appendElements(in: frame.coverage, viewport: query.viewport, to: &all)
      #expect(session.liveCount == all.elements.count && session.liveCount > 0, "\(note)")
    }
    func send(_ event: SessionEvent) throws {
      _ = try session.receive(event, seq: session.lastEvent + 1, at: .zero)
      try show("\(event)".prefix(80).description)
    }
    try show("opening")
    let other = LayoutConfiguration(Self.table(1500, width: 2, rowHeight: 0.25))
    try send(.transition(.begin(other)))
    for progress in [0.25, 0.5, 0.75, 1] { try send(.transition(.progress(progress))) }
    try send(.transition(.finish))
    try send(
      .layout(
        LayoutChange(
          layout: LayoutConfiguration(Self.table(2000, width: 1, rowHeight: 20)),
          isAnimated: true
        )
      )
    )
  }

  @Test("pinned headers are in frames of a transition, also of renderers that pin by themselves")
  func pins() throws {
    let header = ElementKey(
      category: .supplementary,
      kind: StandardKind.header,
      indexPath: IndexPath(section: 0)
    )
    for pinning in [false, true] {
      var scene = Scene(
        .keyed(100),
        layout: ListLayout(headerHeight: 20, headersPinToVisibleBounds: true),
        capabilities: ClientCapabilities(pinning: pinning, itemKeys: true)
      )
      scene.scroll(to: 700)
      scene.send(.transition(.begin(LayoutConfiguration(ListLayout(headerHeight: 20)))))
      scene.send(.transition(.progress(0.25)))
      // A quarter of the way from where it is pinned to where it is at rest.
      #expect(scene.client.element(header)?.attributes.frame.minY == 525)
      #expect(scene.client.element(header)?.pin == nil)
      #expect(scene.frames.last?.scrollSensitivity == .everyScroll)
      scene.send(.transition(.cancel))
      scene.checkMirror()
    }
  }
}
