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
}
