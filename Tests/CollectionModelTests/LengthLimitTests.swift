// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import Testing

@Suite("The greatest lengths of contents", .timeLimit(.minutes(1)))
struct LengthLimitTests {
  @Test("sizes, positions and spacings beyond 2^40 are refused with their fields")
  func limits() throws {
    let far = 0x1p40 * 1.001
    func refusal(_ block: ItemBlock) -> Refusal? {
      let contents = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 1)])])
      do {
        _ = try contents.applying(
          UpdateBatch([.insertItems(at: IndexPath(section: 0, item: 0), items: [block])])
        )
        return nil
      } catch { return error }
    }
    let blocks: [(ItemBlock, String)] = [
      (ItemBlock(count: 1, widths: [far]), "widths[0]"),
      (ItemBlock(count: 2, heights: [1, far]), "heights[1]"),
      (ItemBlock(count: 1, xs: [-far]), "xs[0]"),
      (ItemBlock(count: 1, ys: [far]), "ys[0]"),
    ]
    for (block, field) in blocks {
      let found = try #require(refusal(block))
      #expect(found.reason == .fieldInvalid)
      #expect("\(found)".contains(field), "\(found)")
      #expect("\(found)".contains("2^40"), "\(found)")
    }
    let most = ItemBlock(count: 1, widths: [0x1p40], heights: [0x1p40], xs: [-0x1p40], ys: [0x1p40])
    #expect(refusal(most) == nil)
    let contents = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 1)])])
    for metrics in [
      SectionMetrics(lineSpacing: far), SectionMetrics(interitemSpacing: -far),
      SectionMetrics(headerSize: .init(width: 1, height: far)),
    ] {
      #expect(throws: Refusal.self) {
        try contents.applying(UpdateBatch([.setSectionMetrics(0, metrics)]))
      }
    }
  }
}
