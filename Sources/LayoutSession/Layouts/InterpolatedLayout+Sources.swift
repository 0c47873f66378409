// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// Where the two layouts have what is seen between them.
///
/// Halfway between rows of 44 and of 60 points, row 400 is at 20,800, while the layouts have it at
/// 17,600 and at 24,000: a query of either layout at 20,800 does not find it.
extension InterpolatedLayout {
  // MARK: - Within reach

  /// The most elements of a layout that are looked at because they may be in a rect.
  private static var mostReached: Int { 2048 }

  /// Near both ends one layout has next to no weight, and its elements could be almost anywhere.
  private static let reachable = 1e-6 ... 1 - 1e-6

  /// All elements of one of the two layouts that may be in a rect in between, wherever the other
  /// layout has them within a viewport around its content; nil = they are too many.
  ///
  /// In between, a box is at `from + (to - from) · progress`. So the places that the other layout
  /// may have bound those of this one.
  ///
  /// - Parameter query: the query for what is in between.
  /// - Complexity: that of a query for `mostReached` elements
  func reach(
    of rect: Rect,
    _ viewport: Viewport,
    _ work: LayoutWork,
    as query: borrowing ElementBuffer
  ) -> (isFirst: Bool, elements: ElementBuffer)? {
    guard Self.reachable.contains(progress), !work.isStopped,
      // Such a layout may have elements anywhere.
      from.scrollDependence != .everything, to.scrollDependence != .everything
    else { return nil }
    let parts = [true, false].map { isFirst in
      let (layout, other) = isFirst ? (from, to) : (to, from)
      let weight = isFirst ? 1 - progress : progress
      // Boxes may stick out of the content, as around places at its edge.
      let size = viewport.size
      let bounds = Rect(
        x: -size.width,
        y: -size.height,
        width: other.contentSize.width + 2 * size.width,
        height: other.contentSize.height + 2 * size.height
      ).union(viewport.rect)
      let part = Self.places(in: rect, weight: weight, other: bounds)
      return (isFirst: isFirst, layout: layout, part: part, count: layout.share(of: part))
    }
    guard let least = parts.min(by: { $0.count < $1.count }),
      least.count <= Double(Self.mostReached) / 2
    else { return nil }
    var elements = query.emptied()
    elements.limit = Self.mostReached
    elements.stepLimit = min(elements.stepLimit, 16 * Self.mostReached)
    least.layout.append([least.part], viewport, to: &elements)
    return elements.isFull || elements.isCutShort ? nil : (least.isFirst, elements)
  }

  /// Where one layout can have a box that is in a rect in between, and that itself if the other one
  /// does not have the element.
  ///
  /// - Parameters:
  ///   - weight: of this layout, above 0 and below 1.
  ///   - other: where the other layout has its elements.
  private static func places(in rect: Rect, weight: Double, other: Rect) -> Rect {
    func places(_ low: Double, _ high: Double, _ from: Double, _ to: Double) -> (Double, Double) {
      ((low - (1 - weight) * to) / weight, (high - (1 - weight) * from) / weight)
    }
    let x = places(rect.x, rect.maxX, other.x, other.maxX)
    let y = places(rect.y, rect.maxY, other.y, other.maxY)
    // To a point, so that rounding leaves nothing out.
    return Rect(x: x.0 - 1, y: y.0 - 1, width: x.1 - x.0 + 2, height: y.1 - y.0 + 2).union(rect)
  }

  // MARK: - In order

  /// The parts of the two layouts that have to be looked at to find what lies in a rect in between.
  ///
  /// Beside the rect itself that is the part of a layout with the items of the rect, if items
  /// follow each other along the layout's axis. That finds all of them if the other layout has its
  /// items in the same order, or has all of them near each other. If neither layout has an order,
  /// nothing tells where the items come from, and the rect is all.
  ///
  /// - Complexity: O(log(extent) · log n)
  func sources(
    of rect: Rect,
    _ viewport: Viewport,
    _ work: LayoutWork
  ) -> (from: [Rect], to: [Rect]) {
    let plain = (from: [rect], to: [rect])
    guard progress > 0, progress < 1 else { return plain }
    // Its places change more slowly than those in between, by at most the factor 2.
    let isFirstNearer = progress < 0.5
    for isFirst in [isFirstNearer, !isFirstNearer] {
      let guide = OrderedLayout(isFirst ? from : to, viewport, work)
      let other = OrderedLayout(isFirst ? to : from, viewport, work)
      guard let guide, let items = items(in: rect, guide, work) else { continue }
      let own = [rect] + guide.part(items.first, items.last, around: rect)
      let others = [rect] + (other?.part(items.first, items.last, around: rect) ?? [])
      let (a, b) = (merged(own), merged(others))
      return isFirst ? (a, b) : (b, a)
    }
    return plain
  }

  /// The first and the last item that may be in a rect, and a viewport's extent of items on either
  /// side: in columns, items are only roughly in order.
  ///
  /// - Parameter guide: the layout whose order of items counts, one of the two.
  private func items(
    in rect: Rect,
    _ guide: OrderedLayout,
    _ work: LayoutWork
  ) -> (first: ElementKey?, last: ElementKey?)? {
    /// Where an item starts in between, along the guide's axis.
    func start(of key: ElementKey) -> Double? {
      let attributes = attributes(of: key, viewport: guide.viewport, work: work)
      return attributes.map { guide.start(of: $0.frame, in: contentSize) }
    }
    /// The places of the guide before and after a place in between, to a point.
    func bounds(of place: Double) -> (low: Double, high: Double) {
      var (low, high) = (0.0, guide.extent)
      while high - low > 1, !work.isStopped {
        let middle = low + (high - low) / 2
        // Beyond 2^53 points there may be no number in between.
        guard middle > low, middle < high else { break }
        let isBefore = guide.item(at: middle).flatMap { start(of: $0) }.map { $0 <= place }
        if isBefore == true { low = middle } else { high = middle }
      }
      return (low, high)
    }
    let margin = guide.axis.main(guide.viewport.size)
    let first = guide.start(of: rect, in: contentSize)
    let low = bounds(of: first - margin).low
    let high = bounds(of: first + guide.axis.main(rect.size) + margin).high
    return (guide.item(at: low), guide.item(at: high))
  }

  /// The rects, or what covers both if they meet: each costs a query.
  private func merged(_ rects: [Rect]) -> [Rect] {
    guard rects.count == 2, rects[0].meets(rects[1]) else { return rects }
    return [rects[0].union(rects[1])]
  }
}

extension PreparedLayout {
  /// How many items are in a part, if they are spread evenly.
  fileprivate func share(of part: Rect) -> Double {
    let (count, size) = (Double(context.contents.itemCount), contentSize)
    guard size.width > 0, size.height > 0 else { return count }
    guard let common = part.intersection(Rect(origin: .zero, size: size)) else { return 0 }
    return count * (common.width / size.width) * (common.height / size.height)
  }
}

/// A layout whose items follow each other along its axis. Places are in points from where the
/// content starts in reading direction.
private struct OrderedLayout {
  let layout: any PreparedLayout
  let axis: ScrollAxis
  let viewport: Viewport
  private let work: LayoutWork

  /// - Returns: nil = the items are in no order along an axis.
  init?(_ layout: any PreparedLayout, _ viewport: Viewport, _ work: LayoutWork) {
    guard let axis = layout.scrollAxis,
      layout.itemProgress(at: 0, along: axis, work: work) != nil
    else { return nil }
    self.layout = layout
    self.axis = axis
    self.viewport = viewport
    self.work = work
  }

  var extent: Double { max(0, axis.main(layout.contentSize)) }

  /// The first item that ends after a place; nil = all end before.
  func item(at place: Double) -> ElementKey? {
    layout.itemProgress(at: place, along: axis, work: work)?.item
      .flatMap { layout.cellKey(at: $0) }
  }

  /// Where a box starts in content of a size.
  func start(of box: Rect, in size: Size) -> Double {
    let span = axis.axisRect(box)
    let isReversed = axis == .horizontal && viewport.isRightToLeft
    return isReversed ? axis.main(size) - span.mainEnd : span.main
  }

  /// The part of the layout from one item to another.
  ///
  /// - Parameters:
  ///   - first: nil = there is no such part.
  ///   - last: nil = to the end of the content.
  ///   - rect: what is seen, in case it is wider than the content.
  func part(_ first: ElementKey?, _ last: ElementKey?, around rect: Rect) -> [Rect] {
    guard let low = first.flatMap({ span(of: $0) }) else { return [] }
    let high = last.flatMap { span(of: $0) }?.end ?? extent
    var part = axis.axisRect(rect)
    let isReversed = axis == .horizontal && viewport.isRightToLeft
    part.mainLength = max(0, high - low.start)
    part.main = isReversed ? axis.main(layout.contentSize) - low.start - part.mainLength : low.start
    let end = max(part.crossEnd, axis.cross(layout.contentSize))
    part.cross = min(part.cross, 0)
    part.crossLength = end - part.cross
    return [axis.rect(part)]
  }

  private func span(of key: ElementKey) -> (start: Double, end: Double)? {
    guard let frame = layout.attributes(of: key, viewport: viewport, work: work)?.frame else {
      return nil
    }
    let start = start(of: frame, in: layout.contentSize)
    return (start, start + axis.main(frame.size))
  }
}
