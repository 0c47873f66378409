// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Names of kinds", .timeLimit(.minutes(1)))
struct KindNamesTests {
  private static let layouts: [any CollectionLayout] = [
    LineLayout(), CarouselLayout(), GridLayout(), ListLayout(), FlowLayout(), SpatialLayout(),
    CircleLayout(), table(),
    CompositionalLayout(
      sections: [
        CompositionalSection(group: rows(), boundarySupplementaryItems: [header("title")])
      ]
    ),
  ]

  private static func table(rowKinds: [TableRowKind] = []) -> TableLayout {
    TableLayout(
      columns: [TableColumn("a"), TableColumn("group", columns: [TableColumn("b")])],
      separatorThickness: 1,
      rowKinds: rowKinds
    )
  }

  private static func prepare(
    _ layout: any CollectionLayout,
    kinds: Int
  ) -> any PreparedLayout {
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 5, cellKinds: [1])])],
      cellKindNames: (0 ..< kinds).map { "kind \($0)" }
    )
    return layout.prepare(
      LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 300, height: 400)),
        options: LayoutOptions(sectionBackgrounds: [SectionBackground(kind: "plate", zIndex: -1)])
      )
    )
  }

  @Test("one name is found as among all names", arguments: layouts, [2, 3000])
  func oneName(layout: any CollectionLayout, kinds: Int) {
    let prepared = Self.prepare(layout, kinds: kinds)
    let names = prepared.kindNames
    #expect(names.prefix(kinds) == prepared.context.contents.cellKindNames.prefix(kinds))
    for number in [0, 1, kinds - 1] + Array(kinds ..< names.count) {
      #expect(prepared.kindName(number) == names[number])
    }
    #expect(prepared.kindName(names.count) == nil)
    let shown = prepared.showing([
      ScrollEffect(leading: .init(ScrollEffect.Values(alpha: 0.5)))
    ])
    #expect(shown.kindName(names.count - 1) == names.last)
  }

  @Test("a table counts how rows of each kind are divided, and the table of its identifiers")
  func tableBytes() {
    let kinds = 30_000
    let table = Self.table(rowKinds: [TableRowKind(cellKind: "kind 1", isWhole: true)])
    let plain = Self.prepare(Self.table(), kinds: kinds).byteCount
    #expect(Self.prepare(table, kinds: kinds).byteCount >= plain + 8 * kinds)
    func bytes(columns: Int) -> Int {
      Self.prepare(TableLayout(columns: (0 ..< columns).map { TableColumn("c\($0)") }), kinds: 2)
        .byteCount
    }
    #expect(bytes(columns: 5000) - bytes(columns: 1) >= 5000 * 100)
  }
}
