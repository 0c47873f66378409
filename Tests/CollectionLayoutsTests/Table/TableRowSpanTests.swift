// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Cells across rows of a table", .timeLimit(.minutes(2)))
struct TableRowSpanTests {
  /// Columns a to d of 50 points, below no headers; rows of 20.
  private static func layout(_ kinds: [TableRowKind], spacing: Double = 0) -> TableLayout {
    TableLayout(
      columns: ["a", "b", "c", "d"].map { TableColumn($0, width: .points(50)) },
      rowHeight: 20,
      rowSpacing: spacing,
      headerHeight: 0,
      rowKinds: kinds
    )
  }

  /// Rows of the kind "top" begin a cell of three rows in column a, and one of two columns and two
  /// rows in b.
  private static let top = TableRowKind(
    cellKind: "top",
    spans: [
      TableSpan(column: "a", count: 1, rowCount: 3), TableSpan(column: "b", count: 2, rowCount: 2),
    ]
  )

  private static let names = ["", "top", "whole"]

  /// One section for each list of kinds, as indices of `names`.
  private func prepare(
    _ sections: [[Int]],
    _ layout: TableLayout = layout([top, TableRowKind(cellKind: "whole", isWhole: true)])
  ) -> any PreparedLayout {
    layout.prepare(
      LayoutContext(
        contents: CollectionContents(
          sections: sections.map { kinds in
            SectionContents(blocks: [ItemBlock(count: kinds.count, cellKinds: kinds)])
          },
          cellKindNames: Self.names
        ),
        container: LayoutContainer(size: Size(width: 200, height: 100))
      )
    )
  }

  private let viewport = Viewport(offset: .zero, size: Size(width: 200, height: 100))

  private func key(_ column: String, _ item: Int, section: Int = 0) -> ElementKey {
    ElementKey(
      category: .supplementary,
      kind: column,
      indexPath: IndexPath(section: section, item: item)
    )
  }

  /// The columns in which a row has cells of its own.
  private func cells(_ prepared: any PreparedLayout, _ item: Int, section: Int = 0) -> String {
    prepared.probed(in: Rect(x: 0, y: -1e6, width: 200, height: 2e6), viewport)
      .filter { $0.key.category == .supplementary }
      .filter { $0.key.indexPath == IndexPath(section: section, item: item) }
      .map(\.key.kind).joined()
  }

  private func frame(_ prepared: any PreparedLayout, _ key: ElementKey) -> Rect? {
    prepared.attributes(of: key, viewport: viewport)?.frame
  }

  @Test("what a cell covers are no elements, and the rows stay")
  func covered() {
    let prepared = prepare([[1, 0, 0, 0]], Self.layout([Self.top], spacing: 5))
    #expect((0 ..< 4).map { cells(prepared, $0) } == ["abd", "d", "bcd", "abcd"])
    // Three rows of 20 with 5 between them.
    #expect(frame(prepared, key("a", 0)) == Rect(x: 0, y: 0, width: 50, height: 70))
    #expect(frame(prepared, key("b", 0)) == Rect(x: 50, y: 0, width: 100, height: 45))
    #expect(frame(prepared, key("a", 1)) == nil)
    #expect(frame(prepared, key("c", 0)) == nil)
    #expect(frame(prepared, key("c", 2)) == Rect(x: 100, y: 50, width: 50, height: 20))
    #expect(prepared.contentSize == Size(width: 200, height: 95))
  }

  @Test("a cell ends with its section, and before a row that is shown as a whole")
  func ends() {
    let prepared = prepare([[0, 1, 0], [1, 0, 2, 0], [0]])
    #expect(frame(prepared, key("a", 1))?.height == 40)
    #expect(frame(prepared, key("a", 0, section: 1))?.height == 40)
    #expect((0 ..< 4).map { cells(prepared, $0, section: 1) } == ["abd", "d", "", "abcd"])
    #expect(cells(prepared, 0, section: 2) == "abcd")
  }

  @Test(
    "of spans that overlap the upper one counts, and hides also those below that nothing covers"
  )
  func overlaps() {
    // Row 1 begins none, for those of row 0 reach into it.
    let prepared = prepare([[1, 1, 0, 1, 0, 0, 1]])
    #expect(cells(prepared, 0) == "abd")
    #expect(cells(prepared, 1) == "d")
    #expect(cells(prepared, 2) == "bcd")
    // In column a that of row 1 reaches into row 3, in column b it does not.
    #expect(cells(prepared, 3) == "abd")
    #expect(frame(prepared, key("a", 3))?.height == 20)
    #expect(frame(prepared, key("b", 3))?.height == 40)
    #expect(cells(prepared, 4) == "ad")
    #expect(cells(prepared, 6) == "abd")
  }

  @Test("a row's cell appears when the one that covers it goes")
  func edits() throws {
    let layout = Self.layout([Self.top])
    var prepared = prepare([[0, 1, 0, 0]], layout)
    #expect(cells(prepared, 2) == "d")
    let change = try prepared.context.contents.applying(
      UpdateBatch(change: .operations([.deleteItems(section: 0, items: 1 ..< 2)])),
      limits: ContentsLimits()
    )
    prepared = layout.update(prepared, by: change)
    #expect((0 ..< 3).map { cells(prepared, $0) } == ["abcd", "abcd", "abcd"])
  }

  @Test("hits between and on covered rows are those of the cell that covers them")
  func hits() {
    let prepared = prepare([[1, 0, 0, 0]], Self.layout([Self.top], spacing: 5))
    let queries = LayoutQueries(prepared, viewport: viewport)
    #expect(queries.hitTest(Point(x: 10, y: 60))?.key == key("a", 0))
    #expect(queries.hitTest(Point(x: 10, y: 47))?.key == key("a", 0))
    #expect(queries.hitTest(Point(x: 120, y: 30))?.key == key("b", 0))
    #expect(queries.hitTest(Point(x: 120, y: 60))?.key == key("c", 2))
    // Only the space between rows is in this rect.
    let found = prepared.probed(in: Rect(x: 0, y: 46, width: 40, height: 2), viewport)
    #expect(found.map(\.key) == [key("a", 0)])
  }

  @Test("arrow keys meet a cell from all its rows, and reading order from its first one")
  func focus() {
    let queries = LayoutQueries(prepare([[0, 1, 0, 0, 0]]), viewport: viewport)
    func step(_ step: NeighborStep, _ key: ElementKey) -> ElementKey? {
      queries.scrollTarget(for: .neighbor(of: .element(key), step: step, position: .nearest))?
        .element
    }
    #expect(step(.down, key("a", 0)) == key("a", 1))
    #expect(step(.down, key("a", 1)) == key("a", 4))
    #expect(step(.up, key("a", 4)) == key("a", 1))
    #expect(step(.up, key("a", 1)) == key("a", 0))
    #expect(step(.left, key("d", 2)) == key("b", 1))
    #expect(step(.left, key("b", 3)) == key("a", 1))
    #expect(step(.right, key("a", 1)) == key("b", 1))
    #expect(step(.right, key("b", 1)) == key("d", 1))
    #expect(step(.next, key("d", 1)) == key("d", 2))
    #expect(step(.next, key("d", 2)) == key("b", 3))
    #expect(step(.previous, key("b", 3)) == key("d", 2))
    #expect(step(.previous, key("d", 2)) == key("d", 1))
  }

  @Test("numbers of rows beyond the limit are rejected")
  func invalid() {
    let layout = Self.layout([
      TableRowKind(
        cellKind: "",
        spans: [0, 65, 64].map { TableSpan(column: "a", count: 1, rowCount: $0) }
      )
    ])
    var findings = LayoutFindings()
    layout.validate(viewportSize: nil, findings: &findings)
    #expect(
      findings.violations.map(\.field)
        == ["row_kinds[0].spans[0].row_count", "row_kinds[0].spans[1].row_count"]
    )
    #expect(findings.violations.last?.description.contains("is 65; allowed are 1 to 64") == true)
  }

  @Test("a query in a million rows looks at few above them")
  func cost() {
    let layout = Self.layout([
      TableRowKind(cellKind: "", spans: [TableSpan(column: "a", count: 2, rowCount: 64)])
    ])
    let prepared = prepare([[Int](repeating: 0, count: 1_000_000)], layout)
    let work = LayoutWork(stepLimit: 10_000)
    var buffer = ElementBuffer(work: work)
    let rect = Rect(x: 0, y: 10_000_000, width: 200, height: 100)
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(!buffer.isCutShort)
    #expect(buffer.elements.count == 5 * 5)
  }

  @Test("what a row under thousands of spans costs is counted, and ends with its limit")
  func limited() throws {
    let columns = (0 ..< 2048).map { TableColumn("c\($0)", width: .points(10)) }
    let kinds = (0 ..< 64).map { kind in
      let spans = (0 ..< 64).map { index in
        TableSpan(column: "c\(index * 32 + kind % 32)", count: 1, rowCount: 64)
      }
      return TableRowKind(cellKind: "k\(kind)", spans: spans)
    }
    let layout = TableLayout(columns: columns, rowHeight: 20, headerHeight: 0, rowKinds: kinds)
    let prepared = layout.prepare(
      LayoutContext(
        contents: CollectionContents(
          sections: [
            SectionContents(blocks: [ItemBlock(count: 640, cellKinds: (0 ..< 640).map { $0 % 64 })])
          ],
          cellKindNames: (0 ..< 64).map { "k\($0)" }
        ),
        container: LayoutContainer(size: Size(width: 200, height: 100))
      )
    )
    let whole = LayoutWork(stepLimit: .max)
    let cell = key("c5", 300)
    let frame = prepared.attributes(of: cell, viewport: viewport, work: whole)?.frame
    #expect(frame == prepared.attributes(of: cell, viewport: viewport)?.frame)
    // 126 rows above with 64 spans each, and what they cover.
    #expect((126 * 64 ... 126 * 4096).contains(whole.steps))
    let little = LayoutWork(stepLimit: 1000)
    _ = prepared.attributes(of: cell, viewport: viewport, work: little)
    #expect(little.isStopped)
    #expect(little.steps < 10_000)
    var buffer = ElementBuffer()
    buffer.work = LayoutWork(stepLimit: 1000)
    let rect = Rect(x: 0, y: 6000, width: 200, height: 100)
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort)
  }
}
