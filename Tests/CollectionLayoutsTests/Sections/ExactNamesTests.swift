// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

/// Names that look the same and consist of different bytes.
private let composed = "\u{E9}"
private let decomposed = "e\u{301}"

@Suite("Names that look the same", .timeLimit(.minutes(1)))
struct ExactNamesTests {
  private static let container = LayoutContainer(size: Size(width: 300, height: 600))

  private static let layouts: [any CollectionLayout] = [
    CompositionalLayout(sections: [
      CompositionalSection(name: composed, group: rows(.absolute(10))),
      CompositionalSection(name: decomposed, group: rows(.absolute(70))),
    ]),
    SectionsLayout(layouts: [
      SectionLayout(name: composed, .list(ListLayout(rowHeight: 10))),
      SectionLayout(name: decomposed, .list(ListLayout(rowHeight: 70))),
    ]),
  ]

  @Test("sections take the entry whose name has the same bytes", arguments: layouts)
  func entries(layout: any CollectionLayout) {
    let names = [composed, decomposed, decomposed, composed]
    let contents = CollectionContents(
      sections: names.map { SectionContents(layoutName: $0, blocks: [ItemBlock(count: 1)]) }
    )
    let prepared = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    let viewport = Viewport(of: Self.container)
    let heights = names.indices.map { prepared.cell($0, 0, viewport)?.frame.height }
    #expect(heights == [10, 70, 70, 10])
    var findings = LayoutFindings()
    layout.validate(viewportSize: nil, findings: &findings)
    #expect(findings.warnings.isEmpty)
  }

  @Test("boundary elements keep the bytes of their kinds")
  func kinds() {
    let layout = CompositionalLayout(
      sections: [composed, decomposed].map { kind in
        CompositionalSection(
          name: kind,
          group: rows(),
          boundarySupplementaryItems: [header(kind)]
        )
      }
    )
    let contents = CollectionContents(
      sections: (0 ..< 2).map { _ in SectionContents(blocks: [ItemBlock(count: 1)]) }
    )
    let prepared = layout.prepare(LayoutContext(contents: contents, container: Self.container))
    let viewport = Viewport(of: Self.container)
    let found = prepared.probed(in: .everywhere, viewport).filter {
      $0.key.category == .supplementary
    }
    #expect(
      found.map { Array($0.key.kind.utf8) } == [Array(composed.utf8), Array(decomposed.utf8)]
    )
  }
}
