// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import Testing

@testable import CollectionLayouts

@Suite("Columns of equal items", .timeLimit(.minutes(1)))
struct UniformColumnsBodyTests {
  @Test("a body without items has no elements, wherever it is asked for them")
  func empty() throws {
    let section = SectionContents(blocks: [])
    let container = LayoutContainer(size: Size(width: 320, height: 480))
    let rule = WaterfallRule(
      WaterfallLayout(columns: .count(1)),
      metrics: section.metrics,
      extent: 320,
      environment: SectionEnvironment(
        axis: .vertical,
        container: container,
        options: LayoutOptions()
      )
    )
    let body = try #require(UniformColumnsBody(section.items, rule: rule))
    for start in [-1000.0, 0, 1000] {
      var sink = ElementSink(
        buffer: ElementBuffer(),
        rect: .everywhere,
        placement: SectionPlacement(axis: .vertical),
        viewport: Viewport(offset: .zero, size: container.size),
        kindBase: 1
      )
      body.appendElements(
        in: AxisRect(main: start, cross: 0, mainLength: 500, crossLength: 320),
        to: &sink
      )
      #expect(sink.buffer.elements.isEmpty)
    }
    #expect(body.length == 0)
  }
}
