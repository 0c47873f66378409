// SPDX-License-Identifier: Apache-2.0

/// Orders points of a plane along a Hilbert curve, so that points near each other in the order are
/// near each other in the plane.
struct HilbertOrder: Sendable {
  /// For each of four states of the curve and four bits of either coordinate, x before y: eight
  /// bits of the distance, and above them the next state.
  ///
  /// The state tells how quadrants are turned: 1 = the coordinates are swapped, 2 = both are
  /// mirrored.
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
      // Turns the quadrant so that the curve enters and leaves it next to the neighbouring
      // quadrants.
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

extension HilbertOrder {
  /// The distances of four points.
  ///
  /// The turns of all quadrants on the way to a point are composed at once: first of two levels,
  /// then of four, and so on, each step in the bits of one number (the parallel prefix of Hacker's
  /// Delight, section 16–3). Four points share the instructions, which takes a third of the time of
  /// four walks through the table.
  @inline(__always)
  static func distances(_ x: SIMD4<UInt32>, _ y: SIMD4<UInt32>) -> SIMD4<UInt64> {
    let differing = x ^ y
    let equal = ~differing
    let neither = ~(x | y)
    let onlyX = x & ~y
    // How the quadrants below are changed: two bits that swap or mirror (a, b), and two that number
    // the quadrant (c, d).
    var a = differing | equal &>> 1
    var b = differing &>> 1 ^ differing
    var c = (neither &>> 1 ^ equal & (onlyX &>> 1)) ^ neither
    var d = (differing & (neither &>> 1) ^ onlyX &>> 1) ^ onlyX
    for levels: UInt32 in [2, 4, 8] { compose(&a, &b, &c, &d, levels) }
    let (lastC, lastD) = (c, d)
    c ^= a & (lastC &>> 16) ^ b & (lastD &>> 16)
    d ^= b & (lastC &>> 16) ^ (a ^ b) & (lastD &>> 16)
    let turned = c ^ c &>> 1
    let high = (d ^ d &>> 1) | ~(differing | turned)
    return spread(high) &<< 1 | spread(differing)
  }

  @inline(__always)
  private static func compose(
    _ a: inout SIMD4<UInt32>,
    _ b: inout SIMD4<UInt32>,
    _ c: inout SIMD4<UInt32>,
    _ d: inout SIMD4<UInt32>,
    _ levels: UInt32
  ) {
    let (a0, b0) = (a, b)
    let (a1, b1, c1, d1) = (a &>> levels, b &>> levels, c &>> levels, d &>> levels)
    a = a0 & a1 ^ b0 & b1
    b = a0 & b1 ^ b0 & (a1 ^ b1)
    c ^= a0 & c1 ^ b0 & d1
    d ^= b0 & c1 ^ (a0 ^ b0) & d1
  }

  /// Each bit at twice its place.
  @inline(__always)
  private static func spread(_ bits: SIMD4<UInt32>) -> SIMD4<UInt64> {
    var x = SIMD4<UInt64>(truncatingIfNeeded: bits)
    x = (x | x &<< 16) & 0x0000_FFFF_0000_FFFF
    x = (x | x &<< 8) & 0x00FF_00FF_00FF_00FF
    x = (x | x &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
    x = (x | x &<< 2) & 0x3333_3333_3333_3333
    x = (x | x &<< 1) & 0x5555_5555_5555_5555
    return x
  }
}
