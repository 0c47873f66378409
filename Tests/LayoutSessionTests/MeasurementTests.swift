// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Measurements", .timeLimit(.minutes(2)))
struct MeasurementTests {
  private func scene(_ counts: Int = 4) -> Scene {
    Scene(.keyed(counts), layout: ListLayout(rowHeight: 40, isSelfSizing: true, rowSpacing: 7))
  }

  private func heights(_ scene: Scene) -> [String: Double] {
    scene.client.slots.values.reduce(into: [:]) { $0[$1.itemKey] = $1.attributes.frame.height }
  }

  @Test("measured sizes take the place of estimates and move what follows")
  func shift() {
    var scene = scene()
    scene.measure([(0, Size(width: 100, height: 300))])
    #expect(scene.client.frame(itemKey: "a0") == Rect(x: 0, y: 0, width: 320, height: 300))
    #expect(scene.client.frame(itemKey: "a1")?.y == 307)
    #expect(scene.client.contentSize.height == 441)
    #expect(scene.client.dataVersion == 0)
    #expect(scene.client.layoutVersion == 2)
    scene.measure([(1, Size(width: 320, height: 60)), (0, Size(width: 320, height: 10))])
    #expect(scene.client.frame(itemKey: "a2")?.y == 84)
    scene.checkMirror()
  }

  @Test("rows of a list configuration take them, and their separators follow")
  func listConfiguration() {
    let list = ListConfiguration(appearance: .insetGrouped)
    var scene = Scene(
      .keyed(3),
      layout: CompositionalLayout(sections: [CompositionalSection(list: list)])
    )
    scene.measure([(0, Size(width: 288, height: 60))])
    #expect(scene.client.frame(itemKey: "a0") == Rect(x: 16, y: 35, width: 288, height: 60))
    #expect(scene.client.frame(itemKey: "a1")?.y == 95)
    let separator = ElementKey(
      category: .decoration,
      kind: "separator",
      indexPath: IndexPath(section: 0, item: 0)
    )
    #expect(
      scene.client.element(separator)?.attributes.frame == Rect(x: 16, y: 95, width: 288, height: 1)
    )
    #expect(scene.client.contentSize.height == 35 + 60 + 88 + 20)
    scene.update([.delete(1 ..< 2)])
    #expect(scene.client.contentSize.height == 35 + 60 + 44 + 20)
    scene.checkMirror()
  }

  @Test("they go with their items, through batches of every kind")
  func batches() {
    var scene = scene()
    scene.measure([(1, Size(width: 320, height: 100)), (2, Size(width: 320, height: 60))])
    scene.update([.move(1, to: 3)])
    #expect(heights(scene) == ["a0": 40, "a2": 60, "a3": 40, "a1": 100])
    scene.checkMirror()
    scene.update([.insert("x", at: 0), .delete(0 ..< 1)])
    #expect(heights(scene) == ["x": 40, "a2": 60, "a3": 40, "a1": 100])
    scene.update([.moveSection(from: 0, to: 0)])
    #expect(heights(scene) == ["x": 40, "a2": 60, "a3": 40, "a1": 100])
    scene.update([
      .insertSections(
        at: 0,
        [SectionContents(key: "z", blocks: [ItemBlock(count: 1, keys: ["z0"])])]
      )
    ])
    #expect(heights(scene) == ["z0": 40, "x": 40, "a2": 60, "a3": 40, "a1": 100])
    scene.update([.moveSection(from: 1, to: 0), .delete(0 ..< 1, section: 1)])
    #expect(heights(scene) == ["z0": 40, "a2": 60, "a3": 40, "a1": 100])
    scene.checkMirror()
  }

  @Test("a reconfigured item keeps its measured size, a reloaded one does not")
  func replacements() {
    var scene = scene()
    scene.measure([(0, Size(width: 320, height: 100)), (1, Size(width: 320, height: 60))])
    scene.update([
      .reconfigureItems(section: 0, items: 0 ..< 1, blocks: [ItemBlock(count: 1, heights: [33])]),
      .reloadItems(section: 0, items: 1 ..< 2, blocks: [ItemBlock(count: 1)]),
    ])
    #expect(heights(scene) == ["a0": 100, "a1": 40, "a2": 40, "a3": 40])
    scene.checkMirror()
  }

  @Test("they stay through changes of the viewport and of the layout")
  func viewport() {
    var scene = scene(200)
    scene.measure([(0, Size(width: 320, height: 100))])
    scene.scroll(to: 5000)
    scene.scroll(to: 0)
    scene.send(.viewport(ViewportChange(size: Size(width: 400, height: 480))))
    #expect(heights(scene)["a0"] == 100)
    scene.checkMirror()
  }

  @Test("layouts without self-sizing pass them over")
  func notSelfSizing() {
    var scene = Scene(.keyed(4), layout: ListLayout())
    scene.measure([(0, Size(width: 320, height: 300))])
    #expect(scene.frames.isEmpty)
    #expect(scene.client.contentSize.height == 176)
  }

  @Test("a slot that has come to hold another element is passed over")
  func staleSlot() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(rowHeight: 48, isSelfSizing: true),
      offset: Point(x: 0, y: 4800)
    )
    let slot = try #require(scene.client.slots.keys.min())
    scene.scroll(to: 20_000)
    scene.send(
      .measurements(
        MeasurementReport(
          observedFrame: 1,
          slots: [slot],
          sizes: [Size(width: 1, height: 9)]
        )
      )
    )
    #expect(scene.problem == nil)
    #expect(scene.frames.isEmpty)
    scene.send(
      .measurements(
        MeasurementReport(
          observedFrame: 2,
          slots: [slot],
          sizes: [Size(width: 1, height: 9)]
        )
      )
    )
    #expect(scene.frames.count == 1)
  }

  @Test("reports that make no sense are refused")
  func refusals() {
    var scene = scene()
    for report in [
      MeasurementReport(observedFrame: 1, slots: [0], sizes: []),
      MeasurementReport(observedFrame: 9, slots: [], sizes: []),
      MeasurementReport(observedFrame: 1, slots: [0], sizes: [Size(width: 1, height: .nan)]),
      MeasurementReport(observedFrame: 1, slots: [0], sizes: [Size(width: -1, height: 1)]),
    ] {
      scene.send(.measurements(report))
      #expect(scene.problem?.reason == .fieldInvalid)
    }
  }

  @Test("an item that is measured twice in one report has the later size")
  func twice() {
    var scene = scene()
    scene.measure([(0, Size(width: 1, height: 9)), (0, Size(width: 1, height: 19))])
    #expect(heights(scene)["a0"] == 19)
  }
}
