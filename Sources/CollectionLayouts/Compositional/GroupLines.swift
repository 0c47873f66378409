// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds how long the groups of a `GroupShape` are, in one pass over the items.
struct GroupLines {
  private let shape: GroupShape
  private let items: ItemSequence
  private let work: LayoutWork
  private var lengths: MeasuredLengths
  private var breaker: LineBreaker

  // The group that is being filled.
  /// How many of its items were looked at.
  private var filled = 0
  private var longest = 0.0
  private var isMeasured = false

  init(_ shape: GroupShape, _ items: ItemSequence, work: LayoutWork) {
    self.shape = shape
    self.items = items
    self.work = work
    lengths = MeasuredLengths(items, along: shape.axis)
    breaker = LineBreaker(
      LineRule(
        axis: shape.axis,
        extent: 0,
        itemSpacing: 0,
        lineSpacing: shape.spacing,
        defaultSize: .zero,
        isList: false,
        pixelGrid: nil
      )
    )
  }

  /// The groups of all items.
  ///
  /// - Complexity: O(items), less those without lengths.
  mutating func all() -> SummaryTree<LineLeaf> {
    fill(0 ..< items.count)
    return SummaryTree(breaker.finish())
  }

  /// The groups after changes, which share those before the first change, and those behind the last one if groups
  /// begin there where they began before.
  ///
  /// - Parameter old: before the changes.
  /// - Parameter splices: over item indices, sorted and disjoint.
  /// - Complexity: O(log items + items from the first change to where groups are as before)
  mutating func all(from old: SummaryTree<LineLeaf>, splices: [Splice]) -> SummaryTree<LineLeaf> {
    guard let first = splices.first, let last = splices.last else { return old }
    let count = shape.count
    let oldCount = old.summary.items
    let start = min(first.new.lowerBound, first.old.lowerBound, oldCount) / count * count
    guard let place = old.place(of: start, in: { $0.items }) else {
      guard start == oldCount else { return all() }
      // All old groups are full and stay.
      fill(start ..< items.count)
      var lines = old
      lines.replaceSubrange(old.count ..< old.count, with: SummaryTree(breaker.finish()))
      return lines
    }
    breaker.add(0 ..< place.element.line(ofItem: start - place.start), of: place.element)
    let shift = last.new.upperBound - last.old.upperBound
    var joined = (last.new.upperBound + count - 1) / count * count
    // A group that is not full is the last one, and is looked at again.
    let isAligned = shift % count == 0 && joined - shift < oldCount / count * count
    if !isAligned { joined = items.count }
    fill(start ..< joined)
    var lines = old
    guard isAligned, let rest = old.place(of: joined - shift, in: { $0.items }) else {
      lines.replaceSubrange(place.index ..< old.count, with: SummaryTree(breaker.finishEvenly()))
      return lines
    }
    let line = rest.element.line(ofItem: joined - shift - rest.start)
    breaker.add(line ..< rest.element.summary.lines, of: rest.element)
    lines.replaceSubrange(
      place.index ..< rest.index + 1,
      with: SummaryTree(breaker.finishEvenly())
    )
    return lines
  }

  // MARK: - Filling groups

  /// - Parameter range: begins with a group, and ends with one or with the items.
  private mutating func fill(_ range: Range<Int>) {
    var item = range.lowerBound
    while item < range.upperBound {
      let (column, chunk) = lengths.chunk(of: item)
      var end = min(chunk.upperBound, range.upperBound)
      switch column {
      case .absent:
        end = min(max(end, items.endOfUnsizedRun(at: item)), range.upperBound)
        item = fill(item ..< end, ofEqual: nil)
      case .constant(let length): item = fill(item ..< end, ofEqual: shape.length(length))
      case .floats(let lengths):
        let span = lengths.span
        for index in item - chunk.lowerBound ..< end - chunk.lowerBound {
          add(shape.length(Double(span[index])))
        }
        item = end
      case .doubles(let lengths):
        let span = lengths.span
        for index in item - chunk.lowerBound ..< end - chunk.lowerBound {
          add(shape.length(span[index]))
        }
        item = end
      }
      guard work.proceed(min(end - chunk.lowerBound, chunk.count)) else { return }
    }
    if filled > 0 { close() }
  }

  /// Adds items of one length, those that fill groups by themselves in closed form.
  ///
  /// - Parameter length: as cells have it; nil = that of the pattern.
  /// - Returns: the end of the range.
  private mutating func fill(_ range: Range<Int>, ofEqual length: Double?) -> Int {
    var item = range.lowerBound
    while filled > 0, item < range.upperBound {
      add(length)
      item += 1
    }
    let groups = (range.upperBound - item) / shape.count
    if groups > 0 {
      let groupLength =
        length.map { shape.groupLength(longest: shape.longestExtent(ofEqual: $0)) }
        ?? shape.pattern.length
      breaker.add(groups: groups, of: shape.count, length: groupLength)
      item += groups * shape.count
    }
    while item < range.upperBound {
      add(length)
      item += 1
    }
    return item
  }

  @inline(__always)
  private mutating func add(_ length: Double?) {
    longest = max(longest, shape.extent(ofCell: filled, length: length))
    if length != nil { isMeasured = true }
    filled += 1
    if filled == shape.count { close() }
  }

  /// Ends the group. Places for which there are no items count as those of items without a length.
  private mutating func close() {
    if filled < shape.count { longest = max(longest, shape.longestExtent(from: filled)) }
    breaker.addLine(
      of: filled,
      length: isMeasured ? shape.groupLength(longest: longest) : shape.pattern.length
    )
    (filled, longest, isMeasured) = (0, 0, false)
  }
}

extension LineBreaker {
  /// Adds equal lines, in closed form if they have many items.
  ///
  /// - Precondition: no line is open.
  mutating func add(groups lines: Int, of items: Int, length: Double) {
    guard lines * items >= Self.leastRun else {
      for _ in 0 ..< lines { addLine(of: items, length: length) }
      return
    }
    sealLeaf()
    leaves.append(LineLeaf(run: lines, itemsPerLine: items, pitch: length + rule.lineSpacing))
  }
}
