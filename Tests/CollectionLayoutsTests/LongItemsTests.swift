// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Items that are much longer than wide", .timeLimit(.minutes(1)))
struct LongItemsTests {
  @Test("are cut off at the greatest length, so that a column of them has a finite one")
  func columns() {
    let layouts: [any CollectionLayout] = [
      WaterfallLayout(columns: .count(2)), GridLanesLayout(lanes: [GridLane(.fraction(1))]),
    ]
    for layout in layouts {
      for (count, widths) in [
        (600, [1e-290]), (600, (0 ..< 600).map { $0 % 2 == 0 ? 1e-290 : 2e-291 }),
      ] {
        let block = ItemBlock(count: count, widths: widths, heights: [0x1p40])
        let context = LayoutContext(
          contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
          container: LayoutContainer(size: Size(width: 300, height: 400))
        )
        let prepared = layout.prepare(context)
        let length = prepared.contentSize.height
        #expect(length <= Double(count) * (Rect.greatestLength + 100), "\(layout) \(length)")
        #expect(length >= Rect.greatestLength, "\(layout) \(length)")
      }
    }
  }
}
