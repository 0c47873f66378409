// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Breaks a sequence of items into lines, greedily: an item goes to the line that is open if its
/// length is at most what remains; each takes the spacing after it along.
struct LineBreaker {
  private let rule: LineRule
  private var leaves: [LineLeaf] = []

  // The leaf under construction.
  private var starts: [UInt16] = []
  private var offsets: [Double] = []
  /// Length of the closed lines of the leaf.
  private var leafLength = 0.0
  /// Items in closed lines of the leaf.
  private var leafItems = 0
  /// A leaf is sealed with the first line that reaches this many items.
  private var fullLeaf = Self.leafItems

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
    starts.reserveCapacity(rule.isList ? 0 : Self.leafItems)
    offsets.reserveCapacity(Self.leafItems)
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

  /// Adds one line.
  ///
  /// - Parameter length: the greatest of its items along the scroll axis.
  /// - Precondition: no line is open.
  @inline(__always)
  mutating func addLine(of items: Int, length: Double) {
    close(line: items, pitch: length + rule.lineSpacing, isList: rule.isList)
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

  /// Adds part of a chunk.
  mutating func add(_ chunk: ItemChunk, in range: Range<Int>) {
    if let lengths = rule.uniformLengths(
      width: chunk.widths.uniform,
      height: chunk.heights.uniform
    ) {
      add(range.count, of: lengths)
      return
    }
    let isVertical = rule.axis == .vertical
    let main = isVertical ? chunk.heights : chunk.widths
    let cross: LengthColumn =
      rule.isList ? .constant(rule.extent) : isVertical ? chunk.widths : chunk.heights
    let size = rule.defaultSize
    let mainDefault = isVertical ? size.height : size.width
    let crossDefault = isVertical ? size.width : size.height
    if rule.pixelGrid != nil {
      for index in range {
        _ = add(
          rule.lengths(width: chunk.widths.value(at: index), height: chunk.heights.value(at: index))
        )
      }
      return
    }
    // One tight loop for each pair of representations.
    switch (cross, main) {
    case (.floats(let cross), .floats(let main)):
      add(range, cross: { Double(cross[$0]) }, main: { Double(main[$0]) })
    case (.floats(let cross), .doubles(let main)):
      add(range, cross: { Double(cross[$0]) }, main: { main[$0] })
    case (.doubles(let cross), .floats(let main)):
      add(range, cross: { cross[$0] }, main: { Double(main[$0]) })
    case (.doubles(let cross), .doubles(let main)):
      add(range, cross: { cross[$0] }, main: { main[$0] })
    case (.floats(let cross), _):
      let length = Self.constant(main) ?? mainDefault
      add(range, cross: { Double(cross[$0]) }, main: { _ in length })
    case (.doubles(let cross), _):
      let length = Self.constant(main) ?? mainDefault
      add(range, cross: { cross[$0] }, main: { _ in length })
    case (_, .floats(let main)):
      let length = Self.constant(cross) ?? crossDefault
      add(range, cross: { _ in length }, main: { Double(main[$0]) })
    case (_, .doubles(let main)):
      let length = Self.constant(cross) ?? crossDefault
      add(range, cross: { _ in length }, main: { main[$0] })
    default:
      break
    }
  }

  private static func constant(_ column: LengthColumn) -> Double? {
    if case .constant(let value) = column { value } else { nil }
  }

  /// - Parameter range: indices that both columns have.
  @inline(__always)
  private mutating func add(
    _ range: Range<Int>,
    cross: (Int) -> Double,
    main: (Int) -> Double
  ) {
    guard !range.isEmpty else { return }
    if rule.isList {
      closeLine()
      let spacing = rule.lineSpacing
      for index in range.dropLast() { close(line: 1, pitch: main(index) + spacing, isList: true) }
      lineLength = main(range.upperBound - 1)
      lineItems = 1
      return
    }
    var first = range.lowerBound
    if lineItems == 0 {
      _ = add(ItemLengths(main: main(first), cross: cross(first)))
      first += 1
    }
    let offered = rule.offered
    let spacing = rule.itemSpacing
    var remaining = remaining
    var length = lineLength
    /// Index that the open line's first item has, or would have, in this chunk.
    var lineStart = first - lineItems
    for index in first ..< range.upperBound {
      let extent = cross(index)
      // Read in any case: then the maximum costs no branch.
      let itemLength = main(index)
      if extent <= remaining {
        remaining -= extent + spacing
        length = itemLength > length ? itemLength : length
      } else {
        lineItems = index - lineStart
        lineLength = length
        closeLine()
        lineStart = index
        remaining = offered - (extent + spacing)
        length = itemLength
      }
    }
    lineItems = range.upperBound - lineStart
    lineLength = length
    self.remaining = remaining
  }

  // MARK: - Whole lines

  /// Adds lines of a leaf as they are.
  ///
  /// - Precondition: no line is open.
  mutating func add(_ lines: Range<Int>, of leaf: LineLeaf) {
    guard !lines.isEmpty else { return }
    switch leaf.storage {
    case .run(let itemsPerLine, let pitch) where lines.count * itemsPerLine >= Self.leastRun:
      sealLeaf()
      leaves.append(LineLeaf(run: lines.count, itemsPerLine: itemsPerLine, pitch: pitch))
    case .run:
      for line in lines {
        close(
          line: leaf.items(ofLine: line).count,
          pitch: leaf.offset(ofLine: line + 1) - leaf.offset(ofLine: line),
          isList: rule.isList
        )
      }
    case .table(let table):
      switch table.offsets {
      case .floats(let offsets):
        add(lines, of: leaf, starts: table.starts, offset: { Double(offsets[$0]) })
      case .doubles(let offsets):
        add(lines, of: leaf, starts: table.starts, offset: { offsets[$0] })
      }
    }
  }

  @inline(__always)
  private mutating func add(
    _ lines: Range<Int>,
    of leaf: LineLeaf,
    starts: [UInt16],
    offset: (Int) -> Double
  ) {
    let isList = rule.isList
    let last = leaf.summary.lines - 1
    var place = offset(lines.lowerBound)
    var item = starts.isEmpty ? lines.lowerBound : Int(starts[lines.lowerBound])
    for line in lines {
      let end = line == last ? leaf.summary.length : offset(line + 1)
      let next =
        line == last
        ? leaf.summary.items : starts.isEmpty ? line + 1 : Int(starts[line + 1])
      close(line: next - item, pitch: end - place, isList: isList)
      place = end
      item = next
    }
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
    guard isLeafSmall, let before = leaves.last, case .table = before.storage else {
      return finish()
    }
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
  // Not inlined, so that the loops over items stay small.
  @inline(never)
  mutating func closeLine() {
    guard lineItems > 0 else { return }
    close(line: lineItems, pitch: lineLength + rule.lineSpacing, isList: rule.isList)
    lineItems = 0
  }

  @inline(__always)
  private mutating func close(line items: Int, pitch: Double, isList: Bool) {
    if !isList { starts.append(UInt16(truncatingIfNeeded: leafItems)) }
    offsets.append(leafLength)
    leafItems += items
    leafLength += pitch
    if leafItems >= fullLeaf { sealLeaf() }
  }

  private mutating func sealLeaf() {
    guard leafItems > 0 else { return }
    leaves.append(
      LineLeaf(
        // Copies of just the size that is needed; the room stays here.
        LineTable(starts: Array(starts[...]), offsets: offsets[...]),
        items: leafItems,
        lines: offsets.count,
        length: leafLength
      )
    )
    starts.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    leafItems = 0
    leafLength = 0
  }
}
