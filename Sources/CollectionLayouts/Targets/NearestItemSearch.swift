// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds the item whose centre, or leading edge, is nearest to the viewport's.
///
/// It searches strips around the place, each larger than the one before, until no item outside can
/// be nearer.
struct NearestItemSearch: Sendable {
  /// What has to come near the viewport's centre or leading edge.
  enum Place: Sendable {
    case center
    case leading
  }

  private let queries: LayoutQueries
  private let proposed: Point
  private let place: Place
  private let lines: [ScrollLine]
  private let viewport: Viewport

  init(_ queries: LayoutQueries, proposed: Point, place: Place) {
    self.queries = queries
    self.proposed = queries.clamped(proposed, along: queries.axes)
    self.place = place
    let contentSize = queries.prepared.contentSize
    lines = queries.axes.map {
      ScrollLine($0, viewport: queries.viewport, contentSize: contentSize)
    }
    // Attributes may depend on the offset: they are wanted as they will be when scrolling has ended.
    var viewport = queries.viewport
    viewport.offset = self.proposed
    self.viewport = viewport
  }

  /// The offset that brings the nearest item to its place, and the item. Without items it is the
  /// proposed offset.
  var target: ScrollTarget {
    guard let element = nearest else { return ScrollTarget(offset: proposed) }
    var offset = proposed
    for line in lines {
      let distance = point(of: element.frame, on: line) - reference(on: line)
      offset = line.offset(offset, start: line.start(proposed) + distance)
    }
    return ScrollTarget(
      offset: queries.clamped(offset, along: queries.axes),
      element: queries.key(of: element)
    )
  }

  private typealias Candidate = (index: Int, distance: Double)

  /// The nearest of all cells; nil if there is none.
  ///
  /// The first strip is small, and each further one is twice as large. So a search takes few more
  /// steps than there are items nearer than twice the distance found. However many items a strip
  /// has, few are kept at once.
  private var nearest: LayoutElement? {
    let size = queries.prepared.contentSize
    let everything = 2 * (size.width + size.height + viewport.size.width + viewport.size.height) + 1
    let farthest = everything < 0x1p58 ? everything : 0x1p58
    var radius = Self.firstRadius
    var buffer = ElementBuffer(
      keepingBest: { best(of: $0)?.index },
      stepLimit: ElementBuffer.defaultStepLimit,
      work: queries.work
    )
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
      guard element.category == .cell, !element.isHidden else { continue }
      var square = 0.0
      for line in lines {
        let distance = point(of: element.frame, on: line) - reference(on: line)
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

  private func point(of frame: Rect, on line: ScrollLine) -> Double {
    let span = line.span(of: frame)
    return place == .center ? span.start + span.length / 2 : span.start
  }

  private func reference(on line: ScrollLine) -> Double {
    let start = line.start(proposed) + line.startInset
    return place == .center ? start + line.visibleExtent / 2 : start
  }

  /// Everything nearer than `radius` on the axes along which content scrolls, over the whole extent
  /// of the other.
  private func strip(_ radius: Double) -> Rect {
    var strip = Rect.everywhere
    for line in lines {
      // One point more at either end, for items of no length at the very edge.
      let start = reference(on: line) - radius - 1
      let length = 2 * radius + 2
      let origin = line.offset(.zero, start: start)
      let low = line.axis.main(origin) + (isReversed(line) ? line.extent - length : 0)
      if line.axis == .vertical {
        strip.y = low
        strip.height = length
      } else {
        strip.x = low
        strip.width = length
      }
    }
    return strip
  }

  private func isReversed(_ line: ScrollLine) -> Bool {
    line.axis == .horizontal && viewport.isRightToLeft
  }
}
