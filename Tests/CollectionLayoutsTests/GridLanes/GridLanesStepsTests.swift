// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Steps of dense grid lanes", .timeLimit(.minutes(1)))
struct GridLanesStepsTests {
  private static func steps(isDense: Bool, span: Int) throws -> Int {
    var random = SplitMix64(seed: 4)
    let count = 2000
    var block = ItemBlock(count: count)
    block.heights = (0 ..< count).map { _ in Double(random.int(10 ... 200)) }
    block.cellKinds = (0 ..< count).map { _ in random.int(0 ... 1) }
    let layout = GridLanesLayout(
      lanes: [GridLane(.fraction(1), repetition: .count(64))],
      isDense: isDense,
      placements: [GridLanePlacement(cellKind: "wide", span: span)]
    )
    let work = LayoutWork()
    _ = try layout.prepare(
      LayoutContext(
        contents: CollectionContents(
          sections: [SectionContents(blocks: [block])],
          cellKindNames: ["", "wide"]
        ),
        container: LayoutContainer(size: Size(width: 6400, height: 600))
      ),
      work: work
    )
    return work.steps
  }

  @Test("searches for gaps count, where there may be any")
  func gaps() throws {
    let plain = try Self.steps(isDense: false, span: 32)
    #expect(try Self.steps(isDense: true, span: 1) < 2 * plain)
    #expect(try Self.steps(isDense: true, span: 32) > 20 * plain)
  }
}
