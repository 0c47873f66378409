// SPDX-License-Identifier: Apache-2.0

extension LineBreaker {
  /// Adds items of different lengths, with integers if that is exact.
  ///
  /// - Parameter main: lengths along the scroll axis.
  /// - Parameter cross: as many extents across it; in a list they are ignored.
  mutating func add(main: Span<Float>, cross: Span<Float>) {
    guard !rule.isList, let spacing64, main.count == cross.count,
      main.count <= IntegerLines.most,
      integers.take(main: main, cross: cross, spacing: spacing64)
    else {
      addOneByOne(main: main, cross: cross)
      return
    }
    var first = 0
    while first < main.count {
      first = addExactly(main.count, from: first, spacing: spacing64)
      if leafItems >= fullLeaf { sealLeaf() }
    }
  }

  /// Adds items whose extents are multiples of 1/64 point, up to the one that fills the leaf.
  ///
  /// Sums of such extents are exact both as doubles and as integers. Integers can be compared many
  /// at a time, so the items of a line are found without a branch that the processor would often
  /// predict wrongly.
  ///
  /// - Returns: the index of the next item.
  @inline(__always)
  private mutating func addExactly(_ count: Int, from first: Int, spacing: Int32) -> Int {
    let lineSpacing = rule.lineSpacing
    let (offered, full) = (rule.offered, fullLeaf)
    let capacity = Self.floor64(offered)
    var (leafItems, leafLength, lineCount) = (leafItems, leafLength, lineCount)
    var lineStart = first - lineItems
    // The place in the chunk from which the open line has `room`. A line that was open before
    // begins at `first` here, with what remains of its room.
    var (origin, room, remaining) = (
      integers.start(of: first), Self.floor64(remaining), remaining
    )
    var lengthBefore = lineLength
    if lineItems == 0 { (room, remaining, lengthBefore) = (capacity, offered, 0) }
    // The array is moved out of `self`, so that one span serves all lines of the loop.
    var taken: [LineStart<Double>] = []
    swap(&taken, &self.starts)
    var starts = taken.mutableSpan
    var next = first
    var length = 0.0
    while true {
      // Cannot overflow: at most 2²⁹ + 2³⁰ + 2¹⁹, see `IntegerLines.limit` and `widest`; and at
      // least −2³⁰, as neither the origin nor the spacing is negative.
      let run = integers.run(from: next, through: max(-1, origin &+ room &+ spacing))
      var (end, greatest) = (run.end, Double(run.length))
      if end == lineStart {
        // The item is wider than a line and gets a line of its own.
        greatest = Double(integers.lengths[end])
        end += 1
      }
      length = max(greatest, lengthBefore)
      next = end
      if end >= count { break }
      // Nothing is cut off: see `LineBreaker.fullLeaf`.
      starts[lineCount] = LineStart(
        offset: leafLength,
        item: UInt16(truncatingIfNeeded: leafItems)
      )
      lineCount += 1
      leafLength += length + lineSpacing
      leafItems += end - lineStart
      lineStart = end
      if leafItems >= full { break }
      (origin, room, remaining, lengthBefore) = (integers.start(of: end), capacity, offered, 0)
    }
    swap(&taken, &self.starts)
    self.leafItems = leafItems
    self.leafLength = leafLength
    self.lineCount = lineCount
    lineItems = next - lineStart
    lineLength = length
    if next > first { self.remaining = remaining - Double(integers.start(of: next) - origin) / 64 }
    return next
  }

  /// The whole 64ths of a point in a distance, cut off at ±`IntegerLines.widest`. NaN counts as
  /// `widest`.
  private static func floor64(_ distance: Double) -> Int32 {
    let units = (distance * 64).rounded(.down)
    return units < Double(IntegerLines.widest)
      ? Int32(max(units, Double(-IntegerLines.widest))) : IntegerLines.widest
  }
}
