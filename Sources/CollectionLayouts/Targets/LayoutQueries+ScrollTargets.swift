// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LayoutQueries {
  /// Where scrolling ends; nil if the request names an element that does not exist.
  public func scrollTarget(for request: ScrollTargetRequest) -> ScrollTarget? {
    switch request {
    case .release(let proposed, let velocity, let section):
      release(proposed: proposed, velocity: velocity, section: section)
    case .element(let key, let position):
      element(key, position: position)
    }
  }

  // MARK: - Release

  private func release(proposed: Point, velocity: Point, section: Int?) -> ScrollTarget {
    // Sections that scroll by themselves always follow their own rule.
    let snap = section == nil ? prepared.context.options.scrollSnap : nil
    switch snap {
    case nil:
      return prepared.restingOffset(
        proposed: proposed,
        velocity: velocity,
        section: section,
        viewport: viewport
      )
        ?? ScrollTarget(offset: proposed)
    case .some(.none):
      return ScrollTarget(offset: proposed)
    case .itemCenter:
      return NearestItemSearch(self, proposed: proposed, place: .center).target
    case .itemLeading:
      return NearestItemSearch(self, proposed: proposed, place: .leading).target
    case .page:
      return ScrollTarget(offset: page(proposed: proposed))
    }
  }

  /// The axes along which content scrolls, and on which scrolling snaps.
  var axes: [ScrollAxis] { prepared.scrollAxis.map { [$0] } ?? ScrollAxis.allCases }

  /// The offset of the page nearest to the proposed one.
  ///
  /// Page k rests at k · (viewport extent less insets + spacing) from the start. The result is at
  /// most one page away from where the viewport is.
  private func page(proposed: Point) -> Point {
    let contentSize = prepared.contentSize
    var offset = proposed
    for axis in axes {
      let line = ScrollLine(axis, viewport: viewport, contentSize: contentSize)
      let page = line.visibleExtent + prepared.pageSpacing
      guard page > 0 else { continue }
      let wanted = (line.start(proposed) + line.startInset) / page
      let current = (line.start(viewport.offset) + line.startInset) / page
      // If two pages are equally near, the first.
      let nearest = (wanted - 0.5).rounded(.up)
      let least = (current - 1 - 1e-9).rounded(.up)
      let most = max(least, (current + 1 + 1e-9).rounded(.down))
      let index = max(min(max(nearest, least), most), 0)
      offset = line.offset(offset, start: index * page - line.startInset)
    }
    return clamped(offset, along: axes)
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

  private func element(_ key: ElementKey, position: ScrollPosition) -> ScrollTarget? {
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
      element: key
    )
  }
}

/// One axis of a viewport over its content, counted in reading direction: from the right edge if
/// reading runs from right to left.
struct ScrollLine {
  let axis: ScrollAxis
  let startInset: Double
  let endInset: Double
  /// The extent of the viewport, the parts under its insets included, in points.
  let extent: Double
  private let contentExtent: Double
  private let isReversed: Bool
  private let viewport: Viewport

  init(_ axis: ScrollAxis, viewport: Viewport, contentSize: Size) {
    self.axis = axis
    self.viewport = viewport
    startInset = axis.mainStart(viewport.insets)
    endInset = axis.mainEnd(viewport.insets)
    extent = axis.main(viewport.size)
    contentExtent = axis.main(contentSize)
    isReversed = axis == .horizontal && viewport.isRightToLeft
  }

  /// The extent that the insets leave of the viewport, in points.
  var visibleExtent: Double { extent - startInset - endInset }

  /// Where a viewport at this offset starts.
  func start(_ offset: Point) -> Double {
    isReversed ? contentExtent - axis.main(offset) - extent : axis.main(offset)
  }

  /// The offset at which a viewport starts at `start`. The other axis is unchanged.
  func offset(_ offset: Point, start: Double) -> Point {
    let value = isReversed ? contentExtent - start - extent : start
    return axis == .vertical ? Point(x: offset.x, y: value) : Point(x: value, y: offset.y)
  }

  /// Where a frame starts, and its extent.
  func span(of frame: Rect) -> (start: Double, length: Double) {
    let rect = isReversed ? frame.mirrored(inWidth: contentExtent) : frame
    return (axis.main(rect.origin), axis.main(rect.size))
  }

  /// Where the viewport starts if it shows an extent at this position.
  func start(
    showing span: (start: Double, length: Double),
    position: ScrollPosition
  ) -> Double {
    let atStart = span.start - startInset
    let atEnd = span.start + span.length - extent + endInset
    switch position {
    case .start: return atStart
    case .end: return atEnd
    case .center: return (atStart + atEnd) / 2
    case .nearest:
      // Between the two starts all of it is visible, or it fills the visible bounds if it is longer
      // than these.
      return min(max(start(viewport.offset), min(atStart, atEnd)), max(atStart, atEnd))
    }
  }
}
