// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Identity", .timeLimit(.minutes(2)))
struct IdentityTests {
  private let header = ElementKey.supplementary("header", section: 0)
  private let secondHeader = ElementKey.supplementary("header", section: 1)

  private func slots(_ scene: Scene) -> [String: UInt32] {
    Dictionary(
      uniqueKeysWithValues: scene.client.slots.filter { !$0.value.itemKey.isEmpty }
        .map { ($0.value.itemKey, $0.key) }
    )
  }

  /// Applies a batch and checks that every item that is there before and after keeps its slot.
  private func check(
    _ operations: [UpdateOperation],
    order: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var scene = Scene(.keyed(5), layout: ListLayout())
    let before = slots(scene)
    scene.update(operations, sourceLocation: sourceLocation)
    let after = slots(scene)
    for (key, slot) in after where before[key] != nil {
      #expect(before[key] == slot, "\(key)", sourceLocation: sourceLocation)
    }
    let found = scene.client.slots.values.sorted { $0.attributes.frame.y < $1.attributes.frame.y }
    #expect(found.map(\.itemKey) == order, sourceLocation: sourceLocation)
    scene.checkMirror(sourceLocation: sourceLocation)
  }

  @Test("an element keeps its slot through inserts, deletes and moves")
  func edits() {
    check([.insert("x", at: 0)], order: ["x", "a0", "a1", "a2", "a3", "a4"])
    check([.move(0, to: 4)], order: ["a1", "a2", "a3", "a4", "a0"])
    check(
      [.delete(2 ..< 3), .insert("x", at: 2), .move(4, to: 1), .move(0, to: 3)],
      order: ["a1", "a4", "x", "a0", "a3"]
    )
    check([.delete(0 ..< 5), .insert("x", at: 0)], order: ["x"])
  }

  @Test("an insert above is a matter of index paths alone")
  func shiftOnly() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      offset: Point(x: 0, y: 4400),
      options: SessionOptions(anchorMode: .none)
    )
    scene.update([.insert("x", at: 0), .delete(50 ..< 51)])
    let frame = try #require(scene.frames.first)
    // The rows in coverage moved by one and back by one: nothing to tell.
    #expect(frame.upserts.isEmpty)
    #expect(frame.removedSlots.isEmpty)
    #expect(frame.dataVersion == 1)

    var waterfall = Scene(.keyed(10), layout: CircleLayout())
    waterfall.update([.move(0, to: 9), .move(9, to: 0)])
    #expect(waterfall.upsertCount == 2)
  }

  @Test("what only changes its index path is marked as such")
  func marked() throws {
    var scene = Scene(
      .keyed(1, 4),
      layout: ListLayout(),
      options: SessionOptions(anchorMode: .none)
    )
    // An empty section in front renumbers everything and moves nothing.
    scene.update([.insertSections(at: 0, [SectionContents(key: "z")])])
    let frame = try #require(scene.frames.first)
    #expect(frame.upserts.count == 5)
    #expect(frame.upserts.filter(\.isShiftOnly).count == 5)
    scene.checkMirror()
  }

  @Test("a reload is a new element in a freed slot")
  func reload() throws {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.update([
      .reloadItems(section: 0, items: 1 ..< 2, blocks: [ItemBlock(count: 1, keys: ["a1"])])
    ])
    let frame = try #require(scene.frames.first)
    #expect(frame.removedSlots == [1])
    #expect(frame.upserts.map(\.slot) == [1])
    scene.checkMirror()
  }

  @Test("another kind of cell is another element")
  func kinds() throws {
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 3)])],
      cellKindNames: ["a", "b"]
    )
    var scene = Scene(contents, layout: ListLayout())
    scene.update([
      .reconfigureItems(
        section: 0,
        items: 1 ..< 2,
        blocks: [ItemBlock(count: 1, cellKinds: [1])]
      )
    ])
    #expect(scene.client.slot(.cell(0, 1, kind: "b")) == 3)
    #expect(scene.client.slot(.cell(0, 1, kind: "a")) == nil)
    scene.checkMirror()
  }

  @Test("sections take their headers along")
  func sections() {
    var scene = Scene(.keyed(2, 1), layout: ListLayout(headerHeight: 30))
    let (first, second) = (scene.client.slot(header), scene.client.slot(secondHeader))
    scene.update([.moveSection(from: 0, to: 1)])
    #expect(scene.client.slot(header) == second)
    #expect(scene.client.slot(secondHeader) == first)
    scene.checkMirror()
    scene.update([.insertSections(at: 0, [SectionContents(key: "z")])])
    #expect(scene.client.slot(secondHeader) == second)
    scene.checkMirror()
  }

  @Test("slots survive a change of layout")
  func layoutChange() {
    var scene = Scene(.keyed(5), layout: ListLayout())
    let before = slots(scene)
    scene.send(
      .layout(LayoutChange(layout: LayoutConfiguration(CircleLayout()), isAnimated: true))
    )
    #expect(slots(scene) == before)
    #expect(scene.frames.first?.transition?.isAnimated == true)
    scene.checkMirror()
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout(headerHeight: 10)))))
    #expect(slots(scene) == before)
    scene.checkMirror()
  }

  @Test("contents of unknown identity come as a keyframe with new slots")
  func reset() {
    var scene = Scene(.keyed(5), layout: ListLayout(), isShared: true)
    scene.session.collectionReset(contents: .keyed(3), version: 9)
    scene.settle()
    #expect(scene.frames.map(\.isKeyframe) == [true])
    #expect(scene.client.dataVersion == 9)
    scene.checkMirror()
  }

  @Test("several batches merge into one frame")
  func merged() throws {
    var scene = Scene(.keyed(30), layout: ListLayout())
    for step in 0 ..< 25 {
      scene.post(.update(UpdateBatch([.insert("n\(step)", at: step), .delete(29 ..< 30)])))
    }
    scene.settle()
    let frame = try #require(scene.frames.first)
    #expect(scene.frames.count == 1)
    #expect(frame.dataVersion == 25)
    #expect(frame.mergedEvents == 24)
    scene.checkMirror()
  }
}
