// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A calendar week that knows where everything is.
struct PreparedCalendarWeek: PreparedLayout {
  let context: LayoutContext
  let days: [CalendarDay]
  let kindNames: [String]
  let geometry: CalendarGeometry
  private let pixels: PixelGrid?

  init(layout: CalendarWeekLayout, context: LayoutContext, days: [CalendarDay]) {
    self.context = context
    self.days = days
    geometry = CalendarGeometry(
      layout,
      dayCount: days.count,
      contentWidth: context.container.contentSize.width
    )
    typealias Kind = CalendarWeekLayout.Kind
    kindNames =
      context.contents.cellKindNames + [Kind.day, Kind.workingHours]
      + geometry.hours.map { Kind.hour($0) }
    pixels = context.options.isPixelAligned ? PixelGrid(scale: context.container.displayScale) : nil
  }

  var contentSize: Size { geometry.contentSize }
  var scrollAxis: ScrollAxis? { .vertical }
  var scrollDependence: ScrollDependence { hasHeaders ? .pinnedElements : .none }
  var byteCount: Int { days.reduce(0) { $0 + $1.byteCount } }
  var hasHeaders: Bool { geometry.layout.headerHeight > 0 }

  /// Events grow into their place and shrink away.
  var defaultAppearing: AppearanceAnimation { AppearanceAnimation(alpha: 0, scale: 0.8) }
  var defaultDisappearing: AppearanceAnimation { AppearanceAnimation(alpha: 0, scale: 0.8) }

  // MARK: - Kinds

  private var ownKinds: Int { context.contents.cellKindNames.count }
  var dayKind: UInt16 { UInt16(clamping: ownKinds) }
  var workingHoursKind: UInt16 { UInt16(clamping: ownKinds + 1) }

  func kind(ofHour hour: Int) -> UInt16 {
    UInt16(clamping: ownKinds + 2 + hour - geometry.hours.lowerBound)
  }

  // MARK: - Places

  /// Rounded to pixels and mirrored, where that was asked for.
  func placed(_ rect: Rect) -> Rect {
    var rect = rect
    if let pixels {
      // Edges, so that neighbours stay seamless.
      let origin = pixels.round(rect.origin)
      let end = pixels.round(Point(x: rect.maxX, y: rect.maxY))
      rect = Rect(
        origin: origin,
        size: Size(width: end.x - origin.x, height: end.y - origin.y)
      )
    }
    return context.container.isRightToLeft ? rect.mirrored(inWidth: contentSize.width) : rect
  }

  // MARK: - Pinning

  /// Where headers may be; the viewport's top edge is at its offset.
  func pin(_ viewport: Viewport) -> PinRange {
    PinRange(
      minOffset: 0,
      maxOffset: max(0, contentSize.height - geometry.layout.headerHeight),
      inset: viewport.insets.top
    )
  }

  /// Where a header is seen, or at its natural place where the renderer pins.
  func header(ofDay day: Int, viewport: Viewport) -> Rect {
    var header = geometry.header(ofDay: day)
    if !viewport.rendererPins {
      let pin = pin(viewport)
      header.y = min(max(viewport.offset.y + pin.inset, pin.minOffset), pin.maxOffset)
    }
    return placed(header)
  }
}
