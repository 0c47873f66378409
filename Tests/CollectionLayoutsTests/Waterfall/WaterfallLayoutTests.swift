// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Waterfall", .timeLimit(.minutes(2)))
struct WaterfallLayoutTests {
  /// One section of items with heights alone.
  private func contents(_ heights: [Double]) -> CollectionContents {
    CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])
    ])
  }

  private func prepare(
    _ layout: WaterfallLayout,
    _ contents: CollectionContents,
    _ container: LayoutContainer = .init(size: Size(width: 320, height: 480))
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container))
  }

  @Test("any number of columns can be checked", arguments: [Int.min, -1, 0, .max])
  func columnCounts(count: Int) {
    var findings = LayoutFindings()
    WaterfallLayout(columns: .count(count))
      .validate(viewportSize: Size(width: 320, height: 480), findings: &findings)
    #expect(findings.violations.map(\.field) == ["column_count"])
  }

  @Test("puts each item under the shortest column, the leading one on a tie")
  func shortest() {
    let layout = WaterfallLayout(columns: .count(3), columnSpacing: 10, itemSpacing: 10)
    let prepared = prepare(layout, contents([100, 20, 60, 20, 30, 15]))
    let viewport = Viewport(of: prepared.context.container)
    expectClose(
      prepared.cell(0, 3, viewport)?.frame,
      Rect(x: 110, y: 30, width: 100, height: 20)
    )
    expectClose(
      prepared.cell(0, 4, viewport)?.frame,
      Rect(x: 110, y: 60, width: 100, height: 30)
    )
    expectClose(prepared.contentSize.height, 100)
  }

  @Test("keeps the ratio of items with a width and a height")
  func ratio() {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: 2, widths: [100, 50], heights: [50, 100])])
    ])
    let prepared = prepare(WaterfallLayout(columns: .count(2)), contents)
    let viewport = Viewport(of: prepared.context.container)
    expectClose(prepared.cell(0, 0, viewport)?.frame, Rect(x: 0, y: 0, width: 160, height: 80))
    expectClose(prepared.cell(0, 1, viewport)?.frame, Rect(x: 160, y: 0, width: 160, height: 320))
  }

  @Test("has as many columns as fit, at least one")
  func minimumWidth() {
    let layout = WaterfallLayout(columns: .minimumWidth(100), columnSpacing: 10)
    let wide = prepare(layout, contents([40, 41]), .init(size: Size(width: 350, height: 480)))
    expectClose(
      wide.cell(0, 1, Viewport(of: wide.context.container))?.frame,
      Rect(x: 120, y: 0, width: 110, height: 41)
    )
    let narrow = prepare(layout, contents([40, 41]), .init(size: Size(width: 80, height: 480)))
    expectClose(
      narrow.cell(0, 1, Viewport(of: narrow.context.container))?.frame,
      Rect(x: 0, y: 40, width: 80, height: 41)
    )
  }

  @Test("an item taller than everything does not hide those beside it")
  func tall() {
    let layout = WaterfallLayout(columns: .count(2))
    let heights = [1_000_000] + (0 ..< 3000).map { Double(10 + $0 % 7) }
    let prepared = prepare(layout, contents(heights))
    let viewport = Viewport(of: prepared.context.container)
    let found = prepared.probed(in: Rect(x: 0, y: 20_000, width: 320, height: 100), viewport)
    #expect(found.contains { $0.key == .cell(0, 0) })
    #expect(found.count > 7)
  }

  @Test("rejects parameters that it cannot work with, by their names")
  func validation() {
    #expect(rejectedFields(WaterfallLayout(columns: .count(0))) == ["column_count"])
    #expect(rejectedFields(WaterfallLayout(columns: .count(5000))) == ["column_count"])
    #expect(rejectedFields(WaterfallLayout(columns: .minimumWidth(0))) == ["minimum_column_width"])
    #expect(
      rejectedFields(
        WaterfallLayout(columns: .count(2), columnSpacing: -1, itemSpacing: .nan, headerHeight: -1)
      ) == ["column_spacing", "item_spacing", "header_height"]
    )
    #expect(rejectedFields(WaterfallLayout(columns: .count(2))).isEmpty)
  }

  @Test("agrees with a naive waterfall, whatever is asked", arguments: 0 ..< 150)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let layout = random.waterfall()
    let contents = random.waterfallContents(items: random.chance(15) ? 900 : 60)
    let prepared = prepare(layout, contents, random.container())
    let viewport = Viewport(of: prepared.context.container)
    let expected = NaiveWaterfall(layout, prepared.context).frames
    let found = prepared.probed(in: Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7), viewport)
      .filter { $0.key.category == .cell }
    #expect(found.count == expected.count, "seed \(seed)")
    for element in found {
      expectClose(expected[element.key.indexPath], element.attributes.frame, "seed \(seed)")
    }
    prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
  }

  @Test(
    "finds the shortest of one to nine columns, whether they often stand alike or never",
    arguments: 1 ... 9,
    [2, 40, 4000]
  )
  func manyItems(columns: Int, variety: Int) {
    var random = SplitMix64(seed: UInt64(columns * variety))
    let layout = WaterfallLayout(columns: .count(columns), columnSpacing: 5, itemSpacing: 3)
    func lengths(_ count: Int) -> [Double] {
      (0 ..< count).map { _ in Double(random.int(1 ... variety)) / 4 }
    }
    let blocks = [1500, 7, 900].map {
      ItemBlock(count: $0, widths: lengths($0), heights: lengths($0))
    }
    let prepared = prepare(
      layout,
      CollectionContents(sections: [
        SectionContents(blocks: blocks + [ItemBlock(count: 700, heights: [20])] + blocks)
      ])
    )
    let expected = NaiveWaterfall(layout, prepared.context).frames
    let found = prepared.probed(in: .everywhere, Viewport(of: prepared.context.container))
    #expect(found.count == expected.count)
    let wrong = found.first {
      guard let frame = expected[$0.key.indexPath] else { return true }
      return abs(frame.y - $0.attributes.frame.y) > 1e-6 * max(1, frame.y)
        || abs(frame.x - $0.attributes.frame.x) > 1e-6
    }
    #expect(wrong == nil, "\(wrong as Any)")
  }

  @Test("a derived version equals a fresh one", arguments: 0 ..< 60)
  func updates(seed: UInt64) throws {
    var random = SplitMix64(seed: 1000 + seed)
    let layout = random.waterfall()
    var contents = random.waterfallContents(items: random.chance(30) ? 3000 : 60)
    let container = random.container()
    var prepared = prepare(layout, contents, container)
    for _ in 0 ..< 8 {
      let batch = random.waterfallEdit(of: contents)
      let change = try contents.applying(batch, limits: ContentsLimits())
      contents = change.new
      prepared = layout.update(prepared, by: change)
      let fresh = prepare(layout, contents, container)
      let viewport = Viewport(of: container, at: Point(x: 0, y: random.length(0 ... 900)))
      let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)
      #expect(prepared.contentSize == fresh.contentSize, "seed \(seed)")
      #expect(
        prepared.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
        "seed \(seed)"
      )
    }
  }
}

/// Places one item after the other, with an array of column ends and nothing else.
private struct NaiveWaterfall {
  private(set) var frames: [CollectionModel.IndexPath: Rect] = [:]

  init(_ layout: WaterfallLayout, _ context: LayoutContext) {
    let axis = layout.scrollAxis
    let cross = axis.cross(context.container.contentSize)
    var start = 0.0
    var spans: [CollectionModel.IndexPath: AxisRect] = [:]
    for index in 0 ..< context.contents.sectionCount {
      let section = context.contents.section(at: index)
      let inset = section.metrics.inset ?? layout.sectionInset
      let columnSpacing = section.metrics.interitemSpacing ?? layout.columnSpacing
      let itemSpacing = section.metrics.lineSpacing ?? layout.itemSpacing
      let room = max(0, cross - axis.crossStart(inset) - axis.crossEnd(inset))
      let count =
        switch layout.columns {
        case .count(let count): count
        case .minimumWidth(let width):
          max(1, Int(((room + columnSpacing) / (width + columnSpacing)).rounded(.down)))
        }
      let width = max(0, (room - Double(count - 1) * columnSpacing) / Double(count))
      start += layout.headerHeight + axis.mainStart(inset)
      var ends = [Double](repeating: 0, count: count)
      for item in 0 ..< section.items.count {
        let values = section.items.item(at: item)
        let main = axis == .vertical ? values.height : values.width
        let other = axis == .vertical ? values.width : values.height
        var length = main ?? width
        if let main, let other, other > 0 { length = main * width / other }
        let column =
          switch layout.order {
          case .shortestFirst: ends.indices.min { ends[$0] < ends[$1] } ?? 0
          case .leadingToTrailing: item % count
          case .trailingToLeading: count - 1 - item % count
          }
        spans[IndexPath(section: index, item: item)] = AxisRect(
          main: start + ends[column],
          cross: axis.crossStart(inset) + Double(column) * (width + columnSpacing),
          mainLength: length,
          crossLength: width
        )
        ends[column] += length + itemSpacing
      }
      let body = section.items.isEmpty ? 0 : max(0, (ends.max() ?? 0) - itemSpacing)
      start += body + axis.mainEnd(inset) + layout.footerHeight
    }
    let width = axis == .vertical ? cross : max(0, start)
    for (path, span) in spans {
      let rect = axis.rect(span)
      frames[path] =
        context.container.isRightToLeft ? rect.mirrored(inWidth: width) : rect
    }
  }
}

extension SplitMix64 {
  mutating func waterfall() -> WaterfallLayout {
    WaterfallLayout(
      scrollAxis: chance(50) ? .vertical : .horizontal,
      columns: chance(50) ? .count(int(1 ... 9)) : .minimumWidth(length(20 ... 200)),
      columnSpacing: chance(40) ? 0 : length(0 ... 20),
      itemSpacing: chance(40) ? 0 : length(0 ... 20),
      sectionInset: insets(0 ... 20),
      headerHeight: chance(50) ? 0 : length(0 ... 50),
      footerHeight: chance(50) ? 0 : length(0 ... 50),
      order: WaterfallLayout.Order.allCases[int(0 ... 2)],
      headersPinToVisibleBounds: chance(30)
    )
  }

  fileprivate mutating func block(_ count: Int) -> ItemBlock {
    let isUniform = chance(15)
    func column(_ make: () -> Double) -> [Double] {
      isUniform ? [make()] : (0 ..< count).map { _ in make() }
    }
    var source = self
    let heights = chance(10) ? [] : column { source.length(0 ... 120) }
    let widths = chance(60) ? [] : column { source.length(1 ... 120) }
    self = source
    return ItemBlock(count: count, widths: widths, heights: heights)
  }

  fileprivate mutating func waterfallContents(items: Int) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< int(0 ... 4)).map { _ in
        let count = chance(20) ? 0 : int(0 ... items)
        var metrics = SectionMetrics()
        if chance(20) { metrics.inset = insets(0 ... 30) }
        if chance(20) { metrics.lineSpacing = length(0 ... 20) }
        return SectionContents(metrics: metrics, blocks: count == 0 ? [] : [block(count)])
      }
    )
  }

  fileprivate mutating func waterfallEdit(of contents: CollectionContents) -> UpdateBatch {
    guard contents.sectionCount > 0 else {
      return UpdateBatch(
        change: .operations([.insertSections(at: 0, [SectionContents(blocks: [block(20)])])])
      )
    }
    let section = int(0 ... contents.sectionCount - 1)
    let count = contents.section(at: section).items.count
    let operation: UpdateOperation
    switch int(0 ... 3) {
    case 0 where count > 0:
      let first = int(0 ... count - 1)
      operation = .deleteItems(section: section, items: first ..< min(count, first + int(1 ... 3)))
    case 1 where count > 0:
      let item = int(0 ... count - 1)
      operation = .reconfigureItems(
        section: section,
        items: item ..< item + 1,
        blocks: [
          ItemBlock(count: 1, heights: [length(0 ... 90)])
        ]
      )
    case 2 where count > 1:
      operation = .moveItem(
        from: IndexPath(section: section, item: int(0 ... count - 1)),
        to: IndexPath(section: section, item: int(0 ... count - 1))
      )
    default:
      let new = int(1 ... 4)
      operation = .insertItems(
        at: IndexPath(section: section, item: int(0 ... count)),
        items: [block(new)]
      )
    }
    return UpdateBatch(change: .operations([operation]))
  }
}
