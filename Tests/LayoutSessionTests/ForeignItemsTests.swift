// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Items from elsewhere", .timeLimit(.minutes(3)))
struct ForeignItemsTests {
  private let list = ListLayout(rowHeight: 40)

  private func keys(_ scene: Scene) -> [String] {
    scene.client.slots.values.filter { $0.key.category == .cell }
      .sorted { $0.key.indexPath < $1.key.indexPath }.map(\.itemKey)
  }

  private func slot(_ key: String, _ scene: Scene) -> UInt32? {
    scene.client.slots.first { $0.value.itemKey == key }?.key
  }

  private func new(_ keys: String..., kind: String = "") -> InteractiveMovement {
    .beginForeign(
      .new(DraggedItems([ItemBlock(count: keys.count, keys: keys)], cellKindNames: [kind]))
    )
  }

  @Test("new items are shown from the first place on, and dropped without a jump")
  func newItems() {
    for isShared in [false, true] {
      var scene = Scene(.keyed(4), layout: list, isShared: isShared)
      scene.send(.movement(new("x", "y", kind: "photo")))
      #expect(scene.problem == nil)
      #expect(keys(scene) == ["a0", "a1", "a2", "a3"])
      scene.send(.movement(.position(Point(x: 60, y: 50))))
      #expect(keys(scene) == ["a0", "x", "y", "a1", "a2", "a3"])
      #expect(scene.client.frame(itemKey: "x")?.center == Point(x: 60, y: 50))
      #expect(scene.client.frame(itemKey: "y")?.center == Point(x: 64, y: 54))
      let slots = (slot("x", scene), slot("y", scene))
      scene.send(.movement(.end))
      if case .commit(let seq, let batch) = scene.messages.first,
        let base = scene.session.baseContents,
        let change = try? base.applying(batch)
      {
        scene.session.collectionChanged(change, toVersion: 1)
        _ = scene.session.updateSettled(
          seq: seq,
          .committed(version: 1, isDuplicate: false),
          at: .zero
        )
        scene.settle()
      }
      #expect(scene.client.dataVersion == 1)
      #expect(keys(scene) == ["a0", "x", "y", "a1", "a2", "a3"])
      #expect((slot("x", scene), slot("y", scene)) == slots)
      #expect(scene.session.baseContents?.cellKindNames == ["", "photo"])
      #expect(scene.client.slots[slots.0 ?? 0]?.key.kind == "photo")
      #expect(scene.frames.allSatisfy { $0.removedSlots.isEmpty && !$0.isKeyframe })
      scene.checkMirror()
    }
  }

  @Test("items without keys keep their slots as well")
  func withoutKeys() {
    var scene = Scene(.keyed(3), layout: list)
    let block = ItemBlock(count: 2, heights: [20])
    scene.send(.movement(.beginForeign(.new(DraggedItems([block], cellKindNames: [])))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 3))))
    let before = Set(scene.client.slots.keys)
    #expect(before.count == 5)
    scene.send(.movement(.end))
    #expect(Set(scene.client.slots.keys) == before)
    scene.checkMirror()
  }

  @Test("cancelling leaves nothing, and an end before any place has accepted is refused")
  func cancelling() {
    var scene = Scene(.keyed(3), layout: list)
    scene.send(.movement(new("x")))
    scene.send(.movement(.target(IndexPath(section: 0, item: 1))))
    #expect(keys(scene) == ["a0", "x", "a1", "a2"])
    scene.send(.movement(.cancel))
    #expect(keys(scene) == ["a0", "a1", "a2"])
    scene.send(.movement(new("x")))
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    #expect(scene.problem?.reason == .wrongState)
    scene.send(.movement(.end))
    #expect(scene.problem?.reason == .moveRefused)
    scene.send(.movement(.end))
    #expect(scene.problem?.reason == .wrongState)
    #expect(scene.client.dataVersion == 0)
    scene.checkMirror()
  }

  @Test("keys that are taken, and what the rules forbid, are refused")
  func refusals() {
    var scene = Scene(.keyed(3, 2), layout: list)
    scene.send(.movement(new("x", "a1")))
    #expect(scene.problem?.reason == .keyTaken && scene.problem?.metadata["keys"] == "a1")
    scene.send(.movement(.beginForeign(.collection("collections/b", keys: ["x"]))))
    #expect(scene.problem?.reason == .featureUnsupported)
    let targets = [MovementRules.Target(.index(1), kinds: ["photo"], mostItems: 3)]
    scene.send(.movement(.rules(MovementRules(mostItems: 2, targets: targets))))
    scene.send(.movement(new("x", "y", "z", kind: "photo")))
    #expect(scene.problem?.reason == .moveRefused)
    for (items, isAccepted) in [
      (new("x", kind: "photo"), true), (new("x", kind: "text"), false),
      (new("x", "y", kind: "photo"), false),
    ] {
      scene.send(.movement(items))
      #expect(scene.problem == nil)
      scene.send(.movement(.target(IndexPath(section: 0, item: 0))))
      #expect(scene.problem?.reason == .moveRefused)
      scene.send(.movement(.position(Point(x: 10, y: 130))))
      #expect(keys(scene).contains("x") == isAccepted)
      scene.send(.movement(.cancel))
    }
    scene.send(.movement(.rules(MovementRules(staysInSection: true))))
    scene.send(.movement(new("x")))
    #expect(scene.problem?.reason == .moveRefused)
  }

  /// Rows A with a1 and a2 below it, and B; all is expanded.
  private var outline: CollectionContents {
    let block = ItemBlock(
      count: 4,
      keys: ["A", "a1", "a2", "B"],
      outline: OutlineColumns(levels: [0, 1, 1, 0], expanded: [true])
    )
    return CollectionContents(
      sections: [SectionContents(key: "s", outline: .perViewer, blocks: [block])]
    )
  }

  @Test("a tree goes into an outline, collapsed until it is there, and not elsewhere")
  func trees() throws {
    let block = ItemBlock(
      count: 3,
      keys: ["T", "t1", "t2"],
      outline: OutlineColumns(levels: [0, 1, 2])
    )
    let source = CollectionContents(
      sections: [SectionContents(key: "o", outline: .perViewer, blocks: [block])]
    )
    func held(in contents: CollectionContents) throws -> Scene {
      var scene = Scene(contents, layout: list, isShared: true)
      scene.send(.movement(.beginForeign(.collection("collections/b", keys: ["T", "t1"]))))
      guard case .lookUp(let seq, let found) = scene.messages.first else { return scene }
      let items = try source.dragged(keys: found.keys, field: "keys", stepLimit: 100)
      #expect(
        items.keys == ["T"] && items.trees.map(\.count) == [3] && items.trees.map(\.depth) == [2]
      )
      scene.messages = scene.session.foreignFound(
        items,
        from: found.collection,
        seq: seq,
        at: .zero
      )
      #expect(scene.problem == nil && scene.results.count == 1)
      return scene
    }
    var scene = try held(in: outline)
    scene.send(.movement(.position(Point(x: 10, y: 60), wish: DropPreference(nests: true))))
    #expect(keys(scene) == ["A", "a1", "T", "a2", "B"])
    let slot = slot("T", scene)
    scene.send(.movement(.end))
    guard case .transfer(let seq, "collections/b", let transfer) = scene.messages.first else {
      Issue.record("\(scene.messages)")
      return
    }
    #expect(transfer.place == .relative(.lastChild(of: "a1")))
    let batches = try TransferBatches(transfer, from: source, to: outline)
    scene.session.collectionChanged(batches.destinationChange, toVersion: 1)
    let outcome = UpdateOutcome.committed(version: 1, isDuplicate: false)
    _ = scene.session.updateSettled(seq: seq, outcome, at: .zero)
    scene.settle()
    // a1 was expanded before it had children.
    #expect(keys(scene) == ["A", "a1", "T", "a2", "B"])
    #expect(self.slot("T", scene) == slot)
    #expect(scene.session.baseContents?.whole.itemCount == 7)
    scene.checkMirror()

    var flat = try held(in: .keyed(2))
    flat.send(.movement(.target(IndexPath(section: 0, item: 0))))
    #expect(flat.problem?.reason == .moveRefused)
    #expect(keys(flat) == ["a0", "a1"])
  }

  @Test("sizes that were measured while items were held stay with them after the drop")
  func measured() throws {
    for isShared in [false, true] {
      var scene = Scene(
        .keyed(4),
        layout: ListLayout(rowHeight: 40, isSelfSizing: true),
        isShared: isShared
      )
      scene.send(.movement(new("x", "y")))
      scene.send(.movement(.target(IndexPath(section: 0, item: 1))))
      let sizes = [70.0, 20].map { Size(width: 320, height: $0) }
      scene.measure([(1, sizes[0]), (2, sizes[1])])
      #expect(scene.client.frame(itemKey: "a1")?.minY == 130)
      // A batch interrupts the movement.
      try commit(UpdateBatch([.insert("z", at: 0)]), 1, in: &scene)
      #expect(keys(scene).count == 7)
      #expect(scene.client.frame(itemKey: "x")?.height == 70)
      scene.post(.movement(.end))
      if case .commit(let seq, let batch)? = scene.messages.last {
        try commit(batch, 2, in: &scene)
        let outcome = UpdateOutcome.committed(version: 2, isDuplicate: false)
        _ = scene.session.updateSettled(seq: seq, outcome, at: .zero)
      }
      scene.settle()
      #expect(scene.session.movement == nil)
      #expect(scene.session.baseContents?.whole.itemCount == 7)
      #expect(scene.client.frame(itemKey: "x")?.height == 70)
      #expect(scene.client.frame(itemKey: "y")?.height == 20)
      #expect(scene.session.contents.measured.count == 2)
      scene.checkMirror()
    }
  }

  @Test("in an outline too, also where the items are dropped into a collapsed row")
  func measuredInOutline() throws {
    let block = ItemBlock(
      count: 3,
      keys: ["A", "a", "B"],
      outline: OutlineColumns(levels: [0, 1, 0])
    )
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: .perViewer, blocks: [block])]
    )
    for nests in [false, true] {
      var scene = Scene(contents, layout: ListLayout(rowHeight: 40, isSelfSizing: true))
      scene.send(.movement(new("x")))
      scene.send(.movement(.target(IndexPath(section: 0, item: 2))))
      scene.measure([(2, Size(width: 320, height: 75))])
      if nests {
        let wish = DropPreference(nests: true)
        scene.send(.movement(.position(Point(x: 10, y: 20), wish: wish)))
      }
      scene.send(.movement(.end))
      #expect(scene.problem == nil && scene.session.contents.whole.itemCount == 4)
      let change = ExpansionChange(expanded: ["A"])
      scene.send(.outline(OutlineEvent(change: change)))
      #expect(keys(scene) == (nests ? ["A", "a", "x", "B"] : ["A", "a", "B", "x"]))
      #expect(scene.client.frame(itemKey: "x")?.height == 75)
      #expect(scene.session.contents.measured.count == 1)
      scene.checkMirror()
    }
  }

  /// A batch of somebody: it comes to a shared session, and is sent by one that has the contents
  /// alone.
  private func commit(_ batch: UpdateBatch, _ version: UInt64, in scene: inout Scene) throws {
    if scene.session.isShared {
      let base = try #require(scene.session.baseContents?.whole)
      scene.session.collectionChanged(try base.applying(batch), toVersion: version)
      scene.settle()
    } else {
      scene.send(.update(batch))
    }
  }

  @Test("a refused transfer closes the gap, and a batch that brings the keys ends the movement")
  func endings() throws {
    func held() throws -> Scene {
      var scene = Scene(.keyed(3), layout: list, isShared: true)
      scene.send(.movement(.beginForeign(.collection("collections/b", keys: ["x"]))))
      guard case .lookUp(let seq, _) = scene.messages.first else { return scene }
      let items = DraggedItems([ItemBlock(count: 1, keys: ["x"])], cellKindNames: [])
      _ = scene.session.foreignFound(items, from: "collections/b", seq: seq, at: .zero)
      scene.send(.movement(.position(Point(x: 10, y: 10))))
      #expect(keys(scene) == ["x", "a0", "a1", "a2"])
      return scene
    }
    var refused = try held()
    refused.send(.movement(.end))
    guard case .transfer(let seq, _, _) = refused.messages.first else {
      Issue.record("\(refused.messages)")
      return
    }
    let outcome = UpdateOutcome.refused(.keyUnknown("x", field: "end"))
    refused.messages = refused.session.updateSettled(seq: seq, outcome, at: .zero)
    refused.settle()
    #expect(refused.problem?.reason == .keyUnknown)
    #expect(keys(refused) == ["a0", "a1", "a2"])
    refused.checkMirror()

    var taken = try held()
    let base = try #require(taken.session.baseContents)
    let change = try base.applying(UpdateBatch([.insert("x", at: 3)]))
    taken.session.collectionChanged(change, toVersion: 1)
    taken.settle()
    #expect(keys(taken) == ["a0", "a1", "a2", "x"])
    taken.send(.movement(.cancel))
    #expect(taken.problem?.reason == .wrongState)
    taken.checkMirror()

    // An unanswered look-up is sent again after a resume, as batches are.
    var lost = Scene(.keyed(3), layout: list, isShared: true)
    lost.send(.movement(.beginForeign(.collection("collections/b", keys: ["x"]))))
    #expect(lost.session.appliedEvent == lost.session.lastEvent - 1)
  }
}
