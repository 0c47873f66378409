// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds the item on which scrolling comes to rest: one whose anchor is near the viewport's anchor.
/// Both anchors are at the same fraction of the extent.
///
/// It searches strips around the place, each larger than the one before, until no item outside can
/// be nearer.
struct ItemTargetSearch: Sendable {
  private let queries: LayoutQueries
  private let anchors: NumberedAnchors
  private let lines: [ScrollLine]

  init(_ queries: LayoutQueries, anchors: ItemAnchors) {
    self.queries = queries
    self.anchors = anchors.numbered(queries.prepared.context.contents.cellKindNames)
    let contentSize = queries.prepared.contentSize
    lines = queries.axes.map {
      ScrollLine($0, viewport: queries.viewport, contentSize: contentSize)
    }
  }

  /// The offset at which scrolling rests, and the item there. Without items it is the proposed
  /// offset within the content.
  ///
  /// Content that scrolls both ways is flicked along the axis along which it is faster.
  func target(proposed: Point, velocity: Point, isLimitedToOne: Bool) -> ScrollTarget {
    let wanted = queries.clamped(proposed, along: queries.axes)
    let current = queries.clamped(queries.viewport.offset, along: queries.axes)
    guard let line = ruledLine(from: current, to: wanted, velocity: velocity) else {
      return ScrollTarget(offset: wanted)
    }
    let rule = RestingRule(
      wanted: line.start(wanted),
      current: line.start(current),
      flick: ScrollFlick(velocity: line.velocity(velocity)),
      isLimitedToOne: isLimitedToOne
    )
    let rest = rule.place { start, bound -> RestingRule.Place<ScrollTarget>? in
      let place = line.offset(wanted, start: start)
      return nearest(to: place, within: bound.map { (line, $0) }).map { target in
        RestingRule.Place(offset: line.start(target.offset), value: target)
      }
    }
    return rest?.value ?? ScrollTarget(offset: wanted)
  }

  /// The axis to which flicks and limits apply.
  private func ruledLine(from current: Point, to wanted: Point, velocity: Point) -> ScrollLine? {
    let isFlick = lines.contains { ScrollFlick(velocity: $0.velocity(velocity)) != .none }
    return lines.max { a, b in
      isFlick
        ? abs(a.velocity(velocity)) < abs(b.velocity(velocity))
        : abs(a.start(wanted) - a.start(current)) < abs(b.start(wanted) - b.start(current))
    }
  }

  /// The offset that brings the nearest item's anchor to the viewport's, and the item; nil if there
  /// is no item.
  ///
  /// - Parameter bound: where the answer has to lie along an axis, as starts of the viewport.
  private func nearest(
    to offset: Point,
    within bound: (line: ScrollLine, bound: RestingRule.Bound)?
  ) -> ScrollTarget? {
    if let bound, !bound.line.hasLegalStart(within: bound.bound) { return nil }
    let strips = ItemStrips(
      queries: queries,
      lines: lines,
      anchors: anchors,
      offset: offset,
      bound: bound
    )
    guard let element = strips.nearest else { return nil }
    return ScrollTarget(offset: strips.resting(on: element), element: queries.key(of: element))
  }
}

/// A search around one offset.
private struct ItemStrips: Sendable {
  let queries: LayoutQueries
  let lines: [ScrollLine]
  let anchors: NumberedAnchors
  let offset: Point
  let bound: (line: ScrollLine, bound: RestingRule.Bound)?

  private typealias Candidate = (index: Int, distance: Double)

  /// The offset within the content that brings an item to its place.
  func resting(on element: LayoutElement) -> Point {
    var offset = offset
    for line in lines {
      offset = line.offset(offset, start: line.start(offset) + distance(of: element, on: line))
    }
    return queries.clamped(offset, along: queries.axes)
  }

  /// The nearest of all cells; nil if there is none.
  ///
  /// The first strip is small, and each further one is twice as large. So a search takes few more
  /// steps than there are items nearer than twice the distance found. However many items a strip
  /// has, few are kept at once.
  var nearest: LayoutElement? {
    // Attributes may depend on the offset; the search needs them as they are when scrolling has
    // ended.
    var viewport = queries.viewport
    viewport.offset = offset
    let size = queries.prepared.contentSize
    let everything = 2 * (size.width + size.height + viewport.size.width + viewport.size.height) + 1
    let farthest = everything < Rect.farthest ? everything : Rect.farthest
    var radius = Self.firstRadius
    var buffer = ElementBuffer(
      keepingBest: { best(of: $0)?.index },
      stepLimit: ElementBuffer.defaultStepLimit,
      work: queries.work
    )
    buffer.wantsCellsOnly = true
    while true {
      buffer.removeAll()
      queries.prepared.appendElements(in: strip(radius), viewport: viewport, to: &buffer)
      buffer.sort()
      let best = best(of: buffer)
      let isNearest = best.map { $0.distance <= radius } ?? false
      if isNearest || buffer.isCutShort || !(radius <= farthest) {
        return best.map { buffer.elements[$0.index] }
      }
      radius *= 2
    }
  }

  /// The first distance to search, in points. Most layouts have an item as near as this.
  private static let firstRadius = 64.0

  /// The nearest cell in a buffer; if several are equally near, the first in the order of answers.
  private func best(of buffer: borrowing ElementBuffer) -> Candidate? {
    var best: Candidate?
    for index in buffer.elements.indices {
      let element = buffer.elements[index]
      guard element.category == .cell, !element.isHidden, isWithinBound(element) else { continue }
      var square = 0.0
      for line in lines {
        let distance = distance(of: element, on: line)
        square += distance * distance
      }
      let distance = square.squareRoot()
      if let best,
        !isBetter(element, at: distance, than: buffer.elements[best.index], best.distance)
      {
        continue
      }
      best = (index, distance)
    }
    return best
  }

  private func isBetter(
    _ element: LayoutElement,
    at distance: Double,
    than other: LayoutElement,
    _ otherDistance: Double
  ) -> Bool {
    if distance < otherDistance - 1e-9 { return true }
    return distance <= otherDistance + 1e-9 && LayoutElement.precedes(element, other)
  }

  private func isWithinBound(_ element: LayoutElement) -> Bool {
    guard let bound else { return true }
    return bound.bound.admits(bound.line.start(resting(on: element)))
  }

  /// How far the viewport would have to move along an axis to bring an item to its place.
  private func distance(of element: LayoutElement, on line: ScrollLine) -> Double {
    let span = line.span(of: element.frame)
    let anchor = anchors.anchor(ofKind: Int(element.kind))
    return span.start + anchor * span.length
      - line.place(ofPart: anchor, startingAt: line.start(offset))
  }

  /// Everything nearer than `radius` on the axes along which content scrolls, over the whole extent
  /// of the other.
  private func strip(_ radius: Double) -> Rect {
    var strip = Rect.everywhere
    for line in lines {
      let start = line.start(offset)
      var low = line.place(ofPart: anchors.least, startingAt: start) - radius
      var high = line.place(ofPart: anchors.greatest, startingAt: start) + radius
      // Wanted are items whose anchor lies beyond the bound.
      if let bound, bound.line.axis == line.axis {
        switch bound.bound {
        case .above(let least): low = max(low, line.place(ofPart: anchors.least, startingAt: least))
        case .below(let most):
          high = min(high, line.place(ofPart: anchors.greatest, startingAt: most))
        }
      }
      // One point more at either end, for items of no length at the very edge.
      strip = line.rect(strip, from: low - 1, to: max(low, high) + 1)
    }
    return strip
  }
}
