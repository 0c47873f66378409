// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CompositionalLayout {
  /// Scrolling may come to rest on groups.
  public var hasGroups: Bool { true }

  /// Where an orthogonal section comes to rest; nil for other sections.
  ///
  /// Offsets are the section's own, in points along its axis; at 0 its first group is at the
  /// leading inset. The coordinate on the other axis is returned unchanged.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    in prepared: PreparedSections<CompositionalLayout>
  ) -> ScrollTarget? {
    let contents = prepared.context.contents
    guard let section, section >= 0, section < contents.sectionCount,
      let entry = entry(named: contents.section(at: section).layoutName, at: section)
    else { return nil }
    return Self.restingOffset(
      proposed: proposed,
      velocity: velocity,
      section: section,
      scrolling: entry.orthogonalScrolling,
      viewport: viewport,
      in: prepared
    )
  }

  /// Where one section comes to rest if it scrolls orthogonally; nil for other sections.
  static func restingOffset<Layout>(
    proposed: Point,
    velocity: Point,
    section: Int,
    scrolling: OrthogonalScrolling,
    viewport: Viewport,
    in prepared: PreparedSections<Layout>
  ) -> ScrollTarget? {
    guard let body = prepared.section(at: section)?.solved.body as? CompositionalBody,
      body.isOrthogonal
    else { return nil }
    let axis = prepared.environment.axis
    let wanted = axis.cross(proposed)
    let current = body.clamped(viewport.sectionOffsets[section])
    let rest = body.rest(
      scrolling: scrolling,
      RestingRule(
        wanted: body.clamped(wanted.isFinite ? wanted : current),
        current: current,
        flick: ScrollFlick(velocity: axis.cross(velocity)),
        isLimitedToOne: prepared.context.options.endsAtNextTarget
      )
    )
    let item = rest.group.flatMap(body.strip.firstItem(ofGroup:))
    return ScrollTarget(
      offset: axis.point(main: axis.main(proposed), cross: rest.offset),
      element: item.flatMap { prepared.cellKey(at: IndexPath(section: section, item: $0)) }
    )
  }
}

extension CompositionalBody {
  /// The offset at which an orthogonal section comes to rest, and the group there.
  ///
  /// - Parameter rule: with offsets within the section's content.
  fileprivate func rest(
    scrolling: OrthogonalScrolling,
    _ rule: RestingRule
  ) -> (offset: Double, group: Int?) {
    var rule = rule
    switch scrolling {
    case .none, .continuous: return (rule.wanted, nil)
    case .paging:
      guard visibleLength > 0 else { return (rule.wanted, nil) }
      rule.isLimitedToOne = true
      rule.tolerance = min(RestingRule.tolerance, visibleLength / 4)
      return (rule.place(page(nearestTo:within:))?.offset ?? rule.wanted, nil)
    case .continuousGroupLeadingBoundary: break
    case .groupPaging, .groupPagingCentered: rule.isLimitedToOne = true
    }
    let place = rule.place(place(nearestTo:within:))
    return (place?.offset ?? rule.wanted, place.map { min($0.value, strip.groupCount - 1) })
  }

  /// The page that is nearest to an offset, or the end of the content once the offset reaches it.
  private func page(
    nearestTo target: Double,
    within bound: RestingRule.Bound?
  ) -> RestingRule.Place<Double>? {
    var page = target >= maximumOffset ? .infinity : (target / visibleLength).rounded()
    switch bound {
    case nil: break
    case .above(let least): page = max(page, (least / visibleLength).rounded(.down) + 1)
    case .below(let most): page = min(page, (most / visibleLength).rounded(.up) - 1)
    }
    let offset = page == .infinity ? maximumOffset : clamped(page * visibleLength)
    return RestingRule.Place(offset: offset, value: page)
  }

  // MARK: - Places

  // A section rests on a group, or at the end of its content. Place k is that of group k, and the
  // place behind the last group's is the end. Several places at the end may have the same offset;
  // then the first of them counts.

  /// The place that is nearest to an offset, among those within a bound; nil if there is none.
  private func place(
    nearestTo target: Double,
    within bound: RestingRule.Bound?
  ) -> RestingRule.Place<Int>? {
    var place = place(nearestTo: target)
    switch bound {
    case nil: break
    case .above(let least): place = max(place, firstPlace(from: least.nextUp))
    case .below(let most): place = min(place, firstPlace(from: most) - 1)
    }
    guard place >= 0 else { return nil }
    let offset = offset(ofPlace: place)
    return bound?.admits(offset) ?? true ? RestingRule.Place(offset: offset, value: place) : nil
  }

  private func offset(ofPlace place: Int) -> Double {
    guard place < strip.groupCount else { return maximumOffset }
    return centersGroups ? centeringOffset(ofGroup: place) : clamped(start(ofGroup: place))
  }

  private func start(ofGroup group: Int) -> Double { strip.span(ofGroup: group)?.start ?? 0 }

  /// The place of the group that is nearest to an offset, of two the first; the end once the offset
  /// reaches that.
  private func place(nearestTo target: Double) -> Int {
    if centersGroups {
      return strip.group(nearestTo: target, place: centeringOffset(ofGroup:)) ?? 0
    }
    guard target < maximumOffset else { return firstPlace(from: maximumOffset) }
    let group = strip.group(nearestTo: target, place: start(ofGroup:)) ?? 0
    return firstPlace(from: offset(ofPlace: group))
  }

  /// The first place at an offset or behind it; the end if there is none.
  private func firstPlace(from offset: Double) -> Int {
    (0 ..< strip.groupCount).partitioningIndex { !(self.offset(ofPlace: $0) < offset) }
  }
}
