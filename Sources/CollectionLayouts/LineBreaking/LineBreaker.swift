// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Breaks a sequence of items into lines, greedily.
///
/// An item goes to the open line if its extent is at most what remains of the line. It then takes
/// its extent and the spacing after it from what remains.
struct LineBreaker {
  let rule: LineRule
  var leaves: [LineLeaf] = []

  // The leaf under construction.
  /// Memory for the starts of its lines, of which the first `lineCount` are set.
  var starts: [LineStart<Double>]
  var lineCount = 0
  /// The length of the leaf's closed lines along the scroll axis, in points.
  var leafLength = 0.0
  /// The number of items in the leaf's closed lines.
  var leafItems = 0
  /// A leaf is sealed by the first line that reaches this number of items.
  ///
  /// So every line of a leaf begins with an item below this number, and fits into `starts` and 16
  /// bits. It is `leafItems`, except in `finishEvenly()`, which explains why lines fit there too.
  var fullLeaf = Self.leafItems

  /// Working memory of `addExactly`.
  var integers = IntegerLines()
  /// The spacing between items in 64ths of a point; nil if that is no integer below the limit.
  let spacing64: Int32?

  // The open line.
  /// The number of its items; 0 = no line is open.
  var lineItems = 0
  /// The greatest length of its items along the scroll axis, in points.
  var lineLength = 0.0
  /// What remains of its extent for more items, in points.
  var remaining = 0.0

  /// The most items of a leaf before its last line.
  static let leafItems = 512
  /// The least number of equal items that are kept as a run. The lines of fewer are kept one by
  /// one.
  static let leastRun = 256

  init(_ rule: LineRule) {
    self.rule = rule
    spacing64 = Int32(exactly: rule.itemSpacing * 64).flatMap {
      $0 < IntegerLines.limit ? $0 : nil
    }
    starts = Array(repeating: LineStart(offset: 0, item: 0), count: Self.leafItems)
  }

  // MARK: - Items

  /// Whether an item would go to the open line.
  func fits(_ item: ItemLengths) -> Bool {
    lineItems > 0 && !rule.isList && item.cross <= remaining
  }

  /// Adds one item.
  ///
  /// - Returns: whether it begins a line.
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

  /// Adds equal items, in closed form if they are many.
  ///
  /// - Parameter work: told of the items of a line that is open already. Once it has stopped, the
  ///   lines must not be used.
  /// - Complexity: O(items of a line)
  mutating func add(_ count: Int, of item: ItemLengths, work: LayoutWork) {
    guard count >= Self.leastRun else {
      for _ in 0 ..< max(0, count) { _ = add(item) }
      return
    }
    if !rule.isList, lineItems > 0, item.cross <= remaining, item.cross + rule.itemSpacing <= 0 {
      lineItems += count
      lineLength = max(lineLength, item.main)
      return
    }
    // Adds items to the open line until one of them begins a line that has only such items.
    var rest = count
    var steps = StepBatch(work)
    while rest > 0, !add(item) {
      rest -= 1
      guard steps.proceed() else { return }
    }
    guard rest >= Self.leastRun else {
      for _ in 0 ..< max(0, rest - 1) { _ = add(item) }
      return
    }
    // The last line stays open, because later items may go there.
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

  // MARK: - Leaves

  /// Whether sealing the leaf now would make it much smaller than necessary.
  var isLeafSmall: Bool { leafItems > 0 && leafItems < Self.leafItems / 4 }

  /// Closes the last line, returns the leaves and starts afresh.
  mutating func finish() -> [LineLeaf] {
    closeLine()
    sealLeaf()
    var finished: [LineLeaf] = []
    swap(&finished, &leaves)
    return finished
  }

  /// Like `finish()`, but balances a small last leaf with the leaf before it. Otherwise edit after
  /// edit would leave the tree with ever smaller leaves.
  mutating func finishEvenly() -> [LineLeaf] {
    closeLine()
    sealEvenly()
    return finish()
  }

  /// Ends the leaf under construction, and balances it with the leaf before it if it is small.
  ///
  /// - Precondition: no line is open.
  mutating func sealEvenly() {
    guard isLeafSmall, let before = leaves.last, !before.isClosedForm else { return sealLeaf() }
    sealLeaf()
    let rest = leaves.removeLast()
    leaves.removeLast()
    // `before` has fewer than `leafItems` items before its last line, as every leaf; `rest` has
    // less than a quarter of that in all. If half of both is more than `leafItems`, all of `before`
    // fills the first new leaf. Otherwise neither new leaf has more than `leafItems` items before
    // its last line. Both ways their lines fit.
    fullLeaf = (before.summary.items + rest.summary.items + 1) / 2
    add(0 ..< before.summary.lines, of: before)
    add(0 ..< rest.summary.lines, of: rest)
    fullLeaf = Self.leafItems
    sealLeaf()
  }

  /// Closes the open line, if there is one.
  mutating func closeLine() {
    guard lineItems > 0 else { return }
    close(line: lineItems, pitch: lineLength + rule.lineSpacing)
    lineItems = 0
  }

  /// Adds a closed line to the leaf.
  ///
  /// - Parameter items: the number of the line's items.
  /// - Parameter pitch: the line's length with the spacing after it, in points.
  @inline(__always)
  mutating func close(line items: Int, pitch: Double) {
    // Nothing is cut off: see `fullLeaf`.
    starts[lineCount] = LineStart(offset: leafLength, item: UInt16(truncatingIfNeeded: leafItems))
    lineCount += 1
    leafItems += items
    leafLength += pitch
    if leafItems >= fullLeaf { sealLeaf() }
  }

  /// Ends the leaf under construction, if it has lines.
  @inline(never)
  mutating func sealLeaf() {
    guard lineCount > 0 else { return }
    leaves.append(
      LineLeaf(starts[..<lineCount], items: leafItems, length: leafLength)
    )
    lineCount = 0
    leafItems = 0
    leafLength = 0
  }
}
