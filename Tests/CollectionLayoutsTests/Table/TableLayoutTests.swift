// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Table", .timeLimit(.minutes(2)))
struct TableLayoutTests {
  private let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)

  private func prepare(
    _ layout: TableLayout,
    _ contents: CollectionContents,
    _ container: LayoutContainer = .init(size: Size(width: 300, height: 200)),
    options: LayoutOptions = .init()
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container, options: options))
  }

  private func cell(_ column: String, _ item: Int) -> ElementKey {
    ElementKey(
      category: .supplementary,
      kind: column,
      indexPath: IndexPath(section: 0, item: item)
    )
  }

  private static let wide = TableLayout(
    columns: [
      TableColumn("name", width: .points(100), frozen: .leading),
      TableColumn(
        "place",
        columns: [
          TableColumn("city", width: .points(150)), TableColumn("land", width: .points(150)),
        ]
      ),
      TableColumn("year", width: .points(80)),
      TableColumn("sum", width: .points(50), frozen: .trailing),
    ],
    rowHeight: 20,
    headerHeight: 10
  )

  @Test("headers stay at the top, and frozen columns at their edges")
  func frozen() {
    let prepared = prepare(Self.wide, plainContents(100))
    #expect(prepared.contentSize == Size(width: 530, height: 2020))
    #expect(prepared.scrollAxis == nil)
    let viewport = Viewport(offset: Point(x: 60, y: 500), size: Size(width: 300, height: 200))
    func frame(_ key: ElementKey) -> Rect? {
      prepared.attributes(of: key, viewport: viewport)?.frame
    }
    #expect(frame(cell("name", 30)) == Rect(x: 60, y: 620, width: 100, height: 20))
    #expect(frame(cell("city", 30)) == Rect(x: 100, y: 620, width: 150, height: 20))
    #expect(frame(cell("sum", 30)) == Rect(x: 310, y: 620, width: 50, height: 20))
    #expect(frame(.cell(0, 30)) == Rect(x: 0, y: 620, width: 530, height: 20))
    #expect(
      frame(.supplementary("place", section: 0)) == Rect(x: 100, y: 500, width: 300, height: 10)
    )
    #expect(
      frame(.supplementary("city", section: 0)) == Rect(x: 100, y: 510, width: 150, height: 10)
    )
    #expect(
      frame(.supplementary("sum", section: 0)) == Rect(x: 310, y: 500, width: 50, height: 20)
    )
    #expect(frame(.supplementary("none", section: 0)) == nil)
    #expect(frame(cell("place", 30)) == nil)
    #expect(frame(cell("city", 100)) == nil)
  }

  @Test("a query gives the cells in view along both axes, and no others")
  func inView() {
    var layout = Self.wide
    layout.columns = (0 ..< 1000).map { TableColumn("c\($0)", width: .points(50)) }
    let prepared = prepare(layout, plainContents(10_000_000))
    let viewport = Viewport(
      offset: Point(x: 20_000, y: 90_000_000),
      size: Size(width: 300, height: 200)
    )
    let found = prepared.probed(in: viewport.rect, viewport)
    // Ten rows and a part of another, each with six cells, and six headers.
    #expect(found.count == 11 * 7 + 6)
    #expect(found.contains { $0.key.kind == "c400" && $0.key.indexPath.item == 4_499_999 })
  }

  @Test("shares take the room that other columns leave, within their bounds")
  func shares() {
    let layout = TableLayout(columns: [
      TableColumn("a", width: .points(60)), TableColumn("b", width: .share(1)),
      TableColumn("c", width: .share(2), maximum: 100),
      TableColumn("d", width: .share(1), minimum: 90),
    ])
    let prepared = prepare(layout, plainContents(1))
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 200))
    let widths = ["a", "b", "c", "d"].map {
      prepared.attributes(of: cell($0, 0), viewport: viewport)?.frame.width
    }
    #expect(widths == [60, 50, 100, 90])
    #expect(prepared.scrollAxis == .vertical)
  }

  @Test("rows of a kind have cells across columns, or none")
  func spans() {
    var layout = Self.wide
    layout.rowKinds = [
      TableRowKind(cellKind: "total", spans: [TableSpan(column: "city", count: 2)]),
      TableRowKind(cellKind: "heading", isWhole: true),
    ]
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 3, cellKinds: [0, 1, 2])])],
      cellKindNames: ["row", "total", "heading"]
    )
    let prepared = prepare(layout, contents)
    let viewport = Viewport(offset: .zero, size: Size(width: 600, height: 200))
    let kinds = (0 ..< 3).map { row in
      prepared.probed(in: everywhere, viewport).filter { $0.key.indexPath.item == row }
        .map(\.key.kind)
    }
    #expect(kinds[0] == ["row", "name", "city", "land", "year", "sum"])
    #expect(kinds[1] == ["total", "name", "city", "year", "sum"])
    #expect(kinds[2] == ["heading"])
    #expect(prepared.attributes(of: cell("city", 1), viewport: viewport)?.frame.width == 300)
    #expect(prepared.attributes(of: cell("land", 1), viewport: viewport) == nil)
  }

  @Test("a viewer's columns are those of a table that was made so")
  func preferences() {
    let contents = plainContents(20)
    let preferences = TablePreferences(
      columns: [
        "city": TableColumnPreference(width: 90), "year": TableColumnPreference(isHidden: true),
        "sum": TableColumnPreference(place: .scrolling),
      ],
      order: ["land", "sum"]
    )
    var made = Self.wide
    made.columns = [
      TableColumn("sum", width: .points(50)),
      TableColumn("name", width: .points(100), frozen: .leading),
      TableColumn(
        "place",
        columns: [
          TableColumn("land", width: .points(150)), TableColumn("city", width: .points(90)),
        ]
      ),
    ]
    let viewport = Viewport(offset: Point(x: 30, y: 10), size: Size(width: 300, height: 200))
    let arranged = prepare(Self.wide, contents).arranged(by: preferences, last: nil)
    let expected = prepare(made, contents)
    #expect(arranged.contentSize == expected.contentSize)
    #expect(
      Set(arranged.probed(in: everywhere, viewport))
        == Set(expected.probed(in: everywhere, viewport))
    )
    let back = arranged.arranged(by: TablePreferences(), last: arranged)
    #expect(back.contentSize == Size(width: 530, height: 420))
  }

  @Test("what stays in view stays while a column before it changes")
  func horizontalShift() {
    let old = prepare(Self.wide, plainContents(20))
    let viewport = Viewport(offset: Point(x: 160, y: 10), size: Size(width: 300, height: 200))
    let wider = TablePreferences(columns: ["city": TableColumnPreference(width: 190)])
    let new = old.arranged(by: wider, last: nil)
    #expect(new.horizontalShift(from: old, viewport: viewport) == 40)
    let gone = TablePreferences(columns: ["land": TableColumnPreference(isHidden: true)])
    #expect(
      old.arranged(by: gone, last: nil).horizontalShift(from: old, viewport: viewport) == -150
    )
    #expect(old.horizontalShift(from: prepareList(), viewport: viewport) == nil)
  }

  private func prepareList() -> any PreparedLayout {
    ListLayout().prepare(
      LayoutContext(
        contents: plainContents(9),
        container: .init(size: Size(width: 300, height: 200))
      )
    )
  }

  @Test("scrolling to a cell shows it below the headers and between frozen columns")
  func scrollTargets() throws {
    let prepared = prepare(Self.wide, plainContents(100))
    var viewport = Viewport(offset: Point(x: 0, y: 0), size: Size(width: 300, height: 200))
    func target(_ key: ElementKey) -> Point? {
      LayoutQueries(prepared, viewport: viewport).scrollTarget(
        for: .element(key, position: .nearest)
      )?.offset
    }
    #expect(target(cell("year", 50)) == Point(x: 230, y: 840))
    viewport.offset = Point(x: 230, y: 840)
    #expect(target(cell("city", 10)) == Point(x: 0, y: 200))
    // What stays is seen wherever the content is scrolled to.
    #expect(target(cell("sum", 50)) == Point(x: 230, y: 840))
    #expect(target(.supplementary("city", section: 0)) == Point(x: 0, y: 840))
    #expect(target(.cell(0, 50)) == Point(x: 230, y: 840))
  }

  @Test("hits are cells, frozen ones before those that pass below them")
  func hitTests() {
    let prepared = prepare(Self.wide, plainContents(100))
    let viewport = Viewport(offset: Point(x: 60, y: 500), size: Size(width: 300, height: 200))
    let queries = LayoutQueries(prepared, viewport: viewport)
    #expect(queries.hitTest(Point(x: 110, y: 630))?.key == cell("name", 30))
    #expect(queries.hitTest(Point(x: 200, y: 630))?.key == cell("city", 30))
    #expect(queries.hitTest(Point(x: 350, y: 505))?.key == .supplementary("sum", section: 0))
    #expect(queries.hitTest(Point(x: 200, y: 505))?.key == .supplementary("place", section: 0))
  }

  @Test("arrow keys lead from cell to cell, and from the headers into the rows")
  func focus() {
    let prepared = prepare(Self.wide, plainContents(2, 0, 100))
    let queries = LayoutQueries(
      prepared,
      viewport: Viewport(offset: .zero, size: Size(width: 300, height: 200))
    )
    func step(_ step: NeighborStep, _ key: ElementKey) -> ElementKey? {
      queries.scrollTarget(for: .neighbor(of: .element(key), step: step, position: .nearest))?
        .element
    }
    func last(_ column: String, _ item: Int) -> ElementKey {
      ElementKey(
        category: .supplementary,
        kind: column,
        indexPath: IndexPath(section: 2, item: item)
      )
    }
    #expect(step(.right, cell("name", 0)) == cell("city", 0))
    #expect(step(.left, cell("name", 0)) == nil)
    #expect(step(.down, cell("city", 1)) == last("city", 0))
    #expect(step(.up, last("city", 0)) == cell("city", 1))
    #expect(step(.next, cell("sum", 1)) == last("name", 0))
    #expect(step(.previous, last("name", 0)) == cell("sum", 1))
    #expect(step(.first, last("year", 9)) == cell("name", 0))
    #expect(step(.last, cell("year", 0)) == last("sum", 99))
    #expect(step(.down, .supplementary("place", section: 0)) == cell("city", 0))
    #expect(step(.right, .supplementary("place", section: 0)) == .supplementary("year", section: 0))
    #expect(step(.left, .supplementary("city", section: 0)) == .supplementary("name", section: 0))
    // Nine rows fit below the headers.
    #expect(step(.pageDown, last("land", 0)) == last("land", 8))
    #expect(step(.pageUp, last("land", 50)) == last("land", 42))
  }

  @Test("invalid parameters are rejected")
  func invalid() {
    let inner = TableColumn("b", frozen: .trailing)
    #expect(
      rejectedFields(
        TableLayout(
          columns: [
            TableColumn(""), TableColumn("header"), TableColumn("a", width: .points(-1)),
            TableColumn("a", width: .share(0), minimum: 9, maximum: 8),
            TableColumn("g", columns: [inner]),
          ],
          rowHeight: -1,
          rowSpacing: .nan,
          headerHeight: -1,
          sectionHeaderHeight: -1,
          sectionFooterHeight: -1,
          separatorThickness: -1,
          rowKinds: [
            TableRowKind(
              cellKind: "",
              isWhole: true,
              spans: [TableSpan(column: "g"), TableSpan(column: "b", count: 0)]
            )
          ]
        )
      ) == [
        "columns[0].id", "columns[1].id", "columns[2].width", "columns[3].id", "columns[3].share",
        "columns[3].maximum", "columns[4].columns[0].frozen", "row_height", "row_spacing",
        "header_height", "section_header_height", "section_footer_height", "separator_thickness",
        "row_kinds[0].spans", "row_kinds[0].spans[0].column", "row_kinds[0].spans[1].count",
      ]
    )
    #expect(rejectedFields(TableLayout(columns: [])) == ["columns"])
    let many = (0 ... TableLayout.maximumColumnCount).map { TableColumn("\($0)") }
    #expect(rejectedFields(TableLayout(columns: many)) == ["columns"])
    let deep = (0 ..< 5).reduce(TableColumn("leaf")) { TableColumn("g\($1)", columns: [$0]) }
    #expect(
      rejectedFields(TableLayout(columns: [deep]))
        == ["columns[0].columns[0].columns[0].columns[0].columns[0].columns"]
    )
  }

  @Test("agrees with a naive table, wherever its viewer is", arguments: 0 ..< 300)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let layout = random.table()
    let contents = random.laneContents(items: random.chance(15) ? 500 : 30)
    let prepared = prepare(layout, contents, random.container())
    let viewport = random.tableViewport(prepared.context.container)
    let expected = NaiveTable(layout, contents, viewport)
    expectClose(prepared.contentSize.width, expected.contentSize.width, "seed \(seed)")
    expectClose(prepared.contentSize.height, expected.contentSize.height, "seed \(seed)")
    let others: Set = [StandardKind.header, StandardKind.footer]
    let found = prepared.probed(in: everywhere, viewport)
      .filter { $0.key.category != .decoration && !others.contains($0.key.kind) }
    #expect(Set(found.map(\.key)) == Set(expected.frames.keys), "seed \(seed)")
    for element in found {
      guard let frame = expected.frames[element.key] else { continue }
      expectClose(element.attributes.frame, frame, "\(element.key), seed \(seed)")
    }
    prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
  }

  @Test("pin ranges lead to where a server that pins has the elements", arguments: 0 ..< 100)
  func pins(seed: UInt64) {
    var random = SplitMix64(seed: 2000 + seed)
    let layout = random.table()
    let prepared = prepare(layout, random.laneContents(items: 30), random.container())
    let viewport = random.tableViewport(prepared.context.container)
    var pinning = viewport
    pinning.rendererPins = true
    for element in prepared.probed(in: everywhere, viewport) {
      guard let pin = prepared.pinRange(of: element.key, viewport: viewport) else { continue }
      let y = min(max(viewport.offset.y + pin.inset, pin.minOffset), pin.maxOffset)
      expectClose(y, element.attributes.frame.minY, "\(element.key), seed \(seed)")
      let natural = prepared.attributes(of: element.key, viewport: pinning)
      #expect(natural?.frame.minX == element.attributes.frame.minX, "seed \(seed)")
    }
  }

  /// Sums of heights that were added in another order differ by their rounding.
  private func expectSame(
    _ a: any PreparedLayout,
    _ b: any PreparedLayout,
    _ viewport: Viewport,
    _ note: String
  ) {
    let found = a.probed(in: everywhere, viewport)
    let expected = b.probed(in: everywhere, viewport)
    #expect(found.map(\.key) == expected.map(\.key), "\(note)")
    for (one, other) in zip(found, expected) {
      expectClose(one.attributes.frame, other.attributes.frame, "\(one.key), \(note)")
      #expect(one.attributes.zIndex == other.attributes.zIndex, "\(note)")
    }
  }

  @Test("a derived version equals a fresh one, also as a viewer wants it", arguments: 0 ..< 80)
  func updates(seed: UInt64) throws {
    var random = SplitMix64(seed: 1000 + seed)
    let layout = random.table()
    let preferences = random.tablePreferences()
    var contents = random.laneContents(items: random.chance(10) ? 2000 : 40)
    let container = random.container()
    var prepared = prepare(layout, contents, container)
    var arranged: (any PreparedLayout)?
    for _ in 0 ..< 6 {
      let batch = random.laneEdit(of: contents)
      let change = try contents.applying(batch, limits: ContentsLimits())
      contents = change.new
      prepared = layout.update(prepared, by: change)
      let fresh = prepare(layout, contents, container)
      let viewport = random.tableViewport(container)
      expectClose(prepared.contentSize.height, fresh.contentSize.height, "seed \(seed)")
      #expect(prepared.contentSize.width == fresh.contentSize.width, "seed \(seed)")
      expectSame(prepared, fresh, viewport, "seed \(seed)")
      let shown = prepared.arranged(by: preferences, last: arranged)
      expectSame(shown, fresh.arranged(by: preferences, last: nil), viewport, "seed \(seed)")
      shown.checkConsistency(viewport, random: &random, "seed \(seed)")
      arranged = shown
    }
  }

  @Test("a query that is limited or searches counts cells, not rows")
  func limits() {
    let prepared = prepare(Self.wide, plainContents(5000))
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 200))
    var few = ElementBuffer(limit: 100)
    prepared.appendElements(in: everywhere, viewport: viewport, to: &few)
    #expect(few.elements.count == 100)
    #expect(few.elements.first?.category == .supplementary)
    let queries = LayoutQueries(prepared, viewport: viewport)
    #expect(queries.elements(in: nil).elements.count == 5000 * 6 + 6)
  }

  @Test("effects change the cells as well")
  func effects() {
    let prepared = prepare(Self.wide, plainContents(2000))
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 200))
    let fading = ScrollEffect(
      category: .supplementary,
      kinds: ["city"],
      trailing: .init(.init(alpha: 0))
    )
    let found = prepared.showing([fading]).probed(in: everywhere, viewport)
    #expect(found.count == 2000 * 6 + 6)
    for element in found {
      let isFaded = element.key.kind == "city" && element.attributes.frame.minY >= 200
      #expect((element.attributes.alpha == 0) == isFaded, "\(element.key)")
    }
  }
}
