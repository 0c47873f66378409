// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Memory and steps of many lanes", .timeLimit(.minutes(3)))
struct GridLanesMemoryTests {
  private static let container = LayoutContainer(size: Size(width: 390, height: 844))
  private static let laneCount = 1024
  private static let layout = GridLanesLayout(
    lanes: [GridLane(.length(0.25), repetition: .count(laneCount))],
    placements: [
      GridLanePlacement(cellKind: "k1", span: 1), GridLanePlacement(cellKind: "wide", span: 2),
    ]
  )

  /// Sections with one item each, which differ from their neighbours unless the section counts for
  /// nothing.
  private func contents(
    _ count: Int,
    items: Int = 1,
    height: (Int) -> Double = { _ in 20 },
    kind: (Int) -> Int = { _ in 0 },
    metrics: (Int) -> SectionMetrics = { _ in SectionMetrics() }
  ) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< count).map { section in
        var block = ItemBlock(
          count: items,
          heights: [height(section)],
          cellKinds: [kind(section)]
        )
        block.keys = (0 ..< items).map { "\(section) \($0)" }
        return SectionContents(
          key: "\(section)",
          metrics: metrics(section),
          blocks: [block]
        )
      },
      cellKindNames: ["", "k1", "wide"]
    )
  }

  private func prepare(
    _ layout: some CollectionLayout,
    _ contents: CollectionContents,
    _ work: LayoutWork = .unlimited
  ) throws -> any PreparedLayout {
    try layout.prepare(LayoutContext(contents: contents, container: Self.container), work: work)
  }

  @Test("sections of one width place lanes once")
  func shared() throws {
    let sections = 1000
    let contents = contents(sections, height: { Double(20 + $0 % 2) })
    for layout in [Self.layout, GridLanesLayout(lanes: Self.layout.lanes)] {
      let work = LayoutWork()
      let prepared = try prepare(layout, contents, work)
      #expect(work.steps >= Self.laneCount)
      #expect(work.steps < 10 * sections)
      #expect(prepared.byteCount >= 16 * Self.laneCount)
      #expect(prepared.byteCount < 1000 * sections)
    }
  }

  @Test("lanes that a section has for itself count, and so do the steps to place them")
  func unshared() throws {
    let sections = 200
    let contents = contents(
      sections,
      metrics: {
        var metrics = SectionMetrics()
        metrics.interitemSpacing = Double($0 % 7)
        return metrics
      }
    )
    let work = LayoutWork()
    let prepared = try prepare(Self.layout, contents, work)
    let others = sections * 6 / 7
    #expect(prepared.byteCount >= others * Self.laneCount * 16)
    #expect(work.steps >= others * Self.laneCount)
    #expect(throws: LayoutWork.Stop.tooManySteps(limit: 50_000)) {
      try prepare(Self.layout, contents, LayoutWork(stepLimit: 50_000))
    }
  }

  @Test("where many columns end counts for each section")
  func ends() throws {
    let sections = 200
    let contents = CollectionContents(
      sections: (0 ..< sections).map { _ in
        SectionContents(blocks: [ItemBlock(count: 2, heights: [20, 30])])
      }
    )
    for layout in Self.manyColumns {
      let context = LayoutContext(contents: contents, container: Self.container)
      // A mark before the items, and the ends behind them.
      let least = sections * Self.laneCount * 8 * 2
      #expect(layout.prepare(context).byteCount >= least, "\(layout.kindName)")
    }
  }

  private static let manyColumns: [any CollectionLayout] = [
    WaterfallLayout(columns: .count(laneCount)), layout,
  ]

  @Test("few items in many columns count as few", arguments: manyColumns)
  func fewItems(layout: any CollectionLayout) throws {
    let sections = 200
    let contents = CollectionContents(
      sections: (0 ..< sections).map { _ in
        SectionContents(blocks: [ItemBlock(count: 2, heights: [20, 30])])
      }
    )
    let work = LayoutWork()
    let prepared = try prepare(layout, contents, work)
    // Each of two items is compared with all columns.
    let most = sections * 2 * (1 + Self.laneCount / 8) + 20 * sections + Self.laneCount
    #expect(work.steps <= most)
    let query = LayoutWork(stepLimit: most)
    let viewport = Viewport(of: Self.container)
    let all = Rect(x: 0, y: 0, width: 390, height: prepared.contentSize.height)
    let found = LayoutQueries(prepared, viewport: viewport, work: query).elements(in: all)
    #expect(found.elements.count == 2 * sections)
    #expect(query.stop == nil)
  }

  @Test("sections that are alike share a result if their cells have one kind")
  func alike() throws {
    let sections = 1000
    #expect(try prepare(Self.layout, contents(sections)).byteCount < 200 * sections)
    // Neighbours whose cells have different kinds are not alike.
    let mixed = contents(4, items: 3, kind: { $0 / 2 * 2 })
    let prepared = try prepare(Self.layout, mixed)
    let viewport = Viewport(of: Self.container)
    let widths = (0 ..< 4).map { prepared.cell($0, 0, viewport)?.frame.width }
    #expect(widths == [0.25, 0.25, 0.5, 0.5])
  }

  @Test("sections that are solved after there are new kinds of cells share lanes with the others")
  func newKinds() throws {
    let old = contents(10, height: { Double(20 + $0) })
    let layouts: [any CollectionLayout] = [
      Self.layout, SectionsLayout(layouts: [SectionLayout(.gridLanes(Self.layout))]),
    ]
    for layout in layouts {
      let context = LayoutContext(contents: old, container: Self.container)
      let prepared = layout.prepare(context)
      var new = contents(11, height: { Double(20 + $0) })
      new = CollectionContents(
        sections: (0 ..< 11).map { new.section(at: $0) },
        cellKindNames: ["", "k1", "wide", "more"]
      )
      let snapshot = SnapshotUpdate(contents: new)
      let change = try old.applying(
        UpdateBatch(change: .snapshot(snapshot)),
        limits: ContentsLimits()
      )
      let work = LayoutWork()
      let derived = try layout.update(prepared, by: change, work: work)
      #expect(work.steps < Self.laneCount, "\(layout.kindName)")
      #expect(
        derived.contentSize
          == layout.prepare(
            LayoutContext(contents: change.new, container: Self.container)
          ).contentSize
      )
    }
  }
}
