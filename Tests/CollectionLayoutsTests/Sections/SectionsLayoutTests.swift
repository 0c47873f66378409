// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

/// A flow "tiles", a list "rows", a waterfall "columns" and groups "strip" that scroll by
/// themselves.
private let mixed = SectionsLayout(
  interSectionSpacing: 5,
  layouts: [
    SectionLayout(
      name: "tiles",
      .flow(
        FlowLayout(
          itemSize: Size(width: 100, height: 40),
          minimumLineSpacing: 0,
          minimumInteritemSpacing: 10,
          headerReferenceSize: Size(width: 0, height: 20)
        )
      )
    ),
    SectionLayout(
      name: "rows",
      .list(
        ListLayout(
          rowHeight: 30,
          isSelfSizing: true,
          headerHeight: 20,
          headersPinToVisibleBounds: true,
          separatorThickness: 1
        )
      )
    ),
    SectionLayout(name: "columns", .waterfall(WaterfallLayout(columns: .count(4)))),
    SectionLayout(
      name: "strip",
      .compositional(
        CompositionalSection(
          group: rows(width: .absolute(100)),
          interGroupSpacing: 10,
          orthogonalScrolling: .groupPaging,
          boundarySupplementaryItems: [header("title")]
        )
      )
    ),
  ]
)

private let container = LayoutContainer(size: Size(width: 320, height: 200))

private func contents(_ sections: (name: String, count: Int)...) -> CollectionContents {
  CollectionContents(
    sections: sections.map { name, count in
      SectionContents(layoutName: name, blocks: count == 0 ? [] : [ItemBlock(count: count)])
    }
  )
}

private func prepare(
  _ contents: CollectionContents,
  layout: SectionsLayout = mixed
) -> PreparedSections<SectionsLayout>? {
  layout.prepare(LayoutContext(contents: contents, container: container))
    as? PreparedSections<SectionsLayout>
}

@Suite("Layouts of sections", .timeLimit(.minutes(1)))
struct SectionsLayoutTests {
  private func frame(
    _ prepared: PreparedSections<SectionsLayout>?,
    _ section: Int,
    _ item: Int,
    _ viewport: Viewport = Viewport(of: container)
  ) -> Rect? { prepared?.cell(section, item, viewport)?.frame }

  @Test("stack each section in the layout that it names")
  func named() {
    let prepared = prepare(
      contents(("rows", 2), ("strip", 9), ("columns", 5), ("tiles", 4), ("rows", 0))
    )
    // A list of 20 + 2 · 30.
    #expect(frame(prepared, 0, 1) == Rect(x: 0, y: 50, width: 320, height: 30))
    // Groups behind 5 of spacing and a title of 30.
    #expect(frame(prepared, 1, 1) == Rect(x: 110, y: 115, width: 100, height: 50))
    // Squares of 80 in four columns.
    #expect(frame(prepared, 2, 4) == Rect(x: 0, y: 250, width: 80, height: 80))
    // Three tiles in a line, behind a header of 20.
    #expect(frame(prepared, 3, 3) == Rect(x: 0, y: 395, width: 100, height: 40))
    // The empty section keeps its header.
    #expect(prepared?.contentSize == Size(width: 320, height: 460))
    let viewport = Viewport(of: container)
    let headers = [
      ElementKey.supplementary("header", section: 0), .supplementary("title", section: 1),
      .supplementary("header", section: 3), .supplementary("header", section: 4),
      ElementKey(
        category: .decoration,
        kind: "separator",
        indexPath: IndexPath(section: 0, item: 0)
      ),
    ].map { prepared?.attributes(of: $0, viewport: viewport)?.frame }
    #expect(
      headers == [
        Rect(x: 0, y: 0, width: 320, height: 20), Rect(x: 0, y: 85, width: 320, height: 30),
        Rect(x: 0, y: 335, width: 320, height: 20), Rect(x: 0, y: 440, width: 320, height: 20),
        Rect(x: 0, y: 50, width: 320, height: 1),
      ]
    )
    #expect(prepared?.kindNames == ["", "header", "footer", "separator", "title"])
  }

  @Test("take layouts in turn where sections name none, or one that is not there")
  func positions() {
    let prepared = prepare(contents(("", 3), ("other", 1), ("", 4), ("rows", 1), ("", 3)))
    #expect(frame(prepared, 0, 0)?.size == Size(width: 100, height: 40))
    #expect(frame(prepared, 1, 0)?.size == Size(width: 320, height: 30))
    #expect(frame(prepared, 2, 0)?.size == Size(width: 80, height: 80))
    #expect(frame(prepared, 3, 0)?.size == Size(width: 320, height: 30))
    #expect(frame(prepared, 4, 0)?.size == Size(width: 100, height: 40))
  }

  @Test("mirror and turn every section")
  func orientations() {
    var rightToLeft = container
    rightToLeft.isRightToLeft = true
    let context = LayoutContext(
      contents: contents(("tiles", 1), ("columns", 1), ("strip", 2)),
      container: rightToLeft
    )
    let viewport = Viewport(of: rightToLeft)
    let mirrored = mixed.prepare(context)
    #expect(mirrored.cell(0, 0, viewport)?.frame == Rect(x: 220, y: 20, width: 100, height: 40))
    #expect(mirrored.cell(1, 0, viewport)?.frame == Rect(x: 240, y: 65, width: 80, height: 80))
    #expect(mirrored.cell(2, 1, viewport)?.frame == Rect(x: 110, y: 180, width: 100, height: 50))
    let horizontal = SectionsLayout(
      scrollAxis: .horizontal,
      layouts: [
        SectionLayout(
          .flow(
            FlowLayout(
              scrollDirection: .horizontal,
              headerReferenceSize: Size(width: 20, height: 0)
            )
          )
        ),
        SectionLayout(
          .waterfall(WaterfallLayout(scrollAxis: .horizontal, columns: .count(2)))
        ),
      ]
    )
    let turned = horizontal.prepare(
      LayoutContext(contents: plainContents(1, 3), container: container)
    )
    let view = Viewport(of: container)
    #expect(turned.contentSize == Size(width: 270, height: 200))
    #expect(turned.cell(0, 0, view)?.frame.x == 20)
    #expect(turned.cell(1, 2, view)?.frame == Rect(x: 170, y: 0, width: 100, height: 100))
  }

  @Test("are as wide as the widest row of a grid, and then scroll in both directions")
  func grids() throws {
    var layout = mixed
    layout.layouts.append(
      SectionLayout(
        name: "days",
        .grid(
          GridLayout(itemSize: Size(width: 50, height: 40), interitemSpacing: 4, lineSpacing: 6)
        )
      )
    )
    let narrow = prepare(contents(("rows", 1), ("days", 2), ("tiles", 1)), layout: layout)
    #expect(frame(narrow, 1, 1) == Rect(x: 58, y: 61, width: 50, height: 40))
    #expect(frame(narrow, 2, 0)?.y == 132)
    #expect(narrow?.contentSize == Size(width: 320, height: 172))
    #expect(narrow?.scrollAxis == .vertical)
    let before = try #require(prepare(contents(("rows", 1), ("days", 10)), layout: layout))
    #expect(before.contentSize == Size(width: 544, height: 107))
    #expect(before.scrollAxis == nil)
    let change = try before.context.contents.applying(
      UpdateBatch([.deleteItems(section: 1, items: 2 ..< 10)])
    )
    let after = layout.update(before, by: change)
    #expect(after.contentSize == Size(width: 320, height: 107))
    #expect(after.scrollAxis == .vertical)
    #expect(!layout.placesInOrder)
    #expect(mixed.placesInOrder)
  }

  @Test("mirror sections about the middle of content that a grid makes wide")
  func wideMirroring() {
    let layout = SectionsLayout(layouts: [
      SectionLayout(.list(ListLayout())),
      SectionLayout(.grid(GridLayout(itemSize: Size(width: 50, height: 40)))),
    ])
    var rightToLeft = container
    rightToLeft.isRightToLeft = true
    let context = LayoutContext(
      contents: plainContents(1, 10),
      container: rightToLeft,
      options: LayoutOptions(
        sectionBackgrounds: [
          SectionBackground(
            kind: "plate",
            insets: EdgeInsets(top: 0, leading: 10, bottom: 0, trailing: 0),
            zIndex: -1
          )
        ]
      )
    )
    let prepared = layout.prepare(context)
    let viewport = Viewport(of: rightToLeft)
    #expect(prepared.startsAtRightEdge)
    #expect(prepared.cell(0, 0, viewport)?.frame == Rect(x: 180, y: 0, width: 320, height: 44))
    #expect(prepared.cell(1, 0, viewport)?.frame == Rect(x: 450, y: 44, width: 50, height: 40))
    func plate(_ section: Int) -> Rect? {
      prepared.attributes(of: .decoration("plate", section: section), viewport: viewport)?.frame
    }
    #expect(plate(0) == Rect(x: 180, y: 0, width: 310, height: 44))
    #expect(plate(1) == Rect(x: 0, y: 44, width: 490, height: 40))
  }

  @Test("find the cells of a long row by arithmetic")
  func longRow() {
    let layout = SectionsLayout(layouts: [SectionLayout(.grid(GridLayout()))])
    let prepared = layout.prepare(
      LayoutContext(contents: plainContents(4_000_000), container: container)
    )
    var buffer = ElementBuffer(work: LayoutWork(stepLimit: 20))
    let rect = Rect(x: 100_000_000, y: 0, width: 320, height: 200)
    prepared.appendElements(in: rect, viewport: Viewport(of: container), to: &buffer)
    #expect(buffer.elements.map(\.indexPath.item) == Array(2_000_000 ..< 2_000_007))
  }

  @Test("pin the headers of those sections that pin them")
  func pinning() {
    let prepared = prepare(contents(("tiles", 60), ("rows", 60)))
    #expect(prepared?.scrollDependence == .pinnedElements)
    func top(_ section: Int, at y: Double) -> Double? {
      let viewport = Viewport(of: container, at: Point(x: 0, y: y))
      let key = ElementKey.supplementary("header", section: section)
      return prepared?.attributes(of: key, viewport: viewport)?.frame.y
    }
    #expect(top(0, at: 500) == 0)
    #expect(top(1, at: 500) == 825)
    #expect(top(1, at: 1500) == 1500)
  }

  @Test("scroll sections of groups by themselves, and no others")
  func orthogonal() {
    let prepared = prepare(contents(("rows", 1), ("strip", 9)))
    var viewport = Viewport(of: container)
    viewport.sectionOffsets = [0: 100, 1: 100]
    #expect(frame(prepared, 0, 0, viewport)?.x == 0)
    #expect(frame(prepared, 1, 1, viewport)?.x == 10)
    #expect(mixed.scrollsOrthogonally(section: 0, named: "strip"))
    #expect(mixed.scrollsOrthogonally(section: 7, named: ""))
    #expect(!mixed.scrollsOrthogonally(section: 3, named: "rows"))
    #expect(mixed.startsAtOffsetZero(section: 0, named: "strip"))
    var centred = mixed
    centred.layouts[3] = SectionLayout(
      name: "strip",
      .compositional(
        CompositionalSection(group: rows(), orthogonalScrolling: .groupPagingCentered)
      )
    )
    #expect(!centred.startsAtOffsetZero(section: 0, named: "strip"))
    #expect(centred.startsAtOffsetZero(section: 0, named: "rows"))
    func rest(_ section: Int) -> ScrollTarget? {
      prepared?.restingOffset(
        proposed: Point(x: 300, y: 0),
        velocity: .zero,
        section: section,
        viewport: viewport
      )
    }
    // From 100 the next group on either side may be reached, and no farther one.
    #expect(rest(1) == ScrollTarget(offset: Point(x: 110, y: 0), element: .cell(1, 1)))
    #expect(rest(0) == nil)
    #expect(rest(9) == nil)
  }

  @Test("measure what the entry of the section measures")
  func measurement() {
    let named = contents(("rows", 1), ("tiles", 1), ("", 1))
    func accepts(_ section: Int, _ layout: SectionsLayout = mixed) -> Bool {
      layout.acceptsMeasurement(of: .cell(section, 0), in: named.section(at: section))
    }
    #expect(accepts(0))
    #expect(!accepts(1))
    #expect(!accepts(2))
    let estimated = SectionsLayout(layouts: [
      SectionLayout(.compositional(CompositionalSection(group: rows(.estimated(40)))))
    ])
    #expect(accepts(2, estimated))
    #expect(!SectionsLayout(layouts: []).acceptsMeasurement(of: .cell(0, 0), in: .init()))
  }

  @Test("assume no mean of measured sizes")
  func means() {
    let layout = SectionsLayout(layouts: [
      SectionLayout(.flow(FlowLayout(estimatedItemSize: Size(width: 40, height: 40))))
    ])
    var measured = plainContents(2)
    measured.measuredItemSize = Size(width: 90, height: 90)
    let prepared = layout.prepare(LayoutContext(contents: measured, container: container))
    #expect(!layout.averagesMeasurements)
    #expect(
      prepared.cell(0, 1, Viewport(of: container))?.frame.size == Size(width: 40, height: 40)
    )
  }

  @Test("have no page spacing, and depend on the container as their entries do")
  func dependence() {
    #expect(mixed.pageSpacing == 0)
    #expect(!mixed.dependsOnMainLength)
    var deep = mixed
    deep.layouts.append(
      SectionLayout(.compositional(CompositionalSection(group: rows(.fractionalHeight(0.5)))))
    )
    #expect(deep.dependsOnMainLength)
    #expect(!deep.appendsInOrder)
    #expect(SectionsLayout(layouts: Array(mixed.layouts.prefix(3))).appendsInOrder)
  }
}

@Suite("Versions of layouts of sections", .timeLimit(.minutes(1)))
struct SectionsUpdateTests {
  private func inserted(_ contents: CollectionContents, at index: Int) throws -> ContentsChange {
    try contents.applying(
      UpdateBatch([
        .insertSections(
          at: index,
          [SectionContents(layoutName: "rows", blocks: [ItemBlock(count: 2)])]
        )
      ])
    )
  }

  @Test("an inserted section leaves the named sections behind it as they are")
  func shared() throws {
    let named = contents(("columns", 5), ("tiles", 7), ("", 3), ("strip", 4))
    let before = try #require(prepare(named))
    let change = try inserted(named, at: 0)
    let after = try #require(mixed.update(before, by: change) as? PreparedSections<SectionsLayout>)
    for index in [0, 1, 3] {
      #expect(before.section(at: index)?.solved === after.section(at: index + 1)?.solved)
    }
    // The third section was the waterfall's by position, and now is the strip's.
    #expect(before.section(at: 2)?.solved !== after.section(at: 3)?.solved)
    #expect(after.cell(3, 0, Viewport(of: container))?.frame.size == Size(width: 100, height: 50))
  }

  @Test("sections alike share one solution, whatever their positions, if they name their entry")
  func alike() throws {
    let prepared = try #require(prepare(contents(("rows", 3), ("rows", 3), ("", 3), ("", 3))))
    #expect(prepared.section(at: 0)?.solved === prepared.section(at: 1)?.solved)
    #expect(prepared.section(at: 2)?.solved !== prepared.section(at: 3)?.solved)
  }

  /// A section of three items with keys, which takes the entry of a name.
  private func keyed(_ name: String) -> CollectionContents {
    CollectionContents(sections: [
      SectionContents(
        key: "s",
        layoutName: name,
        blocks: [ItemBlock(count: 3, keys: ["a", "b", "c"])]
      )
    ])
  }

  @Test(
    "a section that gets another name is laid out anew",
    arguments: ["tiles", "rows", "columns", "strip", ""]
  )
  func renamed(name: String) throws {
    for other in ["tiles", "rows", "columns", "strip", ""] {
      let before = try #require(prepare(keyed(other)))
      let change = try before.context.contents.applying(
        UpdateBatch(change: .snapshot(SnapshotUpdate(contents: keyed(name))))
      )
      let viewport = Viewport(of: container)
      #expect(
        mixed.update(before, by: change).probed(in: .everywhere, viewport)
          == prepare(keyed(name))?.probed(in: .everywhere, viewport),
        "from \(other) to \(name)"
      )
    }
  }

  @Test("names that look the same are different names if their bytes are")
  func exactNames() throws {
    let (tiles, rows) = ("caf\u{e9}", "cafe\u{301}")
    var layout = mixed
    layout.layouts[0].name = tiles
    layout.layouts[1].name = rows
    let before = try #require(prepare(keyed(tiles), layout: layout))
    let change = try before.context.contents.applying(
      UpdateBatch(change: .snapshot(SnapshotUpdate(contents: keyed(rows))))
    )
    let viewport = Viewport(of: container)
    let after = layout.update(before, by: change).probed(in: .everywhere, viewport)
    #expect(after == prepare(keyed(rows), layout: layout)?.probed(in: .everywhere, viewport))
    // A header, and three rows of 30 points or one line of 40.
    #expect(prepare(keyed(rows), layout: layout)?.contentSize.height == 110.0)
    #expect(before.contentSize.height == 60.0)
  }

  @Test("backgrounds that name sections stay with their indices")
  func backgrounds() throws {
    var layout = mixed
    layout.layouts[3] = SectionLayout(
      name: "strip",
      .compositional(
        CompositionalSection(
          group: rows(),
          backgrounds: [SectionBackground(kind: "plate", zIndex: 0, sections: [1])]
        )
      )
    )
    let named = contents(("strip", 2), ("strip", 2))
    let before = try #require(prepare(named, layout: layout))
    let change = try inserted(named, at: 0)
    let viewport = Viewport(of: container)
    let after = layout.update(before, by: change)
    #expect(
      after.probed(in: .everywhere, viewport)
        == prepare(change.new, layout: layout)?.probed(in: .everywhere, viewport)
    )
    #expect(after.attributes(of: .decoration("plate", section: 1), viewport: viewport) != nil)
    #expect(after.attributes(of: .decoration("plate", section: 2), viewport: viewport) == nil)
    #expect(after.cell(1, 0, viewport)?.zIndex == 1)
  }

  @Test("an edit looks only at the section that it changes")
  func steps() throws {
    let block = ItemBlock(count: 20_000, widths: (0 ..< 20_000).map { Double(20 + $0 % 50) })
    let long = CollectionContents(
      sections: ["tiles", "rows", "tiles"].map { SectionContents(layoutName: $0, blocks: [block]) }
    )
    let before = try #require(prepare(long))
    let change = try long.applying(
      UpdateBatch([
        .insertItems(at: IndexPath(section: 2, item: 9), items: [ItemBlock(count: 1)]),
        .insertSections(at: 0, [SectionContents(layoutName: "tiles")]),
      ])
    )
    let work = LayoutWork()
    _ = try mixed.update(before, by: change, work: work)
    #expect(work.steps < 5000)
  }
}
