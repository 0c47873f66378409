// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Data of items", .timeLimit(.minutes(1)))
struct ItemDataTests {
  private func scene(_ capabilities: ClientCapabilities, isShared: Bool = false) -> Scene {
    let items = ItemBlock(
      count: 3,
      heights: [40],
      keys: ["x", "y", "z"],
      data: ["a text", "", "another"]
    )
    return Scene(
      CollectionContents(sections: [SectionContents(blocks: [items])]),
      layout: ListLayout(),
      capabilities: capabilities,
      isShared: isShared
    )
  }

  private func data(_ scene: Scene) -> [String?] {
    (0 ..< 3).map { scene.client.element(.cell(0, $0))?.itemData }
  }

  private func reconfigure(_ item: Int, data: [String]) -> UpdateOperation {
    .reconfigureItems(
      section: 0,
      items: item ..< item + 1,
      blocks: [ItemBlock(count: 1, data: data)]
    )
  }

  @Test("clients that ask for it get the data of each cell's item, others nothing")
  func asked() {
    #expect(data(scene(ClientCapabilities(itemData: true))) == ["a text", "", "another"])
    let others = scene(ClientCapabilities(itemKeys: true))
    #expect(others.frames.allSatisfy { $0.itemData.isEmpty })
  }

  @Test("an item whose data alone change is sent again, and nothing else is")
  func changed() {
    var scene = scene(ClientCapabilities(itemKeys: true, itemData: true))
    scene.update([reconfigure(1, data: ["new"])])
    #expect(data(scene) == ["a text", "new", "another"])
    #expect(scene.upsertCount == 1)
    scene.update([reconfigure(1, data: ["new"])])
    #expect(scene.upsertCount == 0)
    scene.update([reconfigure(1, data: [])])
    #expect(scene.upsertCount == 0, "an empty column leaves the data as they were")
    scene.update([reconfigure(1, data: [""])])
    #expect(data(scene) == ["a text", "", "another"])
    scene.checkMirror()
  }

  @Test("a client that does not ask for data gets no frame for them")
  func unasked() {
    var scene = scene(ClientCapabilities(itemKeys: true))
    scene.update([reconfigure(1, data: ["new"])])
    #expect(scene.upsertCount == 0)
  }

  @Test("several changes between two frames are told once, also of items that move meanwhile")
  func merged() throws {
    var scene = scene(ClientCapabilities(itemKeys: true, itemData: true))
    scene.post(.update(UpdateBatch([reconfigure(0, data: ["first"])])))
    scene.post(.update(UpdateBatch([.insert("new", at: 0)])))
    scene.post(.update(UpdateBatch([.move(1, to: 3), reconfigure(2, data: ["second"])])))
    scene.settle()
    #expect(scene.frames.count == 1)
    let told = Dictionary(
      uniqueKeysWithValues: scene.client.slots.values.map { ($0.key, $0.itemData) }
    )
    #expect(
      told == [
        .cell(0, 0): "", .cell(0, 1): "second", .cell(0, 2): "another", .cell(0, 3): "first",
      ]
    )
    scene.checkMirror()
  }

  @Test("measuring an item keeps its data")
  func measured() {
    var scene = scene(ClientCapabilities(itemKeys: true, itemData: true))
    scene.measure([(item: 0, size: Size(width: 10, height: 70))])
    #expect(data(scene) == ["a text", "", "another"])
  }
}
