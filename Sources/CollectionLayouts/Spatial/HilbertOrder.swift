// SPDX-License-Identifier: Apache-2.0

/// Orders points of a plane along a Hilbert curve, so that points near each other in the order are
/// near each other in the plane.
enum HilbertOrder {
  /// The distance along a curve of order 32 at which it passes a point.
  ///
  /// The full resolution matters: with one point far away from the others, a coarser curve could
  /// have all others in a few cells.
  static func distance(_ x: UInt32, _ y: UInt32) -> UInt64 {
    var x = x
    var y = y
    var distance: UInt64 = 0
    var bit: UInt32 = 1 << 31
    while bit > 0 {
      let right: UInt32 = x & bit == 0 ? 0 : 1
      let lower: UInt32 = y & bit == 0 ? 0 : 1
      distance = distance << 2 | UInt64((3 &* right) ^ lower)
      // Turns the quadrant so that the curve enters and leaves it next to the neighbouring quadrants.
      if lower == 0 {
        if right == 1 {
          x = ~x
          y = ~y
        }
        swap(&x, &y)
      }
      bit >>= 1
    }
    return distance
  }

  /// The order that sorts `keys`; equal keys keep their order. It is a radix sort of eleven bits at
  /// a time.
  ///
  /// - Parameter keys: at most 2³², so that their indices fit into 32 bits.
  /// - Parameter work: told of every pass over the keys.
  /// - Returns: an empty array if the work has stopped.
  static func order(of keys: [UInt64], work: LayoutWork) -> [UInt32] {
    var keys = keys
    var order = keys.indices.map { UInt32(truncatingIfNeeded: $0) }
    var nextKeys = keys
    var nextOrder = order
    for shift in stride(from: 0, to: 64, by: 11) {
      var starts = [Int](repeating: 0, count: 1 << 11)
      for key in keys { starts[Int(truncatingIfNeeded: key >> UInt64(shift)) & 0x7FF] += 1 }
      guard work.proceed(keys.count / 8) else { return [] }
      guard !starts.contains(keys.count) else { continue }
      var start = 0
      for digit in starts.indices {
        let count = starts[digit]
        starts[digit] = start
        start += count
      }
      for index in keys.indices {
        let key = keys[index]
        let digit = Int(truncatingIfNeeded: key >> UInt64(shift)) & 0x7FF
        let place = starts[digit]
        starts[digit] = place + 1
        nextKeys[place] = key
        nextOrder[place] = order[index]
      }
      swap(&keys, &nextKeys)
      swap(&order, &nextOrder)
    }
    return order
  }
}
