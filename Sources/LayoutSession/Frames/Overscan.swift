// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// How far beyond the visible rect elements are kept, and when the kept rect must move.
struct Overscan: Sendable {
  /// The overscan in the direction of motion, in viewports: 0 to 5, as granted.
  var ahead: Double
  /// The overscan against the direction of motion, in viewports: 0 to 5, as granted.
  var behind: Double
  /// The direction in which the user scrolls, in content coordinates; only signs matter, and 0 = at
  /// rest.
  var motion: Point

  /// The part of the overscan that must be left on each side before the kept rect moves.
  private static let hysteresis = 0.25
  /// The largest area of a kept rect, in viewports.
  private static let largestArea = 16.0

  /// The rect around `visible` that a frame should cover.
  ///
  /// - Parameter visible: the visible rect, in content coordinates.
  /// - Parameter axis: the axis along which content grows; nil = both. Across it at most one
  ///   viewport is kept on either side.
  func wantedRect(around visible: Rect, axis: ScrollAxis?) -> Rect {
    let x = distances(.horizontal, axis: axis)
    let y = distances(.vertical, axis: axis)
    return Rect(
      x: visible.x - x.before * visible.width,
      y: visible.y - y.before * visible.height,
      width: visible.width * (1 + x.before + x.after),
      height: visible.height * (1 + y.before + y.after)
    )
  }

  /// Whether `visible` is so far inside `coverage` that the coverage need not move. Sides where the
  /// coverage reaches the edge of the content do not count.
  func holds(_ visible: Rect, in coverage: Rect, contentSize: Size, axis: ScrollAxis?) -> Bool {
    let x = distances(.horizontal, axis: axis)
    let y = distances(.vertical, axis: axis)
    func isFar(_ distance: Double, _ overscan: Double, _ extent: Double) -> Bool {
      distance >= Self.hysteresis * overscan * extent
    }
    return coverage.contains(visible)
      && (coverage.minX <= 0 || isFar(visible.minX - coverage.minX, x.before, visible.width))
      && (coverage.minY <= 0 || isFar(visible.minY - coverage.minY, y.before, visible.height))
      && (coverage.maxX >= contentSize.width
        || isFar(coverage.maxX - visible.maxX, x.after, visible.width))
      && (coverage.maxY >= contentSize.height
        || isFar(coverage.maxY - visible.maxY, y.after, visible.height))
  }

  /// The overscan along `direction`, in viewports, before and after the visible rect.
  ///
  /// - Parameter axis: the axis along which content grows; nil = both.
  private func distances(
    _ direction: ScrollAxis,
    axis: ScrollAxis?
  ) -> (before: Double, after: Double) {
    if let axis, axis != direction {
      let main = 1 + ahead + max(ahead, behind)
      let cross = min(ahead, 1, max(0, (Self.largestArea / main - 1) / 2))
      return (cross, cross)
    }
    // Content that grows along both axes divides the largest area between them.
    let limit = axis == nil ? (Self.largestArea.squareRoot() - 1) / 2 : .infinity
    let ahead = min(ahead, limit)
    let behind = min(behind, limit)
    let motion = direction.main(motion)
    if motion > 0 { return (behind, ahead) }
    if motion < 0 { return (ahead, behind) }
    return (ahead, ahead)
  }
}
