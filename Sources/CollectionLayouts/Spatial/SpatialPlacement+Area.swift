// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension SpatialPlacement {
  /// The range of data coordinates in which items seen in a rect may lie, and the items clustered
  /// with them: left, top, right and bottom; top is the smaller one, whichever way is north.
  ///
  /// - Parameter largest: the greatest size of items.
  func coordinates(seenIn rect: Rect, largest: Size) -> SIMD4<Double> {
    let reach = reach(of: largest)
    let first = Point(x: rect.minX - reach, y: rect.minY - reach)
    let last = Point(x: rect.maxX + reach, y: rect.maxY + reach)
    let low: SIMD2<Double>
    let high: SIMD2<Double>
    if let cells {
      (low, high) = cells.positions(from: cells.cell(at: first), to: cells.cell(at: last))
    } else {
      let unit = worldWidth > 0 ? worldWidth : 1
      (low, high) = ([first.x / unit, first.y / unit], [last.x / unit, last.y / unit])
    }
    let (a, b) = (coordinates(at: low), coordinates(at: high))
    // Rounding takes no item away. Those that are a little farther are in other cells.
    let slack = 1e-7 * (1 + pointwiseMax(a.magnitudes, b.magnitudes))
    let least = pointwiseMin(a, b) - slack
    let greatest = pointwiseMax(a, b) + slack
    return SIMD4(lowHalf: least, highHalf: greatest)
  }
}

extension SIMD2<Double> {
  /// The magnitudes, with 0 for infinite ones, to which nothing can be added.
  fileprivate var magnitudes: SIMD2<Double> {
    [x.isFinite ? x.magnitude : 0, y.isFinite ? y.magnitude : 0]
  }
}
