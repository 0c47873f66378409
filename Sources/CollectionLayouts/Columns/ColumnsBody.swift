// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The rule by which the items of one section go to columns, one after the other. Equal rules place
/// equal items equally.
///
/// The place of an item depends on the item and the state: an array of numbers, of which the first
/// are the places where the columns' next items begin. These never move back, though items may be
/// placed before them (`lookBack`).
protocol ColumnRule: Sendable {
  /// The number of columns, at least 1.
  var columnCount: Int { get }
  /// The number of numbers in a state, at least that of the columns.
  var stateCount: Int { get }
  /// The state before the first item.
  var start: [Double] { get }
  /// The number of items between two stored states. The more numbers a state has, the larger it
  /// should be.
  var stride: Int { get }
  /// For how many items a place before the end of a column may still be filled.
  var lookBack: Int { get }
  /// The distance between the items of a column, in points.
  var itemSpacing: Double { get }
  /// The heap memory of the rule itself, in bytes: an estimate.
  var byteCount: Int { get }
  /// Whether the first items are at the end, and later ones before them.
  var fillsFromEnd: Bool { get }

  /// Where a column begins across the scroll axis, in points.
  func offset(ofColumn column: Int) -> Double

  /// The extent of a column across the scroll axis, in points.
  func width(ofColumn column: Int) -> Double

  /// How far from the start of a column its items may extend across the scroll axis, if a query
  /// that meets no other column should find them, in points; at least the column's width.
  func reach(ofColumn column: Int) -> Double

  /// The steps for placing some items.
  func steps(toPlace count: Int) -> Int

  /// Advances the state over a range of items.
  ///
  /// - Parameter stride: the number of items between two calls of `mark`.
  /// - Parameter mark: called with the state before every `stride` items; returns whether to go on.
  /// - Parameter pause: called in between if items take many more steps than comparing each column,
  ///   with the number of these steps; returns whether to go on.
  func stack(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    stride: Int,
    mark: ([Double]) -> Bool,
    pause: (Int) -> Bool
  )

  /// Places a range of items one after the other, until `body` returns false.
  ///
  /// - Parameter columns: the state; updated for every item.
  func place(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    _ body: (Int, AxisRect) -> Bool
  )
}

extension ColumnRule {
  var start: [Double] { [Double](repeating: 0, count: stateCount) }
  var stride: Int { max(128, columnCount * 8) }
  var lookBack: Int { 0 }
  var byteCount: Int { 0 }
  func reach(ofColumn column: Int) -> Double { width(ofColumn: column) }

  /// Each item is compared with all columns; eight comparisons take about as long as one step.
  @inline(__always)
  func steps(toPlace count: Int) -> Int { count * (1 + columnCount / 8) }
}

/// Items of different lengths in columns.
///
/// Stores a mark at every `stride` items: the state there, so where each column ends. The items
/// between two marks are placed again when a query asks for them. Marks are stored in blocks, so
/// that two versions that differ from some item on share the blocks before it. Items after the
/// first edit stay moved, unless the columns happen to end where they ended before.
///
/// A `ColumnsDraft` consists of parts of such bodies, and of bodies of a few items.
struct ColumnsBody<Rule: ColumnRule>: SectionBody {
  let rule: Rule
  let items: ItemSequence
  /// The items that are placed: all of them, unless the body is part of a draft.
  let range: Range<Int>
  private let blocks: [ColumnsBlock]
  /// The state after all items.
  private let ends: [Double]

  /// The number of items from mark to mark.
  var stride: Int { rule.stride }

  /// The number of items of a whole block.
  private var itemsPerBlock: Int { stride * ColumnsBlock.markCount }

  /// Places all items.
  ///
  /// - Complexity: O(items · columns)
  init(_ items: ItemSequence, rule: Rule, work: LayoutWork) {
    self.init(items, in: 0 ..< items.count, rule: rule, start: rule.start, work: work)
  }

  /// Places some items.
  ///
  /// - Parameter start: the state before them.
  /// - Complexity: O(range · columns)
  init(
    _ items: ItemSequence,
    in range: Range<Int>,
    rule: Rule,
    start: [Double],
    work: LayoutWork
  ) {
    self.init(items, in: range, rule: rule, keeping: [], start: start, work: work)
  }

  /// Keeps whole blocks of an earlier version and places the items behind them.
  ///
  /// - Parameter start: where the columns end after `blocks`.
  /// - Parameter join: returns the remaining blocks and the ends of all columns if they are known
  ///   already, given the number of blocks so far and where the columns end.
  private init(
    _ items: ItemSequence,
    in range: Range<Int>,
    rule: Rule,
    keeping blocks: [ColumnsBlock],
    start: [Double],
    work: LayoutWork,
    join: (Int, [Double]) -> (blocks: ArraySlice<ColumnsBlock>, ends: [Double])? = { _, _ in nil }
  ) {
    self.rule = rule
    self.items = items
    self.range = range
    var blocks = blocks
    var columns = start
    let itemsPerBlock = rule.stride * ColumnsBlock.markCount
    var item = range.lowerBound + blocks.count * itemsPerBlock
    while item < range.upperBound {
      if let rest = join(blocks.count, columns) {
        self.blocks = blocks + rest.blocks
        ends = rest.ends
        return
      }
      let end = min(item + itemsPerBlock, range.upperBound)
      blocks.append(
        ColumnsBlock(
          items,
          in: item ..< end,
          stride: rule.stride,
          rule: rule,
          columns: &columns,
          work: work
        )
      )
      if work.isStopped { break }
      item = end
    }
    self.blocks = blocks
    ends = columns
  }

  var length: Double { max(0, (ends.prefix(rule.columnCount).max() ?? 0) - rule.itemSpacing) }

  var byteCount: Int {
    let own = MemoryLayout<Self>.stride + 128 + rule.byteCount
    return blocks.reduce(own + ends.count * 8) { $0 + 96 + $1.marks.count * 8 }
  }

  /// Identifies the body that parts belong to, so that a draft counts it once; nil = it has no
  /// items.
  var identity: ObjectIdentifier? { blocks.first.map { ObjectIdentifier($0) } }

  /// The body of the items after a change. It places items again from the block of the first edited
  /// item on.
  ///
  /// - Parameter rule: the same as before for all items that were there.
  /// - Parameter splices: over item indices, sorted and disjoint.
  /// - Parameter work: told of every block. Once it has stopped, the result must not be used.
  /// - Precondition: the body has all items.
  func updated(
    to items: ItemSequence,
    rule: Rule,
    splices: [Splice],
    work: LayoutWork
  ) -> ColumnsBody {
    let all = 0 ..< items.count
    guard let first = splices.first, let last = splices.last else {
      return ColumnsBody(items, in: all, rule: rule, keeping: blocks, start: ends, work: work)
    }
    let itemsPerBlock = itemsPerBlock
    let kept = min(first.new.lowerBound / itemsPerBlock, max(blocks.count - 1, 0))
    let isAligned = items.count == self.items.count && last.new.upperBound == last.old.upperBound
    return ColumnsBody(
      items,
      in: all,
      rule: rule,
      keeping: Array(blocks[..<kept]),
      start: blocks.isEmpty ? rule.start : state(atMark: kept * ColumnsBlock.markCount),
      work: work
    ) { block, columns in
      // If the edits did not change the number of items, the columns may end where they ended
      // before, some way after the last edit.
      guard isAligned, block * itemsPerBlock >= last.new.upperBound, block < blocks.count,
        blocks[block].mark(0, of: rule.stateCount) == columns
      else { return nil }
      return (blocks[block...], ends)
    }
  }

  /// The body of other items that begin with the same items as this one.
  ///
  /// - Parameter count: how many items at the beginning are the same.
  /// - Parameter work: as for `updated`.
  /// - Precondition: the body begins with the first item.
  func continued(
    keeping count: Int,
    to items: ItemSequence,
    rule: Rule,
    work: LayoutWork
  )
    -> ColumnsBody
  {
    let kept = min(count, range.count) / itemsPerBlock
    return ColumnsBody(
      items,
      in: 0 ..< items.count,
      rule: rule,
      keeping: Array(blocks[..<kept]),
      start: blocks.isEmpty ? rule.start : state(atMark: kept * ColumnsBlock.markCount),
      work: work
    )
  }

  // MARK: - Marks

  var markCount: Int { (range.count + stride - 1) / stride }

  /// The state at a mark; after the last mark, the state after all items.
  func state(atMark mark: Int) -> [Double] {
    guard mark < markCount else { return ends }
    return blocks[mark / ColumnsBlock.markCount]
      .mark(mark % ColumnsBlock.markCount, of: rule.stateCount)
  }

  /// The first item after a mark; after the last mark, the end of the items.
  func item(atMark mark: Int) -> Int { min(range.lowerBound + mark * stride, range.upperBound) }

  // MARK: - Queries

  // Bodies are called as existentials, which would run the generic code.
  @specialized(where Rule == WaterfallRule)
  @specialized(where Rule == GridLanesRule)
  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let turned = rule.fillsFromEnd ? length : nil
    appendElements(
      in: turned.map { span.turned(in: $0) } ?? span,
      of: 0 ..< markCount,
      at: ColumnsPlace(turnedLength: turned),
      to: &sink
    )
  }

  @specialized(where Rule == WaterfallRule)
  @specialized(where Rule == GridLanesRule)
  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard category == .cell else { return }
    let place = ColumnsPlace(turnedLength: rule.fillsFromEnd ? length : nil)
    appendElement(item, at: place, to: &sink)
  }

  /// Hands the sink the items behind some marks that may meet a span.
  ///
  /// - Parameter span: in the order of placing.
  /// - Parameter place: where they are in the coordinates of the body that asks.
  @inline(__always)
  func appendElements(
    in span: AxisRect,
    of marks: Range<Int>,
    at place: ColumnsPlace,
    to sink: inout ElementSink
  ) {
    var pending: [Range<Int>] = []
    for column in 0 ..< rule.columnCount {
      let offset = rule.offset(ofColumn: column)
      guard Rect.spans(offset, rule.reach(ofColumn: column), meet: span.cross, span.crossLength)
      else {
        continue
      }
      pending.append(self.marks(ofColumn: column, in: span).clamped(to: marks))
    }
    pending.sort { $0.lowerBound < $1.lowerBound }
    var next = 0
    for range in pending where range.upperBound > next {
      for mark in max(range.lowerBound, next) ..< range.upperBound {
        let count = item(atMark: mark + 1) - item(atMark: mark)
        guard sink.visit(rule.steps(toPlace: count)), !sink.isFull else { return }
        replay(mark) { item, frame in
          sink.appendCell(item + place.itemShift, frame: place.frame(frame))
          return !sink.isFull
        }
      }
      next = range.upperBound
    }
  }

  /// Hands the sink one item, if the body has it. The items between the mark before it and the item
  /// are placed again.
  @inline(__always)
  func appendElement(_ item: Int, at place: ColumnsPlace, to sink: inout ElementSink) {
    guard range.contains(item) else { return }
    let before = (item - range.lowerBound) % stride
    guard sink.visit(rule.steps(toPlace: before + 1)) else { return }
    replay((item - range.lowerBound) / stride) { index, frame in
      if index == item {
        sink.appendCell(index + place.itemShift, frame: place.frame(frame))
      }
      return index < item
    }
  }

  /// Where a column ends at a mark, or after all items.
  private func end(ofColumn column: Int, at mark: Int) -> Double {
    if mark >= markCount { return ends[column] }
    let block = blocks[mark / ColumnsBlock.markCount]
    return block.marks[mark % ColumnsBlock.markCount * rule.stateCount + column]
  }

  /// The marks whose items in one column may meet a span. They can be searched, because the end of
  /// a column never moves back.
  private func marks(ofColumn column: Int, in span: AxisRect) -> Range<Int> {
    func first(where holds: (Double) -> Bool) -> Int {
      var low = 0
      var high = markCount
      while low < high {
        let middle = (low + high) / 2
        if holds(end(ofColumn: column, at: middle)) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    // Items after the last mark before the span may reach into it. Items without length may be at
    // the mark itself.
    let begin = max(0, first { $0 >= span.main } - 1)
    let limit = first { $0 >= span.mainEnd } + (rule.lookBack + stride - 1) / stride
    return begin ..< max(begin, min(limit, markCount))
  }

  /// Places the items from one mark to the next again, until `body` returns false.
  private func replay(_ mark: Int, _ body: (Int, AxisRect) -> Bool) {
    var columns = blocks[mark / ColumnsBlock.markCount]
      .mark(mark % ColumnsBlock.markCount, of: rule.stateCount)
    rule.place(items, in: item(atMark: mark) ..< item(atMark: mark + 1), columns: &columns, body)
  }
}

/// Maps the items of a body of columns into another body that has some of them.
struct ColumnsPlace {
  /// Added to the numbers of items.
  var itemShift = 0
  /// Added to places along the scroll axis, in points.
  var mainShift = 0.0
  /// The length at whose end the first items are; nil = they are at the start.
  var turnedLength: Double?

  @inline(__always)
  func frame(_ frame: AxisRect) -> AxisRect {
    var moved = frame
    moved.main += mainShift
    return turnedLength.map { moved.turned(in: $0) } ?? moved
  }
}

extension AxisRect {
  /// The same span with the start and the end of a length along the scroll axis exchanged.
  @inline(__always)
  func turned(in length: Double) -> AxisRect {
    var turned = self
    turned.main = length - mainEnd
    return turned
  }
}

/// The marks of consecutive items. All versions that have these items share it.
final class ColumnsBlock: Sendable {
  /// The number of marks in a whole block.
  static let markCount = 64

  /// The states at the marks, one after the other. The ends of the columns come first in each.
  let marks: [Double]

  /// Places a range of items.
  ///
  /// - Parameter columns: where the columns end before the items; after the call, behind them.
  /// - Parameter work: told of every mark; once it has stopped, marks are missing.
  init(
    _ items: ItemSequence,
    in range: Range<Int>,
    stride: Int,
    rule: some ColumnRule,
    columns: inout [Double],
    work: LayoutWork
  ) {
    var marks: [Double] = []
    marks.reserveCapacity(((range.count + stride - 1) / stride) * columns.count)
    var left = range.count
    rule.stack(items, in: range, columns: &columns, stride: stride) {
      marks += $0
      let placed = min(stride, left)
      left -= placed
      return work.proceed(rule.steps(toPlace: placed))
    } pause: {
      work.proceed($0)
    }
    self.marks = marks
  }

  /// The state at a mark of this block.
  func mark(_ index: Int, of count: Int) -> [Double] {
    Array(marks[index * count ..< (index + 1) * count])
  }
}
