// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The rule for an item's extent along the scroll axis where the layout decides how wide it is:
/// items keep their proportions.
///
/// **Edge cases:** an item without an extent of its own is a square, and so is an item whose extent
/// would be negative or not finite. One that is much longer than wide is cut off at the greatest
/// length, so that the extents of all items add up.
enum ScaledLength {
  /// The extent of an item, in points.
  ///
  /// - Parameters:
  ///   - size: the item's own width and height; nil = it has none.
  ///   - across: its extent across the scroll axis.
  @inline(__always)
  static func length(
    of size: (width: Double?, height: Double?),
    along axis: ScrollAxis,
    across: Double
  ) -> Double {
    let (main, cross) =
      axis == .vertical ? (size.height, size.width) : (size.width, size.height)
    guard let main else { return min(across, Rect.greatestLength) }
    return length(main: main, cross: cross ?? 0, across: across)
  }

  /// The same for an item that has an extent along the axis.
  ///
  /// - Parameter cross: the item's own extent across the axis; 0 = it has none.
  @inline(__always)
  static func length(main: Double, cross: Double, across: Double) -> Double {
    let length = cross > 0 ? main * across / cross : main
    return min(length >= 0 && length < .infinity ? length : across, Rect.greatestLength)
  }
}
