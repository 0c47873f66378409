// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Supplementary items of compositional sections", .timeLimit(.minutes(2)))
struct CompositionalSupplementaryTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))

  private func frame(
    _ prepared: any PreparedLayout,
    _ kind: String,
    _ path: IndexPath,
    at y: Double = 0
  ) -> Rect? {
    prepared.attributes(
      of: ElementKey(category: .supplementary, kind: kind, indexPath: path),
      viewport: Viewport(of: container, at: Point(x: 0, y: y))
    )?.frame
  }

  @Test("stacks headers that cover each other and sets others side by side")
  func shelves() {
    let half = LayoutSize(width: .fractionalWidth(0.5), height: .absolute(20))
    let section = CompositionalSection(
      group: rows(),
      boundarySupplementaryItems: [
        header("wide"),
        BoundarySupplementaryItem(kind: "left", size: half, alignment: .topLeading),
        BoundarySupplementaryItem(kind: "right", size: half, alignment: .topTrailing),
        header("footer", height: 10, alignment: .bottom),
        BoundarySupplementaryItem(
          kind: "overlay",
          size: half,
          alignment: .bottomTrailing,
          absoluteOffset: Point(x: -4, y: -6),
          extendsBoundary: false
        ),
      ]
    )
    let prepared = CompositionalLayout(sections: [section]).prepare(
      LayoutContext(contents: plainContents(2), container: container)
    )
    let path = IndexPath(section: 0)
    #expect(frame(prepared, "wide", path) == Rect(x: 0, y: 0, width: 320, height: 30))
    #expect(frame(prepared, "left", path) == Rect(x: 0, y: 30, width: 160, height: 20))
    #expect(frame(prepared, "right", path) == Rect(x: 160, y: 30, width: 160, height: 20))
    #expect(frame(prepared, "footer", path) == Rect(x: 0, y: 150, width: 320, height: 10))
    #expect(frame(prepared, "overlay", path) == Rect(x: 156, y: 124, width: 160, height: 20))
    #expect(prepared.contentSize.height == 160)
  }

  @Test("a badge with the highest z-index stays in front when a background lifts the cells")
  func highestZIndex() {
    let badge = AnchoredSupplementaryItem(
      kind: "badge",
      size: LayoutSize(width: .absolute(10), height: .absolute(10)),
      zIndex: Int(Int32.max)
    )
    var group = rows()
    group.subitems = [
      .item(
        LayoutItem(
          size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1)),
          supplementaryItems: [badge]
        )
      )
    ]
    let section = CompositionalSection(
      group: group,
      backgrounds: [SectionBackground(kind: "card", zIndex: 0)]
    )
    let prepared = CompositionalLayout(sections: [section]).prepare(
      LayoutContext(contents: plainContents(1), container: container)
    )
    let found = prepared.attributes(
      of: ElementKey(
        category: .supplementary,
        kind: "badge",
        indexPath: IndexPath(section: 0, item: 0)
      ),
      viewport: Viewport(of: container)
    )
    #expect(found?.zIndex == Int(Int32.max))
    #expect(prepared.cell(0, 0, Viewport(of: container))?.zIndex == 1)
  }

  @Test("makes room beside the content for elements at its sides")
  func sides() {
    let section = CompositionalSection(
      group: rows(),
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: "index",
          size: LayoutSize(width: .absolute(40), height: .absolute(20)),
          alignment: .trailing
        )
      ]
    )
    let prepared = CompositionalLayout(sections: [section]).prepare(
      LayoutContext(contents: plainContents(2), container: container)
    )
    #expect(
      frame(prepared, "index", IndexPath(section: 0)) == Rect(x: 280, y: 40, width: 40, height: 20)
    )
    #expect(
      prepared.cell(0, 0, Viewport(of: container))?.frame
        == Rect(x: 0, y: 0, width: 280, height: 50)
    )
  }

  @Test("keeps pinned headers below those of the layout and off the section's footer")
  func pins() {
    var layout = CompositionalLayout(
      sections: [
        CompositionalSection(
          group: rows(),
          boundarySupplementaryItems: [
            header(isPinned: true), header("second", height: 10, isPinned: true),
            header("footer", height: 20, alignment: .bottom, isPinned: true),
          ]
        )
      ],
      boundarySupplementaryItems: [header("title", height: 60, isPinned: true)]
    )
    let prepared = layout.prepare(
      LayoutContext(contents: plainContents(20, 20), container: container)
    )
    let section = IndexPath(section: 0)
    #expect(prepared.scrollDependence == .pinnedElements)
    #expect(frame(prepared, "title", section)?.y == 0)
    #expect(frame(prepared, "header", section)?.y == 60)
    #expect(frame(prepared, "second", section)?.y == 90)
    // Section 0: 60…1120 with rows 100…1100; 480 are seen.
    #expect(frame(prepared, "footer", section)?.y == 460)
    #expect(frame(prepared, "title", section, at: 300)?.y == 300)
    #expect(frame(prepared, "header", section, at: 300)?.y == 360)
    #expect(frame(prepared, "second", section, at: 300)?.y == 390)
    #expect(frame(prepared, "header", section, at: 1050)?.y == 1060)
    #expect(frame(prepared, "second", section, at: 1050)?.y == 1090)
    #expect(frame(prepared, "footer", section, at: 1050)?.y == 1100)
    // The footer of the next section stays clear of that section's headers.
    #expect(frame(prepared, "footer", IndexPath(section: 1), at: 660)?.y == 1160)
    layout.sections[0].boundarySupplementaryItems = []
    #expect(layout.scrollDependence == .pinnedElements)
    layout.boundarySupplementaryItems = []
    #expect(layout.scrollDependence == .none)
  }

  @Test("gives sections without items no room, but what is at their edges, and spacing after them")
  func emptySections() {
    let plain = CompositionalSection(
      group: rows(),
      contentInsets: EdgeInsets(all: 16),
      backgrounds: [SectionBackground(kind: "bg")]
    )
    var framed = plain
    framed.boundarySupplementaryItems = [
      header(height: 24), header("footer", height: 24, alignment: .bottom),
    ]
    let prepared = CompositionalLayout(interSectionSpacing: 8, sections: [plain, framed]).prepare(
      LayoutContext(contents: plainContents(0, 0, 1), container: container)
    )
    #expect(frame(prepared, "header", IndexPath(section: 1))?.y == 8)
    #expect(frame(prepared, "footer", IndexPath(section: 1))?.y == 32)
    #expect(prepared.cell(2, 0, Viewport(of: container))?.frame.y == 80)
    let backgrounds = prepared.probed(in: .everywhere, Viewport(of: container))
      .filter { $0.key.category == .decoration }.map(\.key.indexPath.section)
    #expect(backgrounds == [1, 2])
  }
}
