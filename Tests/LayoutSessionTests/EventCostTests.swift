// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("What events cost", .timeLimit(.minutes(1)))
struct EventCostTests {
  private func session(_ count: Int, isShared: Bool = false) -> ViewportSession {
    Scene(.keyed(count), layout: ListLayout(rowHeight: 20), isShared: isShared).session
  }

  private static let reload = SessionEvent.update(
    UpdateBatch([
      .reloadItems(section: 0, items: 0 ..< 5000, blocks: [ItemBlock(count: 5000)])
    ])
  )
  private static let edit = SessionEvent.update(UpdateBatch([.delete(0 ..< 1)]))
  private static let sections = SessionEvent.update(UpdateBatch([.deleteSections(0 ..< 1)]))
  private static let outline = SessionEvent.update(UpdateBatch(change: .outline([])))
  private static let step = SessionEvent.scrollTarget(
    .neighbor(of: .nowhere, step: .last, at: .nearest)
  )
  private static let keys = SessionEvent.outline(
    OutlineEvent(change: ExpansionChange(expanded: (0 ..< 100).map(String.init)))
  )

  @Test("batches of private contents count by the items that they touch")
  func batches() {
    let (small, large) = (session(100), session(5000))
    for event in [Self.reload, Self.sections, Self.outline] {
      #expect(large.mayTakeLong(event))
      #expect(!small.mayTakeLong(event))
    }
    // The first edit makes the index of keys.
    #expect(large.mayTakeLong(Self.edit))
    _ = large.contents.whole.indexPath(ofItemKey: "")
    #expect(!large.mayTakeLong(Self.edit))
    // Those of shared contents are committed elsewhere.
    #expect(!session(5000, isShared: true).mayTakeLong(Self.reload))
  }

  @Test(
    "questions count by the steps that they take, or may take for an index of keys; outlines by keys"
  )
  func questions() {
    let byKey = SessionEvent.scrollTarget(.item(key: "a7", at: .nearest))
    for isShared in [false, true] {
      #expect(!session(5000, isShared: isShared).mayTakeLong(Self.step))
      #expect(session(5000, isShared: isShared).mayTakeLong(byKey))
    }
    #expect(!session(100).mayTakeLong(byKey))
    // In a circle all items may be meant.
    let below = SessionEvent.scrollTarget(
      .neighbor(of: .point(Point(x: 100, y: 100)), step: .pageDown, at: .nearest)
    )
    let circle = Scene(.keyed(20_000), layout: CircleLayout()).session
    #expect(circle.mayTakeLong(below))
    #expect(!Scene(.keyed(1000), layout: CircleLayout()).session.mayTakeLong(below))
    #expect(session(100).mayTakeLong(Self.keys))
    let few = OutlineEvent(change: ExpansionChange(expanded: ["a"]))
    #expect(!session(100).mayTakeLong(.outline(few)))
  }

  @Test("expanding counts by the hidden runs below, and by a key index that is missing")
  func expanding() {
    func session(parents: Int) -> ViewportSession {
      var levels = [0]
      for _ in 0 ..< parents { levels += [1, 2] }
      levels += Array(repeating: 0, count: 3000)
      let keys = levels.indices.map { "k\($0)" }
      let block = ItemBlock(
        count: levels.count,
        keys: keys,
        outline: OutlineColumns(levels: levels)
      )
      let contents = CollectionContents(sections: [
        SectionContents(outline: .perViewer, blocks: [block])
      ])
      return Scene(contents, layout: ListLayout(rowHeight: 20), isShared: true).session
    }
    let root = SessionEvent.outline(OutlineEvent(change: ExpansionChange(expanded: ["k0"])))
    for (count, isLong) in [(10, false), (1000, true)] {
      let session = session(parents: count)
      #expect(session.mayTakeLong(root), "the index of keys is missing")
      _ = session.contents.whole.indexPath(ofItemKey: "k0")
      #expect(session.mayTakeLong(root) == isLong)
    }
    // Many exceptions may lie below.
    var session = session(parents: 300)
    let parents = (0 ..< 300).map {
      ItemExpansion(IndexPath(section: 0, item: 1 + 2 * $0), isExpanded: true)
    }
    session.follow(session.contents.expand(parents))
    let keys = (0 ..< 8).map { "k\($0)" }
    _ = session.contents.whole.indexPath(ofItemKey: "k0")
    #expect(
      session.mayTakeLong(.outline(OutlineEvent(change: ExpansionChange(expanded: keys))))
    )
  }

  @Test("movements count by what is held and what the client has")
  func movements() {
    let scene = session(200)
    let one = MovementItems.paths([IndexPath(section: 0, item: 0)])
    let many = MovementItems.keys((0 ..< 2000).map { "a\($0)" })
    #expect(!scene.mayTakeLong(.movement(.beginItems(one))))
    #expect(scene.mayTakeLong(.movement(.beginItems(many))))
    let tall = Scene(
      .keyed(3000),
      layout: ListLayout(rowHeight: 1),
      size: Size(width: 300, height: 2000)
    )
    #expect(tall.session.mayTakeLong(.movement(.beginItems(one))))
    #expect(tall.session.mayTakeLong(.movement(.end)))
  }

  @Test("much that is held makes commits, outlines and further steps long, though little is shown")
  func holding() {
    var scene = Scene(.keyed(1000), layout: ListLayout(rowHeight: 40), isShared: true)
    let position = SessionEvent.movement(.position(.zero))
    let expansion = SessionEvent.outline(OutlineEvent(change: ExpansionChange(expanded: ["a"])))
    for (count, takesLong) in [(20, false), (900, true)] {
      scene.send(.movement(.beginItems(.keys((0 ..< count).map { "a\($0)" }))))
      #expect(scene.problem == nil)
      #expect(scene.session.takesLongToFollow == takesLong)
      for event in [position, expansion] { #expect(scene.session.mayTakeLong(event) == takesLong) }
      scene.send(.movement(.cancel))
      #expect(!scene.session.takesLongToFollow)
    }
  }

  @Test("questions that wait for a layout make it long to supply")
  func waiting() throws {
    for count in [100, 5000] {
      var session = ViewportSession(
        open: SessionParameters(
          contents: .keyed(count),
          layout: LayoutConfiguration(ListLayout()),
          viewport: ViewportChange(size: Size(width: 320, height: 480))
        )
      )
      #expect(!session.takesLongToSupply)
      _ = try session.receive(Self.step, seq: 2, at: .zero)
      #expect(session.takesLongToSupply == (count > 100))
    }
  }

  @Test("many elements are looked at for their visibility in a turn, with the same result")
  func visibility() throws {
    func scene() -> Scene {
      Scene(
        .keyed(6000),
        layout: ListLayout(rowHeight: 1),
        size: Size(width: 300, height: 4000),
        options: SessionOptions(
          anchorMode: .none,
          visibility: VisibilityOptions(rules: [VisibilityRule(), VisibilityRule()])
        )
      )
    }
    var (small, bounded) = (scene(), scene())
    #expect(small.session.nextVisibility(at: .zero, effort: .small) == nil)
    #expect(small.session.needsTurn)
    let later = small.session.nextVisibility(at: .zero, effort: .bounded(LayoutWork()))
    let atOnce = bounded.session.nextVisibility(at: .zero)
    #expect(later == atOnce && later?.began.isEmpty == false)
    // Nothing has changed since, which takes no looking.
    #expect(small.session.nextFrame(at: .zero) == nil)
    #expect(small.session.nextVisibility(at: .zero, effort: .small) == nil)
    #expect(!small.session.needsTurn)
  }

  @Test("what is left for a turn is told there, although the frame has filled the window by then")
  func visibilityOfFullWindow() throws {
    var session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(6000),
        layout: LayoutConfiguration(ListLayout(rowHeight: 1)),
        viewport: ViewportChange(size: Size(width: 300, height: 4000)),
        options: SessionOptions(
          maxInFlightFrames: 1,
          anchorMode: .none,
          visibility: VisibilityOptions(rules: [VisibilityRule()])
        )
      )
    )
    while let request = session.wantedLayout { _ = session.supply(request.prepare(), for: request) }
    #expect(session.nextFrame(at: .zero) != nil)
    #expect(session.nextVisibility(at: .zero, effort: .small) == nil)
    let later = Duration.milliseconds(3)
    #expect(session.nextFrame(at: later) == nil)
    let told = session.nextVisibility(at: later, effort: .bounded(LayoutWork()))
    #expect(told?.began.isEmpty == false)
    // From then on it waits for the acknowledgement as ever.
    #expect(session.nextVisibility(at: later) == nil)
  }
}
