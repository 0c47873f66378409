// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Breaks a sequence of items into lines, greedily: an item goes to the line that is open if its
/// length is at most what remains; each takes the spacing after it along.
struct LineBreaker {
  let rule: LineRule
  var leaves: [LineLeaf] = []

  // The leaf under construction.
  /// Room for its lines, of which the first `lineCount` are there.
  var starts: [LineStart<Double>]
  var lineCount = 0
  /// Length of the closed lines of the leaf.
  var leafLength = 0.0
  /// Items in closed lines of the leaf.
  var leafItems = 0
  /// A leaf is sealed with the first line that reaches this many items.
  var fullLeaf = Self.leafItems

  var integers = IntegerLines()
  /// The spacing between items in 64ths of a point; nil where that is no integer.
  let spacing64: Int32?

  // The line that is open.
  var lineItems = 0
  var lineLength = 0.0
  var remaining = 0.0

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

  // MARK: - Leaves

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
  mutating func close(line items: Int, pitch: Double) {
    starts[lineCount] = LineStart(offset: leafLength, item: UInt16(truncatingIfNeeded: leafItems))
    lineCount += 1
    leafItems += items
    leafLength += pitch
    if leafItems >= fullLeaf { sealLeaf() }
  }

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
