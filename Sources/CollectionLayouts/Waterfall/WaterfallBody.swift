// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Items of different lengths in columns.
///
/// For every so many items it keeps a mark: where each column ended there. The items between two
/// marks are placed again when a query asks for them. Marks are kept in blocks, so that two
/// versions that differ from some item on share the blocks before it. Behind the first edit all
/// items move for good, unless the columns happen to end where they ended before.
struct WaterfallBody: SectionBody {
  let rule: WaterfallRule
  let items: ItemSequence
  private let blocks: [WaterfallBlock]
  /// Where each column's next item would begin after all items.
  private let ends: [Double]

  /// The number of items from mark to mark. The more columns a mark has, the rarer marks are.
  private var stride: Int { Self.stride(rule) }

  private static func stride(_ rule: WaterfallRule) -> Int { max(128, rule.columnCount * 8) }

  /// Places all items.
  ///
  /// - Complexity: O(items · columns)
  init(_ items: ItemSequence, rule: WaterfallRule, work: LayoutWork) {
    self.init(
      items,
      rule: rule,
      keeping: [],
      start: [Double](repeating: 0, count: rule.columnCount),
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
    rule: WaterfallRule,
    keeping blocks: [WaterfallBlock],
    start: [Double],
    work: LayoutWork,
    join: (Int, [Double]) -> (blocks: ArraySlice<WaterfallBlock>, ends: [Double])? = { _, _ in nil }
  ) {
    self.rule = rule
    self.items = items
    var blocks = blocks
    var columns = start
    let itemsPerBlock = Self.stride(rule) * WaterfallBlock.markCount
    var item = blocks.count * itemsPerBlock
    while item < items.count {
      if let rest = join(blocks.count, columns) {
        self.blocks = blocks + rest.blocks
        ends = rest.ends
        return
      }
      let end = min(item + itemsPerBlock, items.count)
      blocks.append(
        WaterfallBlock(
          items,
          in: item ..< end,
          stride: Self.stride(rule),
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

  var length: Double { max(0, (ends.max() ?? 0) - rule.itemSpacing) }

  var byteCount: Int { blocks.reduce(256) { $0 + 64 + $1.marks.count * 8 } }

  /// The body of the items after a change. It places items again from the block of the first edited
  /// item on.
  ///
  /// - Parameter splices: over item indices, sorted and disjoint.
  /// - Parameter work: told of every block. Once it has stopped, the result must not be used.
  func updated(to items: ItemSequence, splices: [Splice], work: LayoutWork) -> WaterfallBody {
    guard let first = splices.first, let last = splices.last else {
      return WaterfallBody(items, rule: rule, keeping: blocks, start: ends, work: work)
    }
    let itemsPerBlock = stride * WaterfallBlock.markCount
    let kept = min(first.new.lowerBound / itemsPerBlock, max(blocks.count - 1, 0))
    let start =
      kept < blocks.count
      ? blocks[kept].mark(0, columns: rule.columnCount)
      : [Double](repeating: 0, count: rule.columnCount)
    let isAligned = items.count == self.items.count && last.new.upperBound == last.old.upperBound
    return WaterfallBody(
      items,
      rule: rule,
      keeping: Array(blocks[..<kept]),
      start: start,
      work: work
    ) { block, columns in
      // If the edits did not change the number of items, columns may end behind the last edit where
      // they ended before.
      guard isAligned, block * itemsPerBlock >= last.new.upperBound, block < blocks.count,
        blocks[block].mark(0, columns: rule.columnCount) == columns
      else { return nil }
      return (blocks[block...], ends)
    }
  }

  // MARK: - Queries

  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    var pending: [Range<Int>] = []
    for column in 0 ..< rule.columnCount {
      let offset = rule.offset(ofColumn: column)
      guard Rect.spans(offset, rule.columnWidth, meet: span.cross, span.crossLength) else {
        continue
      }
      pending.append(marks(ofColumn: column, in: span))
    }
    pending.sort { $0.lowerBound < $1.lowerBound }
    var next = 0
    for range in pending where range.upperBound > next {
      for mark in max(range.lowerBound, next) ..< range.upperBound {
        guard sink.visit(stride), !sink.isFull else { return }
        replay(mark) { item, frame in
          sink.appendCell(item, frame: frame)
          return !sink.isFull
        }
      }
      next = range.upperBound
    }
  }

  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard category == .cell, item >= 0, item < items.count else { return }
    replay(item / stride) { index, frame in
      if index == item { sink.appendCell(item, frame: frame) }
      return index < item
    }
  }

  private var markCount: Int { (items.count + stride - 1) / stride }

  /// Where a column ends at a mark, or after all items.
  private func end(ofColumn column: Int, at mark: Int) -> Double {
    if mark >= markCount { return ends[column] }
    let block = blocks[mark / WaterfallBlock.markCount]
    return block.marks[mark % WaterfallBlock.markCount * rule.columnCount + column]
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
    return begin ..< max(begin, first { $0 >= span.mainEnd })
  }

  /// Places the items from one mark to the next again, until `body` returns false.
  private func replay(_ mark: Int, _ body: (Int, AxisRect) -> Bool) {
    var columns = blocks[mark / WaterfallBlock.markCount]
      .mark(mark % WaterfallBlock.markCount, columns: rule.columnCount)
    let range = mark * stride ..< min((mark + 1) * stride, items.count)
    rule.place(items, in: range, columns: &columns, body)
  }
}

/// The marks of consecutive items. All versions that have these items share it.
final class WaterfallBlock: Sendable {
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
    rule: WaterfallRule,
    columns: inout [Double],
    work: LayoutWork
  ) {
    var marks: [Double] = []
    marks.reserveCapacity(((range.count + stride - 1) / stride) * columns.count)
    // Each item is compared with all columns; eight comparisons take about as long as one step.
    let steps = stride * (1 + columns.count / 8)
    rule.stack(items, in: range, columns: &columns, stride: stride) {
      marks += $0
      return work.proceed(steps)
    }
    self.marks = marks
  }

  /// Where each column's next item begins, at a mark of this block.
  func mark(_ index: Int, columns: Int) -> [Double] {
    Array(marks[index * columns ..< (index + 1) * columns])
  }
}

extension WaterfallRule {
  /// Places a range of items one after the other, until `body` returns false.
  ///
  /// - Parameter columns: where each column's next item begins; updated for every item.
  @inline(__always)
  func place(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    _ body: (Int, AxisRect) -> Bool
  ) {
    items.forEachChunk(in: range) { chunk, start in
      let first = max(range.lowerBound - start, 0)
      for index in first ..< min(chunk.count, range.upperBound - start) {
        let item = start + index
        let length = length(
          width: chunk.widths.value(at: index),
          height: chunk.heights.value(at: index)
        )
        let column = column(ofItem: item, ends: columns)
        let frame = AxisRect(
          main: columns[column],
          cross: offset(ofColumn: column),
          mainLength: length,
          crossLength: columnWidth
        )
        columns[column] += length + itemSpacing
        guard body(item, frame) else { return false }
      }
      return true
    }
  }
}
