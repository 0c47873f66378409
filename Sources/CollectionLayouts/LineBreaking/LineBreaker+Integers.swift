// SPDX-License-Identifier: Apache-2.0

extension LineBreaker {
  /// Adds items that differ, by columns of their lengths, in integers where that is exact.
  ///
  /// - Parameter main: of as many items as `cross`; of a list only this one counts.
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

  /// Adds items whose extents are multiples of 1/64 point. Sums of such are exact as doubles and as
  /// integers alike, and integers can be compared many at a time: which items a line has is found
  /// without a branch that nobody can foretell.
  ///
  /// - Returns: the item after those that the leaf takes.
  @inline(__always)
  private mutating func addExactly(_ count: Int, from first: Int, spacing: Int32) -> Int {
    let lineSpacing = rule.lineSpacing
    let (offered, full) = (rule.offered, fullLeaf)
    let capacity = Self.floor64(offered)
    var (leafItems, leafLength, lineCount) = (leafItems, leafLength, lineCount)
    var lineStart = first - lineItems
    // Where the open line begins, or would if it had begun here with what remains of it.
    var (origin, room, remaining) = (
      integers.start(of: first), Self.floor64(remaining), remaining
    )
    var lengthBefore = lineLength
    if lineItems == 0 { (room, remaining, lengthBefore) = (capacity, offered, 0) }
    // Out of here meanwhile: one span of it for all lines.
    var taken: [LineStart<Double>] = []
    swap(&taken, &self.starts)
    var starts = taken.mutableSpan
    var next = first
    var length = 0.0
    while true {
      let run = integers.run(from: next, through: max(-1, origin &+ room &+ spacing))
      var (end, greatest) = (run.end, Double(run.length))
      if end == lineStart {
        // Wider than a line: alone in it all the same.
        greatest = Double(integers.lengths[end])
        end += 1
      }
      length = max(greatest, lengthBefore)
      next = end
      if end >= count { break }
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

  /// As many 64ths of a point as there are in a distance, at most what everything fits into.
  private static func floor64(_ distance: Double) -> Int32 {
    let units = (distance * 64).rounded(.down)
    return units < Double(IntegerLines.widest)
      ? Int32(max(units, Double(-IntegerLines.widest))) : IntegerLines.widest
  }
}
