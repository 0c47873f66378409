// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionModel

/// Lists of outlines whose long runs of rows come and go: offsets are not stored then, but follow
/// from sums.
@Suite("Lists of large outlines", .timeLimit(.minutes(3)))
struct OutlineListTests {
  /// Roots with thousands of items below each, at two levels.
  private func contents(
    _ random: inout SplitMix64,
    heights: (inout SplitMix64) -> Double
  ) -> CollectionContents {
    var blocks: [ItemBlock] = []
    for root in 0 ..< 4 {
      let count = random.int(1500 ... 4500)
      let levels = (0 ..< count).map { $0 == 0 ? 0 : $0 % 400 == 1 ? 1 : 2 }
      blocks.append(
        ItemBlock(
          count: count,
          heights: root == 3 ? [25] : (0 ..< count).map { _ in heights(&random) },
          keys: (0 ..< count).map { "\(root)-\($0)" },
          outline: OutlineColumns(levels: levels, expanded: [true])
        )
      )
    }
    return CollectionContents(
      sections: [SectionContents(key: "outline", outline: .perViewer, blocks: blocks)]
    )
  }

  private func change(
    _ rows: CollectionContents,
    _ random: inout SplitMix64
  ) throws -> ContentsChange {
    let whole = rows.whole.section(at: 0).items
    if random.chance(60) {
      // Mostly roots, so that thousands of rows come and go.
      let key = "\(random.below(4))-\(random.chance(70) ? 0 : 1 + 400 * random.below(3))"
      let items = rows.itemExpansions(ofKeys: [key], isExpanded: random.chance(60))
      return rows.expanding(items)
    }
    let item = random.below(whole.count)
    let operation: UpdateOperation =
      switch random.below(3) {
      case 0:
        .reconfigureItems(
          section: 0,
          items: item ..< item + 1,
          blocks: [ItemBlock(count: 1, heights: [Double(random.below(90))])]
        )
      case 1:
        .deleteItems(section: 0, items: whole.count - 1 - random.below(50) ..< whole.count)
      default:
        .reconfigureItems(
          section: 0,
          items: item ..< min(item + 700, whole.count),
          blocks: [ItemBlock(count: min(item + 700, whole.count) - item, heights: [31.5])]
        )
      }
    return try rows.whole.applying(UpdateBatch([operation])).rows(on: rows)
  }

  private func check(
    _ prepared: any PreparedLayout,
    as fresh: any PreparedLayout,
    _ random: inout SplitMix64,
    _ note: String
  ) {
    let viewport = Viewport(of: prepared.context.container)
    #expect(abs(prepared.contentSize.height - fresh.contentSize.height) < 1e-6, "\(note)")
    for place in 0 ..< 12 {
      let top = random.double(-50 ... fresh.contentSize.height + 50)
      let rect = Rect(x: 0, y: place == 0 ? top.rounded() : top, width: 320, height: 200)
      let (found, wanted) = (prepared.probed(in: rect, viewport), fresh.probed(in: rect, viewport))
      #expect(found.map(\.key) == wanted.map(\.key), "\(note)")
      for (a, b) in zip(found, wanted) {
        expectClose(a.attributes.frame, b.attributes.frame, note)
      }
    }
    let count = prepared.context.contents.itemCount
    for _ in 0 ..< 12 where count > 0 {
      let path = IndexPath(section: 0, item: random.below(count))
      let key = ElementKey(category: .cell, kind: "", indexPath: path)
      let (found, wanted) = (
        prepared.attributes(of: key, viewport: viewport),
        fresh.attributes(of: key, viewport: viewport)
      )
      if let found, let wanted {
        expectClose(found.frame, wanted.frame, note)
      } else {
        #expect((found == nil) == (wanted == nil), "\(note)")
      }
    }
  }

  private func walk(
    _ layout: ListLayout,
    seed: UInt64,
    isPixelAligned: Bool = false,
    heights: (inout SplitMix64) -> Double
  ) throws {
    var random = SplitMix64(seed: seed)
    let contents = contents(&random, heights: heights)
    let context = LayoutContext(
      contents: contents.rows,
      container: LayoutContainer(size: Size(width: 320, height: 480), displayScale: 3),
      options: LayoutOptions(isPixelAligned: isPixelAligned)
    )
    var prepared: any PreparedLayout = layout.prepare(context)
    for step in 0 ..< 25 {
      let change = try change(prepared.context.contents, &random)
      prepared = layout.update(prepared, by: change)
      let fresh = layout.prepare(prepared.context)
      check(prepared, as: fresh, &random, "step \(step), seed \(seed)")
    }
  }

  @Test("rows of any height are where a list of its own has them", arguments: 0 ..< 8)
  func anyHeights(seed: UInt64) throws {
    let layout = ListLayout(
      rowSpacing: seed % 2 == 0 ? 0 : 3.5,
      separatorThickness: seed % 3 == 0 ? 1 : 0
    )
    try walk(layout, seed: seed) { $0.double(0 ... 80) }
  }

  @Test("the same in whole points, also on a pixel grid", arguments: 0 ..< 8)
  func wholeHeights(seed: UInt64) throws {
    try walk(ListLayout(), seed: seed, isPixelAligned: seed % 2 == 0) {
      Double($0.int(0 ... 90))
    }
  }

  @Test("heights between pixels are rounded one by one", arguments: 0 ..< 4)
  func brokenHeights(seed: UInt64) throws {
    try walk(ListLayout(), seed: seed, isPixelAligned: true) { $0.double(10 ... 40) }
  }

  @Test("expanding many rows takes no steps for each of them")
  func cost() throws {
    var random = SplitMix64(seed: 1)
    let contents = contents(&random) { Double($0.int(20 ... 60)) }
    let layout = ListLayout()
    let rows = contents.rows.expanding(
      contents.itemExpansions(ofKeys: ["0-0", "1-0", "2-0"], isExpanded: false)
    ).new
    let context = LayoutContext(
      contents: rows,
      container: LayoutContainer(size: Size(width: 320, height: 480))
    )
    let collapsed = layout.prepare(context)
    let change = rows.expanding(contents.itemExpansions(ofKeys: ["1-0"], isExpanded: true))
    #expect(change.new.itemCount > rows.itemCount + 1400)
    let work = LayoutWork(stepLimit: 3000, byteLimit: 1 << 30)
    let expanded = try layout.update(collapsed, by: change, work: work)
    let fresh = layout.prepare(LayoutContext(contents: change.new, container: context.container))
    check(expanded, as: fresh, &random, "")
  }
}
