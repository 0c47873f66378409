// SPDX-License-Identifier: Apache-2.0

/// A grid of 2³² × 2³² steps over a plane of positions, through which a Hilbert curve orders them.
///
/// Each position has a key: how far along the curve it lies. The keys of a square of 2^k × 2^k
/// steps that the halving of the grid leads to are consecutive.
struct CurveGrid: Sendable {
  /// The corner with the least coordinates.
  let corner: SIMD2<Double>
  /// The number of steps to a unit of positions, on each axis.
  let scale: SIMD2<Double>

  /// How often the grid is halved down to its steps.
  static let levels = 32
  private static var lastStep: SIMD2<Double> { SIMD2(repeating: 0xFFFF_FFFF) }

  init(corner: SIMD2<Double>, scale: SIMD2<Double>) {
    (self.corner, self.scale) = (corner, scale)
  }

  /// The finest grid over positions between two corners.
  ///
  /// The full resolution matters: with one position far away from the others, a coarser curve could
  /// have all others in a few squares.
  init(from least: SIMD2<Double>, to greatest: SIMD2<Double>) {
    corner = least
    let extent = greatest - least
    // If all positions are at about the same place on an axis, their order along it does not
    // matter.
    scale = SIMD2<Double>.zero.replacing(
      with: SIMD2<Double>(repeating: 0xFFFF_FFFE) / extent,
      where: extent .> 1e-9
    )
  }

  /// The steps at which a position lies. What lies outside is at the edge.
  @inline(__always)
  func steps(of position: SIMD2<Double>) -> SIMD2<UInt32> {
    let place = (position - corner) * scale
    // NaN, such as the product of 0 and an infinite number, counts as 0.
    var within = SIMD2<Double>.zero.replacing(with: place, where: place .> 0)
    within.replace(with: Self.lastStep, where: within .> Self.lastStep)
    // A number above 2⁵² has no room for a fraction, so its last bits count whole steps; one too
    // many if it was rounded up. That one is subtracted with a mask, not with a choice, for which
    // compilers emit a branch.
    let rounded = within + 0x1p52
    let bits = SIMD2(
      Int64(bitPattern: rounded.x.bitPattern),
      Int64(bitPattern: rounded.y.bitPattern)
    )
    let excess = SIMD2<Int64>.zero.replacing(with: -1, where: rounded - 0x1p52 .> within)
    return SIMD2<UInt32>(truncatingIfNeeded: bits &+ excess)
  }

  /// The key of a position.
  func key(of position: SIMD2<Double>) -> UInt64 {
    let steps = steps(of: position)
    return HilbertOrder.standard.distance(steps.x, steps.y)
  }

  /// Writes the keys of some positions.
  ///
  /// - Parameter keys: at least as long as `range`; key for key from its start on.
  func writeKeys(
    of positions: Span<SIMD2<Double>>,
    in range: Range<Int>,
    to keys: inout MutableSpan<UInt64>
  ) {
    precondition(range.upperBound <= positions.count && range.count <= keys.count)
    var index = range.lowerBound
    var place = 0
    // All indices are within the range and the keys, which the precondition checks.
    while index &+ 4 <= range.upperBound {
      let a = unsafe steps(of: positions[unchecked: index])
      let b = unsafe steps(of: positions[unchecked: index &+ 1])
      let c = unsafe steps(of: positions[unchecked: index &+ 2])
      let d = unsafe steps(of: positions[unchecked: index &+ 3])
      let distances = HilbertOrder.distances(
        SIMD4(a.x, b.x, c.x, d.x),
        SIMD4(a.y, b.y, c.y, d.y)
      )
      unsafe keys[unchecked: place] = distances.x
      unsafe keys[unchecked: place &+ 1] = distances.y
      unsafe keys[unchecked: place &+ 2] = distances.z
      unsafe keys[unchecked: place &+ 3] = distances.w
      index &+= 4
      place &+= 4
    }
    while index < range.upperBound {
      keys[place] = key(of: positions[index])
      index += 1
      place += 1
    }
  }
}
