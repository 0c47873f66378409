// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

/// A layout whose queries take more steps than a query may take, and so find nothing.
private struct EndlessLayout: CollectionLayout {
  var kindName: String { "custom:endless" }

  func prepare(_ context: LayoutContext) -> any PreparedLayout { Prepared(context: context) }

  struct Prepared: PreparedLayout {
    var context: LayoutContext
    var contentSize: Size { context.container.size }
    var kindNames: [String] { context.contents.cellKindNames }
    var scrollAxis: ScrollAxis? { .vertical }
    var byteCount: Int { 0 }

    func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
      buffer.visit(ElementBuffer.defaultStepLimit)
    }

    func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
      LayoutAttributes(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    }
  }
}

@Suite("Transitions and movements by hand", .timeLimit(.minutes(2)))
struct InteractionTests {
  private let flow = LayoutConfiguration(FlowLayout(itemSize: Size(width: 100, height: 100)))

  @Test("frames run in a straight line from one layout to the other")
  func transition() {
    var scene = Scene(.keyed(3), layout: ListLayout(rowHeight: 40))
    let slots = scene.client.slots.mapValues(\.itemKey)
    scene.send(.transition(.begin(flow)))
    #expect(scene.problem == nil)
    #expect(scene.client.frame(itemKey: "a1") == Rect(x: 0, y: 40, width: 320, height: 40))
    scene.send(.transition(.progress(0.5)))
    #expect(scene.client.frame(itemKey: "a1") == Rect(x: 55, y: 20, width: 210, height: 70))
    scene.send(.transition(.progress(0.25)))
    #expect(scene.client.frame(itemKey: "a2") == Rect(x: 55, y: 60, width: 265, height: 55))
    #expect(scene.client.slots.mapValues(\.itemKey) == slots)
    scene.send(.transition(.finish))
    #expect(scene.client.frame(itemKey: "a1") == Rect(x: 110, y: 0, width: 100, height: 100))
    #expect(scene.client.contentSize == Size(width: 320, height: 100))
    #expect(scene.client.slots.mapValues(\.itemKey) == slots)
    scene.checkMirror()
  }

  @Test("a cancelled transition leads back")
  func cancelledTransition() {
    var scene = Scene(.keyed(3), layout: ListLayout(rowHeight: 40))
    let before = scene.client.slots
    scene.send(.transition(.begin(flow)))
    scene.send(.transition(.progress(0.75)))
    #expect(scene.client.slots != before)
    scene.update([.insert("x", at: 0)])
    scene.update([.delete(0 ..< 1)])
    scene.send(.transition(.cancel))
    #expect(scene.client.slots == before)
    scene.checkMirror()
  }

  @Test("a transition may begin anew towards a layout with other kinds of elements")
  func secondTransition() throws {
    let grid = GridLayout(itemSize: Size(width: 100, height: 100))
    var scene = Scene(.keyed(30), layout: grid)
    var wide = grid
    wide.lineSpacing = 10
    scene.send(.transition(.begin(LayoutConfiguration(wide))))
    scene.send(.transition(.progress(0.5)))
    let decorated = LayoutOptions(sectionBackgrounds: [SectionBackground(kind: "card")])
    scene.send(.transition(.begin(LayoutConfiguration(grid, options: decorated))))
    scene.send(.transition(.progress(0.5)))
    scene.checkMirror()
    #expect(scene.client.slots.values.contains { $0.key.kind == "card" })
    scene.send(.transition(.begin(LayoutConfiguration(wide))))
    scene.send(.transition(.progress(0.25)))
    scene.checkMirror()
    scene.send(.transition(.finish))
    scene.checkMirror()
  }

  @Test("progress beyond an end is kept and shown as that end", arguments: [-1, 2, 1e9, -0.25])
  func progressBeyondTheEnds(progress: Double) {
    var scene = Scene(.keyed(3), layout: ListLayout(rowHeight: 40))
    scene.send(.transition(.begin(flow)))
    let shown = min(max(progress, 0), 1)
    scene.send(.transition(.progress(shown)))
    let expected = frames(scene)
    scene.send(.transition(.progress(0.5)))
    scene.send(.transition(.progress(progress)))
    #expect(scene.problem == nil)
    #expect(frames(scene) == expected)
    #expect(scene.session.target?.progress == progress)
    scene.send(.transition(.finish))
    #expect(scene.problem == nil)
    scene.checkMirror()
  }

  private func frames(_ scene: Scene) -> [Rect?] {
    (0 ..< 3).map { scene.client.frame(itemKey: "a\($0)") }
  }

  @Test("steps of a transition that has not begun, and progress that is no number, are refused")
  func refusedTransition() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    for step in [InteractiveTransition.progress(0.5), .finish, .cancel] {
      scene.send(.transition(step))
      #expect(scene.problem?.reason == .wrongState)
    }
    scene.send(.transition(.begin(flow)))
    for progress in [Double.nan, .infinity] {
      scene.send(.transition(.progress(progress)))
      #expect(scene.problem?.reason == .fieldInvalid)
    }
  }

  @Test("what only one layout shows fades")
  func fading() {
    var scene = Scene(.keyed(3), layout: ListLayout(rowHeight: 40))
    scene.send(
      .transition(.begin(LayoutConfiguration(ListLayout(rowHeight: 40, headerHeight: 20))))
    )
    let header = ElementKey.supplementary("header", section: 0)
    #expect(scene.client.element(header) == nil)
    scene.send(.transition(.progress(0.5)))
    #expect(scene.client.element(header)?.attributes.alpha == 0.5)
    scene.send(.transition(.finish))
    #expect(scene.client.element(header)?.attributes.alpha == 1)
    scene.checkMirror()
  }

  // MARK: - Movement

  @Test("a held item follows the finger in front and the others make room")
  func movement() throws {
    var scene = Scene(.keyed(4), layout: ListLayout(rowHeight: 40))
    scene.send(.movement(.begin(IndexPath(section: 0, item: 3))))
    #expect(scene.problem == nil)
    scene.send(.movement(.position(Point(x: 160, y: 20))))
    #expect(scene.client.frame(itemKey: "a3")?.center == Point(x: 160, y: 20))
    #expect(scene.client.frame(itemKey: "a0") == Rect(x: 0, y: 40, width: 320, height: 40))
    let held = scene.client.slots.values.first { $0.itemKey == "a3" }
    #expect(try #require(held).attributes.zIndex == Int(Int32.max))
    #expect(scene.client.dataVersion == 0)
    scene.send(.movement(.end))
    #expect(scene.client.dataVersion == 1)
    #expect(scene.results.first?.dataVersion == 1)
    let order = scene.client.slots.values.sorted { $0.attributes.frame.y < $1.attributes.frame.y }
    #expect(order.map(\.itemKey) == ["a3", "a0", "a1", "a2"])
    scene.checkMirror()
  }

  @Test("an item is held although its layout takes too many steps to find any element")
  func movementInSlowLayout() {
    var scene = Scene(.keyed(4), layout: EndlessLayout())
    scene.send(.movement(.begin(IndexPath(section: 0, item: 1))))
    scene.post(.movement(.position(Point(x: 160, y: 20))))
    #expect(scene.problem == nil)
    var scratch = SessionScratch()
    let work = LayoutWork(stepLimit: 1000)
    let frame = scene.session.nextFrame(at: .zero, scratch: &scratch, effort: .bounded(work))
    #expect(frame == nil)
    #expect(work.isStopped)
    scene.send(.movement(.cancel))
    #expect(scene.problem == nil)
  }

  @Test("a cancelled movement leaves everything as it was")
  func cancelledMovement() {
    var scene = Scene(.keyed(4), layout: ListLayout(rowHeight: 40))
    let before = scene.client.slots
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.position(Point(x: 160, y: 100))))
    #expect(scene.client.frame(itemKey: "a1")?.y == 0)
    scene.send(.movement(.cancel))
    #expect(scene.client.slots == before)
    #expect(scene.client.dataVersion == 0)
    scene.checkMirror()
  }

  @Test("previews of a movement are no versions that others could share")
  func previewsAreNotShared() throws {
    var scene = Scene(.keyed(20), layout: ListLayout(rowHeight: 20), isShared: true)
    let position = Point(x: 160, y: 110)
    scene.send(.movement(.begin(IndexPath(section: 0, item: 1))))
    scene.send(.movement(.position(position)))
    scene.post(.movement(.cancel))
    let request = try #require(scene.session.wantedLayout)
    #expect(request.isShareable)
    #expect(request.derivation?.baseVersion == nil)
    scene.settle()
    scene.checkMirror()

    // From here on every change is one version of the collection.
    for version in 1 ... 3 as ClosedRange<UInt64> {
      let old = try #require(scene.session.query?.prepared.context.contents)
      let change = try old.applying(UpdateBatch([.insert("n\(version)", at: 0)]))
      scene.session.collectionChanged(change, toVersion: version)
      let request = try #require(scene.session.wantedLayout)
      #expect(request.derivation?.baseVersion == version - 1)
      #expect(request.derivation?.changes.count == 1)
      scene.settle()
    }
    // A preview that is still there when a batch comes is taken back first.
    scene.send(.movement(.begin(IndexPath(section: 0, item: 1))))
    scene.send(.movement(.position(position)))
    let own = try #require(scene.session.baseContents)
    let change = try own.applying(UpdateBatch([.delete(10 ..< 12)]))
    scene.session.collectionChanged(change, toVersion: 4)
    scene.post(.movement(.cancel))
    #expect(scene.session.wantedLayout?.derivation?.baseVersion == nil)
    scene.settle()
    scene.checkMirror()
  }

  @Test("an item is not taken where it cannot be")
  func movedOutOfBounds() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    for y in [1e300, -1e13, .nan, .infinity] {
      scene.send(.movement(.position(Point(x: 0, y: y))))
      #expect(scene.problem?.violations.first?.field == "position")
    }
  }

  @Test(
    "a question about an element that is not there names the field and what is in it",
    arguments: [
      (.item(key: "a1", at: .start), "element.item_key", "\"a1\" found; the layout places no"),
      (.item(key: "zzz", at: .start), "element.item_key", "\"zzz\" found; no item has"),
      (
        .element(.supplementary("h", section: 0), at: .start), "element.key",
        "supplementary \"h\" at (0) found; the layout places no"
      ),
      (
        .neighbor(of: .item(key: "a1"), step: .next, at: .start), "neighbor.item_key",
        "\"a1\" found; the layout places no"
      ),
      (
        .neighbor(of: .element(.cell(0, 7)), step: .next, at: .start), "neighbor.key",
        "cell at (0, 7) found; the layout places no"
      ),
    ] as [(ScrollRequest, String, String)]
  )
  func unplaced(request: ScrollRequest, field: String, start: String) throws {
    var scene = Scene(.keyed(3), layout: SpatialLayout())
    scene.send(.scrollTarget(request))
    let violation = try #require(scene.problem?.violations.first)
    #expect(scene.problem?.reason == .indexOutOfRange)
    #expect(violation.field == field)
    #expect(violation.description.hasPrefix(start), "\(violation.description)")
  }

  @Test("there is nothing to hold beyond the end, nor to move without holding")
  func refusedMovement() {
    var scene = Scene(.keyed(4), layout: ListLayout())
    scene.send(.movement(.begin(IndexPath(section: 0, item: 9))))
    #expect(scene.problem?.reason == .indexOutOfRange)
    scene.send(.movement(.begin(IndexPath(section: 0))))
    #expect(scene.problem?.reason == .indexOutOfRange)
    scene.send(.movement(.end))
    #expect(scene.problem?.reason == .wrongState)
  }

  @Test("a held item stays held under a batch of somebody else")
  func batchWhileHeld() {
    var scene = Scene(.keyed(4), layout: ListLayout(rowHeight: 40))
    scene.send(.movement(.begin(IndexPath(section: 0, item: 3))))
    scene.send(.movement(.position(Point(x: 160, y: 20))))
    scene.update([.insert("x", at: 4)])
    scene.send(.movement(.position(Point(x: 160, y: 60))))
    #expect(scene.client.frame(itemKey: "a3")?.center == Point(x: 160, y: 60))
    scene.send(.movement(.end))
    let order = scene.client.slots.values.sorted { $0.attributes.frame.y < $1.attributes.frame.y }
    #expect(order.map(\.itemKey) == ["a0", "a3", "a1", "a2", "x"])
    scene.checkMirror()
  }

  @Test("a shared session lets its owner commit the move")
  func sharedMovement() throws {
    let contents = CollectionContents.keyed(4)
    var scene = Scene(contents, layout: ListLayout(rowHeight: 40), isShared: true)
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.position(Point(x: 160, y: 100))))
    scene.send(.movement(.end))
    guard case .commit(let seq, let batch) = scene.messages.first else {
      Issue.record("nothing to commit")
      return
    }
    #expect(scene.client.frame(itemKey: "a1")?.y == 0)
    let change = try contents.applying(batch)
    scene.session.collectionChanged(change, toVersion: 1)
    let messages = scene.session.updateSettled(
      seq: seq,
      .committed(version: 1, isDuplicate: false),
      at: .zero
    )
    #expect(messages.count == 1)
    scene.settle()
    let order = scene.client.slots.values.sorted { $0.attributes.frame.y < $1.attributes.frame.y }
    #expect(order.map(\.itemKey) == ["a1", "a2", "a0", "a3"])
    scene.checkMirror()
  }
}
