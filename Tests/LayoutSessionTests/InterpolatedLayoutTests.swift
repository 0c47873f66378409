// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("InterpolatedLayout", .timeLimit(.minutes(1)))
struct InterpolatedLayoutTests {
  @Test(
    "a query that one of the two layouts does not finish is cut short",
    arguments: [true, false]
  )
  func cutShort(isFirst: Bool) {
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))
    let context = LayoutContext(
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 20_000)])]),
      container: LayoutContainer(size: viewport.size)
    )
    // All cells of one lie in the rect, few of the other.
    let (dense, sparse) = (
      GridLayout(itemSize: .zero).prepare(context), GridLayout().prepare(context)
    )
    let (from, to) = isFirst ? (dense, sparse) : (sparse, dense)
    let mixed = InterpolatedLayout(
      from: from,
      to: to,
      kinds: InterpolatedKinds(from: from, to: to),
      progress: 0.5
    )
    let rect = Rect(x: -10, y: -10, width: 400, height: 400)
    var buffer = ElementBuffer(stepLimit: 1000)
    mixed.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && buffer.isFull)

    buffer = ElementBuffer()
    mixed.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(!buffer.isCutShort)
    #expect(!buffer.elements.isEmpty)
  }

  @Test("pinned headers are in frames of a transition, also of renderers that pin by themselves")
  func pins() throws {
    let header = ElementKey(
      category: .supplementary,
      kind: StandardKind.header,
      indexPath: IndexPath(section: 0)
    )
    for pinning in [false, true] {
      var scene = Scene(
        .keyed(100),
        layout: ListLayout(headerHeight: 20, headersPinToVisibleBounds: true),
        capabilities: ClientCapabilities(pinning: pinning, itemKeys: true)
      )
      scene.scroll(to: 700)
      scene.send(.transition(.begin(LayoutConfiguration(ListLayout(headerHeight: 20)))))
      scene.send(.transition(.progress(0.25)))
      // A quarter of the way from where it is pinned to where it is at rest.
      #expect(scene.client.element(header)?.attributes.frame.minY == 525)
      #expect(scene.client.element(header)?.pin == nil)
      #expect(scene.frames.last?.scrollSensitivity == .everyScroll)
      scene.send(.transition(.cancel))
      scene.checkMirror()
    }
  }
}
