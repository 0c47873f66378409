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

  private func prepare(
    _ sections: CompositionalSection...,
    contents: CollectionContents
  ) -> any PreparedLayout {
    CompositionalLayout(sections: sections).prepare(
      LayoutContext(contents: contents, container: container)
    )
  }

  @Test("puts each header and footer against the content, so that several cover each other")
  func oneEdge() {
    let half = LayoutSize(width: .fractionalWidth(0.5), height: .absolute(20))
    let section = CompositionalSection(
      group: rows(),
      boundarySupplementaryItems: [
        header("wide"),
        BoundarySupplementaryItem(kind: "left", size: half, alignment: .topLeading),
        header("footer", height: 10, alignment: .bottom),
        header("line", height: 1, alignment: .bottom),
        BoundarySupplementaryItem(
          kind: "overlay",
          size: half,
          alignment: .bottomTrailing,
          absoluteOffset: Point(x: -4, y: -6),
          extendsBoundary: false
        ),
      ]
    )
    let prepared = prepare(section, contents: plainContents(2))
    let path = IndexPath(section: 0)
    #expect(frame(prepared, "wide", path) == Rect(x: 0, y: 0, width: 320, height: 30))
    #expect(frame(prepared, "left", path) == Rect(x: 0, y: 10, width: 160, height: 20))
    #expect(frame(prepared, "footer", path) == Rect(x: 0, y: 130, width: 320, height: 10))
    #expect(frame(prepared, "line", path) == Rect(x: 0, y: 130, width: 320, height: 1))
    #expect(frame(prepared, "overlay", path) == Rect(x: 156, y: 104, width: 160, height: 20))
    #expect(prepared.contentSize.height == 140)
  }

  @Test("changes the room for a header or a footer by its offset")
  func offsets() {
    var top = header()
    var bottom = header("footer", height: 20, alignment: .bottom)
    top.absoluteOffset = Point(x: 3, y: -12)
    bottom.absoluteOffset = Point(x: 0, y: 5)
    let section = CompositionalSection(group: rows(), boundarySupplementaryItems: [top, bottom])
    let prepared = prepare(section, contents: plainContents(2))
    let path = IndexPath(section: 0)
    // 12 points between the header and the content; 5 between the content and the footer.
    #expect(frame(prepared, "header", path) == Rect(x: 3, y: 0, width: 320, height: 30))
    #expect(prepared.cell(0, 0, Viewport(of: container))?.frame.y == 42)
    #expect(frame(prepared, "footer", path)?.y == 147)
    #expect(prepared.contentSize.height == 167)
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

  @Test("takes fractions of a badge on a group from what contains the group")
  func groupBadge() {
    func badge(_ kind: String) -> AnchoredSupplementaryItem {
      AnchoredSupplementaryItem(
        kind: kind,
        size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(0.1)),
        containerAnchor: LayoutAnchor(top: true, leading: true)
      )
    }
    let column = LayoutGroup(
      axis: .vertical,
      size: LayoutSize(width: .absolute(100), height: .fractionalHeight(1)),
      subitems: [
        .item(
          LayoutItem(
            size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1)),
            contentInsets: EdgeInsets(all: 10),
            supplementaryItems: [badge("item")]
          )
        )
      ],
      supplementaryItems: [badge("inner")]
    )
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(200), height: .absolute(60)),
      subitems: [.group(column)],
      supplementaryItems: [badge("outer")]
    )
    let layout = CompositionalLayout(sections: [CompositionalSection(group: group)])
    let prepared = prepare(CompositionalSection(group: group), contents: plainContents(4))
    func size(_ kind: String) -> Size? {
      frame(prepared, kind, IndexPath(section: 0, item: 1))?.size
    }
    #expect(size("outer") == Size(width: 320, height: 48))
    #expect(size("inner") == Size(width: 200, height: 6))
    #expect(size("item") == Size(width: 80, height: 4))
    // The outer badge is a fraction of the container's height.
    #expect(layout.dependsOnMainLength)
  }

  @Test("moves a badge by both anchors' offsets, and takes opposite edges for none")
  func anchors() {
    let badge = AnchoredSupplementaryItem(
      kind: "badge",
      size: LayoutSize(width: .absolute(20), height: .absolute(10)),
      containerAnchor: LayoutAnchor(
        top: true,
        leading: true,
        trailing: true,
        offset: .absolute(Point(x: 3, y: 4))
      ),
      itemAnchor: LayoutAnchor(
        top: true,
        leading: true,
        bottom: true,
        offset: .fractional(Point(x: 0.5, y: 0.2))
      )
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
    let prepared = prepare(CompositionalSection(group: group), contents: plainContents(1))
    #expect(
      frame(prepared, "badge", IndexPath(section: 0, item: 0))
        == Rect(x: 160 + 3 + 10, y: -5 + 4 + 2, width: 20, height: 10)
    )
  }

  @Test("lays elements at the sides over the section, which is at least as long as they are")
  func sides() {
    func index(_ height: Double) -> CompositionalSection {
      CompositionalSection(
        group: rows(),
        boundarySupplementaryItems: [
          BoundarySupplementaryItem(
            kind: "index",
            size: LayoutSize(width: .absolute(40), height: .absolute(height)),
            alignment: .trailing
          )
        ]
      )
    }
    let prepared = prepare(index(20), index(130), contents: plainContents(2, 2))
    let path = IndexPath(section: 0)
    #expect(frame(prepared, "index", path) == Rect(x: 280, y: 40, width: 40, height: 20))
    let viewport = Viewport(of: container)
    #expect(
      prepared.cell(0, 0, viewport)?.frame == Rect(x: 0, y: 0, width: 320, height: 50)
    )
    #expect(prepared.cell(1, 0, viewport)?.frame.y == 100)
    #expect(frame(prepared, "index", IndexPath(section: 1))?.y == 100)
    #expect(prepared.contentSize.height == 230)
    // The same for the whole layout.
    let whole = CompositionalLayout(
      sections: [CompositionalSection(group: rows())],
      boundarySupplementaryItems: index(130).boundarySupplementaryItems
    ).prepare(LayoutContext(contents: plainContents(2), container: container))
    #expect(whole.contentSize.height == 130)
    #expect(frame(whole, "index", path)?.y == 0)
  }

  @Test("keeps pinned headers below those of the layout and off the section's footer")
  func pins() {
    var layout = CompositionalLayout(
      sections: [
        CompositionalSection(
          group: rows(),
          boundarySupplementaryItems: [
            header(isPinned: true),
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
    // Section 0: 60…1110 with rows 90…1090; 480 are seen.
    #expect(frame(prepared, "footer", section)?.y == 460)
    #expect(frame(prepared, "title", section, at: 300)?.y == 300)
    #expect(frame(prepared, "header", section, at: 300)?.y == 360)
    #expect(frame(prepared, "header", section, at: 1050)?.y == 1060)
    #expect(frame(prepared, "footer", section, at: 1050)?.y == 1090)
    // The footer of the next section stays clear of that section's header.
    #expect(frame(prepared, "footer", IndexPath(section: 1), at: 655)?.y == 1140)
    let key = ElementKey.supplementary("header", section: 0)
    let header = prepared.attributes(of: key, viewport: Viewport(of: container))
    #expect(header?.zIndex == 1_000_000_001)
    layout.sections[0].boundarySupplementaryItems = []
    #expect(layout.scrollDependence == .pinnedElements)
    layout.boundarySupplementaryItems = []
    #expect(layout.scrollDependence == .none)
  }

  @Test("gives sections with neither items nor boundary elements no length, and keeps spacing")
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
    // The section keeps its insets between them: 8 + 24 + 32.
    #expect(frame(prepared, "footer", IndexPath(section: 1))?.y == 64)
    #expect(prepared.cell(2, 0, Viewport(of: container))?.frame.y == 112)
    let backgrounds = prepared.probed(in: .everywhere, Viewport(of: container))
      .filter { $0.key.category == .decoration }.map(\.key.indexPath.section)
    #expect(backgrounds == [1, 2])
  }
}
