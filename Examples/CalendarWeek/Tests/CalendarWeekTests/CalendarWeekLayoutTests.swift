// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("CalendarWeekLayout", .timeLimit(.minutes(2)))
struct CalendarWeekLayoutTests {
  private typealias Kind = CalendarWeekLayout.Kind

  @Test("an event is in the column of its day, from its start to its end")
  func placing() {
    let week = CalendarWeekLayout().prepared(
      CollectionContents(days: [[], [Hours(9.5, 11)], [], []])
    )
    #expect(week.contentSize == Size(width: 456, height: 44 + 24 * 60 + 1))
    #expect(week.frame(.cell(1, 0)) == Rect(x: 156, y: 44 + 570, width: 98, height: 90))
    #expect(
      week.frame(.supplementary(Kind.day, section: 1)) == Rect(x: 156, y: 0, width: 100, height: 44)
    )
    #expect(
      week.frame(.decoration(Kind.hour(9), section: 0))
        == Rect(x: 0, y: 44 + 540, width: 456, height: 1)
    )
  }

  @Test("events at the same time share the width of the day, later ones have it to themselves")
  func overlapping() {
    let week = CalendarWeekLayout(eventSpacing: 0).prepared(
      CollectionContents(days: [[Hours(9, 12), Hours(9.5, 10), Hours(10, 11), Hours(12, 13)]])
    )
    let frames = (0 ..< 4).map { week.frame(.cell(0, $0)) }
    #expect(frames[0] == Rect(x: 56, y: 584, width: 200, height: 180))
    #expect(frames[1] == Rect(x: 256, y: 614, width: 200, height: 30))
    #expect(frames[2] == Rect(x: 256, y: 644, width: 200, height: 60))
    #expect(frames[3] == Rect(x: 56, y: 764, width: 400, height: 60))
  }

  @Test("events are cut to the hours shown, and those outside have no place")
  func hoursShown() {
    let week = CalendarWeekLayout(firstHour: 8, lastHour: 18, headerHeight: 0).prepared(
      CollectionContents(days: [[Hours(6, 9), Hours(6, 8), Hours(17, 20), Hours(18, 19)]])
    )
    #expect(week.frame(.cell(0, 0))?.minY == 0)
    #expect(week.frame(.cell(0, 0))?.maxY == 60)
    #expect(week.frame(.cell(0, 1)) == nil)
    #expect(week.frame(.cell(0, 2))?.maxY == 600)
    #expect(week.frame(.cell(0, 3)) == nil)
    #expect(week.frame(.supplementary(Kind.day, section: 0)) == nil)
    #expect(week.frame(.decoration(Kind.hour(7), section: 0)) == nil)
  }

  @Test("headers are pinned to the viewport's top, or tell where renderers may pin them")
  func pinning() {
    let week = CalendarWeekLayout().prepared(CollectionContents(days: [[]]))
    let header = ElementKey.supplementary(Kind.day, section: 0)
    var viewport = Viewport(
      offset: Point(x: 0, y: 500),
      size: Size(width: 456, height: 300),
      insets: EdgeInsets(top: 20, leading: 0, bottom: 0, trailing: 0)
    )
    #expect(week.frame(header, viewport)?.y == 520)
    let shown = week.elements(in: viewport.rect, viewport).map(\.key)
    #expect(shown.contains(header))
    viewport.rendererPins = true
    #expect(week.frame(header, viewport)?.y == 0)
    #expect(
      week.pinRange(of: header, viewport: viewport)
        == PinRange(minOffset: 0, maxOffset: week.contentSize.height - 44, inset: 20)
    )
    #expect(week.elements(in: viewport.rect, viewport).map(\.key) == shown)
  }

  @Test("in right-to-left environments the first day is on the right")
  func mirroring() {
    let contents = CollectionContents(days: [[Hours(0, 1)], []])
    let week = CalendarWeekLayout(eventSpacing: 0).prepared(contents, isRightToLeft: true)
    #expect(week.frame(.cell(0, 0)) == Rect(x: 200, y: 44, width: 200, height: 60))
  }

  @Test("edges are rounded to pixels where that was asked for")
  func pixels() {
    let contents = CollectionContents(days: [[Hours(9, 10)], [Hours(9, 10)], [Hours(9, 10)]])
    let layout = CalendarWeekLayout(eventSpacing: 0)
    let week = layout.prepared(contents, options: LayoutOptions(isPixelAligned: true))
    let frames = (0 ..< 3).compactMap { week.frame(.cell($0, 0)) }
    #expect(frames.map(\.minX) == [56, 189.5, 322.5])
    #expect(frames.map(\.maxX) == [189.5, 322.5, 456])
  }

  @Test("scrolling comes to rest with an hour right below the headers")
  func resting() {
    let week = CalendarWeekLayout().prepared(CollectionContents(days: [[]]))
    func rest(_ y: Double) -> ScrollTarget? {
      week.restingOffset(
        proposed: Point(x: 0, y: y),
        velocity: .zero,
        section: nil,
        viewport: .atStart
      )
    }
    #expect(rest(140)?.offset.y == 120)
    #expect(rest(140)?.element == .decoration(Kind.hour(2), section: 0))
    #expect(rest(-80)?.offset.y == 0)
    #expect(rest(9_999)?.offset.y == week.contentSize.height - 300)
  }

  @Test("a week without days is empty")
  func empty() {
    let week = CalendarWeekLayout().prepared(.empty)
    #expect(week.contentSize == .zero)
    #expect(week.elements(in: .everywhere, .atStart).isEmpty)
  }
}
