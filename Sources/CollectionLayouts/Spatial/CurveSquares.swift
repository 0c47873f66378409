// SPDX-License-Identifier: Apache-2.0

/// The squares of a grid by which positions are distributed roughly along its curve: 128 × 128 of
/// them cover the smallest square of the grid that holds all positions.
struct CurveSquares {
  /// Squares that follow each other along the curve.
  struct Part {
    /// The number of squares up to the end of this part.
    var squareEnd: Int
    /// The number of positions up to the end of this part.
    var end: Int
  }

  private let grid: CurveGrid
  /// How many bits of the steps are the place within a square.
  private let shift: UInt32
  /// For each square, row by row from the top left: its number along the curve.
  private let ranks: [UInt16]

  private static let bits: UInt32 = 7
  private static let mask: UInt32 = (1 << bits) - 1

  /// - Parameter box: around all positions: left, top, right and bottom.
  init(around box: SIMD4<Double>, on grid: CurveGrid) {
    self.grid = grid
    // Steps are in the order of coordinates.
    let (first, last) = (grid.steps(of: box.lowHalf), grid.steps(of: box.highHalf))
    let differing = (first.x ^ last.x) | (first.y ^ last.y)
    let shift = UInt32(max(0, 32 - differing.leadingZeroBitCount - Int(Self.bits)))
    self.shift = shift
    let (left, top) = (first.x >> shift & ~Self.mask, first.y >> shift & ~Self.mask)
    ranks = (0 ..< 1 << (2 * Self.bits)).map { square in
      let (column, row) = (UInt32(square) & Self.mask, UInt32(square) >> Self.bits)
      let distance = HilbertOrder.standard.distance(
        (left | column) << shift,
        (top | row) << shift
      )
      return UInt16(truncatingIfNeeded: distance >> UInt64(2 * shift) & 0x3FFF)
    }
  }

  /// The square that a position is in.
  @inline(__always)
  private func square(of position: SIMD2<Double>) -> Int {
    let steps = grid.steps(of: position)
    return Int((steps.y &>> shift & Self.mask) &<< Self.bits | steps.x &>> shift & Self.mask)
  }

  /// The squares that positions are in.
  ///
  /// - Complexity: O(n)
  func squares(of positions: Span<SIMD2<Double>>) -> [UInt16] {
    [UInt16](count: positions.count) { squares in
      for index in positions.indices {
        // Both spans have the same number of elements.
        unsafe squares[unchecked: index] = UInt16(
          truncatingIfNeeded: square(of: positions[unchecked: index])
        )
      }
    }
  }

  /// Divides the squares into parts.
  ///
  /// - Parameter squares: the squares of all positions.
  /// - Parameter most: the most positions in a part of several squares.
  func parts(of squares: [UInt16], most: Int) -> [Part] {
    var counts = [UInt32](repeating: 0, count: ranks.count)
    do {
      let squares = squares.span
      var counts = counts.mutableSpan
      for index in squares.indices { counts[Int(squares[index])] &+= 1 }
    }
    var countsByRank = [Int](repeating: 0, count: ranks.count)
    for square in counts.indices { countsByRank[Int(ranks[square])] = Int(counts[square]) }
    var parts: [Part] = []
    var (start, end) = (0, 0)
    for rank in countsByRank.indices {
      if end > start, end - start + countsByRank[rank] > most {
        parts.append(Part(squareEnd: rank, end: end))
        start = end
      }
      end += countsByRank[rank]
    }
    parts.append(Part(squareEnd: ranks.count, end: end))
    return parts
  }

  /// For each square, the number of its part.
  func partNumbers(_ parts: [Part]) -> [UInt16] {
    var byRank: [UInt16] = []
    byRank.reserveCapacity(ranks.count)
    for (number, part) in parts.enumerated() {
      let count = part.squareEnd - byRank.count
      byRank.append(contentsOf: repeatElement(UInt16(truncatingIfNeeded: number), count: count))
    }
    return ranks.map { byRank[Int($0)] }
  }
}
