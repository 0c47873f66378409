// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// How the items of one section go to columns, one after the other. Equal rules place equal items
/// equally.
///
/// What the place of an item depends on, beside the item, is the state: numbers of which the first are
/// the places where the columns' next items begin. Those never move back, though items may go before them
/// (`lookBack`).
protocol ColumnRule: Sendable {
  /// The number of columns, at least 1.
  var columnCount: Int { get }
  /// The number of numbers in a state, at least that of the columns.
  var stateCount: Int { get }
  /// The state before the first item.
  var start: [Double] { get }
  /// The number of items from one state that is kept to the next. The more numbers a state has, the rarer.
  var stride: Int { get }
  /// The number of items after which an item may still go before the end of a column.
  var lookBack: Int { get }
  /// The distance between the items of a column, in points.
  var itemSpacing: Double { get }
  /// Whether the first items lie at the end, and the others before them.
  var fillsFromEnd: Bool { get }

  /// Where a column begins across the scroll axis, in points.
  func offset(ofColumn column: Int) -> Double

  /// The extent of a column across the scroll axis, in points.
  func width(ofColumn column: Int) -> Double

  /// Moves the state along by a range of items.
  ///
  /// - Parameter stride: the number of items from one call of `mark` to the next.
  /// - Parameter mark: called before every `stride` items with the state; returns whether to go on.
  /// - Parameter pause: called within them where they take many steps besides a comparison with each column, with
  ///   the number of those; returns whether to go on.
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
}

/// Items of different lengths in columns.
///
/// For every so many items it keeps a mark: the state there, so where each column ended. The items between two
/// marks are placed again when a query asks for them. Marks are kept in blocks, so that two
/// versions that differ from some item on share the blocks before it. Behind the first edit all
/// items move for good, unless the columns happen to end where they ended before.
struct ColumnsBody<Rule: ColumnRule>: SectionBody {
  let rule: Rule
  let items: ItemSequence
  private let blocks: [ColumnsBlock]
  /// The state after all items.
  private let ends: [Double]

  /// The number of items from mark to mark.
  private var stride: Int { rule.stride }

  /// Places all items.
  ///
  /// - Complexity: O(items · columns)
  init(_ items: ItemSequence, rule: Rule, work: LayoutWork) {
    self.init(
      items,
      rule: rule,
      keeping: [],
      start: rule.start,
      work: work
    )
  }

  /// Keeps whole blocks of an earlier version and places the items behind them.
  ///
  /// - Parameter start: where the columns end after `blocks`.
  /// - Parameter join: returns the remaining blocks and the ends of all columns if they are known
  ///   already, given the number of blocks so far and where the columns end.
  private init(
    _ items: ItemSequence,
    rule: Rule,
    keeping blocks: [ColumnsBlock],
    start: [Double],
    work: LayoutWork,
    join: (Int, [Double]) -> (blocks: ArraySlice<ColumnsBlock>, ends: [Double])? = { _, _ in nil }
  ) {
    self.rule = rule
    self.items = items
    var blocks = blocks
    var columns = start
    let itemsPerBlock = rule.stride * ColumnsBlock.markCount
    var item = blocks.count * itemsPerBlock
    while item < items.count {
      if let rest = join(blocks.count, columns) {
        self.blocks = blocks + rest.blocks
        ends = rest.ends
        return
      }
      let end = min(item + itemsPerBlock, items.count)
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

  var byteCount: Int { blocks.reduce(256) { $0 + 64 + $1.marks.count * 8 } }

  /// The body of the items after a change. It places items again from the block of the first edited
  /// item on.
  ///
  /// - Parameter rule: the same as before for all items that were there.
  /// - Parameter splices: over item indices, sorted and disjoint.
  /// - Parameter work: told of every block. Once it has stopped, the result must not be used.
  func updated(
    to items: ItemSequence,
    rule: Rule,
    splices: [Splice],
    work: LayoutWork
  ) -> ColumnsBody {
    guard let first = splices.first, let last = splices.last else {
      return ColumnsBody(items, rule: rule, keeping: blocks, start: ends, work: work)
    }
    let itemsPerBlock = stride * ColumnsBlock.markCount
    let kept = min(first.new.lowerBound / itemsPerBlock, max(blocks.count - 1, 0))
    let start =
      kept < blocks.count
      ? blocks[kept].mark(0, of: rule.stateCount)
      : rule.start
    let isAligned = items.count == self.items.count && last.new.upperBound == last.old.upperBound
    return ColumnsBody(
      items,
      rule: rule,
      keeping: Array(blocks[..<kept]),
      start: start,
      work: work
    ) { block, columns in
      // If the edits did not change the number of items, columns may end behind the last edit where
      // they ended before.
      guard isAligned, block * itemsPerBlock >= last.new.upperBound, block < blocks.count,
        blocks[block].mark(0, of: rule.stateCount) == columns
      else { return nil }
      return (blocks[block...], ends)
    }
  }

  // MARK: - Queries

  // Bodies are called as existentials, which would run the generic code.
  @specialized(where Rule == WaterfallRule)
  @specialized(where Rule == GridLanesRule)
  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let span = turned(span)
    var pending: [Range<Int>] = []
    for column in 0 ..< rule.columnCount {
      let offset = rule.offset(ofColumn: column)
      guard Rect.spans(offset, rule.width(ofColumn: column), meet: span.cross, span.crossLength)
      else {
        continue
      }
      pending.append(marks(ofColumn: column, in: span))
    }
    pending.sort { $0.lowerBound < $1.lowerBound }
    var next = 0
    for range in pending where range.upperBound > next {
      for mark in max(range.lowerBound, next) ..< range.upperBound {
        guard sink.visit(stride * (1 + rule.columnCount / 8)), !sink.isFull else { return }
        replay(mark) { item, frame in
          sink.appendCell(item, frame: turned(frame))
          return !sink.isFull
        }
      }
      next = range.upperBound
    }
  }

  @specialized(where Rule == WaterfallRule)
  @specialized(where Rule == GridLanesRule)
  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard category == .cell, item >= 0, item < items.count else { return }
    replay(item / stride) { index, frame in
      if index == item { sink.appendCell(item, frame: turned(frame)) }
      return index < item
    }
  }

  /// A span in the order of placing, given in that of the body, or the other way round.
  private func turned(_ span: AxisRect) -> AxisRect {
    guard rule.fillsFromEnd else { return span }
    var turned = span
    turned.main = length - span.mainEnd
    return turned
  }

  private var markCount: Int { (items.count + stride - 1) / stride }

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
    // Items behind the last mark before the span may reach into it. Items of no length may lie at the
    // mark itself.
    let begin = max(0, first { $0 >= span.main } - 1)
    let limit = first { $0 >= span.mainEnd } + (rule.lookBack + stride - 1) / stride
    return begin ..< max(begin, min(limit, markCount))
  }

  /// Places the items from one mark to the next again, until `body` returns false.
  private func replay(_ mark: Int, _ body: (Int, AxisRect) -> Bool) {
    var columns = blocks[mark / ColumnsBlock.markCount]
      .mark(mark % ColumnsBlock.markCount, of: rule.stateCount)
    let range = mark * stride ..< min((mark + 1) * stride, items.count)
    rule.place(items, in: range, columns: &columns, body)
  }
}

/// The marks of consecutive items. All versions that have these items share it.
final class ColumnsBlock: Sendable {
  /// The number of marks in a whole block.
  static let markCount = 64

  /// Where each column's next item begins, for one mark after the other.
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
    // Each item is compared with all columns; eight comparisons take about as long as one step.
    let steps = stride * (1 + rule.columnCount / 8)
    rule.stack(items, in: range, columns: &columns, stride: stride) {
      marks += $0
      return work.proceed(steps)
    } pause: {
      work.proceed($0)
    }
    self.marks = marks
  }

  /// Where each column's next item begins, at a mark of this block.
  func mark(_ index: Int, of count: Int) -> [Double] {
    Array(marks[index * count ..< (index + 1) * count])
  }
}
