// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CompositionalLayout {
  /// Where an orthogonal section comes to rest; nil for other sections.
  ///
  /// Offsets are the section's own, in points along its axis from the leading edge. The coordinate
  /// on the other axis is returned unchanged.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    in prepared: PreparedSections<CompositionalLayout>
  ) -> ScrollTarget? {
    guard let section, let solved = prepared.section(at: section)?.solved,
      let body = solved.body as? CompositionalBody, body.isOrthogonal,
      section < prepared.context.contents.sectionCount
    else { return nil }
    let contents = prepared.context.contents
    guard
      let entry = entry(named: contents.section(at: section).layoutName, at: section)
    else { return nil }
    let axis = scrollAxis
    let wanted = axis.cross(proposed)
    let current = body.clamped(viewport.sectionOffsets[section] ?? 0)
    let rest = Self.rest(
      of: body,
      scrolling: entry.orthogonalScrolling,
      proposed: wanted.isFinite ? wanted : current,
      current: current
    )
    let item = rest.group.flatMap(body.strip.firstItem(ofGroup:))
    return ScrollTarget(
      offset: axis.point(main: axis.main(proposed), cross: rest.offset),
      element: item.flatMap { Self.cellKey(section: section, item: $0, in: contents) }
    )
  }

  private static func cellKey(
    section: Int,
    item: Int,
    in contents: CollectionContents
  ) -> ElementKey? {
    let values = contents.item(at: IndexPath(section: section, item: item))
    let names = contents.cellKindNames
    guard let values, names.indices.contains(values.cellKind) else { return nil }
    return .cell(section, item, kind: names[values.cellKind])
  }

  /// The offset at which a section comes to rest, and the group there.
  private static func rest(
    of body: CompositionalBody,
    scrolling: OrthogonalScrolling,
    proposed: Double,
    current: Double
  ) -> (offset: Double, group: Int?) {
    let target = body.clamped(proposed)
    switch scrolling {
    case .none, .continuous: return (target, nil)
    case .paging:
      let page = body.visibleLength
      guard page > 0 else { return (target, nil) }
      // The page nearest to the target, at most one page away from the current offset.
      let nearest = (target / page + 0.5).rounded(.up) - 1
      let lowest = ((current - page) / page).rounded(.up)
      let highest = ((current + page) / page).rounded(.down)
      return (body.clamped(max(0, min(max(nearest, lowest), highest)) * page), nil)
    case .continuousGroupLeadingBoundary:
      return group(of: body, nearestTo: target, among: 0 ..< body.strip.groupCount, centered: false)
    case .groupPaging, .groupPagingCentered:
      let centered = scrolling == .groupPagingCentered
      let nearest = group(
        of: body,
        nearestTo: current,
        among: 0 ..< body.strip.groupCount,
        centered: centered
      )
      let here = nearest.group ?? 0
      // If the section stands between two groups, it may move to either, but not beyond.
      var range = max(0, here - 1) ..< min(body.strip.groupCount, here + 2)
      if nearest.offset < current {
        range = max(0, here) ..< range.upperBound
      } else if nearest.offset > current {
        range = range.lowerBound ..< min(body.strip.groupCount, here + 1)
      }
      return group(of: body, nearestTo: target, among: range, centered: centered)
    }
  }

  /// The group that rests nearest to the target, and its resting offset.
  private static func group(
    of body: CompositionalBody,
    nearestTo target: Double,
    among groups: Range<Int>,
    centered: Bool
  ) -> (offset: Double, group: Int?) {
    func place(_ group: Int) -> Double {
      guard let span = body.strip.span(ofGroup: group) else { return 0 }
      return body.clamped(
        centered
          ? body.insets.start + span.start + (span.length - body.visibleLength) / 2 : span.start
      )
    }
    guard !groups.isEmpty, let nearest = body.strip.group(nearestTo: target, place: place) else {
      return (target, nil)
    }
    var group = min(max(nearest, groups.lowerBound), groups.upperBound - 1)
    let offset = place(group)
    // At the end of the content several groups rest at the same offset. The first of them is taken.
    var low = groups.lowerBound
    while low < group {
      let middle = (low + group) / 2
      if place(middle) < offset { low = middle + 1 } else { group = middle }
    }
    return (offset, group)
  }
}
