// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Steps for lines of very many items", .timeLimit(.minutes(1)))
struct LongLineStepsTests {
  private static let count = 400_000
  private static let layout = FlowLayout(itemSize: .zero, minimumInteritemSpacing: 0)

  /// Items that all fit into one line.
  private static func context(_ block: ItemBlock) -> LayoutContext {
    LayoutContext(
      contents: CollectionContents(sections: [
        SectionContents(blocks: [ItemBlock(count: 1, widths: [1], heights: [20]), block])
      ]),
      container: LayoutContainer(size: Size(width: 400, height: 600))
    )
  }

  /// Items of different and of equal heights.
  private static let blocks: [ItemBlock] = [
    ItemBlock(count: count, widths: [0], heights: (0 ..< count).map { Double($0 % 5 + 20) }),
    ItemBlock(count: count, widths: [0.000_1], heights: [20]),
  ]

  @Test("breaking a line again takes steps for its items", arguments: blocks)
  func update(block: ItemBlock) throws {
    let context = Self.context(block)
    let prepared = Self.layout.prepare(context)
    let change = try context.contents.applying(
      UpdateBatch([
        .insertItems(
          at: IndexPath(section: 0, item: 0),
          items: [ItemBlock(count: 1, widths: [2], heights: [30])]
        )
      ])
    )
    let work = LayoutWork()
    let updated = try Self.layout.update(prepared, by: change, work: work)
    #expect(work.steps >= Self.count / 2)
    #expect(updated.contentSize == Self.layout.prepare(updated.context).contentSize)
    let unwanted = LayoutWork(stepsBetweenChecks: 1000) { false }
    #expect(throws: LayoutWork.Stop.cancelled) {
      try Self.layout.update(prepared, by: change, work: unwanted)
    }
    #expect(unwanted.steps < 20_000)
  }
}
