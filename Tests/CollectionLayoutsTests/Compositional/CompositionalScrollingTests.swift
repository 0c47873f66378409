// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Orthogonal sections", .timeLimit(.minutes(2)))
struct CompositionalScrollingTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))

  /// Ten groups of 100, 10 apart: 1090 long. 280 are left between insets of 20, so the offset is at
  /// most 810.
  private func prepare(_ scrolling: OrthogonalScrolling) -> any PreparedLayout {
    CompositionalLayout(sections: [
      CompositionalSection(
        group: rows(width: .absolute(100)),
        contentInsets: EdgeInsets(top: 5, leading: 20, bottom: 5, trailing: 20),
        interGroupSpacing: 10,
        orthogonalScrolling: scrolling
      )
    ]).prepare(LayoutContext(contents: plainContents(10), container: container))
  }

  private func rest(
    _ scrolling: OrthogonalScrolling,
    _ proposed: Double,
    from current: Double = 0
  ) -> Double? {
    target(scrolling, proposed, from: current)?.offset.x
  }

  private func target(
    _ scrolling: OrthogonalScrolling,
    _ proposed: Double,
    from current: Double = 0
  ) -> ScrollTarget? {
    var viewport = Viewport(of: container)
    viewport.sectionOffsets = [0: current]
    return prepare(scrolling).restingOffset(
      proposed: Point(x: proposed, y: 3),
      velocity: .zero,
      section: 0,
      viewport: viewport
    )
  }

  @Test("show their items at their own offset, kept within their content")
  func offsets() {
    let prepared = prepare(.continuous)
    #expect(prepared.contentSize == Size(width: 320, height: 60))
    var viewport = Viewport(of: container)
    #expect(prepared.cell(0, 1, viewport)?.frame == Rect(x: 130, y: 5, width: 100, height: 50))
    viewport.sectionOffsets = [0: 45]
    #expect(prepared.cell(0, 1, viewport)?.frame.x == 85)
    viewport.sectionOffsets = [0: 5000]
    #expect(prepared.cell(0, 9, viewport)?.frame.x == 200)
    viewport.sectionOffsets = [0: -5]
    #expect(prepared.cell(0, 0, viewport)?.frame.x == 20)
  }

  @Test("show what meets the rect, also beside the room that their insets leave")
  func queries() {
    let prepared = prepare(.continuous)
    var viewport = Viewport(of: container)
    viewport.sectionOffsets = [0: 400]
    let items = prepared.probed(in: viewport.rect, viewport).map(\.key.indexPath.item)
    // Items start at 20 + 110 k - 400: item 3 ends at 50, item 6 starts at 280.
    #expect(items == [3, 4, 5, 6])
    // Item 2 ended at -60, item 7 starts at 390.
    let narrow = Rect(x: 0, y: 0, width: 50, height: 50)
    #expect(prepared.probed(in: narrow, viewport).map(\.key.indexPath.item) == [3])
    // The leading 20 points, which the section's insets take.
    viewport.sectionOffsets = [0: 105]
    let inset = Rect(x: 0, y: 0, width: 20, height: 50)
    #expect(prepared.probed(in: inset, viewport).map(\.key.indexPath.item) == [0])
  }

  @Test("do not scroll if their row fits into the room that their insets leave")
  func fitting() {
    let section = CompositionalSection(
      group: rows(width: .absolute(100)),
      contentInsets: EdgeInsets(top: 0, leading: 4, bottom: 0, trailing: 6),
      orthogonalScrolling: .continuous
    )
    let prepared = CompositionalLayout(sections: [section]).prepare(
      LayoutContext(contents: plainContents(3, 4), container: container)
    )
    var viewport = Viewport(of: container)
    viewport.sectionOffsets = [0: 5000, 1: 5000]
    #expect(prepared.cell(0, 0, viewport)?.frame.x == 4)
    // 400 - 310.
    #expect(prepared.cell(1, 0, viewport)?.frame.x == -86)
  }

  @Test("change with their offset")
  func invalidation() {
    let prepared = prepare(.continuous)
    let old = Viewport(of: container)
    var new = old
    #expect(prepared.invalidation(from: old, to: new) == .none)
    new.sectionOffsets = [0: 1]
    #expect(prepared.invalidation(from: old, to: new) == .everything)
  }

  @Test("rest as their behaviour says")
  func resting() {
    #expect(rest(.none, 333) == nil)
    #expect(rest(.continuous, 333) == 333)
    #expect(rest(.continuous, 9000) == 810)
    #expect(rest(.continuous, -4) == 0)
    #expect(rest(.continuousGroupLeadingBoundary, 333) == 330)
    #expect(rest(.continuousGroupLeadingBoundary, 55) == 0)
    #expect(rest(.continuousGroupLeadingBoundary, 56) == 110)
    // 795 is nearer to 770 than to 880, which would be cut off to the end.
    #expect(rest(.continuousGroupLeadingBoundary, 795) == 770)
    #expect(rest(.continuousGroupLeadingBoundary, 810) == 810)
    // Pages are as long as what the insets leave: 280.
    #expect(rest(.paging, 700) == 280)
    #expect(rest(.paging, 139) == 0)
    #expect(rest(.paging, 800, from: 700) == 810)
    #expect(rest(.paging, 690, from: 600) == 560)
    #expect(rest(.paging, 900, from: 640) == 810)
    #expect(rest(.paging, 900, from: 500) == 560)
    #expect(rest(.paging, 0, from: 700) == 560)
    #expect(rest(.groupPaging, 700) == 110)
    #expect(rest(.groupPaging, 700, from: 150) == 220)
    #expect(rest(.groupPaging, 0, from: 150) == 110)
    #expect(rest(.groupPaging, 0, from: 330) == 220)
    #expect(rest(.groupPaging, 340, from: 330) == 330)
  }

  @Test("say which item they rest on and leave the other coordinate alone")
  func restingElement() {
    let target = target(.continuousGroupLeadingBoundary, 333)
    #expect(target?.offset.y == 3)
    #expect(target?.element == .cell(0, 3))
    #expect(self.target(.continuous, 333)?.element == nil)
  }

  @Test("start with their first group in the middle and rest on any group, where that is wanted")
  func centered() {
    let prepared = prepare(.groupPagingCentered)
    var viewport = Viewport(of: container)
    #expect(prepared.cell(0, 0, viewport)?.frame.midX == 160)
    // At 0 it is at the leading inset: 20.
    viewport.sectionOffsets = [0: 0]
    #expect(prepared.cell(0, 0, viewport)?.frame.x == 20)
    viewport.sectionOffsets = [0: -9999]
    #expect(prepared.cell(0, 0, viewport)?.frame.midX == 160)
    viewport.sectionOffsets = [0: 9999]
    #expect(prepared.cell(0, 9, viewport)?.frame.midX == 160)
    // Group k is in the middle at 110 k + 50 - 140.
    #expect(rest(.groupPagingCentered, 500, from: 100) == 130)
    #expect(rest(.groupPagingCentered, 9000, from: 890) == 900)
    #expect(rest(.groupPagingCentered, -40, from: -90) == -90)
    #expect(rest(.groupPagingCentered, -30, from: -90) == 20)
    #expect(target(.groupPagingCentered, 0, from: 0)?.element == .cell(0, 1))
  }

  @Test("scroll down in layouts that scroll sideways")
  func horizontal() {
    let prepared = CompositionalLayout(
      scrollAxis: .horizontal,
      sections: [
        CompositionalSection(
          group: rows(.absolute(100), width: .absolute(70)),
          interGroupSpacing: 10,
          orthogonalScrolling: .groupPaging
        )
      ]
    ).prepare(LayoutContext(contents: plainContents(10), container: container))
    #expect(prepared.contentSize == Size(width: 70, height: 480))
    let viewport = Viewport(of: container)
    #expect(prepared.cell(0, 2, viewport)?.frame == Rect(x: 0, y: 220, width: 70, height: 100))
    #expect(
      prepared.restingOffset(
        proposed: Point(x: 7, y: 300),
        velocity: .zero,
        section: 0,
        viewport: viewport
      )?.offset
        == Point(x: 7, y: 110)
    )
  }
}
