// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Measured items of a compositional layout", .timeLimit(.minutes(2)))
struct CompositionalMeasurementTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))

  private func measure(
    _ layout: CompositionalLayout,
    _ contents: CollectionContents,
    _ item: Int,
    _ size: Size
  ) throws -> any PreparedLayout {
    let prepared = layout.prepare(LayoutContext(contents: contents, container: container))
    let change = try contents.applying(
      UpdateBatch([
        .reconfigureItems(
          section: 0,
          items: item ..< item + 1,
          blocks: [ItemBlock(count: 1, widths: [size.width], heights: [size.height])]
        )
      ]),
      limits: .standard
    )
    return layout.update(prepared, by: change)
  }

  @Test("take the place of estimates and move what follows")
  func row() throws {
    let layout = CompositionalLayout(sections: [
      CompositionalSection(group: rows(.estimated(44)), interGroupSpacing: 2)
    ])
    let prepared = try measure(
      layout,
      plainContents(5_000_000),
      1_000_000,
      Size(width: 320, height: 80)
    )
    #expect(prepared.contentSize.height == 5_000_000 * 46 - 2 + 36)
    #expect(prepared.byteCount < 3000)
    let viewport = Viewport(of: container)
    #expect(prepared.cell(0, 1_000_000, viewport)?.frame.height == 80)
    #expect(prepared.cell(0, 1_000_001, viewport)?.frame.y == 46_000_082)
    #expect(prepared.cell(0, 4_999_999, viewport)?.frame.y == 229_999_990)
  }

  @Test("count for nothing where lengths are not estimated")
  func fixed() throws {
    let layout = CompositionalLayout(sections: [CompositionalSection(group: rows())])
    let prepared = try measure(layout, plainContents(10), 3, Size(width: 9, height: 9))
    #expect(prepared.contentSize.height == 500)
    #expect(
      prepared.cell(0, 3, Viewport(of: container))?.frame
        == Rect(x: 0, y: 150, width: 320, height: 50)
    )
  }

  @Test("stretch siblings of uniform length")
  func uniform() throws {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
      subitems: [
        .item(
          LayoutItem(
            size: LayoutSize(width: .fractionalWidth(0.5), height: .uniformAcrossSiblings(40))
          )
        )
      ]
    )
    let layout = CompositionalLayout(sections: [CompositionalSection(group: group)])
    let prepared = try measure(layout, plainContents(4), 1, Size(width: 160, height: 90))
    let viewport = Viewport(of: container)
    #expect(prepared.cell(0, 0, viewport)?.frame.height == 90)
    #expect(prepared.cell(0, 2, viewport)?.frame == Rect(x: 0, y: 90, width: 160, height: 40))
  }

  @Test("lengthen all groups of a section whose outermost group is uniform, in closed form")
  func uniformSection() throws {
    let layout = CompositionalLayout(sections: [
      CompositionalSection(group: rows(.uniformAcrossSiblings(44)), interGroupSpacing: 2)
    ])
    let prepared = try measure(
      layout,
      plainContents(5_000_000),
      1_000_000,
      Size(width: 320, height: 80)
    )
    #expect(prepared.contentSize.height == 5_000_000 * 82 - 2)
    #expect(prepared.byteCount < 5000)
    let viewport = Viewport(of: container)
    #expect(prepared.cell(0, 0, viewport)?.frame.height == 80)
    #expect(prepared.cell(0, 4_999_999, viewport)?.frame.y == 409_999_918)
  }

  @Test("break lines anew where widths are estimated")
  func tags() throws {
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .absolute(30)),
      subitems: [
        .item(LayoutItem(size: LayoutSize(width: .estimated(100), height: .fractionalHeight(1))))
      ],
      interitemSpacing: .fixed(5)
    )
    let layout = CompositionalLayout(sections: [CompositionalSection(group: group)])
    let viewport = Viewport(of: container)
    // Three of 100 a line. With item 1 at 130 only two fit in the first.
    let wide = try measure(layout, plainContents(9), 1, Size(width: 130, height: 30))
    #expect(wide.cell(0, 2, viewport)?.frame == Rect(x: 0, y: 30, width: 100, height: 30))
    // Item 3 at 5 joins the first line, though nothing in that line was measured.
    let narrow = try measure(layout, plainContents(9), 3, Size(width: 4, height: 30))
    #expect(narrow.cell(0, 3, viewport)?.frame == Rect(x: 315, y: 0, width: 4, height: 30))
    #expect(narrow.cell(0, 4, viewport)?.frame == Rect(x: 0, y: 30, width: 100, height: 30))
  }

  @Test("of headers move the section's items")
  func header() throws {
    let section = CompositionalSection(
      group: rows(),
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: StandardKind.header,
          size: LayoutSize(width: .fractionalWidth(1), height: .estimated(30)),
          alignment: .top
        )
      ]
    )
    let layout = CompositionalLayout(sections: [section])
    let contents = plainContents(2)
    let key = ElementKey.supplementary(StandardKind.header, section: 0)
    #expect(layout.acceptsMeasurement(of: key, in: contents.section(at: 0)))
    #expect(!layout.acceptsMeasurement(of: .cell(0, 0), in: contents.section(at: 0)))
    let prepared = layout.prepare(LayoutContext(contents: contents, container: container))
    let change = try contents.applying(
      UpdateBatch([
        .setSectionMetrics(0, SectionMetrics(headerSize: Size(width: 320, height: 72)))
      ]),
      limits: .standard
    )
    let measured = layout.update(prepared, by: change)
    #expect(measured.cell(0, 0, Viewport(of: container))?.frame.y == 72)
  }
}
