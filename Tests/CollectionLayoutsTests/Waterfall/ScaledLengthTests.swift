// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Lengths of items that keep their proportions", .timeLimit(.minutes(1)))
struct ScaledLengthTests {
  /// Items that are up to 2⁵⁹ times as long as wide.
  private static let contents: CollectionContents = {
    var block = ItemBlock(count: 40)
    block.widths = (0 ..< 40).map { Double($0 % 3 + 1) * 0x1p-20 }
    block.heights = (0 ..< 40).map { Double($0 % 5 + 1) * 0x1p36 }
    return CollectionContents(sections: [SectionContents(blocks: [block])])
  }()

  private static let layouts: [any CollectionLayout] = [
    WaterfallLayout(columns: .count(2)), WaterfallLayout(columns: .count(12)),
    GridLanesLayout(lanes: [GridLane(.fraction(1), repetition: .count(2))]),
  ]

  @Test("the content ends where the last items do, however long they would be", arguments: layouts)
  func cutOff(layout: any CollectionLayout) throws {
    let container = LayoutContainer(size: Size(width: 400, height: 600))
    let context = LayoutContext(contents: Self.contents, container: container)
    let prepared = layout.prepare(context)
    let viewport = Viewport(of: container)
    let frames = try (0 ..< 40).map { try #require(prepared.cell(0, $0, viewport)?.frame) }
    #expect(frames.allSatisfy { $0.height <= Rect.greatestLength })
    #expect(prepared.contentSize.height == frames.map(\.maxY).max())
  }
}
