// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

/// Every layout over items that are all in view at once.
private struct Crowd: Sendable, CustomTestStringConvertible {
  let layout: any CollectionLayout
  var isSized = false

  var testDescription: String { layout.kindName + (isSized ? ", sized" : "") }

  static let itemCount = 3000

  func prepared() -> any PreparedLayout {
    let count = Self.itemCount
    var block = ItemBlock(count: count)
    if isSized {
      block.widths = (0 ..< count).map { Double($0 % 3) }
      block.heights = (0 ..< count).map { Double($0 % 2) * 0.01 }
    }
    if layout is SpatialLayout {
      block.xs = (0 ..< count).map { Double($0 % 50) }
      block.ys = (0 ..< count).map { Double($0 % 60) }
    }
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    return layout.prepare(LayoutContext(contents: contents, container: Self.container))
  }

  static let container = LayoutContainer(size: Size(width: 400, height: 600))

  private static let cell = LayoutItem(
    size: LayoutSize(width: .fractionalWidth(0.01), height: .fractionalHeight(1))
  )

  static let all = [
    Crowd(layout: FlowLayout(itemSize: Size(width: 1, height: 1))),
    Crowd(layout: FlowLayout(), isSized: true),
    Crowd(layout: ListLayout(rowHeight: 0)),
    Crowd(layout: ListLayout(), isSized: true),
    Crowd(layout: GridLayout(itemSize: Size(width: 0.1, height: 1))),
    Crowd(layout: WaterfallLayout(columns: .count(3))),
    Crowd(layout: WaterfallLayout(columns: .count(3)), isSized: true),
    Crowd(
      layout: CompositionalLayout(
        sections: [
          CompositionalSection(
            group: LayoutGroup(
              axis: .horizontal,
              size: LayoutSize(width: .fractionalWidth(1), height: .absolute(1)),
              subitems: [.item(cell)]
            )
          )
        ]
      )
    ),
    Crowd(layout: LineLayout(lineSpacing: -200)),
    Crowd(layout: CircleLayout()),
    Crowd(layout: CarouselLayout(style: .linear, spacing: 0)),
    Crowd(layout: StackLayout(visibleDepth: 5000)),
    Crowd(layout: SpatialLayout()),
  ]
}

@Suite("Limits of an element buffer", .timeLimit(.minutes(2)))
struct ElementLimitTests {
  private static let viewport = Viewport(offset: .zero, size: Crowd.container.size)

  @Test("no layout fills a buffer beyond its limit", arguments: Crowd.all)
  private func limit(of crowd: Crowd) {
    let prepared = crowd.prepared()
    var all = ElementBuffer()
    prepared.appendElements(in: .everywhere, viewport: Self.viewport, to: &all)
    for limit in [0, 1, 17, 1000] {
      var some = ElementBuffer(limit: limit)
      prepared.appendElements(in: .everywhere, viewport: Self.viewport, to: &some)
      #expect(some.elements.count == min(limit, all.elements.count))
      #expect(some.isFull == (limit <= all.elements.count))
    }
  }

  @Test("a limit that is not reached changes nothing", arguments: Crowd.all)
  private func room(of crowd: Crowd) {
    let prepared = crowd.prepared()
    var all = ElementBuffer()
    prepared.appendElements(in: .everywhere, viewport: Self.viewport, to: &all)
    var some = ElementBuffer(limit: all.elements.count + 1)
    prepared.appendElements(in: .everywhere, viewport: Self.viewport, to: &some)
    #expect(!some.isFull)
    #expect(some.elements.map(\.frame) == all.elements.map(\.frame))
  }
}
