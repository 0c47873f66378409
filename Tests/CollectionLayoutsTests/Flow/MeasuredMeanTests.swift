// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("FlowLayout with measured items", .timeLimit(.minutes(2)))
struct MeasuredMeanTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))

  /// Gives items sizes, as a viewer that measured them, with any mean of all measured items.
  private func measure(
    _ items: Range<Int>,
    of section: Int = 0,
    in contents: CollectionContents,
    _ size: (Int) -> Size,
    mean: Size?
  ) throws -> ContentsChange {
    let sizes = items.map(size)
    let batch = UpdateBatch([
      .reconfigureItems(
        section: section,
        items: items,
        blocks: [
          ItemBlock(
            count: items.count,
            widths: sizes.map(\.width),
            heights: sizes.map(\.height)
          )
        ]
      )
    ])
    return try contents.applying(batch, limits: .standard).settingMeasuredItemSize(mean)
  }

  @Test("gives items without a size the mean, and adds it up exactly")
  func mean() throws {
    let layout = FlowLayout(estimatedItemSize: Size(width: 320, height: 40))
    let context = LayoutContext(
      contents: plainContents(40),
      container: container,
      options: LayoutOptions(isPixelAligned: true)
    )
    let heights = [29.0, 63, 29, 29, 63, 29, 63, 29, 63]
    let change = try measure(
      0 ..< 9,
      in: context.contents,
      { Size(width: 320, height: heights[$0]) },
      mean: Size(width: 320, height: 397.0 / 9)
    )
    let prepared = layout.update(layout.prepare(context), by: change)
    let viewport = Viewport(of: container)
    // 487 + 31 · 397 / 9 + 30 · 10 = 2154.44…, cut off.
    #expect(prepared.contentSize == Size(width: 320, height: 2154))
    // 487 + 30 · (397 / 9 + 10) = 2110.33…, rounded.
    expectClose(
      prepared.cell(0, 39, viewport)?.frame,
      Rect(x: 0, y: 2110, width: 320, height: 44)
    )
  }

  @Test("agrees with the rules, item by item, after each change of the mean", arguments: 0 ..< 8)
  func agreesWithReference(seed: UInt64) {
    var random = SplitMix64(seed: 1000 + seed)
    for round in 0 ..< 4 {
      var layout = random.flow()
      layout.estimatedItemSize = random.size(1 ... 150)
      let context = LayoutContext(
        contents: unevenContents(&random),
        container: container,
        options: LayoutOptions(isPixelAligned: random.chance(30))
      )
      var prepared: any PreparedLayout = layout.prepare(context)
      for step in 0 ..< 12 {
        guard let change = change(prepared.context.contents, &random) else { continue }
        prepared = layout.update(prepared, by: change)
        let note = "\(seed).\(round).\(step) \(layout)"
        NaiveFlow(layout, prepared.context).reference
          .check(prepared, Viewport(of: container), note)
      }
    }
  }

  /// Sections of few and of many items, most of them without sizes.
  private func unevenContents(_ random: inout SplitMix64) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< random.int(1 ... 4)).map { _ in
        SectionContents(
          metrics: random.chance(50) ? random.sectionMetrics() : SectionMetrics(),
          blocks: (0 ..< random.int(0 ... 4)).map { _ in
            random.chance(70)
              ? ItemBlock(count: random.int(1 ... (random.chance(30) ? 900 : 40)))
              : random.block(items: 1 ... 30, upTo: 120)
          }
        )
      }
    )
  }

  /// A measurement, a batch or both, with a new mean in most cases.
  private func change(
    _ contents: CollectionContents,
    _ random: inout SplitMix64
  ) -> ContentsChange? {
    var batch = random.batch(for: contents)
    if random.chance(70) {
      let section = random.int(0 ... max(0, contents.sectionCount - 1))
      guard contents.sectionCount > section else { return nil }
      let count = contents.section(at: section).items.count
      let start = random.int(0 ... count)
      let items = start ..< min(count, start + random.int(0 ... 20))
      let width = random.chance(50) ? 100.0 : nil
      batch = UpdateBatch(
        items.isEmpty
          ? []
          : [
            .reconfigureItems(
              section: section,
              items: items,
              blocks: [
                ItemBlock(
                  count: items.count,
                  widths: items.map { _ in width ?? Double(random.int(1 ... 200)) },
                  heights: items.map { _ in Double(random.int(1 ... 90)) }
                )
              ]
            )
          ]
      )
    }
    guard let change = try? contents.applying(batch, limits: .standard) else { return nil }
    switch random.int(0 ... 3) {
    case 0: return change.settingMeasuredItemSize(contents.measuredItemSize)
    case 1:
      // Only the height changes, as in a column of texts.
      let size = Size(width: 100, height: random.double(10 ... 90))
      return change.settingMeasuredItemSize(size)
    case 2: return change.settingMeasuredItemSize(random.chance(20) ? nil : random.size(1 ... 200))
    default:
      return change.settingMeasuredItemSize(
        Size(width: random.double(5 ... 200), height: random.double(5 ... 90))
      )
    }
  }

  @Test("sections that are alike go on sharing one solution")
  func sharing() throws {
    let layout = FlowLayout(estimatedItemSize: Size(width: 320, height: 40), minimumLineSpacing: 0)
    let context = LayoutContext(
      contents: CollectionContents(
        sections: repeatElement(SectionContents(blocks: [ItemBlock(count: 10)]), count: 5000)
      ),
      container: container
    )
    var prepared: any PreparedLayout = layout.prepare(context)
    for section in [2500, 2501] {
      let change = try measure(
        4 ..< 5,
        of: section,
        in: prepared.context.contents,
        { _ in Size(width: 320, height: 20) },
        mean: Size(width: 320, height: 20)
      )
      prepared = layout.update(prepared, by: change)
      #expect(prepared.contentSize.height == 50_000 * 20)
    }
    expectClose(
      prepared.cell(4999, 9, Viewport(of: container))?.frame,
      Rect(x: 0, y: 999_980, width: 320, height: 20)
    )
    #expect(prepared.byteCount < 5000 * 40)
  }

  @Test("takes as few steps for ten million items as for some", arguments: [60.0, 320])
  func cost(width: Double) throws {
    var steps: [Int] = []
    for count in [100_000, 4_900_000] {
      let layout = FlowLayout(estimatedItemSize: Size(width: width, height: 40))
      // Sized items in front, in the middle and at the end.
      let blocks = [
        ItemBlock(count: 3, widths: [50, 60, 70], heights: [10, 20, 30]),
        ItemBlock(count: count),
        ItemBlock(count: 3, widths: [50, 60, 70], heights: [10, 20, 30]),
        ItemBlock(count: count),
        ItemBlock(count: 3, widths: [50, 60, 70], heights: [10, 20, 30]),
      ]
      let context = LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: blocks)]),
        container: container
      )
      var prepared: any PreparedLayout = layout.prepare(context)
      let work = LayoutWork(stepLimit: 1_000_000)
      for item in 100 ..< 110 {
        let change = try measure(
          item ..< item + 1,
          in: prepared.context.contents,
          { _ in Size(width: width, height: 30) },
          mean: Size(width: width - Double(item) / 64, height: Double(item))
        )
        prepared = try layout.update(prepared, by: change, work: work)
      }
      steps.append(work.steps)
      #expect(prepared.byteCount < 8_000)
    }
    #expect(steps[1] < 2 * steps[0] + 100, "\(steps)")
  }
}
