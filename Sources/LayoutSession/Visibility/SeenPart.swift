// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// How much of an element is in sight.
struct SeenPart {
  /// The part of its area: above 0, at most 1.
  let area: Double
  /// The part of its length; see `VisibilityRule.Measure.length`.
  let length: Double

  /// By how much a part may fall short of a threshold and still meet it.
  private static let tolerance = 1e-6

  /// - Parameter box: where the element is drawn, in content coordinates.
  /// - Parameter window: what can be seen of the content.
  /// - Parameter axis: the axis along which content scrolls; nil = both or neither.
  /// - Returns: nil = nothing of the element is in sight, or it has no area.
  init?(of box: Rect, in window: Rect, axis: ScrollAxis?) {
    guard let part = box.intersection(window), box.width > 0, box.height > 0 else { return nil }
    let width = part.width / box.width
    let height = part.height / box.height
    area = width * height
    switch axis {
    case .vertical: length = height
    case .horizontal: length = width
    case nil: length = min(width, height)
    }
  }

  func isEnough(for rule: VisibilityRule) -> Bool {
    (rule.measure == .area ? area : length) >= rule.threshold - Self.tolerance
  }
}
