// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Elements of a long line", .timeLimit(.minutes(1)))
struct LongLineTests {
  /// The cell of an item in a line of 20,000, and the steps that finding it may take.
  private func cell(_ item: Int, stepLimit: Int) throws -> ElementBuffer {
    let count = 20_000
    var block = ItemBlock(count: count, widths: [0])
    block.heights = (0 ..< count).map { Double($0 % 5 + 20) }
    let layout = FlowLayout(minimumInteritemSpacing: 0)
    let environment = SectionEnvironment(
      axis: .vertical,
      container: LayoutContainer(size: Size(width: 400, height: 600)),
      options: LayoutOptions()
    )
    let solved = layout.solve(
      SectionContents(blocks: [block]),
      at: 0,
      plan: layout.plan(for: environment),
      in: environment,
      work: .unlimited
    )
    var sink = ElementSink(
      buffer: ElementBuffer(stepLimit: stepLimit),
      rect: .everywhere,
      placement: SectionPlacement(axis: .vertical),
      viewport: Viewport(offset: .zero, size: Size(width: 400, height: 600)),
      kindBase: 1
    )
    try #require(solved.body).appendElement(.cell, kind: 0, item: item, to: &sink)
    return sink.buffer
  }

  @Test("one cell counts as many steps as items are looked at to place it")
  func steps() throws {
    // The whole line for its figures, then the items before the cell.
    #expect(try cell(19_000, stepLimit: 40_000).elements.count == 1)
    for limit in [1000, 19_000, 30_000] {
      let buffer = try cell(19_000, stepLimit: limit)
      #expect(buffer.isCutShort)
      #expect(buffer.elements.isEmpty)
    }
    #expect(try cell(0, stepLimit: 25_000).elements.count == 1)
  }
}
