// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Places far away", .timeLimit(.minutes(1)))
struct FarPlacesTests {
  private static let count = 2_000_000
  private static let viewport = Viewport(offset: .zero, size: Size(width: 400, height: 600))

  /// Two million items of the greatest length.
  private static func prepare(_ layout: any CollectionLayout) -> any PreparedLayout {
    let block = ItemBlock(count: count, widths: [400], heights: [Rect.greatestLength])
    return layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
        container: LayoutContainer(size: viewport.size)
      )
    )
  }

  @Test(
    "the last of many very long items is found like the first",
    arguments: [ListLayout(), FlowLayout(), WaterfallLayout(columns: .count(1))]
      as [any CollectionLayout]
  )
  func last(layout: any CollectionLayout) throws {
    let prepared = Self.prepare(layout)
    let last = try #require(prepared.cell(0, Self.count - 1, Self.viewport))
    #expect(last.frame.y > 0x1p60)
    let queries = LayoutQueries(prepared, viewport: Self.viewport)
    let found = queries.cell(at: last.frame.center, preferring: nil)
    #expect(found == IndexPath(section: 0, item: Self.count - 1))
    let work = LayoutWork()
    let progress = prepared.itemProgress(at: last.frame.y, along: .vertical, work: work)
    #expect(progress?.passed == Self.count - 1)
  }
}
