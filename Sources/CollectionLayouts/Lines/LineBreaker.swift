// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Breaks a sequence of items into lines, greedily: an item goes to the line that is open if its
/// length is at most what remains; each takes the spacing after it along.
struct LineBreaker {
  let rule: LineRule
  private var leaves: [LineLeaf] = []

  // The leaf under construction.
  /// Room for its lines, of which the first `lineCount` are there.
  private var starts: [LineStart<Double>]
  private var lineCount = 0
  /// Length of the closed lines of the leaf.
  private var leafLength = 0.0
  /// Items in closed lines of the leaf.
  private var leafItems = 0
  /// A leaf is sealed with the first line that reaches this many items.
  private var fullLeaf = Self.leafItems

  private var integers = IntegerLines()
  /// The spacing between items in 64ths of a point; nil where that is no integer.
  private let spacing64: Int32?

  // The line that is open.
  private var lineItems = 0
  private var lineLength = 0.0
  private var remaining = 0.0

  /// A leaf has no more items than this before its last line.
  static let leafItems = 512
  /// Fewer equal items in a row are kept line by line.
  static let leastRun = 256

  init(_ rule: LineRule) {
    self.rule = rule
    spacing64 = Int32(exactly: rule.itemSpacing * 64).flatMap {
      $0 < IntegerLines.limit ? $0 : nil
    }
    starts = Array(repeating: LineStart(offset: 0, item: 0), count: Self.leafItems)
  }

  // MARK: - Items

  /// Whether an item would go to the line that is open.
  func fits(_ item: ItemLengths) -> Bool {
    lineItems > 0 && !rule.isList && item.cross <= remaining
  }

  /// Adds one item.
  ///
  /// - Returns: whether it starts a line.
  mutating func add(_ item: ItemLengths) -> Bool {
    if fits(item) {
      remaining -= item.cross + rule.itemSpacing
      if item.main > lineLength { lineLength = item.main }
      lineItems += 1
      return false
    }
    closeLine()
    remaining = rule.offered - (item.cross + rule.itemSpacing)
    lineLength = item.main
    lineItems = 1
    return true
  }

  /// Adds equal items, in closed form where they are many.
  ///
  /// - Complexity: O(items of a line)
  mutating func add(_ count: Int, of item: ItemLengths) {
    guard count >= Self.leastRun else {
      for _ in 0 ..< max(0, count) { _ = add(item) }
      return
    }
    if !rule.isList, lineItems > 0, item.cross <= remaining, item.cross + rule.itemSpacing <= 0 {
      lineItems += count
      lineLength = max(lineLength, item.main)
      return
    }
    // Up to the first line that these items have for themselves, and its first item.
    var rest = count
    while rest > 0, !add(item) { rest -= 1 }
    guard rest >= Self.leastRun else {
      for _ in 0 ..< max(0, rest - 1) { _ = add(item) }
      return
    }
    // The last line stays open: what follows may go there.
    let capacity = rule.capacity(itemExtent: item.cross)
    let lines = (rest - 1) / capacity
    if lines > 0 {
      lineItems = 0
      sealLeaf()
      leaves.append(
        LineLeaf(run: lines, itemsPerLine: capacity, pitch: item.main + rule.lineSpacing)
      )
      rest -= lines * capacity
    }
    lineItems = rest
    lineLength = item.main
    remaining = rule.offered - Double(rest) * (item.cross + rule.itemSpacing)
  }

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

  /// Adds items that differ, by columns of their lengths.
  ///
  /// - Parameter main: of as many items as `cross`; of a list only this one counts.
  mutating func addOneByOne(main: Span<some LineLength>, cross: Span<some LineLength>) {
    var first = 0
    while first < main.count {
      first = rule.isList ? addRows(main, from: first) : addLines(main, cross, from: first)
      if leafItems >= fullLeaf { sealLeaf() }
    }
  }

  /// Adds items up to the one that fills the leaf.
  ///
  /// - Returns: the item after them.
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
    // The greatest length in these columns of the open line, and before them.
    var length = Main.least
    var lengthBefore = lineLength
    // Where the first item of the open line would be in these columns.
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
      // Read in any case: then the maximum costs no branch.
      let itemLength = unsafe main[unchecked: index]
      if extent <= remaining {
        remaining -= extent + spacing
        length = itemLength > length ? itemLength : length
        index += 1
        continue
      }
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

  @inline(__always)
  private mutating func addRows(_ main: Span<some LineLength>, from first: Int) -> Int {
    closeLine()
    if leafItems >= fullLeaf { sealLeaf() }
    let lineSpacing = rule.lineSpacing
    var (leafItems, leafLength, lineCount) = (leafItems, leafLength, lineCount)
    // The last row stays open, as lines do.
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

  // MARK: - Whole lines

  /// Adds one line.
  ///
  /// - Parameter length: the greatest of its items along the scroll axis.
  /// - Precondition: no line is open.
  @inline(__always)
  mutating func addLine(of items: Int, length: Double) {
    close(line: items, pitch: length + rule.lineSpacing)
  }

  /// Adds lines of a leaf as they are.
  ///
  /// - Precondition: no line is open.
  mutating func add(_ lines: Range<Int>, of leaf: LineLeaf) {
    guard !lines.isEmpty else { return }
    if case .run(let itemsPerLine, let pitch) = leaf.storage,
      lines.count * itemsPerLine >= Self.leastRun
    {
      sealLeaf()
      leaves.append(LineLeaf(run: lines.count, itemsPerLine: itemsPerLine, pitch: pitch))
      return
    }
    // As long as the leaf has room the last one may be what fills it.
    if case .lines(let starts) = leaf.storage,
      leafItems + Int(starts[lines.upperBound - 1].item) - Int(starts[lines.lowerBound].item)
        < fullLeaf
    {
      addAll(lines, starts.span, end: leaf.start(ofLine: lines.upperBound))
      return
    }
    var start = leaf.start(ofLine: lines.lowerBound)
    for line in lines {
      let end = leaf.start(ofLine: line + 1)
      close(line: end.item - start.item, pitch: end.offset - start.offset)
      start = end
    }
  }

  /// - Parameter end: where the last of the lines ends.
  /// - Precondition: all but the last fit into the leaf.
  private mutating func addAll(
    _ lines: Range<Int>,
    _ old: Span<LineStart<Float>>,
    end: (offset: Double, item: Int)
  ) {
    var (leafLength, lineCount) = (leafLength, lineCount)
    let shift = leafItems - Int(old[lines.lowerBound].item)
    var offset = Double(old[lines.lowerBound].offset)
    // Out of here meanwhile: one span of it for all lines.
    var taken: [LineStart<Double>] = []
    swap(&taken, &self.starts)
    var starts = taken.mutableSpan
    for line in lines {
      starts[lineCount] = LineStart(
        offset: leafLength,
        item: UInt16(truncatingIfNeeded: Int(old[line].item) + shift)
      )
      lineCount += 1
      let next = line + 1 < lines.upperBound ? Double(old[line + 1].offset) : end.offset
      leafLength += next - offset
      offset = next
    }
    swap(&taken, &self.starts)
    self.leafLength = leafLength
    self.lineCount = lineCount
    leafItems = end.item + shift
    if leafItems >= fullLeaf { sealLeaf() }
  }

  /// Whether sealing now would make a leaf much smaller than need be.
  var isLeafSmall: Bool { leafItems > 0 && leafItems < Self.leafItems / 4 }

  /// Ends the last line, hands out the leaves and starts afresh.
  mutating func finish() -> [LineLeaf] {
    closeLine()
    sealLeaf()
    var finished: [LineLeaf] = []
    swap(&finished, &leaves)
    return finished
  }

  /// As `finish()`, but a small leaf at the end shares the lines of the one before, so that edit
  /// after edit does not leave the tree with ever smaller ones.
  mutating func finishEvenly() -> [LineLeaf] {
    closeLine()
    guard isLeafSmall, let before = leaves.last, !before.isRun else { return finish() }
    sealLeaf()
    let rest = leaves.removeLast()
    leaves.removeLast()
    fullLeaf = (before.summary.items + rest.summary.items + 1) / 2
    add(0 ..< before.summary.lines, of: before)
    add(0 ..< rest.summary.lines, of: rest)
    fullLeaf = Self.leafItems
    return finish()
  }

  /// Ends the line that is open.
  mutating func closeLine() {
    guard lineItems > 0 else { return }
    close(line: lineItems, pitch: lineLength + rule.lineSpacing)
    lineItems = 0
  }

  @inline(__always)
  private mutating func close(line items: Int, pitch: Double) {
    starts[lineCount] = LineStart(offset: leafLength, item: UInt16(truncatingIfNeeded: leafItems))
    lineCount += 1
    leafItems += items
    leafLength += pitch
    if leafItems >= fullLeaf { sealLeaf() }
  }

  @inline(never)
  private mutating func sealLeaf() {
    guard lineCount > 0 else { return }
    leaves.append(
      LineLeaf(starts[..<lineCount], items: leafItems, length: leafLength)
    )
    lineCount = 0
    leafItems = 0
    leafLength = 0
  }
}

/// A number in a column of lengths.
protocol LineLength: BitwiseCopyable, Comparable {
  var points: Double { get }
  /// Not more than any other.
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
