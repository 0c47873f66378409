// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Groups of a compositional layout", .timeLimit(.minutes(2)))
struct CompositionalGroupTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480), displayScale: 2)

  private func item(
    _ width: LayoutDimension,
    _ height: LayoutDimension,
    edges: EdgeSpacing = .zero
  ) -> LayoutSubitem {
    .item(LayoutItem(size: LayoutSize(width: width, height: height), edgeSpacing: edges))
  }

  private func prepare(
    _ section: CompositionalSection,
    axis: ScrollAxis = .vertical,
    items: Int,
    isAligned: Bool = false
  ) -> any PreparedLayout {
    CompositionalLayout(scrollAxis: axis, sections: [section]).prepare(
      LayoutContext(
        contents: plainContents(items),
        container: container,
        options: LayoutOptions(isPixelAligned: isAligned)
      )
    )
  }

  private func frames(_ prepared: any PreparedLayout, _ items: Range<Int>) -> [Rect?] {
    items.map { prepared.cell(0, $0, Viewport(of: container))?.frame }
  }

  @Test("take spacing off before fractions, also where these are of the other axis")
  func spacing() {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(300), height: .absolute(100)),
      subitems: [
        item(.fractionalWidth(0.25), .fractionalWidth(0.1)),
        item(.fractionalWidth(0.5), .fractionalHeight(0.5)),
      ],
      interitemSpacing: .flexible(20)
    )
    // A quarter, a half and a quarter fit without spacing: fractions are of 300 - 2 · 20.
    let prepared = prepare(CompositionalSection(group: group), items: 4)
    #expect(
      frames(prepared, 0 ..< 4) == [
        Rect(x: 0, y: 0, width: 65, height: 26), Rect(x: 85, y: 0, width: 130, height: 50),
        Rect(x: 235, y: 0, width: 65, height: 26), Rect(x: 0, y: 100, width: 65, height: 26),
      ]
    )
  }

  @Test("hold fewer items than without spacing where lengths are absolute")
  func absolute() {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(300), height: .absolute(10)),
      subitems: [item(.absolute(100), .fractionalWidth(0.5))],
      interitemSpacing: .fixed(10)
    )
    // Three fit without spacing, two with it.
    let prepared = prepare(CompositionalSection(group: group), items: 3)
    #expect(
      frames(prepared, 1 ..< 3) == [
        Rect(x: 110, y: 0, width: 100, height: 140), Rect(x: 0, y: 10, width: 100, height: 140),
      ]
    )
    #expect(prepared.contentSize.height == 20)
  }

  @Test("keep lengths of a count and fractions where there is edge spacing")
  func edges() {
    let edges = EdgeSpacing(leading: .fixed(5), trailing: .fixed(7))
    var group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(300), height: .absolute(10)),
      subitems: [item(.fractionalWidth(0.5), .fractionalHeight(1), edges: edges)]
    )
    #expect(
      frames(prepare(CompositionalSection(group: group), items: 2), 0 ..< 2) == [
        Rect(x: 5, y: 0, width: 150, height: 10), Rect(x: 5, y: 10, width: 150, height: 10),
      ]
    )
    group.count = 2
    #expect(
      frames(prepare(CompositionalSection(group: group), items: 2), 0 ..< 2) == [
        Rect(x: 5, y: 0, width: 150, height: 10), Rect(x: 167, y: 0, width: 150, height: 10),
      ]
    )
  }

  /// A column of three items, with a badge at the bottom of the group.
  private func column(_ height: Double) -> LayoutGroup {
    LayoutGroup(
      axis: .vertical,
      size: LayoutSize(width: .absolute(200), height: .absolute(height)),
      subitems: [item(.fractionalWidth(1), .fractionalHeight(0.3))],
      interitemSpacing: .flexible(10),
      supplementaryItems: [
        AnchoredSupplementaryItem(
          kind: "badge",
          size: LayoutSize(width: .absolute(10), height: .absolute(10)),
          containerAnchor: LayoutAnchor(bottom: true)
        )
      ]
    )
  }

  @Test("end a last group that is not full where its last item leaves it")
  func partial() throws {
    let section = CompositionalSection(group: column(120), interGroupSpacing: 7)
    // Three of 0.3 · 100 with two gaps of 15: items at 0, 45 and 90.
    for (items, length) in [(1, 30.0), (2, 75), (3, 120), (4, 157), (5, 202), (6, 247)] {
      #expect(prepare(section, items: items).contentSize.height == length)
    }
    let prepared = prepare(section, items: 4)
    let viewport = Viewport(of: container)
    #expect(prepared.cell(0, 3, viewport)?.frame == Rect(x: 0, y: 127, width: 200, height: 30))
    // The badge stays at the bottom of the full group, below the content's end, and is found there.
    let found = prepared.probed(in: Rect(x: 0, y: 238, width: 200, height: 5), viewport)
    #expect(found.map(\.attributes.frame) == [Rect(x: 95, y: 237, width: 10, height: 10)])
    // The same after an edit.
    let change = try plainContents(4).applying(
      UpdateBatch([.deleteItems(section: 0, items: 0 ..< 2)]),
      limits: .standard
    )
    let layout = CompositionalLayout(sections: [section])
    let before = layout.prepare(LayoutContext(contents: plainContents(4), container: container))
    #expect(layout.update(before, by: change).contentSize.height == 75)
  }

  @Test("end the row of an orthogonal section, too, where its last item leaves it")
  func partialRow() {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(300), height: .absolute(10)),
      subitems: [item(.fractionalWidth(0.5), .fractionalHeight(1))]
    )
    let section = CompositionalSection(group: group, orthogonalScrolling: .continuous)
    let prepared = prepare(section, items: 5)
    var viewport = Viewport(of: container)
    viewport.sectionOffsets = [0: 1000]
    // 300 + 300 + 150 less the container's 320.
    #expect(prepared.cell(0, 0, viewport)?.frame.x == -430)
  }

  @Test("keep their length where frames are custom")
  func custom() {
    let group = LayoutGroup(
      axis: nil,
      size: LayoutSize(width: .absolute(100), height: .absolute(100)),
      customFrames: [
        Rect(x: 0, y: 0, width: 10, height: 10), Rect(x: 0, y: 80, width: 10, height: 10),
      ]
    )
    #expect(prepare(CompositionalSection(group: group), items: 3).contentSize.height == 200)
  }

  @Test("round fractions down, and positions to the nearest pixel")
  func pixels() {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(100), height: .absolute(10)),
      subitems: [item(.fractionalWidth(0.299), .fractionalHeight(1))],
      interitemSpacing: .flexible(0.25)
    )
    let prepared = prepare(CompositionalSection(group: group), items: 3, isAligned: true)
    // 0.299 · 99.5 = 29.75, so 29.5; gaps of (100 - 88.5) / 2 = 5.75: 35.25 is nearer to 35.5.
    #expect(
      frames(prepared, 0 ..< 3) == [
        Rect(x: 0, y: 0, width: 29.5, height: 10), Rect(x: 35.5, y: 0, width: 29.5, height: 10),
        Rect(x: 70.5, y: 0, width: 29.5, height: 10),
      ]
    )
  }

  @Test("hold their subitems once where their length along the axis is estimated")
  func estimated() {
    var group = LayoutGroup(
      axis: .vertical,
      size: LayoutSize(width: .fractionalWidth(1), height: .estimated(500)),
      subitems: [
        item(.fractionalWidth(1), .estimated(40)), item(.fractionalWidth(1), .absolute(30)),
      ],
      interitemSpacing: .fixed(10)
    )
    let section = CompositionalSection(group: group, interGroupSpacing: 5)
    let prepared = prepare(section, items: 4)
    #expect(frames(prepared, 0 ..< 4).map { $0?.y } == [0, 50, 85, 135])
    #expect(prepared.contentSize.height == 165)
    group.subitems.removeLast()
    group.count = 4
    // (500 - 3 · 10) / 4 each.
    let counted = prepare(CompositionalSection(group: group), items: 5)
    #expect(frames(counted, 3 ..< 5).map { $0?.y } == [382.5, 500])
    #expect(counted.contentSize.height == 617.5)
  }

  @Test("are as long as their longest item once one is measured, also shorter than the estimate")
  func shorter() throws {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .estimated(44)),
      subitems: [item(.fractionalWidth(0.5), .estimated(30))]
    )
    let layout = CompositionalLayout(sections: [CompositionalSection(group: group)])
    let contents = plainContents(4)
    let before = layout.prepare(LayoutContext(contents: contents, container: container))
    #expect(before.contentSize.height == 88)
    let change = try contents.applying(
      UpdateBatch([
        .reconfigureItems(
          section: 0,
          items: 0 ..< 1,
          blocks: [ItemBlock(count: 1, heights: [20])]
        )
      ]),
      limits: .standard
    )
    let after = layout.update(before, by: change)
    #expect(after.contentSize.height == 30 + 44)
    #expect(after.cell(0, 1, Viewport(of: container))?.frame.height == 30)
  }

  @Test("take fractions along the scroll axis of the whole container")
  func fractions() {
    let section = CompositionalSection(
      group: LayoutGroup(
        axis: .horizontal,
        size: LayoutSize(width: .fractionalWidth(0.5), height: .fractionalHeight(0.25)),
        subitems: [item(.fractionalWidth(1), .fractionalHeight(1))]
      ),
      contentInsets: EdgeInsets(top: 30, leading: 10, bottom: 50, trailing: 10)
    )
    #expect(
      frames(prepare(section, items: 2), 1 ..< 2) == [Rect(x: 10, y: 150, width: 150, height: 120)]
    )
    var scrolling = section
    scrolling.orthogonalScrolling = .continuous
    #expect(
      frames(prepare(scrolling, items: 2), 1 ..< 2)
        == [Rect(x: 170, y: 30, width: 160, height: 100)]
    )
    #expect(
      frames(prepare(section, axis: .horizontal, items: 2), 1 ..< 2)
        == [Rect(x: 170, y: 30, width: 160, height: 100)]
    )
  }
}
