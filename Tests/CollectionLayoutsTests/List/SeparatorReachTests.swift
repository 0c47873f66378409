// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Separators that reach beyond their strips", .timeLimit(.minutes(1)))
struct SeparatorReachTests {
  private static let insets = [
    EdgeInsets(top: -90, leading: 0, bottom: 0, trailing: 0),
    EdgeInsets(top: 0, leading: 0, bottom: -90, trailing: 0),
    EdgeInsets(top: -35, leading: -5, bottom: -70, trailing: 3),
    EdgeInsets(top: 65, leading: 0, bottom: -80, trailing: 0),
    EdgeInsets(top: 30, leading: 0, bottom: 0, trailing: 0),
  ]

  private static func layouts(_ insets: EdgeInsets) -> [any CollectionLayout] {
    var list = ListConfiguration()
    list.separator = ListSeparator(
      topVisibility: .visible,
      bottomVisibility: .visible,
      topInsets: insets,
      bottomInsets: insets
    )
    return [
      ListLayout(rowHeight: 10, rowSpacing: 3, separatorThickness: 2, separatorInsets: insets),
      CompositionalLayout(sections: [CompositionalSection(list: list)]),
    ]
  }

  @Test("are found wherever they are", arguments: insets)
  func found(insets: EdgeInsets) {
    let container = LayoutContainer(size: Size(width: 300, height: 400))
    let block = ItemBlock(count: 12, heights: (0 ..< 12).map { Double($0 % 4 * 5) })
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: 9)]), SectionContents(blocks: [block]),
      SectionContents(blocks: [ItemBlock(count: 1)]),
    ])
    let viewport = Viewport(of: container)
    for layout in Self.layouts(insets) {
      let prepared = layout.prepare(LayoutContext(contents: contents, container: container))
      let all = prepared.probed(in: .everywhere, viewport)
      #expect(all.contains { $0.key.category == .decoration })
      for step in -120 ..< 700 {
        let rect = Rect(x: 0, y: Double(step) + 0.5, width: 300, height: 0.25)
        let wanted = all.filter { $0.attributes.frame.meets(rect) }
        #expect(prepared.probed(in: rect, viewport) == wanted, "\(layout.kindName) \(rect)")
      }
    }
  }
}
