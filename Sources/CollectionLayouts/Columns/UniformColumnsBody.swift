// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A rule by which items of one length fill row after row.
protocol UniformColumnRule: ColumnRule {
  /// The extent that all items have along the scroll axis, in points; nil if they do not fill row
  /// after row.
  func uniformLength(of items: ItemSequence) -> Double?

  /// The column of the item at a place of each row, from 0 on.
  func column(ofPlace place: Int) -> Int
}

/// Items of one length. Every order fills row after row, so all places follow from the item's
/// index.
struct UniformColumnsBody<Rule: UniformColumnRule>: SectionBody {
  let rule: Rule
  let count: Int
  private let itemLength: Double

  /// Makes the body of items with one length; nil if they differ.
  init?(_ items: ItemSequence, rule: Rule) {
    guard let length = rule.uniformLength(of: items) else { return nil }
    self.rule = rule
    count = items.count
    itemLength = length
  }

  private var pitch: Double { itemLength + rule.itemSpacing }

  var length: Double {
    guard count > 0 else { return 0 }
    let rows = (count - 1) / rule.columnCount + 1
    return max(0, Double(rows) * pitch - rule.itemSpacing)
  }

  var byteCount: Int { MemoryLayout<Self>.stride + 32 + rule.byteCount }

  // Bodies are called as existentials, which would run the generic code.
  @specialized(where Rule == WaterfallRule)
  @specialized(where Rule == GridLanesRule)
  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    guard count > 0 else { return }
    let rows = (count - 1) / rule.columnCount + 1
    let first = row(at: rule.fillsFromEnd ? length - span.mainEnd : span.main, of: rows)
    let last = row(at: rule.fillsFromEnd ? length - span.main : span.mainEnd, of: rows)
    let end = min(count, (last + 1) * rule.columnCount)
    for item in first * rule.columnCount ..< max(end, first * rule.columnCount) {
      sink.appendCell(item, frame: frame(of: item))
      guard sink.visit(1), !sink.isFull else { return }
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
    guard category == .cell, item >= 0, item < count else { return }
    sink.appendCell(item, frame: frame(of: item))
  }

  /// The row at a place along the scroll axis, from 0 to `rows` − 1.
  ///
  /// - Precondition: `rows` is at least 1.
  private func row(at place: Double, of rows: Int) -> Int {
    guard pitch > 0 else { return place > 0 ? rows - 1 : 0 }
    let row = (place / pitch).rounded(.down)
    // NaN is not greater than 0; other numbers are cut off to 0…rows − 1, so the conversion cannot
    // trap.
    return row > 0 ? Int(min(row, Double(rows - 1))) : 0
  }

  private func frame(of item: Int) -> AxisRect {
    let column = rule.column(ofPlace: item % rule.columnCount)
    let main = Double(item / rule.columnCount) * pitch
    return AxisRect(
      main: rule.fillsFromEnd ? length - main - itemLength : main,
      cross: rule.offset(ofColumn: column),
      mainLength: itemLength,
      crossLength: rule.width(ofColumn: column)
    )
  }
}
