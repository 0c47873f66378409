// SPDX-License-Identifier: Apache-2.0

extension LineBreaker {
  /// Adds items of different lengths.
  ///
  /// - Parameter main: lengths along the scroll axis.
  /// - Parameter cross: as many extents across it; in a list they are ignored.
  mutating func addOneByOne(main: Span<some LineLength>, cross: Span<some LineLength>) {
    var first = 0
    while first < main.count {
      first = rule.isList ? addRows(main, from: first) : addLines(main, cross, from: first)
      if leafItems >= fullLeaf { sealLeaf() }
    }
  }

  /// Adds items up to the one that fills the leaf.
  ///
  /// - Returns: the index of the next item.
  @inline(__always)
  private mutating func addLines<Main: LineLength>(
    _ main: Span<Main>,
    _ cross: Span<some LineLength>,
    from first: Int
  ) -> Int {
    let (offered, spacing, lineSpacing) = (rule.offered, rule.itemSpacing, rule.lineSpacing)
    let (count, full) = (min(main.count, cross.count), fullLeaf)
    var (leafItems, leafLength, lineCount) = (leafItems, leafLength, lineCount)
    var remaining = remaining
    // The greatest length in the open line: among the items of these columns, and among earlier
    // ones.
    var length = Main.least
    var lengthBefore = lineLength
    // The first item of the open line, as an index into these columns; negative if it came earlier.
    var lineStart = first - lineItems
    var index = first
    if lineItems == 0 {
      remaining = offered - (cross[index].points + spacing)
      length = main[index]
      lengthBefore = length.points
      index += 1
    }
    var starts = starts.mutableSpan
    while index < count {
      // Unsafe for speed alone: `index` is at least 0 and below the count of both.
      let extent = unsafe cross[unchecked: index].points
      // Read even if the item does not fit, so that the maximum takes no branch.
      let itemLength = unsafe main[unchecked: index]
      if extent <= remaining {
        remaining -= extent + spacing
        length = itemLength > length ? itemLength : length
        index += 1
        continue
      }
      // Nothing is cut off: see `LineBreaker.fullLeaf`.
      starts[lineCount] = LineStart(
        offset: leafLength,
        item: UInt16(truncatingIfNeeded: leafItems)
      )
      lineCount += 1
      leafLength += max(length.points, lengthBefore) + lineSpacing
      leafItems += index - lineStart
      lineStart = index
      if leafItems >= full { break }
      remaining = offered - (extent + spacing)
      length = itemLength
      lengthBefore = length.points
      index += 1
    }
    self.leafItems = leafItems
    self.leafLength = leafLength
    self.lineCount = lineCount
    self.remaining = remaining
    lineLength = max(length.points, lengthBefore)
    lineItems = index - lineStart
    return index
  }

  /// Adds the rows of a list up to the one that fills the leaf.
  ///
  /// - Returns: the index of the next item.
  @inline(__always)
  private mutating func addRows(_ main: Span<some LineLength>, from first: Int) -> Int {
    closeLine()
    if leafItems >= fullLeaf { sealLeaf() }
    let lineSpacing = rule.lineSpacing
    var (leafItems, leafLength, lineCount) = (leafItems, leafLength, lineCount)
    // The last row stays open, as the last line does elsewhere.
    let last = min(main.count - 1, first + fullLeaf - leafItems)
    var starts = starts.mutableSpan
    for index in first ..< last {
      starts[lineCount] = LineStart(
        offset: leafLength,
        item: UInt16(truncatingIfNeeded: leafItems)
      )
      lineCount += 1
      leafItems += 1
      leafLength += main[index].points + lineSpacing
    }
    self.leafItems = leafItems
    self.leafLength = leafLength
    self.lineCount = lineCount
    lineLength = main[last].points
    lineItems = 1
    return last + 1
  }
}

/// A number in a column of lengths, in points.
protocol LineLength: BitwiseCopyable, Comparable {
  /// The length in double precision.
  var points: Double { get }
  /// A number that is not greater than any length.
  static var least: Self { get }
}

extension Float: LineLength {
  @inline(__always) var points: Double { Double(self) }
  @inline(__always) static var least: Float { -.infinity }
}

extension Double: LineLength {
  @inline(__always) var points: Double { self }
  @inline(__always) static var least: Double { -.infinity }
}
