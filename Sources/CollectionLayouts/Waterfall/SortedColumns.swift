// SPDX-License-Identifier: Apache-2.0

/// Up to eight columns in the order of their ends, the shortest first.
///
/// An item goes to the first column, which then moves back to its place among the others. From one
/// item to the next only an addition and a comparison depend on each other. A search for the
/// shortest column takes three times as long.
struct SortedColumns {
  /// Where the columns end, ascending; infinite for columns that do not exist.
  private var ends: Ends
  /// The columns in that order, as indices of four bits each, the first column in the lowest bits.
  private var order: UInt32

  private typealias Ends = (Double, Double, Double, Double, Double, Double, Double, Double)

  /// - Precondition: at most eight columns.
  init(_ columns: [Double]) {
    let sorted = columns.indices.sorted { (columns[$0], $0) < (columns[$1], $1) }
    order = 0
    for (place, column) in sorted.enumerated() { order |= UInt32(column) << UInt32(4 * place) }
    func end(_ place: Int) -> Double {
      place < sorted.count ? columns[sorted[place]] : .infinity
    }
    ends = (end(0), end(1), end(2), end(3), end(4), end(5), end(6), end(7))
  }

  /// Writes the end of each column to its place in `columns`.
  func write(to columns: inout [Double]) {
    var order = order
    func write(_ end: Double) {
      let column = Int(order & 15)
      if end < .infinity, column < columns.count { columns[column] = end }
      order >>= 4
    }
    write(ends.0)
    write(ends.1)
    write(ends.2)
    write(ends.3)
    write(ends.4)
    write(ends.5)
    write(ends.6)
    write(ends.7)
  }

  /// Puts items one after the other on the shortest column.
  ///
  /// - Parameter pitch: returns how far an item moves its column's end; not negative.
  /// - Returns: false if two columns were the shortest at some time, since the order here does not
  ///   tell which of them comes first. Then nothing has changed.
  @inline(__always)
  mutating func stack(count: Int, pitch: (Int) -> Double) -> Bool {
    var (a, b, c, d, e, f, g, h) = ends
    var order = order
    var ties = 0
    for index in 0 ..< count {
      ties |= a < b ? 0 : 1
      let end = a + pitch(index)
      // 1 for each column that stays before this one: the sign of a difference. A branch would
      // often be predicted wrongly. Ends are not negative, so their bits are ordered as they are,
      // and no difference of the bits overflows.
      let bits = SIMD8(
        b.bitPattern,
        c.bitPattern,
        d.bitPattern,
        e.bitPattern,
        f.bitPattern,
        g.bitPattern,
        h.bitPattern,
        Double.infinity.bitPattern
      )
      let isBefore = (bits &- SIMD8(repeating: end.bitPattern)) &>> 63
      let four = isBefore.lowHalf &+ isBefore.highHalf
      let two = four.lowHalf &+ four.highHalf
      // At most 4 · 7 = 28: no end is greater than infinity, so the last bit is always 0.
      let shift = UInt32(truncatingIfNeeded: (two[0] &+ two[1]) &* 4)
      let column = order & 15
      let others = order >> 4
      let before: UInt32 = (1 &<< shift) &- 1
      order = others & before | column &<< shift | (others & ~before) &<< 4
      a = Self.earlier(end, b)
      b = Self.later(b, Self.earlier(end, c))
      c = Self.later(c, Self.earlier(end, d))
      d = Self.later(d, Self.earlier(end, e))
      e = Self.later(e, Self.earlier(end, f))
      f = Self.later(f, Self.earlier(end, g))
      g = Self.later(g, Self.earlier(end, h))
      h = Self.later(h, end)
    }
    guard ties == 0 else { return false }
    ends = (a, b, c, d, e, f, g, h)
    self.order = order
    return true
  }

  @inline(__always)
  private static func earlier(_ a: Double, _ b: Double) -> Double { a < b ? a : b }

  @inline(__always)
  private static func later(_ a: Double, _ b: Double) -> Double { a > b ? a : b }
}
