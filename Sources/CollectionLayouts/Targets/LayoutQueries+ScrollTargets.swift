// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LayoutQueries {
  /// Where scrolling ends; nil if the request names an element that does not exist.
  public func scrollTarget(for request: ScrollTargetRequest) -> ScrollTarget? {
    switch request {
    case .release(let proposed, let velocity, let section, let deceleration):
      let end = proposed ?? projected(velocity, section: section, deceleration: deceleration)
      return release(proposed: end, velocity: velocity, section: section)
    case .element(let key, let position):
      return element(key, position: position)
    case .neighbor(let origin, let step, let position):
      return neighbor(of: origin, step: step, position: position)
    }
  }

  // MARK: - Release

  /// Where scrolling ends by itself, starting where the viewport (or the section) is: within the
  /// content.
  private func projected(
    _ velocity: Point,
    section: Int?,
    deceleration: DecelerationRate
  ) -> Point {
    guard let section else {
      let end = Point(
        x: deceleration.offset(from: viewport.offset.x, velocity: velocity.x),
        y: deceleration.offset(from: viewport.offset.y, velocity: velocity.y)
      )
      return clamped(end, along: ScrollAxis.allCases)
    }
    guard let axis = prepared.scrollAxis,
      let current = prepared.sectionOffset(section, viewport: viewport)
    else { return .zero }
    return axis.point(
      main: 0,
      cross: deceleration.offset(from: current, velocity: axis.cross(velocity))
    )
  }

  private func release(proposed: Point, velocity: Point, section: Int?) -> ScrollTarget {
    let options = prepared.context.options
    let isLimitedToOne = options.endsAtNextTarget
    // Sections that scroll by themselves always follow their own rule.
    switch section == nil ? options.snapRule : nil {
    case nil:
      return prepared.restingOffset(
        proposed: proposed,
        velocity: velocity,
        section: section,
        viewport: viewport,
        work: work ?? .unlimited
      )
        ?? ScrollTarget(offset: proposed)
    case .anywhere: return ScrollTarget(offset: proposed)
    case .pages: return ScrollTarget(offset: page(proposed: proposed, velocity: velocity))
    case .groups(let anchor):
      let groups = prepared.scrollAxis.flatMap {
        GroupTargetSearch(self, axis: $0, anchor: anchor)
          .target(proposed: proposed, velocity: velocity, isLimitedToOne: isLimitedToOne)
      }
      if let groups { return groups }
      return ItemTargetSearch(self, anchors: ItemAnchors(usual: anchor))
        .target(proposed: proposed, velocity: velocity, isLimitedToOne: isLimitedToOne)
    case .items(let anchors):
      return ItemTargetSearch(self, anchors: anchors)
        .target(proposed: proposed, velocity: velocity, isLimitedToOne: isLimitedToOne)
    }
  }

  /// The axes along which content scrolls, and on which scrolling snaps.
  var axes: [ScrollAxis] { prepared.scrollAxis.map { [$0] } ?? ScrollAxis.allCases }

  /// The offset of the page nearest to the proposed one, or of the next one in the direction of a
  /// flick.
  ///
  /// Page k rests at k · (viewport extent less insets + spacing) from the start. The result is at
  /// most one page away from where the viewport is.
  private func page(proposed: Point, velocity: Point) -> Point {
    let contentSize = prepared.contentSize
    var offset = proposed
    for axis in axes {
      let line = ScrollLine(axis, viewport: viewport, contentSize: contentSize)
      let page = line.visibleExtent + prepared.pageSpacing
      guard page > 0 else { continue }
      let flick = ScrollFlick(velocity: line.velocity(velocity))
      let rule = RestingRule(
        wanted: line.start(proposed) + line.startInset,
        current: line.start(viewport.offset) + line.startInset,
        flick: flick,
        isLimitedToOne: true,
        tolerance: flick == .none ? 1e-9 * page : min(RestingRule.tolerance, page / 4)
      )
      let rest = rule.place { place, bound in
        let index = Self.page(nearestTo: place, within: bound, length: page)
        return RestingRule.Place(offset: index * page, value: index)
      }
      let start = max(rest?.value ?? 0, 0) * page - line.startInset
      offset = line.offset(offset, start: start)
    }
    return clamped(offset, along: axes)
  }

  /// The number of the page whose start is nearest to a place; if two are equally near, the first.
  private static func page(
    nearestTo place: Double,
    within bound: RestingRule.Bound?,
    length: Double
  ) -> Double {
    let nearest = (place / length - 0.5).rounded(.up)
    switch bound {
    case nil: return nearest
    case .above(let least): return max(nearest, (least / length).rounded(.down) + 1)
    case .below(let most): return min(nearest, (most / length).rounded(.up) - 1)
    }
  }

  /// The offset within the legal offsets on the given axes, and unchanged on others.
  func clamped(_ offset: Point, along axes: [ScrollAxis]) -> Point {
    let legal = viewport.clamped(offset, contentSize: prepared.contentSize)
    return Point(
      x: axes.contains(.horizontal) ? legal.x : offset.x,
      y: axes.contains(.vertical) ? legal.y : offset.y
    )
  }

  // MARK: - Elements

  /// Where an element is shown: the offset of the content, and of its section if that scrolls by
  /// itself; nil if it does not exist.
  func element(_ key: ElementKey, position: ScrollPosition) -> ScrollTarget? {
    let section = key.indexPath.section
    var viewport = viewport
    if let offset = prepared.sectionOffset(showing: key, position: position, viewport: viewport) {
      viewport.sectionOffsets[section] = offset
    }
    // Scrolling to a pinned element goes to its natural place.
    var natural = viewport
    natural.rendererPins = true
    guard
      let attributes = prepared.attributes(
        of: key,
        viewport: natural,
        work: work ?? .unlimited
      )
    else { return nil }
    let own = prepared.scrollOffset(showing: key, position: position, viewport: viewport)
    var offset = own ?? viewport.offset
    if own == nil {
      for axis in ScrollAxis.allCases {
        let line = ScrollLine(axis, viewport: viewport, contentSize: prepared.contentSize)
        let span = line.span(of: attributes.frame)
        offset = line.offset(offset, start: line.start(showing: span, position: position))
      }
    }
    return ScrollTarget(
      offset: viewport.clamped(offset, contentSize: prepared.contentSize),
      element: key,
      sectionOffset: prepared.sectionOffset(section, viewport: viewport)
    )
  }
}
