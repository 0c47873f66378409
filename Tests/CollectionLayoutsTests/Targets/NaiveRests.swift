// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

/// All places at which scrolling may rest along one axis, and the rule that chooses one of them.
/// Offsets count in reading direction.
struct NaiveRests {
  struct Rest {
    /// Where it would be without ends of the content.
    var wanted: Double
    /// Where it is.
    var offset: Double
  }

  var rests: [Rest]

  /// The offsets that are right: of places that are equally near any.
  func answers(
    wanted: Double,
    current: Double,
    velocity: Double,
    isLimitedToOne: Bool
  ) -> [Double] {
    let later = rests.filter { $0.offset > current + 0.5 }
    let earlier = rests.filter { $0.offset < current - 0.5 }
    if velocity >= 300 {
      let goal = isLimitedToOne ? current : max(wanted, current)
      return nearest(to: goal, among: later.isEmpty ? rests : later)
    }
    if velocity <= -300 {
      let goal = isLimitedToOne ? current : min(wanted, current)
      return nearest(to: goal, among: earlier.isEmpty ? rests : earlier)
    }
    let found = nearest(to: wanted, among: rests)
    guard isLimitedToOne else { return found }
    return found.flatMap { offset in
      offset > current + 0.5
        ? nearest(to: current, among: later)
        : offset < current - 0.5 ? nearest(to: current, among: earlier) : [offset]
    }
  }

  private func nearest(to goal: Double, among rests: [Rest]) -> [Double] {
    let distances = rests.map { abs($0.wanted - goal) }
    guard let least = distances.min() else { return [] }
    return zip(rests, distances).filter { $0.1 <= least + 1e-6 }.map(\.0.offset)
  }
}

/// A viewport in a layout, and offsets in it that count in reading direction.
struct ReadingAxis {
  let axis: ScrollAxis
  let viewport: Viewport
  let contentSize: Size

  private var isReversed: Bool { axis == .horizontal && viewport.isRightToLeft }

  func start(_ offset: Point) -> Double {
    isReversed
      ? contentSize.width - offset.x - viewport.size.width : axis.main(offset)
  }

  func offset(_ start: Double) -> Point {
    axis.point(
      main: isReversed ? contentSize.width - start - viewport.size.width : start,
      cross: 0
    )
  }

  /// The offset that changes by this much in reading direction.
  func velocity(_ velocity: Double) -> Point {
    axis.point(main: isReversed ? -velocity : velocity, cross: 0)
  }

  var legal: ClosedRange<Double> {
    let ends = viewport.legalOffsets(contentSize: contentSize)
    let starts = [start(ends.min), start(ends.max)].sorted()
    return starts[0] ... starts[1]
  }

  /// What the insets leave of the viewport.
  var visible: (start: Double, length: Double) {
    let start = axis.mainStart(viewport.insets)
    return (start, axis.main(viewport.size) - start - axis.mainEnd(viewport.insets))
  }

  /// The place at which a span comes to rest, a part of it at the same part of the viewport.
  func rest(start: Double, length: Double, anchor: Double) -> NaiveRests.Rest {
    let wanted = start + anchor * length - visible.start - anchor * visible.length
    return .init(
      wanted: wanted,
      offset: min(max(wanted, legal.lowerBound), legal.upperBound)
    )
  }

  func span(of frame: Rect) -> (start: Double, length: Double) {
    let length = axis.main(frame.size)
    let start = axis.main(frame.origin)
    return (isReversed ? contentSize.width - start - length : start, length)
  }
}
