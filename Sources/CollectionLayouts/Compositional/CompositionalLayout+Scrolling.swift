// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CompositionalLayout {
  /// Where an orthogonal section comes to rest; nil for other sections.
  ///
  /// Offsets are the section's own, in points along its axis; at 0 its first group is at the leading
  /// inset. The coordinate on the other axis is returned unchanged.
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
      section: section,
      scrolling: entry.orthogonalScrolling,
      viewport: viewport,
      in: prepared
    )
  }

  /// Where one section comes to rest if it scrolls orthogonally; nil for other sections.
  static func restingOffset<Layout>(
    proposed: Point,
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
      proposed: wanted.isFinite ? wanted : current,
      current: current
    )
    let item = rest.group.flatMap(body.strip.firstItem(ofGroup:))
    return ScrollTarget(
      offset: axis.point(main: axis.main(proposed), cross: rest.offset),
      element: item.flatMap {
        cellKey(section: section, item: $0, in: prepared.context.contents)
      }
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
}

extension CompositionalBody {
  /// The offset at which an orthogonal section comes to rest, and the group there.
  ///
  /// - Parameter current: where the section is; at most one page or group away if it is paged.
  fileprivate func rest(
    scrolling: OrthogonalScrolling,
    proposed: Double,
    current: Double
  ) -> (offset: Double, group: Int?) {
    let target = clamped(proposed)
    switch scrolling {
    case .none, .continuous: return (target, nil)
    case .paging: return (page(nearestTo: target, current: current), nil)
    case .continuousGroupLeadingBoundary: return rest(at: place(nearestTo: target))
    case .groupPaging, .groupPagingCentered:
      let near = places(nextTo: current)
      return rest(at: min(max(place(nearestTo: target), near.lowerBound), near.upperBound))
    }
  }

  /// The distance in points up to which a section counts as resting at a place: renderers round
  /// offsets to pixels.
  private static let restTolerance = 0.5

  /// The page that is nearest to an offset, or the end of the content once the offset reaches it.
  private func page(nearestTo target: Double, current: Double) -> Double {
    guard visibleLength > 0 else { return target }
    let nearest =
      target >= maximumOffset ? .infinity : (target / visibleLength).rounded()
    let page = current / visibleLength
    let slack = min(Self.restTolerance / visibleLength, 0.25)
    let lowest = (page - 1 - slack).rounded(.up)
    let highest = (page + 1 + slack).rounded(.down)
    return clamped(min(max(nearest, lowest), highest) * visibleLength)
  }

  // MARK: - Places

  // A section rests on a group, or at the end of its content. Place k is that of group k, and the place
  // behind the last group's is the end. Several places at the end may have the same offset; then the
  // first of them counts.

  private func rest(at place: Int) -> (offset: Double, group: Int?) {
    (offset(ofPlace: place), min(place, strip.groupCount - 1))
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
    var low = 0
    var high = strip.groupCount
    while low < high {
      let middle = (low + high) / 2
      if self.offset(ofPlace: middle) < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The places to which a section may move from an offset: the one before it and the one behind it;
  /// if it rests at a place, also that.
  private func places(nextTo current: Double) -> ClosedRange<Int> {
    let behind = firstPlace(from: current - Self.restTolerance)
    let isAtRest = offset(ofPlace: behind) <= current + Self.restTolerance
    return max(0, behind - 1) ... min(strip.groupCount, isAtRest ? behind + 1 : behind)
  }
}
