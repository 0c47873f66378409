// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Viewport session", .timeLimit(.minutes(2)))
struct ViewportSessionTests {
  // MARK: - Opening

  @Test("opens with a keyframe of what is in view and one viewport beyond")
  func opening() throws {
    let scene = Scene(.keyed(100), layout: ListLayout())
    let frame = try #require(scene.frames.first)
    #expect(scene.frames.count == 1)
    #expect(frame.isKeyframe)
    #expect(frame.sequence == 1)
    #expect(frame.appliedEvent == 1)
    #expect(frame.contentSize == Size(width: 320, height: 4400))
    #expect(frame.coverage.minY == -480)
    #expect(frame.coverage.maxY == 960)
    // Rows 0 …< 960 / 44, the last one partly.
    #expect(frame.upserts.map { $0.element.indexPath.item } == Array(0 ..< 22))
    #expect(frame.upserts.map(\.slot) == Array(0 ..< 22))
    #expect(frame.scrollSensitivity == .coverage)
    scene.checkMirror()
  }

  @Test("wants a layout before its first frame, and no longer once it has it")
  func wantsLayout() throws {
    var session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(3),
        layout: LayoutConfiguration(ListLayout()),
        viewport: ViewportChange(size: Size(width: 320, height: 480))
      )
    )
    #expect(session.nextFrame(at: .zero) == nil)
    #expect(session.query == nil)
    let request = try #require(session.wantedLayout)
    session.supply(request.prepare(), for: request)
    #expect(session.wantedLayout == nil)
    #expect(session.query != nil)
    #expect(session.nextFrame(at: .zero) != nil)
    #expect(session.nextFrame(at: .zero) == nil)
  }

  @Test("opens on nothing")
  func empty() throws {
    let scene = Scene(.empty, layout: ListLayout())
    let frame = try #require(scene.frames.first)
    #expect(frame.upserts.isEmpty)
    #expect(frame.stateChecksum == 0)
    #expect(frame.liveCount == 0)
  }

  // MARK: - Scrolling

  @Test("sends nothing while the visible rect stays well inside the coverage")
  func insideCoverage() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    // The coverage ends at 960; a quarter of the overscan of 480 has to be left.
    scene.scroll(to: 360)
    #expect(scene.frames.isEmpty)
    #expect(scene.messages.isEmpty)
    scene.scroll(to: 361)
    #expect(scene.frames.count == 1)
    #expect(scene.client.coverage == Rect(x: -320, y: 121, width: 960, height: 1200))
    scene.checkMirror()
  }

  @Test("looks ahead in the direction of motion and keeps half a viewport behind")
  func direction() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.scroll(to: 10_000)
    #expect(scene.client.coverage.minY == 9760)
    #expect(scene.client.coverage.maxY == 10_960)
    scene.scroll(to: 5000)
    #expect(scene.client.coverage.minY == 4520)
    #expect(scene.client.coverage.maxY == 5720)
    scene.send(
      .viewport(ViewportChange(offset: Point(x: 0, y: 8000), velocity: Point(x: 0, y: -900)))
    )
    #expect(scene.client.coverage.minY == 7520)
    scene.send(.viewport(ViewportChange(offset: Point(x: 0, y: 20_000), velocity: .zero)))
    #expect(scene.client.coverage.minY == 19_520)
    #expect(scene.client.coverage.maxY == 20_960)
  }

  @Test("keeps the overscan that was asked for")
  func overscan() {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(rowHeight: 48),
      offset: Point(x: 0, y: 4800),
      options: SessionOptions(overscanAhead: 0, overscanBehind: 0)
    )
    #expect(scene.client.slots.count == 10)
    scene.scroll(to: 4848)
    #expect(scene.client.slots.count == 10)
    #expect(scene.upsertCount == 1)
    scene.checkMirror()
  }

  @Test("a step of ten rows sends ten and removes ten into the same slots")
  func recycling() throws {
    var scene = Scene(
      .keyed(10_000),
      layout: ListLayout(rowHeight: 48),
      offset: Point(x: 0, y: 48_000)
    )
    let before = scene.client.everUsed
    scene.scroll(to: 48_480)
    scene.scroll(to: 48_960)
    let frame = try #require(scene.frames.first)
    #expect(frame.upserts.count == 10)
    #expect(frame.removedSlots.count == 10)
    #expect(scene.client.everUsed == before)
    scene.checkMirror()
  }

  @Test("reports a jump as one frame")
  func jump() {
    var scene = Scene(.keyed(10_000), layout: ListLayout())
    scene.scroll(to: 88_000)
    #expect(scene.frames.count == 1)
    #expect(scene.client.element(.cell(0, 2000))?.attributes.frame.y == 88_000)
    #expect(scene.client.element(.cell(0, 0)) == nil)
    scene.checkMirror()
  }

  @Test("gives up coverage rather than exceed the elements of a frame")
  func tooManyElements() {
    let scene = Scene(
      .keyed(20_000),
      layout: ListLayout(rowHeight: 1),
      size: Size(width: 320, height: 15_000),
      maxElements: 500
    )
    #expect(scene.client.slots.count <= 500)
    #expect(scene.client.slots.count >= 200)
    #expect(scene.client.coverage.minY == 0)
    #expect(scene.client.element(.cell(0, 0)) != nil)
    scene.checkMirror()
  }

  @Test("a viewport of enormous length is served in part")
  func enormousViewport() {
    let scene = Scene(
      .keyed(100_000),
      layout: ListLayout(),
      size: Size(width: 320, height: 1e9),
      maxElements: 1000
    )
    #expect(scene.client.slots.count <= 1000)
    #expect(scene.client.element(.cell(0, 0)) != nil)
    scene.checkMirror()
  }

  // MARK: - Refusals

  @Test("refuses what is not finite and leaves no trace")
  func invalidViewport() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    for (change, field) in [
      (ViewportChange(offset: Point(x: .nan, y: 0)), "content_offset.x"),
      (ViewportChange(size: Size(width: -1, height: 5)), "size.width"),
      (ViewportChange(size: Size(width: 1, height: .infinity)), "size.height"),
      (ViewportChange(velocity: Point(x: 0, y: .infinity)), "velocity.y"),
      (ViewportChange(observedFrame: 77), "observed_frame_seq"),
      (ViewportChange(traits: .init(displayScale: 0)), "traits.display_scale"),
    ] {
      scene.send(.viewport(change))
      #expect(scene.problem?.reason == .fieldInvalid)
      #expect(scene.problem?.violations.first?.field == field)
      #expect(scene.frames.isEmpty)
    }
    scene.send(.unsupported("hologram"))
    #expect(scene.problem?.reason == .featureUnsupported)
    scene.scroll(to: 10)
    #expect(scene.problem == nil)
  }

  @Test("does what it is told until it is closed")
  func closing() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.send(.close(discard: true))
    #expect(scene.results.count == 1)
    #expect(scene.session.isClosed)
    #expect(scene.session.isDiscarded)
    scene.scroll(to: 10_000)
    #expect(scene.frames.isEmpty)
    #expect(scene.session.nextDeadline(after: .zero) == nil)
  }

  // MARK: - Viewport

  @Test("lays out anew for another size and reports a new layout version")
  func resize() throws {
    var scene = Scene(.keyed(5), layout: ListLayout())
    let slots = scene.client.slots.mapValues(\.itemKey)
    scene.send(.viewport(ViewportChange(size: Size(width: 400, height: 480))))
    #expect(scene.client.slots.mapValues(\.itemKey) == slots)
    #expect(scene.client.frame(itemKey: "a0") == Rect(x: 0, y: 0, width: 400, height: 44))
    #expect(try #require(scene.frames.first).layoutVersion == 2)
    scene.checkMirror()
  }

  @Test("an offset is read in the frame that the client had seen")
  func observedFrame() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      offset: Point(x: 0, y: 4400),
      options: SessionOptions()
    )
    scene.post(.update(UpdateBatch([.insert("x", "y", at: 0)])))
    scene.prepare()
    let frame = try scene.take()
    #expect(frame.offsetAdjustment == Point(x: 0, y: 88))
    // Read before the client knew of the insert.
    scene.post(.viewport(ViewportChange(observedFrame: 1, offset: Point(x: 0, y: 4500))))
    #expect(scene.session.query?.viewport.offset.y == 4588)
    scene.post(.viewport(ViewportChange(observedFrame: 2, offset: Point(x: 0, y: 4600))))
    #expect(scene.session.query?.viewport.offset.y == 4600)
  }

  @Test("content that runs from right to left starts at its right end")
  func rightToLeftStart() throws {
    let scene = Scene(
      .keyed(100),
      layout: FlowLayout(scrollDirection: .horizontal),
      size: Size(width: 300, height: 50),
      traits: .init(isRightToLeft: true),
      options: SessionOptions()
    )
    let width = scene.client.contentSize.width
    #expect(width > 300)
    #expect(scene.client.offset.x == width - 300)
    #expect(scene.client.frame(itemKey: "a0")?.maxX == width)
  }

  @Test(
    "rows of grids that are wider than the viewport start at their right end as well",
    arguments: [
      GridLayout(itemSize: Size(width: 40, height: 40)),
      SectionsLayout(layouts: [
        SectionLayout(.list(ListLayout())),
        SectionLayout(.grid(GridLayout(itemSize: Size(width: 40, height: 40)))),
      ]),
    ] as [any CollectionLayout]
  )
  func rightToLeftGrid(layout: any CollectionLayout) {
    let scene = Scene(
      .keyed(2, 20),
      layout: layout,
      size: Size(width: 300, height: 200),
      traits: .init(isRightToLeft: true),
      options: SessionOptions()
    )
    #expect(scene.client.contentSize.width == 800)
    #expect(scene.client.offset.x == 500)
    #expect(scene.client.frame(itemKey: "a0")?.maxX == 800)
    #expect(scene.client.frame(itemKey: "b0")?.maxX == 800)
  }

  @Test("pinned headers need every scroll step, unless the client pins")
  func pinning() throws {
    let layout = ListLayout(headerHeight: 30, headersPinToVisibleBounds: true)
    var scene = Scene(.keyed(100, 100), layout: layout)
    let header = ElementKey.supplementary("header", section: 0)
    let slot = scene.client.slot(header)
    #expect(scene.frames.first?.scrollSensitivity == .everyScroll)
    scene.scroll(to: 100)
    #expect(scene.upsertCount == 1)
    #expect(scene.client.element(header)?.attributes.frame.y == 100)
    #expect(scene.client.slot(header) == slot)
    scene.scroll(to: 100)
    #expect(scene.frames.isEmpty)

    var pinning = Scene(
      .keyed(100, 100),
      layout: layout,
      capabilities: ClientCapabilities(pinning: true, itemKeys: true)
    )
    #expect(pinning.frames.first?.scrollSensitivity == .coverage)
    #expect(pinning.client.element(header)?.pin != nil)
    pinning.scroll(to: 100)
    #expect(pinning.frames.isEmpty)
  }
}
