// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Drafts of columns", .timeLimit(.minutes(5)))
struct ColumnsDraftTests {
  private static let layouts: [any CollectionLayout] = [
    WaterfallLayout(columns: .count(2), columnSpacing: 4, itemSpacing: 6, headerHeight: 30),
    WaterfallLayout(scrollAxis: .horizontal, columns: .count(5), itemSpacing: 3),
    WaterfallLayout(columns: .count(9), itemSpacing: 2, footerHeight: 20),
    WaterfallLayout(columns: .count(4), order: .leadingToTrailing),
    GridLanesLayout(
      lanes: [GridLane(.fraction(1)), GridLane(.fraction(2), repetition: .count(3))],
      itemSpacing: 5,
      flowTolerance: 10
    ),
    GridLanesLayout(lanes: [GridLane(.fraction(1), repetition: .count(4))], fillReverse: true),
    SectionsLayout(
      layouts: [.waterfall(WaterfallLayout(columns: .count(3))), .list(ListLayout())].map {
        SectionLayout($0)
      }
    ),
  ]

  private static let container = LayoutContainer(size: Size(width: 320, height: 480))

  /// A large section of items of different sizes, and a small one.
  ///
  /// - Parameter haveWidths: nil = perhaps.
  private static func contents(
    _ random: inout SplitMix64,
    haveWidths: Bool? = nil
  ) -> CollectionContents {
    CollectionContents(
      sections: [random.int(14_000 ... 20_000), 30].map { count in
        SectionContents(blocks: [random.sizedBlock(count, hasWidths: haveWidths)])
      }
    )
  }

  @Test(
    "have each item once and none on another, and complete to what is prepared anew",
    arguments: 0 ..< 14
  )
  func edits(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let layout = Self.layouts[seed % Self.layouts.count]
    var contents = Self.contents(&random)
    var prepared = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    var drafts = 0
    for round in 0 ..< 5 {
      let change = try contents.applying(random.edit(of: contents), limits: ContentsLimits())
      contents = change.new
      prepared = try layout.draft(prepared, by: change, work: .unlimited)
      let viewport = Viewport(of: Self.container)
      Self.checkElements(of: prepared, contents, viewport, random: &random)
      guard prepared.isDraft else { continue }
      drafts += 1
      let fresh = layout.prepare(LayoutContext(contents: contents, container: Self.container))
      Self.expect(try prepared.completed(work: .unlimited), equals: fresh, viewport)
      guard round == 2 else { continue }
      // What follows from a draft is no draft either.
      let next = try contents.applying(random.edit(of: contents), limits: ContentsLimits())
      Self.expect(
        layout.update(prepared, by: next),
        equals: layout.prepare(LayoutContext(contents: next.new, container: Self.container)),
        viewport
      )
    }
    #expect(drafts > 0)
  }

  @Test(
    "have what is near an edit where it belongs, and what is far behind it as it was",
    arguments: 0 ..< 4
  )
  func places(_ index: Int) throws {
    var random = SplitMix64(seed: UInt64(100 + index))
    let layout = Self.layouts[index]
    let contents = Self.contents(&random)
    let prepared = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    let viewport = Viewport(of: Self.container)
    for item in [0, 1, 700, 3000] {
      let change = try contents.applying(
        UpdateBatch([
          .insertItems(at: IndexPath(section: 0, item: item), items: [random.sizedBlock(3)])
        ]),
        limits: ContentsLimits()
      )
      let draft = try layout.draft(prepared, by: change, work: .unlimited)
      let whole = layout.update(prepared, by: change)
      #expect(draft.isDraft && !whole.isDraft)
      for near in [0, item / 2, item, item + 3, item + 1000, item + 4000] {
        #expect(draft.cell(0, near, viewport)?.frame == whole.cell(0, near, viewport)?.frame)
      }
      let count = contents.section(at: 0).items.count
      let shifts = try stride(from: item + 5000, to: count, by: 97).map { old in
        let before = try #require(prepared.cell(0, old, viewport)?.frame)
        let after = try #require(draft.cell(0, old + 3, viewport)?.frame)
        #expect(abs(before.width - after.width) < 1e-9 && abs(before.height - after.height) < 1e-9)
        return Point(x: after.x - before.x, y: after.y - before.y)
      }
      for shift in shifts {
        #expect(abs(shift.x - shifts[0].x) < 1e-6 && abs(shift.y - shifts[0].y) < 1e-6)
      }
    }
  }

  @Test("are settled wherever that is wanted", arguments: 0 ..< 6)
  func seams(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(200 + seed))
    let spacing = 6.0
    let layout = WaterfallLayout(columns: .count(3 + seed % 4), itemSpacing: spacing)
    // Columns of lengths that are no multiples of each other never come to stand as they stood
    // before.
    var contents = Self.contents(&random, haveWidths: true)
    let viewport = Viewport(of: Self.container)
    var draft = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    for item in [10, 6000] {
      let change = try contents.applying(
        UpdateBatch([
          .insertItems(at: IndexPath(section: 0, item: item), items: [random.sizedBlock(2)])
        ]),
        limits: ContentsLimits()
      )
      contents = change.new
      draft = try layout.draft(draft, by: change, work: .unlimited)
    }
    var unsettled = 0
    // From the last place on, so that what is settled does not move those to come.
    for y in stride(from: draft.contentSize.height - 2000, through: 0, by: -1500) {
      let rect = Rect(x: 0, y: y, width: 320, height: 1700)
      var tries = 0
      while !draft.isSettled(in: rect), tries < 4 {
        draft = try draft.settled(in: rect, work: .unlimited)
        tries += 1
        unsettled += 1
      }
      #expect(draft.isSettled(in: rect))
      var ends: [Double: Double] = [:]
      for element in draft.probed(in: rect, viewport) where element.key.indexPath.section == 0 {
        let frame = element.attributes.frame
        if let end = ends[frame.x] {
          #expect(abs(frame.y - end - spacing) < 1e-6, "a gap at \(frame)")
        }
        ends[frame.x] = frame.maxY
      }
    }
    #expect(unsettled > 0)
    Self.checkElements(of: draft, contents, viewport, random: &random)
    let fresh = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    Self.expect(try draft.completed(work: .unlimited), equals: fresh, viewport)
  }

  @Test("stay small, however many edits there are in one place")
  func manyEdits() throws {
    var random = SplitMix64(seed: 5)
    let layout = WaterfallLayout(columns: .count(4))
    var contents = Self.contents(&random)
    let prepared = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    var draft = prepared
    for round in 0 ..< 300 {
      let operation: UpdateOperation =
        round % 3 == 2
        ? .deleteItems(section: 0, items: 2 ..< 3)
        : .insertItems(at: IndexPath(section: 0, item: round % 7), items: [random.sizedBlock(1)])
      let change = try contents.applying(UpdateBatch([operation]), limits: ContentsLimits())
      contents = change.new
      let work = LayoutWork()
      draft = try layout.draft(draft, by: change, work: work)
      #expect(work.steps < 16_384)
    }
    #expect(draft.isDraft)
    #expect(draft.byteCount < prepared.byteCount + 32_000)
    let fresh = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    Self.expect(try draft.completed(work: .unlimited), equals: fresh, Viewport(of: Self.container))
  }

  @Test("are none near the end, of dense lanes, and where an edit inserts more than a draft has")
  func none() throws {
    var random = SplitMix64(seed: 9)
    let contents = Self.contents(&random)
    let context = LayoutContext(contents: contents, container: Self.container)
    func draft(
      _ layout: any CollectionLayout,
      _ block: ItemBlock,
      at item: Int
    ) throws
      -> any PreparedLayout
    {
      let change = try contents.applying(
        UpdateBatch([.insertItems(at: IndexPath(section: 0, item: item), items: [block])]),
        limits: ContentsLimits()
      )
      return try layout.draft(layout.prepare(context), by: change, work: .unlimited)
    }
    let waterfall = WaterfallLayout(columns: .count(3))
    let count = contents.section(at: 0).items.count
    #expect(try draft(waterfall, random.sizedBlock(1), at: 5).isDraft)
    #expect(try !draft(waterfall, random.sizedBlock(1), at: count - 3).isDraft)
    #expect(try !draft(waterfall, random.sizedBlock(70_000), at: 5).isDraft)
    let dense = GridLanesLayout(
      lanes: [GridLane(.fraction(1), repetition: .count(3))],
      isDense: true
    )
    #expect(try !draft(dense, random.sizedBlock(1), at: 5).isDraft)
    #expect(try !draft(ListLayout(), random.sizedBlock(1), at: 5).isDraft)
  }

  // MARK: - Checks

  /// All items exist once, none lies on another, and questions agree about them.
  private static func checkElements(
    of prepared: any PreparedLayout,
    _ contents: CollectionContents,
    _ viewport: Viewport,
    random: inout SplitMix64
  ) {
    let all = prepared.probed(in: .everywhere, viewport)
    let cells = all.filter { $0.key.category == .cell }
    #expect(cells.count == contents.itemCount)
    #expect(Set(cells.map(\.key)).count == cells.count)
    let isVertical = prepared.scrollAxis == .vertical
    var ends: [Double: Double] = [:]
    let ordered = cells.map(\.attributes.frame).sorted {
      isVertical ? ($0.y, $0.maxY) < ($1.y, $1.maxY) : ($0.x, $0.maxX) < ($1.x, $1.maxX)
    }
    for frame in ordered {
      let column = isVertical ? frame.x : frame.y
      let start = isVertical ? frame.y : frame.x
      #expect(start >= (ends[column] ?? -1) - 1e-6)
      ends[column] = isVertical ? frame.maxY : frame.maxX
    }
    let size = prepared.contentSize
    for _ in 0 ..< 12 {
      let rect = Rect(
        x: isVertical ? 0 : random.double(0 ... size.width),
        y: isVertical ? random.double(0 ... size.height) : 0,
        width: isVertical ? size.width : 700,
        height: isVertical ? 700 : size.height
      )
      let found = prepared.probed(in: rect, viewport)
      #expect(found == all.filter { $0.attributes.boundingBox.meets(rect) })
      for element in found.prefix(5) {
        #expect(prepared.attributes(of: element.key, viewport: viewport) == element.attributes)
      }
    }
    #expect(
      prepared.itemProgress(
        at: size.height / 3,
        along: isVertical ? .vertical : .horizontal,
        work: LayoutWork(stepLimit: 10_000)
      ) != nil
    )
  }

  private static func expect(
    _ completed: any PreparedLayout,
    equals fresh: any PreparedLayout,
    _ viewport: Viewport
  ) {
    #expect(!completed.isDraft)
    #expect(completed.contentSize == fresh.contentSize)
    #expect(completed.probed(in: .everywhere, viewport) == fresh.probed(in: .everywhere, viewport))
  }
}

extension SplitMix64 {
  /// - Parameter hasWidths: nil = perhaps.
  fileprivate mutating func sizedBlock(_ count: Int, hasWidths: Bool? = nil) -> ItemBlock {
    let hasWidths = hasWidths ?? chance(50)
    return ItemBlock(
      count: count,
      widths: hasWidths ? (0 ..< count).map { _ in Double(int(20 ... 90)) } : [],
      heights: (0 ..< count).map { _ in Double(int(20 ... 140)) / 2 }
    )
  }

  /// An edit of the large section at its start, in its middle or anywhere.
  fileprivate mutating func edit(of contents: CollectionContents) -> UpdateBatch {
    let count = contents.section(at: 0).items.count
    let item =
      switch int(0 ... 2) {
      case 0: int(0 ... 20)
      case 1: count / 2 + int(0 ... 9)
      default: below(count - 9)
      }
    switch int(0 ... 3) {
    case 0: return UpdateBatch([.deleteItems(section: 0, items: item ..< item + int(1 ... 9))])
    case 1:
      let items = [item, item + 40, item + 5000].filter { $0 < count }
      return UpdateBatch(
        items.map { .reconfigureItems(section: 0, items: $0 ..< $0 + 1, blocks: [sizedBlock(1)]) }
      )
    case 2:
      let end = IndexPath(section: 0, item: below(count - 1))
      return UpdateBatch([.moveItem(from: IndexPath(section: 0, item: item), to: end)])
    default:
      return UpdateBatch(
        [item, item + 30, count - 1].map {
          .insertItems(at: IndexPath(section: 0, item: $0), items: [sizedBlock(int(1 ... 5))])
        }
      )
    }
  }
}
