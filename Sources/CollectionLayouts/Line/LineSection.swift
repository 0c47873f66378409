// SPDX-License-Identifier: Apache-2.0

/// One section's part of the line, in axis space.
struct LineSection: Sendable {
  /// Where the section starts, its inset included, and where it ends.
  let start: Double
  let end: Double
  /// The first item's leading edge.
  let itemStart: Double
  /// From one item's leading edge to the next one's; not negative.
  let pitch: Double
  let count: Int
  /// The items' edge across the line.
  let cross: Double

  /// The items that `lowest…highest` touches, and perhaps one more on either side.
  ///
  /// - Parameter extent: of an item along the line.
  func items(from lowest: Double, through highest: Double, extent: Double) -> Range<Int> {
    guard pitch > 0 else {
      return itemStart <= highest && itemStart + extent >= lowest ? 0 ..< count : 0 ..< 0
    }
    return Range(
      from: (lowest - itemStart - extent) / pitch - 1e-6,
      through: (highest - itemStart) / pitch + 1e-6,
      count: count
    )
  }

  /// The items on either side of a place along the line, which may be the same one.
  func neighbours(of place: Double, extent: Double) -> ClosedRange<Int> {
    guard pitch > 0 else { return 0 ... 0 }
    let index = (place - itemStart - extent / 2) / pitch
    let lower = max(0, min(Double(count - 1), index.rounded(.down)))
    return Int(lower) ... min(count - 1, Int(lower) + 1)
  }
}
