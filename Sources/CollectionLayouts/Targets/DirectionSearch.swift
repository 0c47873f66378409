// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A direction on the screen.
struct SpatialDirection: Sendable {
  let axis: ScrollAxis
  /// Whether coordinates grow in the direction.
  let isForward: Bool

  static let up = SpatialDirection(axis: .vertical, isForward: false)
  static let down = SpatialDirection(axis: .vertical, isForward: true)
  static let left = SpatialDirection(axis: .horizontal, isForward: false)
  static let right = SpatialDirection(axis: .horizontal, isForward: true)

  /// A rect's extent in the direction, in which coordinates grow, and across it.
  func box(_ rect: Rect) -> AxisRect {
    var box = axis.axisRect(rect)
    if !isForward { box.main = -box.mainEnd }
    return box
  }

  /// The rect with this extent in the direction and across it.
  func rect(_ box: AxisRect) -> Rect {
    var box = box
    if !isForward { box.main = -box.mainEnd }
    return axis.rect(box)
  }
}

/// Finds the item that lies next to a box in a direction.
///
/// An item is a candidate if both of its edges lie farther in the direction than those of the box,
/// and if it is at most a viewport's extent aside. What a section that scrolls by itself has out of
/// sight counts only if the box is in the same section. Of them the one counts that is nearest by
/// the distance of CSS Spatial Navigation: items in line with the box come before others that are
/// somewhat nearer.
struct DirectionSearch: Sendable {
  private let queries: LayoutQueries
  private let direction: SpatialDirection
  private let origin: AxisRect
  /// The section of the box; nil = it belongs to none.
  private let section: Int?
  /// What the insets leave of the viewport, in the direction and across it, in points.
  private let page: (main: Double, cross: Double)

  init(
    _ queries: LayoutQueries,
    from box: Rect,
    in section: Int?,
    toward direction: SpatialDirection
  ) {
    self.queries = queries
    self.section = section
    self.direction = direction
    origin = direction.box(box)
    let visible = queries.viewport.unobscuredRect.size
    page = (max(0, direction.axis.main(visible)), max(0, direction.axis.cross(visible)))
  }

  // MARK: - The nearest

  /// The nearest item; nil if there is none in this direction. If several are equally near, the
  /// first.
  ///
  /// The first box that is searched is small, and each further one is twice as large.
  var nearest: ElementKey? {
    let size = queries.prepared.contentSize
    let screen = queries.viewport.size
    let everything = 2 * (size.width + size.height + screen.width + screen.height) + 1
    let farthest = everything < Rect.farthest ? everything : Rect.farthest
    var radius = Self.firstRadius
    while true {
      let (found, isCutShort) = best(within: radius, aside: min(radius, page.cross)) { a, b in
        let (near, far) = (distance(to: a), distance(to: b))
        return near < far - 1e-9 ? true : near > far + 1e-9 ? false : nil
      }
      // Nothing outside of the box is nearer than this.
      let isNearest = found.map { distance(to: box(of: $0)) <= radius - Self.alignmentWeight }
      if isNearest ?? false || isCutShort || !(radius <= farthest) {
        return found.map { queries.key(of: $0.element) }
      }
      radius *= 2
    }
  }

  /// The first distance to search, in points. Most layouts have a neighbour as near as this.
  private static let firstRadius = 64.0

  private static let alignmentWeight = 5.0

  /// The distance as the working draft "CSS Spatial Navigation Level 1" defines it: the distance of
  /// the nearest points, plus a penalty for being off axis, less a bonus for alignment, less the
  /// square root of the overlapping area.
  private func distance(to box: AxisRect) -> Double {
    let along = max(0, box.main - origin.mainEnd)
    let aside = gap(to: box)
    let overlap = overlap(with: box)
    let way = (along * along + aside * aside).squareRoot()
    var penalty = 0.0
    var bonus = 0.0
    if isInLine(box) {
      bonus = origin.crossLength > 0 ? min(overlap / origin.crossLength, 1) : 1
    } else {
      let weight = direction.axis == .horizontal ? 30.0 : 2.0
      penalty = (aside + origin.crossLength / 2) * weight
    }
    let common = max(0, min(box.mainEnd, origin.mainEnd) - box.main) * overlap
    return way + penalty - Self.alignmentWeight * bonus - common.squareRoot()
  }

  // MARK: - Pages

  /// The farthest item that still fits into the viewport together with the box; nil if there is
  /// none. Items in line with the box come before others.
  var farthestOnPage: ElementKey? {
    let end = origin.main + page.main + 1e-6
    let found = best(within: max(0, end - origin.mainEnd), aside: page.cross) { a, b in
      if (a.mainEnd <= end) != (b.mainEnd <= end) { return a.mainEnd <= end }
      if isInLine(a) != isInLine(b) { return isInLine(a) }
      if abs(a.main - b.main) > 1e-9 { return a.main > b.main }
      if abs(gap(to: a) - gap(to: b)) > 1e-9 { return gap(to: a) < gap(to: b) }
      let overlaps = (overlap(with: a), overlap(with: b))
      return abs(overlaps.0 - overlaps.1) > 1e-9 ? overlaps.0 > overlaps.1 : nil
    }
    return found.found.flatMap { box(of: $0).mainEnd <= end ? queries.key(of: $0.element) : nil }
  }

  // MARK: - Candidates

  private typealias Found = (element: LayoutElement, bounds: Rect)

  /// The best candidate in a box beyond the origin.
  ///
  /// - Parameter isBetter: whether the first of two is better; nil = they are equally good, and the
  ///   first in the order of answers counts.
  private func best(
    within distance: Double,
    aside: Double,
    isBetter: @escaping @Sendable (AxisRect, AxisRect) -> Bool?
  ) -> (found: Found?, isCutShort: Bool) {
    @Sendable func best(of buffer: borrowing ElementBuffer) -> Int? {
      var best: (index: Int, box: AxisRect)?
      for index in buffer.elements.indices {
        let element = buffer.elements[index]
        guard element.category == .cell, !element.isHidden else { continue }
        let box = direction.box(buffer.transform(of: element).boundingBox(of: element.frame))
        guard isCandidate(box), isReachable(element, box) else { continue }
        if let best {
          let other = buffer.elements[best.index]
          guard isBetter(box, best.box) ?? LayoutElement.precedes(element, other) else { continue }
        }
        best = (index, box)
      }
      return best?.index
    }
    var buffer = ElementBuffer(
      keepingBest: best,
      stepLimit: ElementBuffer.defaultStepLimit,
      work: queries.work
    )
    buffer.wantsCellsOnly = true
    // One point more on every side, for items of no length at the very edge.
    let area = AxisRect(
      main: origin.mainEnd - 1,
      cross: origin.cross - aside - 1,
      mainLength: distance + 2,
      crossLength: origin.crossLength + 2 * aside + 2
    )
    queries.prepared.appendElements(
      in: direction.rect(area),
      viewport: queries.viewport,
      to: &buffer
    )
    buffer.sort()
    let found = best(of: buffer).map { index -> Found in
      let element = buffer.elements[index]
      return (element, buffer.transform(of: element).boundingBox(of: element.frame))
    }
    return (found, buffer.isCutShort)
  }

  private func box(of found: Found) -> AxisRect { direction.box(found.bounds) }

  private func isCandidate(_ box: AxisRect) -> Bool {
    box.main > origin.main + Self.tolerance && box.mainEnd > origin.mainEnd + Self.tolerance
      && gap(to: box) <= page.cross
  }

  /// Whether the item may get the focus: an item of another section that scrolls by itself may only
  /// while it is in sight.
  private func isReachable(_ element: LayoutElement, _ box: AxisRect) -> Bool {
    let other = element.indexPath.section
    guard other != section, let axis = queries.prepared.scrollAxis,
      queries.prepared.sectionOffset(other, viewport: queries.viewport) != nil
    else { return true }
    let screen = queries.viewport.rect
    let rect = direction.rect(box)
    return axis == .vertical
      ? rect.maxX > screen.minX && rect.minX < screen.maxX
      : rect.maxY > screen.minY && rect.minY < screen.maxY
  }

  /// Positions that differ by less are the same.
  private static let tolerance = 1e-6

  /// How far aside a box lies, in points.
  private func gap(to box: AxisRect) -> Double {
    max(0, box.cross - origin.crossEnd, origin.cross - box.crossEnd)
  }

  /// How long the part of both is across the direction, in points.
  private func overlap(with box: AxisRect) -> Double {
    max(0, min(box.crossEnd, origin.crossEnd) - max(box.cross, origin.cross))
  }

  /// Whether a box has a part across the direction in common with the origin, which may be a point.
  private func isInLine(_ box: AxisRect) -> Bool {
    overlap(with: box) > Self.tolerance
      || origin.crossLength == 0 && box.cross <= origin.cross && origin.cross < box.crossEnd
  }
}
