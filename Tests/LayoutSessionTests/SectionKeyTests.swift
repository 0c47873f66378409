// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Keys of sections", .timeLimit(.minutes(1)))
struct SectionKeyTests {
  private func scene(_ capabilities: ClientCapabilities) -> Scene {
    Scene(
      .keyed(2, 2),
      layout: FlowLayout(headerReferenceSize: Size(width: 0, height: 20)),
      capabilities: capabilities
    )
  }

  @Test("headers have the key of their section, and cells that of their item")
  func both() {
    var scene = scene(ClientCapabilities(itemKeys: true, sectionKeys: true))
    #expect(scene.client.element(.supplementary("header", section: 0))?.itemKey == "a")
    #expect(scene.client.element(.supplementary("header", section: 1))?.itemKey == "b")
    #expect(scene.client.element(.cell(1, 1))?.itemKey == "b1")
    scene.update([
      .insertSections(at: 0, [SectionContents(key: "new", blocks: [ItemBlock(count: 1)])])
    ])
    #expect(scene.client.element(.supplementary("header", section: 0))?.itemKey == "new")
    #expect(scene.client.element(.supplementary("header", section: 2))?.itemKey == "b")
  }

  @Test("a client gets only the keys that it asks for")
  func asked() {
    let sections = scene(ClientCapabilities(sectionKeys: true))
    #expect(sections.client.element(.supplementary("header", section: 1))?.itemKey == "b")
    #expect(sections.client.element(.cell(1, 1))?.itemKey == "")
    let items = scene(ClientCapabilities(itemKeys: true))
    #expect(items.client.element(.supplementary("header", section: 1))?.itemKey == "")
    #expect(items.client.element(.cell(1, 1))?.itemKey == "b1")
    #expect(scene(ClientCapabilities()).frames.allSatisfy { $0.keys.isEmpty })
  }
}
