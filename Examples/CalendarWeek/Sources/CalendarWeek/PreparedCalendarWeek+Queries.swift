// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// What is behind what; events are at 0.
private enum Level {
  static let header: Int32 = 10
  static let line: Int32 = -1
  static let workingHours: Int32 = -2
}

// MARK: - Elements in a rect

extension PreparedCalendarWeek {
  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let isMirrored = context.container.isRightToLeft
    let span = isMirrored ? rect.mirrored(inWidth: contentSize.width) : rect
    appendLines(in: rect, to: &buffer)
    for day in geometry.days(from: span.minX, to: span.maxX) {
      appendEvents(ofDay: day, in: rect, to: &buffer)
      appendWorkingHours(ofDay: day, in: rect, to: &buffer)
      appendHeader(ofDay: day, in: rect, viewport: viewport, to: &buffer)
    }
  }

  private func appendEvents(ofDay day: Int, in rect: Rect, to buffer: inout ElementBuffer) {
    // A point more on either side makes up for rounding to pixels.
    let start = geometry.hour(atY: rect.minY - 1)
    let end = geometry.hour(atY: rect.maxY + 1)
    days[day].forEachEvent(from: start, to: end) { event in
      let frame = placed(geometry.frame(of: event, day: day))
      guard frame.meets(rect) else { return }
      buffer.append(
        LayoutElement(
          category: .cell,
          kind: UInt16(clamping: event.cellKind),
          indexPath: IndexPath(section: day, item: event.item),
          frame: frame
        )
      )
    }
  }

  private func appendLines(in rect: Rect, to buffer: inout ElementBuffer) {
    for hour in geometry.hours {
      let frame = placed(geometry.line(ofHour: hour))
      guard frame.meets(rect) else { continue }
      buffer.append(
        LayoutElement(
          category: .decoration,
          kind: kind(ofHour: hour),
          indexPath: IndexPath(section: 0),
          frame: frame,
          zIndex: Level.line
        )
      )
    }
  }

  private func appendWorkingHours(ofDay day: Int, in rect: Rect, to buffer: inout ElementBuffer) {
    guard let frame = geometry.workingHours(ofDay: day).map(placed), frame.meets(rect) else {
      return
    }
    buffer.append(
      LayoutElement(
        category: .decoration,
        kind: workingHoursKind,
        indexPath: IndexPath(section: day),
        frame: frame,
        zIndex: Level.workingHours
      )
    )
  }

  private func appendHeader(
    ofDay day: Int,
    in rect: Rect,
    viewport: Viewport,
    to buffer: inout ElementBuffer
  ) {
    guard hasHeaders else { return }
    let element = LayoutElement(
      category: .supplementary,
      kind: dayKind,
      indexPath: IndexPath(section: day),
      frame: header(ofDay: day, viewport: viewport),
      zIndex: Level.header
    )
    if viewport.rendererPins {
      // The renderer can move it into any rect of its column.
      var column = element.frame
      column.height = contentSize.height
      guard column.meets(rect) else { return }
      buffer.append(element, extra: ElementExtra(pin: pin(viewport)))
    } else if element.frame.meets(rect) {
      buffer.append(element)
    }
  }
}

// MARK: - On demand

extension PreparedCalendarWeek {
  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    let day = key.indexPath.section
    guard days.indices.contains(day) else { return nil }
    switch (key.category, key.indexPath.item) {
    case (.cell, let item?):
      guard let event = days[day].event(ofItem: item) else { return nil }
      // An empty kind names a cell whatever its reuse kind is.
      guard key.kind.isEmpty || key.kind == kindNames[event.cellKind] else { return nil }
      return LayoutAttributes(frame: placed(geometry.frame(of: event, day: day)))
    case (.supplementary, nil):
      guard hasHeaders, key.kind == CalendarWeekLayout.Kind.day else { return nil }
      return LayoutAttributes(
        frame: header(ofDay: day, viewport: viewport),
        zIndex: Int(Level.header)
      )
    case (.decoration, nil):
      return decoration(key.kind, day: day)
    default: return nil
    }
  }

  private func decoration(_ kind: String, day: Int) -> LayoutAttributes? {
    if kind == CalendarWeekLayout.Kind.workingHours {
      return geometry.workingHours(ofDay: day).map {
        LayoutAttributes(frame: placed($0), zIndex: Int(Level.workingHours))
      }
    }
    guard day == 0,
      let hour = geometry.hours.first(where: { CalendarWeekLayout.Kind.hour($0) == kind })
    else { return nil }
    return LayoutAttributes(
      frame: placed(geometry.line(ofHour: hour)),
      zIndex: Int(Level.line)
    )
  }

  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? {
    guard key.category == .supplementary, attributes(of: key, viewport: viewport) != nil else {
      return nil
    }
    return pin(viewport)
  }
}

// MARK: - Scrolling

extension PreparedCalendarWeek {
  /// Comes to rest with the line of an hour right below the headers, or at the very end.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? {
    guard section == nil, !geometry.hours.isEmpty else { return nil }
    let top = viewport.clamped(proposed, contentSize: contentSize).y + viewport.insets.top
    let nearest = (top / geometry.layout.hourHeight).rounded()
    let steps = min(max(nearest, 0), Double(geometry.hours.count - 1))
    let wanted = Point(
      x: proposed.x,
      y: steps * geometry.layout.hourHeight - viewport.insets.top
    )
    return ScrollTarget(
      offset: Point(x: proposed.x, y: viewport.clamped(wanted, contentSize: contentSize).y),
      element: .decoration(
        CalendarWeekLayout.Kind.hour(geometry.hours.lowerBound + Int(steps)),
        section: 0
      )
    )
  }
}
