// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedLine {
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? {
    restingOffset(
      proposed: proposed,
      velocity: velocity,
      section: section,
      viewport: viewport,
      work: .unlimited
    )
  }

  /// The offset, within the content, that centres the item whose centre is nearest to the middle of
  /// the proposed viewport, or one in the direction of a flick. If two are equally near, it is the
  /// first.
  ///
  /// - Complexity: O(log sections + sections whose items may reach the place)
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    work: LayoutWork
  ) -> ScrollTarget? {
    guard section == nil, !populated.isEmpty else { return nil }
    let axis = layout.scrollDirection
    let legal = viewport.clamped(proposed, contentSize: contentSize)
    let rule = RestingRule(
      wanted: axis.main(legal),
      current: axis.main(viewport.clamped(viewport.offset, contentSize: contentSize)),
      flick: ScrollFlick(velocity: axis.main(velocity)),
      isLimitedToOne: context.options.endsAtNextTarget
    )
    let rest = rule.place { nearest(to: $0, within: $1, viewport: viewport, work: work) }
    guard let rest, !work.isStopped else { return nil }
    return ScrollTarget(
      offset: axis.point(main: rest.offset, cross: axis.cross(legal)),
      element: ElementKey(
        category: .cell,
        kind: kinds.name(at: rest.value),
        indexPath: rest.value
      )
    )
  }

  /// The item nearest to the middle of a viewport, among those that rest within a bound; nil if
  /// there is none.
  ///
  /// - Parameter offset: the viewport's offset along the line.
  private func nearest(
    to offset: Double,
    within bound: RestingRule.Bound?,
    viewport: Viewport,
    work: LayoutWork
  ) -> RestingRule.Place<IndexPath>? {
    let axis = layout.scrollDirection
    // If the place lies behind the bound, the items next to the bound are the nearest ones.
    let offset = bound.map { $0.nearest(to: offset) } ?? offset
    let middle = offset + axis.main(viewport.size) / 2
    let place = isReversed ? axis.main(contentSize) - middle : middle
    let extent = axis.main(itemSize)
    let legal = viewport.legalOffsets(contentSize: contentSize)

    var nearest: (distance: Double, place: RestingRule.Place<IndexPath>)?
    for index in populatedSections(around: place) {
      guard work.proceed(1) else { break }
      for item in sections[index].neighbours(of: place, extent: extent) {
        let center = axis.main(frame(ofItem: item, in: sections[index]).center)
        let wanted = center - axis.main(viewport.size) / 2
        let rest = min(max(wanted, axis.main(legal.min)), axis.main(legal.max))
        guard bound?.admits(rest) ?? true else { continue }
        let distance = abs(center - middle)
        if let nearest, nearest.distance <= distance { continue }
        let path = IndexPath(section: index, item: item)
        nearest = (distance, RestingRule.Place(offset: rest, value: path))
      }
    }
    return nearest?.place
  }
}
