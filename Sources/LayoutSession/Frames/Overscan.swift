// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// How far beyond the visible rect elements are kept, and when that must be renewed.
struct Overscan: Sendable {
  /// In viewports, as granted.
  var ahead: Double
  var behind: Double
  /// The direction of motion in content coordinates; 0 = at rest.
  var motion: Point

  /// Of the overscan that must be left on each side.
  private static let hysteresis = 0.25
  /// Of a coverage, in viewports.
  private static let largestArea = 16.0

  /// The rect around `visible` that a frame should cover.
  ///
  /// - Parameter axis: the axis along which content grows; across it there is little to keep.
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

  /// Whether `visible` is well inside `coverage`, so that nothing new is needed.
  ///
  /// Where the coverage reaches the content's edge there is nothing beyond it to fetch.
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

  /// In viewports, towards the start and towards the end along `direction`, for content that
  /// grows along `axis`.
  private func distances(
    _ direction: ScrollAxis,
    axis: ScrollAxis?
  ) -> (before: Double, after: Double) {
    if let axis, axis != direction {
      let main = 1 + ahead + max(ahead, behind)
      let cross = min(ahead, 1, max(0, (Self.largestArea / main - 1) / 2))
      return (cross, cross)
    }
    // Content that grows both ways shares the area between them.
    let limit = axis == nil ? (Self.largestArea.squareRoot() - 1) / 2 : .infinity
    let ahead = min(ahead, limit)
    let behind = min(behind, limit)
    let motion = direction.main(motion)
    if motion > 0 { return (behind, ahead) }
    if motion < 0 { return (ahead, behind) }
    return (ahead, ahead)
  }
}
