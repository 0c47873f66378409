// SPDX-License-Identifier: Apache-2.0

/// Orders points of a plane along a Hilbert curve, so that points near each other in the order are
/// near each other in the plane.
struct HilbertOrder: Sendable {
  /// For each of four states of the curve and four bits of either coordinate, x before y: eight bits of the
  /// distance, and above them the next state.
  ///
  /// The state tells how quadrants are turned: 1 = the coordinates are exchanged, 2 = both are mirrored.
  private let steps: [UInt16]

  static let standard = HilbertOrder()

  private init() {
    steps = (0 ..< 4 << 8).map { Self.step(from: UInt16($0 >> 8), x: $0 >> 4 & 15, y: $0 & 15) }
  }

  private static func step(from state: UInt16, x: Int, y: Int) -> UInt16 {
    var state = state
    var distance: UInt16 = 0
    for bit in [8, 4, 2, 1] {
      let (own, other) = state & 1 == 0 ? (x, y) : (y, x)
      let mirror: UInt16 = state >> 1
      let right = (own & bit == 0 ? 0 : 1) ^ mirror
      let lower = (other & bit == 0 ? 0 : 1) ^ mirror
      distance = distance << 2 | ((3 * right) ^ lower)
      // Turns the quadrant so that the curve enters and leaves it next to the neighbouring quadrants.
      if lower == 0 { state ^= right == 1 ? 3 : 1 }
    }
    return distance | state << 8
  }

  /// The distance along a curve of order 32 at which it passes a point.
  ///
  /// The full resolution matters: with one point far away from the others, a coarser curve could
  /// have all others in a few cells.
  func distance(_ x: UInt32, _ y: UInt32) -> UInt64 {
    let steps = steps.span
    var distance: UInt64 = 0
    var state = 0
    var shift: UInt32 = 32
    while shift > 0 {
      shift &-= 4
      let bits = (x >> shift & 15) << 4 | y >> shift & 15
      // The state is below 4, and both coordinates have four bits.
      let step = unsafe steps[unchecked: state | Int(truncatingIfNeeded: bits)]
      distance = distance << 8 | UInt64(step & 0xFF)
      state = Int(step & 0xF00)
    }
    return distance
  }
}
