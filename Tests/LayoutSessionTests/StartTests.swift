// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// Rows of 20, 40 apart: 50 of them are 1980 long. In a viewport of 400 with insets of 50 and 30,
/// offsets from -50 to 1610 are legal.
@Suite("Starts of sessions", .timeLimit(.minutes(2)))
struct StartTests {
  private static let insets = EdgeInsets(top: 50, leading: 0, bottom: 30, trailing: 0)

  private func scene(
    _ start: SessionStart?,
    isSelfSizing: Bool = false,
    options: SessionOptions = SessionOptions()
  ) -> Scene {
    Scene(
      .keyed(50),
      layout: ListLayout(rowHeight: 20, isSelfSizing: isSelfSizing, rowSpacing: 20),
      size: Size(width: 300, height: 400),
      insets: Self.insets,
      options: options,
      start: start
    )
  }

  /// The same without a layout, and so without a frame.
  private func session(
    _ layout: any CollectionLayout = ListLayout(rowHeight: 20, rowSpacing: 20),
    isShared: Bool = false
  ) -> ViewportSession {
    ViewportSession(
      open: SessionParameters(
        contents: .keyed(50),
        isShared: isShared,
        layout: LayoutConfiguration(layout),
        viewport: ViewportChange(size: Size(width: 300, height: 400), insets: Self.insets)
      )
    )
  }

  private func firstFrame(of session: inout ViewportSession) -> SessionFrame? {
    while let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
    return session.nextFrame(at: .zero)
  }

  @Test(
    "the first frame leads to the place",
    arguments: [
      (.edge(.start), -50), (.edge(.end), 1610), (.fraction(0), -50), (.fraction(1), 1610),
      (.fraction(0.5), 780), (.item(key: "a20", at: .start), 750),
      (.item(key: "a20", at: .end), 450), (.item(key: "a20", at: .center), 600),
      (.item(key: "a20", at: .nearest), 450), (.item(key: "a2", at: .nearest), -50),
      (.item(key: "a49", at: .start), 1610), (.element(.cell(0, 20), at: .start), 750),
    ] as [(SessionStart, Double)]
  )
  func places(start: SessionStart, y: Double) {
    let scene = scene(start)
    #expect(scene.client.offset == Point(x: 0, y: y))
    #expect(scene.frames.count == 1 && scene.frames.first?.isKeyframe == true)
    scene.checkMirror()
  }

  @Test("a layout whose places are not finite does not lose the place of the session")
  func nowhere() throws {
    var scene = scene(.item(key: "a20", at: .start))
    let before = scene.session.viewport.offset
    let faulty = CircleLayout(radiusDivisor: .leastNonzeroMagnitude)
    scene.post(.layout(LayoutChange(layout: LayoutConfiguration(faulty))))
    scene.prepare()
    _ = scene.session.nextFrame(at: .zero)
    #expect((scene.session.viewport.offset.x + scene.session.viewport.offset.y).isFinite)
    let good = ListLayout(rowHeight: 20, rowSpacing: 20)
    scene.client = MirrorClient(resuming: scene.client)
    scene.post(.resync)
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(good))))
    #expect(scene.session.viewport.offset == before)
    #expect(!scene.client.slots.isEmpty)
    var session = session(faulty)
    try session.begin(at: .item(key: "a20", at: .start))
    _ = firstFrame(of: &session)
    #expect(session.viewport.offset.isFinite)
  }

  @Test("content from right to left starts at its right end")
  func rightToLeft() {
    func x(_ start: SessionStart) -> Double {
      Scene(
        .keyed(50),
        layout: FlowLayout(scrollDirection: .horizontal, itemSize: Size(width: 90, height: 90)),
        size: Size(width: 300, height: 100),
        traits: .init(isRightToLeft: true),
        options: SessionOptions(),
        start: start
      ).client.offset.x
    }
    let most = x(.edge(.start))
    #expect(most > 3000)
    #expect(x(.edge(.end)) == 0)
    #expect(x(.fraction(0.25)) == most * 0.75)
    #expect(x(.item(key: "a0", at: .start)) == most)
  }

  @Test("headers are places as well")
  func header() {
    let scene = Scene(
      .keyed(30, 30),
      layout: ListLayout(rowHeight: 20, headerHeight: 10),
      options: SessionOptions(),
      start: .element(.supplementary("header", section: 1), at: .start)
    )
    #expect(scene.client.offset == Point(x: 0, y: 610))
  }

  @Test(
    "what is not there is refused with its field",
    arguments: [
      (.item(key: "a50", at: .start), .indexOutOfRange, "start.element.item_key"),
      (.element(.cell(0, 50), at: .start), .indexOutOfRange, "start.element.key"),
      (.element(.cell(1, 0), at: .start), .indexOutOfRange, "start.element.key"),
      (.fraction(.nan), .fieldInvalid, "start.fraction"),
      (.fraction(1.5), .fieldInvalid, "start.fraction"),
    ] as [(SessionStart, Refusal.Reason, String)]
  )
  func refused(start: SessionStart, reason: Refusal.Reason, field: String) throws {
    var session = session()
    let refusal = try #require(throws: Refusal.self) { try session.begin(at: start) }
    #expect(refusal.reason == reason)
    #expect(refusal.violations.map(\.field) == [field])
  }

  @Test(
    "an element that the layout does not have ends the session instead of a frame",
    arguments: [.supplementary("header", section: 0), .cell(0, 1, kind: "other")] as [ElementKey]
  )
  func missing(key: ElementKey) throws {
    var session = session()
    try session.begin(at: .element(key, at: .start))
    #expect(session.startRefusal == nil)
    let frame = firstFrame(of: &session)
    #expect(frame == nil)
    #expect(session.startRefusal?.reason == .indexOutOfRange)
    #expect(session.startRefusal?.violations.map(\.field) == ["start.element.key"])
    #expect(session.nextFrame(at: .seconds(1)) == nil)
  }

  @Test("an offset that comes before the first frame does not count")
  func earlyOffset() throws {
    var session = session()
    try session.begin(at: .item(key: "a20", at: .start))
    _ = try session.receive(
      .viewport(ViewportChange(offset: Point(x: 0, y: 100))),
      seq: 2,
      at: .zero
    )
    let frame = firstFrame(of: &session)
    #expect(frame?.offsetAdjustment == Point(x: 0, y: 650))
  }

  @Test("a batch before the first frame takes the place along; without it the start is shown")
  func earlyBatch() throws {
    var session = session()
    try session.begin(at: .item(key: "a20", at: .start))
    _ = try session.receive(.update(UpdateBatch([.insert("x", "y", at: 3)])), seq: 2, at: .zero)
    var gone = session
    let frame = firstFrame(of: &session)
    #expect(frame?.offsetAdjustment == Point(x: 0, y: 830))
    _ = try gone.receive(.update(UpdateBatch([.delete(22 ..< 23)])), seq: 3, at: .zero)
    let other = firstFrame(of: &gone)
    #expect(other?.offsetAdjustment == Point(x: 0, y: -50))
  }

  @Test("a transition that begins before the first frame begins at the place")
  func earlyTransition() throws {
    var session = session()
    try session.begin(at: .item(key: "a20", at: .start))
    let layout = LayoutConfiguration(ListLayout(rowHeight: 100))
    _ = try session.receive(.transition(.begin(layout)), seq: 2, at: .zero)
    let frame = firstFrame(of: &session)
    #expect(frame?.offsetAdjustment == Point(x: 0, y: 750))
    #expect(session.startRefusal == nil)
  }

  @Test("after a rejected first frame, the keyframe leads to the place")
  func rejected() throws {
    var session = session()
    try session.begin(at: .edge(.end))
    let first = firstFrame(of: &session)
    #expect(first?.offsetAdjustment == Point(x: 0, y: 1610))
    try session.acknowledge(FrameAck(sequence: 1, isRejected: true), at: .zero)
    let again = session.nextFrame(at: .zero)
    #expect(again?.isKeyframe == true && again?.offsetAdjustment == Point(x: 0, y: 1610))
    #expect(session.nextFrame(at: .zero) == nil)
  }

  @Test("an item that the layout does not place is refused by the key that was given")
  func unplaced() throws {
    var session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(3),
        layout: LayoutConfiguration(SpatialLayout()),
        viewport: ViewportChange(size: Size(width: 300, height: 400))
      )
    )
    try session.begin(at: .item(key: "a1", at: .start))
    let frame = firstFrame(of: &session)
    #expect(frame == nil)
    let violation = try #require(session.startRefusal?.violations.first)
    #expect(violation.field == "start.element.item_key")
    #expect(violation.description == "\"a1\" found; the layout places no such element")
  }

  @Test("without items the edges are places, and items are not")
  func empty() throws {
    for start in [.edge(.start), .edge(.end), .fraction(0.5)] as [SessionStart] {
      let scene = Scene(.keyed(0), layout: ListLayout(), options: SessionOptions(), start: start)
      #expect(scene.client.offset == .zero && scene.frames.count == 1)
    }
    var session = ViewportSession(
      open: SessionParameters(
        contents: .empty,
        layout: LayoutConfiguration(ListLayout()),
        viewport: ViewportChange(size: Size(width: 300, height: 400))
      )
    )
    let refusal = try #require(throws: Refusal.self) {
      try session.begin(at: .element(.cell(0, 0), at: .start))
    }
    #expect(refusal.reason == .indexOutOfRange)
    try session.begin(at: .edge(.end))
    let frame = firstFrame(of: &session)
    #expect(frame?.offsetAdjustment == .zero)
  }

  @Test("after an import before the first frame, the place is found by its key")
  func earlyImport() throws {
    var session = session(isShared: true)
    try session.begin(at: .item(key: "a20", at: .start))
    let keys = (0 ..< 40).map { "a\(39 - $0)" }
    let contents = CollectionContents(
      sections: [SectionContents(key: "a", blocks: [ItemBlock(count: 40, keys: keys)])]
    )
    session.collectionReset(contents: contents, version: 1)
    var gone = session
    let frame = firstFrame(of: &session)
    #expect(frame?.offsetAdjustment == Point(x: 0, y: 710))
    gone.collectionReset(contents: .keyed(3), version: 2)
    let other = firstFrame(of: &gone)
    #expect(other?.offsetAdjustment == Point(x: 0, y: -50))
  }

  @Test("contents that are large are shown first at their start, elsewhere as a whole")
  func beginnings() {
    /// How many frames there are, and the offset after them.
    func frames(_ start: SessionStart?) -> (count: Int, y: Double) {
      let scene = Scene(
        Self.different,
        layout: ListLayout(),
        options: SessionOptions(),
        beginningCount: 600,
        start: start
      )
      scene.checkMirror()
      return (scene.frames.count, scene.client.offset.y)
    }
    for start in [nil, .edge(.start), .fraction(0)] as [SessionStart?] {
      let (count, y) = frames(start)
      #expect(count == 2 && y == 0)
    }
    let end = frames(.edge(.end))
    #expect(end.count == 1 && end.y > 100_000)
    #expect(frames(.element(.cell(0, 10), at: .start)).count == 1)
  }

  /// Rows of different heights in several chunks.
  private static var different: CollectionContents {
    let heights = (0 ..< 4000).map { Double(30 + $0 % 17) }
    return CollectionContents(
      sections: [SectionContents(key: "a", blocks: [ItemBlock(count: 4000, heights: heights)])]
    )
  }

  // MARK: - Holding

  private func measureVisible(_ scene: inout Scene, height: Double) {
    let visible = Rect(origin: scene.client.offset, size: Size(width: 300, height: 400))
    let items = scene.client.slots.values.filter { $0.attributes.frame.meets(visible) }
      .compactMap(\.key.indexPath.item)
    scene.measure(items.sorted().map { ($0, Size(width: 300, height: height)) })
  }

  @Test("measuring moves neither an element from its place nor the end")
  func measuring() throws {
    var middle = scene(.item(key: "a20", at: .center), isSelfSizing: true)
    measureVisible(&middle, height: 50)
    let frame = try #require(middle.client.frame(itemKey: "a20"))
    #expect(frame.height == 50)
    #expect(frame.y + 25 == middle.client.offset.y + 50 + 160)
    measureVisible(&middle, height: 33)
    let again = try #require(middle.client.frame(itemKey: "a20"))
    #expect(again.y + 16.5 == middle.client.offset.y + 50 + 160)

    var end = scene(.edge(.end), isSelfSizing: true)
    measureVisible(&end, height: 70)
    #expect(end.client.offset.y == end.client.contentSize.height + 30 - 400)
  }

  @Test("the place survives a pixel of rounding, and ends where the user scrolls away")
  func scrolling() throws {
    var rounded = scene(.edge(.end), isSelfSizing: true)
    rounded.scroll(to: 1609.5)
    measureVisible(&rounded, height: 70)
    #expect(rounded.client.offset.y == rounded.client.contentSize.height + 30 - 400)

    var scrolled = scene(.edge(.end), isSelfSizing: true)
    scrolled.scroll(to: 1600)
    measureVisible(&scrolled, height: 70)
    #expect(scrolled.client.offset.y < scrolled.client.contentSize.height - 400)
    // It does not come back.
    scrolled.scroll(to: scrolled.client.contentSize.height - 370)
    measureVisible(&scrolled, height: 75)
    #expect(scrolled.client.offset.y < scrolled.client.contentSize.height - 370)
  }

  @Test("the place is found anew when the viewport or the layout changes, and after a resume")
  func otherGeometry() throws {
    var scene = scene(.item(key: "a20", at: .end))
    scene.send(.viewport(ViewportChange(size: Size(width: 300, height: 300))))
    #expect(scene.client.offset.y == 820 - 300 + 30)
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout(rowHeight: 100)))))
    #expect(scene.client.offset.y == 2100 - 300 + 30)
    _ = try scene.session.resume(
      SessionResume(
        lastFrame: scene.client.lastApplied,
        liveCount: scene.client.slots.count,
        capabilities: scene.session.capabilities,
        viewport: ViewportChange(
          offset: scene.client.offset,
          size: Size(width: 300, height: 500)
        )
      ),
      at: .zero
    )
    scene.settle()
    #expect(scene.client.offset.y == 2100 - 500 + 30)
  }

  @Test("when the data change, the content is anchored as ever")
  func data() {
    var end = scene(.edge(.end))
    end.update([.insert("x", at: 50)])
    #expect(end.adjustment == .zero)
    // The place is given up: it is not the end any more.
    end.send(.viewport(ViewportChange(size: Size(width: 300, height: 390))))
    #expect(end.client.offset.y == 1610)

    var element = scene(.item(key: "a20", at: .center))
    element.update([.insert("x", "y", at: 0)])
    #expect(element.client.offset.y == 680)
    element.send(.viewport(ViewportChange(size: Size(width: 300, height: 200))))
    #expect(element.client.offset.y == 780)
  }

  @Test("a search for the place that takes long is left to the owner, and then is the same")
  func effort() throws {
    let widths = (0 ..< 200_000).map { Double(10 + $0 % 7) }
    let contents = CollectionContents(
      sections: [
        SectionContents(blocks: [ItemBlock(count: widths.count, widths: widths, heights: widths)])
      ]
    )
    var session = ViewportSession(
      open: SessionParameters(
        contents: contents,
        layout: LayoutConfiguration(FlowLayout()),
        viewport: ViewportChange(size: Size(width: 1e8, height: 5)),
        maxElements: 1000
      )
    )
    try session.begin(at: .element(.cell(0, 199_999), at: .end))
    while let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
    var twin = session
    var scratch = SessionScratch()
    #expect(session.nextFrame(at: .zero, scratch: &scratch, effort: .small) == nil)
    #expect(session.needsTurn && session.startRefusal == nil)
    let work = LayoutWork(stepLimit: 10_000_000)
    let frame = session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
    let other = twin.nextFrame(at: .zero)
    let expected = try #require(other).offsetAdjustment
    #expect(frame?.offsetAdjustment == expected)
    #expect(expected.y > 0)
  }
}
