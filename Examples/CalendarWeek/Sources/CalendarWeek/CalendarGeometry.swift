// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutGeometry

/// From days and hours to rects, as they are in left-to-right environments.
struct CalendarGeometry: Sendable {
  let layout: CalendarWeekLayout
  let dayCount: Int
  let contentSize: Size
  let dayWidth: Double

  static let lineHeight: Double = 1

  init(_ layout: CalendarWeekLayout, dayCount: Int, contentWidth: Double) {
    self.layout = layout
    self.dayCount = dayCount
    guard dayCount > 0 else {
      contentSize = .zero
      dayWidth = 0
      return
    }
    let hours = Double(layout.lastHour) - Double(layout.firstHour)
    contentSize = Size(
      width: contentWidth,
      height: layout.headerHeight + max(0, hours) * layout.hourHeight + Self.lineHeight
    )
    dayWidth = max(0, contentWidth - layout.rulerWidth) / Double(dayCount)
  }

  /// The hours that have a line.
  var hours: Range<Int> {
    dayCount > 0 ? layout.firstHour ..< max(layout.firstHour, layout.lastHour) + 1 : 0 ..< 0
  }

  func y(ofHour hour: Double) -> Double {
    layout.headerHeight + (hour - Double(layout.firstHour)) * layout.hourHeight
  }

  /// The reverse of `y(ofHour:)`.
  func hour(atY y: Double) -> Double {
    (y - layout.headerHeight) / layout.hourHeight + Double(layout.firstHour)
  }

  func x(ofDay day: Int) -> Double { layout.rulerWidth + Double(day) * dayWidth }

  /// The days whose columns may reach into a span; one more on either side makes up for rounding.
  func days(from minX: Double, to maxX: Double) -> Range<Int> {
    guard dayWidth > 0 else { return 0 ..< dayCount }
    let last = Double(dayCount)
    let first = ((minX - layout.rulerWidth) / dayWidth).rounded(.down) - 1
    let end = ((maxX - layout.rulerWidth) / dayWidth).rounded(.up) + 1
    let lower = Int(min(max(first, 0), last))
    return lower ..< max(lower, Int(min(max(end, 0), last)))
  }

  func frame(of event: CalendarDay.Event, day: Int) -> Rect {
    let width = dayWidth / Double(event.columns)
    return Rect(
      x: x(ofDay: day) + Double(event.column) * width,
      y: y(ofHour: event.start),
      width: max(0, width - layout.eventSpacing),
      height: (event.end - event.start) * layout.hourHeight
    )
  }

  func header(ofDay day: Int) -> Rect {
    Rect(x: x(ofDay: day), y: 0, width: dayWidth, height: layout.headerHeight)
  }

  /// From the ruler on, where the renderer writes the hour.
  func line(ofHour hour: Int) -> Rect {
    Rect(x: 0, y: y(ofHour: Double(hour)), width: contentSize.width, height: Self.lineHeight)
  }

  /// nil where none are shown.
  func workingHours(ofDay day: Int) -> Rect? {
    guard let hours = layout.workingHours else { return nil }
    let from = max(hours.from, Double(layout.firstHour))
    let to = min(hours.to, Double(layout.lastHour))
    guard from < to else { return nil }
    let height = (to - from) * layout.hourHeight
    return Rect(x: x(ofDay: day), y: y(ofHour: from), width: dayWidth, height: height)
  }
}
