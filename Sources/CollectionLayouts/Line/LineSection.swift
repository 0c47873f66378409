// SPDX-License-Identifier: Apache-2.0

/// The part of the line that one section takes, in axis space.
struct LineSection: Sendable {
  /// Where the section starts, in points along the line; its inset comes after this.
  let start: Double
  /// Where the section ends, with its inset.
  let end: Double
  /// Where the first item starts.
  let itemStart: Double
  /// The distance from the start of one item to the start of the next; at least 0.
  let pitch: Double
  /// The number of items.
  let count: Int
  /// Where all items start across the line.
  let cross: Double

  /// The items that touch `lowest…highest`, and perhaps one more on either side.
  ///
  /// - Parameter extent: the extent of an item along the line.
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

  /// The items whose centres lie on either side of a place along the line. They may be the same
  /// item.
  ///
  /// - Precondition: `count` is at least 1.
  func neighbours(of place: Double, extent: Double) -> ClosedRange<Int> {
    guard pitch > 0 else { return 0 ... 0 }
    let index = (place - itemStart - extent / 2) / pitch
    // In 0…count − 1 whatever `index` is: `min` returns its first argument for NaN.
    let lower = max(0, min(Double(count - 1), index.rounded(.down)))
    return Int(lower) ... min(count - 1, Int(lower) + 1)
  }
}
