// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Reordering several items", .timeLimit(.minutes(1)))
struct ReorderingTests {
  private func rows(_ scene: Scene) -> [String] {
    scene.client.slots.values.filter { $0.key.category == .cell }
      .sorted { $0.key.indexPath < $1.key.indexPath }.map(\.itemKey)
  }

  private func z(_ key: String, _ scene: Scene) -> Int? {
    scene.client.slots.values.first { $0.itemKey == key }?.attributes.zIndex
  }

  @Test("several items are stacked under the finger and dropped together, the lead first")
  func stack() {
    var scene = Scene(.keyed(8), layout: ListLayout(rowHeight: 40))
    let slots = Set(scene.client.slots.keys)
    scene.send(.movement(.beginItems(.keys(["a5", "a1", "a7", "a0", "a3"]))))
    #expect(scene.problem == nil)
    #expect(rows(scene) == ["a2", "a4", "a5", "a1", "a7", "a0", "a3", "a6"])
    #expect(scene.client.frame(itemKey: "a5")?.center == Point(x: 160, y: 100))
    #expect(scene.client.frame(itemKey: "a1")?.center == Point(x: 164, y: 104))
    scene.send(.movement(.position(Point(x: 100, y: 20))))
    #expect(rows(scene) == ["a5", "a1", "a7", "a0", "a3", "a2", "a4", "a6"])
    let centers = ["a5", "a1", "a7", "a0", "a3"].map { scene.client.frame(itemKey: $0)?.center.x }
    #expect(centers == [100, 104, 108, 112, 112])
    let top = Int(Int32.max)
    #expect(["a5", "a1", "a7", "a0", "a3"].map { z($0, scene) } == (0 ..< 5).map { top - $0 })
    #expect(scene.client.frame(itemKey: "a2")?.y == 200)
    scene.send(.movement(.end))
    #expect(scene.client.dataVersion == 1)
    #expect(rows(scene) == ["a5", "a1", "a7", "a0", "a3", "a2", "a4", "a6"])
    #expect(Set(scene.client.slots.keys) == slots)
    scene.checkMirror()
  }

  @Test("a finger over an empty section reaches it by its header, and a target without room")
  func emptySections() {
    let sections = [["x", "y"], [], ["z"]]
    let size = Size(width: 320, height: 40)
    let contents = NaiveReordering.contents(sections, sizes: ["x": size, "y": size, "z": size])
    var scene = Scene(contents, layout: ListLayout(rowHeight: 40, headerHeight: 20))
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.position(Point(x: 10, y: 110))))
    #expect(scene.client.element(.cell(1, 0))?.itemKey == "x")
    scene.send(.movement(.end))
    #expect(scene.client.element(.cell(1, 0))?.itemKey == "x")
    scene.checkMirror()

    var bare = Scene(contents, layout: ListLayout(rowHeight: 40))
    bare.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    bare.send(.movement(.target(IndexPath(section: 1, item: 0))))
    #expect(bare.problem == nil)
    bare.send(.movement(.end))
    #expect(bare.client.element(.cell(1, 0))?.itemKey == "x")
    for path in [
      IndexPath(section: 1, item: 2), IndexPath(section: 3, item: 0), IndexPath(section: 1),
    ] {
      bare.send(.movement(.begin(IndexPath(section: 2, item: 0))))
      bare.send(.movement(.target(path)))
      #expect(bare.problem?.reason == .indexOutOfRange)
      bare.send(.movement(.cancel))
    }
  }

  @Test("items go between sections of different kinds")
  func mixedSections() {
    let flow = FlowLayout(itemSize: Size(width: 100, height: 100))
    let layout = SectionsLayout(layouts: [
      SectionLayout(.list(ListLayout(rowHeight: 40))), SectionLayout(.flow(flow)),
    ])
    var scene = Scene(.keyed(2, 2), layout: layout)
    scene.send(.movement(.beginItems(.keys(["a0", "a1"]))))
    scene.send(.movement(.position(Point(x: 10, y: 150))))
    scene.send(.movement(.end))
    #expect(rows(scene) == ["a0", "a1", "b0", "b1"])
    #expect(scene.client.element(.cell(1, 1))?.itemKey == "a1")
    #expect(scene.client.frame(itemKey: "a0")?.size == Size(width: 100, height: 100))
    scene.checkMirror()
  }

  @Test("rules keep items where they are, and refuse with a reason")
  func rules() {
    var scene = Scene(.keyed(3, 2, 1), layout: ListLayout(rowHeight: 40))
    scene.send(
      .movement(
        .rules(
          MovementRules(
            fixedKeys: ["a0"],
            mostItems: 2,
            targets: [
              .init(.key("a")), .init(.index(1), mostItems: 3), .init(.index(2), kinds: ["none"]),
            ]
          )
        )
      )
    )
    for items in [["a0"], ["a1", "a2", "b0"]] {
      scene.send(.movement(.beginItems(.keys(items))))
      #expect(scene.problem?.reason == .moveRefused)
    }
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    #expect(scene.problem?.reason == .moveRefused)
    scene.send(.movement(.beginItems(.keys(["a1", "a2"]))))
    scene.send(.movement(.position(Point(x: 10, y: 130))))
    #expect(rows(scene) == ["a0", "a1", "a2", "b0", "b1", "c0"], "section 1 would have four items")
    scene.send(.movement(.target(IndexPath(section: 2, item: 0))))
    #expect(scene.problem?.reason == .moveRefused)
    scene.send(.movement(.cancel))
    scene.send(.movement(.beginItems(.keys(["a1"]))))
    scene.send(.movement(.position(Point(x: 10, y: 130))))
    #expect(rows(scene) == ["a0", "a2", "a1", "b0", "b1", "c0"])
    #expect(scene.client.element(.cell(1, 0))?.itemKey == "a1")
    scene.send(.movement(.position(Point(x: 10, y: 230))))
    #expect(scene.client.element(.cell(1, 0))?.itemKey == "a1", "the last accepted target stays")
    scene.send(.movement(.cancel))
    scene.checkMirror()
  }

  @Test("an index in the rules follows the section, and means nothing once that is gone")
  func rulesFollowSections() throws {
    var scene = Scene(.keyed(1, 1, 1), layout: ListLayout(rowHeight: 40))
    scene.send(.movement(.rules(MovementRules(targets: [.init(.index(2))]))))
    scene.update([.deleteSections(0 ..< 1)])
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.target(IndexPath(section: 1, item: 0))))
    #expect(scene.problem == nil)
    scene.send(.movement(.cancel))
    scene.update([.deleteSections(1 ..< 2)])
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 0))))
    #expect(scene.problem?.reason == .moveRefused)
  }

  @Test("what cannot be taken is refused with its place in the list")
  func refusedItems() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.send(.movement(.beginItems(.keys(["a0", "b"]))))
    #expect(scene.problem?.reason == .keyUnknown)
    #expect(scene.problem?.violations.first?.field == "begin_items.keys[1]")
    let paths = [IndexPath(section: 0, item: 0), IndexPath(section: 0, item: 3)]
    scene.send(.movement(.beginItems(.paths(paths))))
    #expect(scene.problem?.reason == .indexOutOfRange)
    #expect(scene.problem?.violations.first?.field == "begin_items.paths[1]")
    scene.send(.movement(.beginItems(.paths([]))))
    #expect(scene.problem?.reason == .fieldInvalid)
    scene.send(.movement(.beginItems(.keys(Array(repeating: "a0", count: 1001)))))
    #expect(scene.problem?.reason == .fieldInvalid)
    scene.send(.movement(.beginItems(.keys(Array(repeating: "a0", count: 1000)))))
    #expect(scene.problem == nil)
    scene.send(.movement(.beginItems(.keys(["a1"]))))
    #expect(scene.problem?.reason == .wrongState)
    scene.send(.movement(.target(IndexPath(section: 0, item: 3))))
    #expect(scene.problem?.reason == .indexOutOfRange)
    scene.send(.movement(.cancel))
    scene.send(.movement(.target(IndexPath(section: 0, item: 0))))
    #expect(scene.problem?.reason == .wrongState)
  }

  @Test("what a session holds and its rules are counted in its memory")
  func memory() {
    var scene = Scene(.keyed(1000), layout: ListLayout(rowHeight: 40))
    let before = scene.session.byteCount
    let keys = (0 ..< 1000).map { "a\($0)" }
    scene.post(.movement(.rules(MovementRules(fixedKeys: keys.map { $0 + "x" }))))
    let ruled = scene.session.byteCount
    #expect(ruled >= before + 40_000)
    scene.post(.movement(.beginItems(.keys(keys.reversed()))))
    #expect(scene.problem == nil)
    #expect(scene.session.byteCount >= ruled + 30_000)
    scene.post(.movement(.cancel))
    scene.post(.movement(.rules(MovementRules())))
    scene.settle()
    scene.checkMirror()
  }

  @Test("the next item becomes the lead where that is deleted; the end of all is the end")
  func deletedLead() {
    var scene = Scene(.keyed(6), layout: ListLayout(rowHeight: 40))
    scene.send(.movement(.beginItems(.keys(["a4", "a2"]))))
    scene.send(.movement(.position(Point(x: 160, y: 20))))
    scene.update([.delete(4 ..< 5)])
    #expect(rows(scene) == ["a2", "a0", "a1", "a3", "a5"])
    #expect(scene.client.frame(itemKey: "a2")?.center == Point(x: 160, y: 20))
    scene.update([.delete(2 ..< 3)])
    #expect(rows(scene) == ["a0", "a1", "a3", "a5"])
    scene.send(.movement(.end))
    #expect(scene.problem?.reason == .wrongState)
    scene.checkMirror()
  }

  @Test("a resume lets go of what was held and keeps the rules")
  func resume() throws {
    var scene = Scene(.keyed(4), layout: ListLayout(rowHeight: 40))
    scene.send(.movement(.rules(MovementRules(fixedKeys: ["a3"]))))
    scene.send(.movement(.beginItems(.keys(["a2", "a0"]))))
    _ = try scene.session.resume(
      SessionResume(
        lastFrame: scene.client.lastApplied,
        stateChecksum: scene.client.checksum,
        liveCount: scene.client.slots.count,
        capabilities: scene.session.capabilities
      ),
      at: .zero
    )
    scene.settle()
    #expect(rows(scene) == ["a0", "a1", "a2", "a3"])
    scene.send(.movement(.beginItems(.keys(["a3"]))))
    #expect(scene.problem?.reason == .moveRefused)
  }
}
