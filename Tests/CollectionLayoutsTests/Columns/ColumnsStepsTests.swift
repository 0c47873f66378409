// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Steps of columns", .timeLimit(.minutes(1)))
struct ColumnsStepsTests {
  @Test("finding one item counts those that are placed again for it")
  func single() throws {
    var random = SplitMix64(seed: 9)
    let heights = (0 ..< 4000).map { _ in random.length(5 ... 50) }
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])]
    )
    let container = LayoutContainer(size: Size(width: 640, height: 480))
    let layout = WaterfallLayout(columns: .count(256))
    let prepared = try layout.prepare(
      LayoutContext(contents: contents, container: container),
      work: .unlimited
    )
    let viewport = Viewport(of: container)
    // The last item before a mark: 2,048 items are placed, each compared with 256 columns.
    let few = LayoutWork(stepLimit: 10_000)
    #expect(prepared.attributes(of: .cell(0, 2047), viewport: viewport, work: few) == nil)
    #expect(few.isStopped)
    let enough = LayoutWork(stepLimit: 100_000)
    let found = prepared.attributes(of: .cell(0, 2047), viewport: viewport, work: enough)
    #expect(found == prepared.attributes(of: .cell(0, 2047), viewport: viewport) && found != nil)
    #expect(enough.steps >= 2048 * 32)
    let first = LayoutWork(stepLimit: 100)
    #expect(prepared.attributes(of: .cell(0, 2048), viewport: viewport, work: first) != nil)
  }
}
