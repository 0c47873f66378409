// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Items in columns after edits, of which only some have been placed again.
///
/// A body is cut into runs. Around each edit a run is placed again, by the rule and from the state
/// before it. The items behind it keep their places relative to each other, and move together just
/// far enough that none overlaps another. Between the two is a seam, where columns may have gaps.
/// `settled(in:)` places items again until no seam is in view, and `completed` places all of them.
struct ColumnsDraft<Rule: ColumnRule>: SectionBody {
  let rule: Rule
  let items: ItemSequence
  let runs: [ColumnRun<Rule>]
  let byteCount: Int

  /// - Parameter runs: at least one; together they have all items, in order.
  init(_ items: ItemSequence, rule: Rule, runs: [ColumnRun<Rule>]) {
    self.rule = rule
    self.items = items
    self.runs = runs
    var counted: Set<ObjectIdentifier> = []
    byteCount = runs.reduce(256) { sum, run in
      let isNew = run.body.identity.map { counted.insert($0).inserted } ?? false
      return sum + 128 + (isNew ? run.body.byteCount : 0)
    }
  }

  var isDraft: Bool { true }

  var length: Double { max(0, (runs.last?.end ?? 0) - rule.itemSpacing) }

  private var turnedLength: Double? { rule.fillsFromEnd ? length : nil }

  // Bodies are called as existentials, which would run the generic code.
  @specialized(where Rule == WaterfallRule)
  @specialized(where Rule == GridLanesRule)
  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let turned = turnedLength
    let span = turned.map { span.turned(in: $0) } ?? span
    for run in runs[firstRun(endingAfter: span.main)...] {
      guard run.start <= span.mainEnd, !sink.isFull else { return }
      var inRun = span
      inRun.main -= run.shift
      run.body.appendElements(in: inRun, of: run.marks, at: run.place(in: turned), to: &sink)
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
    let run = runs[runs.index(ofItem: item)]
    let place = run.place(in: turnedLength)
    run.body.appendElement(item - place.itemShift, at: place, to: &sink)
  }

  /// The first run that ends at or after a place.
  private func firstRun(endingAfter main: Double) -> Int {
    runs.partitioningIndex { $0.end >= main }
  }

  // MARK: - Seams

  func isSettled(in span: AxisRect) -> Bool { seam(in: span) == nil }

  /// The first run that begins with a seam in a span; nil if there is none.
  private func seam(in span: AxisRect) -> Int? {
    let span = turnedLength.map { span.turned(in: $0) } ?? span
    for index in firstRun(endingAfter: span.main) ..< runs.count {
      // A seam begins where the first column ends, which may be far before the others do.
      let next = index + 1
      for run in [index, next] where run < runs.count {
        guard let seam = runs[run].seam else { continue }
        let (start, end) = (seam.start + runs[run].shift, seam.end + runs[run].shift)
        if start < span.mainEnd, end > span.main { return run }
      }
      if runs[index].start >= span.mainEnd { return nil }
    }
    return nil
  }

  /// The draft without seams in a span; itself if there are none.
  ///
  /// Items behind the span may move.
  ///
  /// - Parameter work: told of the steps.
  /// - Returns: nil = that would take as long as placing all items.
  func settled(in span: AxisRect, work: LayoutWork) -> (any SectionBody)? {
    guard let seam = seam(in: span) else { return self }
    let first = runs[seam].first
    var editor = ColumnsEditor(runs, to: items, rule: rule, work: work)
    return editor.edited(
      [Splice(old: first ..< first, new: first ..< first)],
      upTo: turnedLength.map { span.turned(in: $0).mainEnd } ?? span.mainEnd
    )
  }
}

/// Consecutive items of a body of columns, as part of a draft.
struct ColumnRun<Rule: ColumnRule>: Sendable {
  let body: ColumnsBody<Rule>
  /// The marks of the body whose items, up to the body's next mark or its end, the run has.
  let marks: Range<Int>
  /// The number of the run's first item in the draft.
  let first: Int
  /// How far the items are moved along the scroll axis from their places in the body, in points.
  let shift: Double
  /// Where columns may have gaps before the first items, without the shift: from the end of the
  /// shortest column of the previous run to the start of the last column of this one. nil = there
  /// is no seam.
  let seam: (start: Double, end: Double)?
  /// Where the first column of the run begins.
  let start: Double
  /// Where the last column of the run ends.
  let end: Double

  init(
    _ body: ColumnsBody<Rule>,
    marks: Range<Int>,
    first: Int,
    shift: Double,
    seam: (start: Double, end: Double)? = nil
  ) {
    self.body = body
    self.marks = marks
    self.first = first
    self.shift = shift
    self.seam = seam
    let columns = body.rule.columnCount
    start = shift + (body.state(atMark: marks.lowerBound).prefix(columns).min() ?? 0)
    end = shift + (body.state(atMark: marks.upperBound).prefix(columns).max() ?? 0)
  }

  /// All of a body.
  init(_ body: ColumnsBody<Rule>) {
    self.init(body, marks: 0 ..< body.markCount, first: body.range.lowerBound, shift: 0)
  }

  /// The number of items.
  var count: Int { body.item(atMark: marks.upperBound) - body.item(atMark: marks.lowerBound) }

  /// The end of the run's items in the draft.
  var last: Int { first + count }

  /// Maps the body's items into the draft.
  func place(in turnedLength: Double?) -> ColumnsPlace {
    ColumnsPlace(
      itemShift: first - body.item(atMark: marks.lowerBound),
      mainShift: shift,
      turnedLength: turnedLength
    )
  }

  /// The mark at or before an item of the draft; the end of the run for the end of its items.
  func mark(at item: Int) -> Int {
    item >= last ? marks.upperBound : marks.lowerBound + max(0, item - first) / body.stride
  }

  /// The mark at or after an item of the draft.
  func mark(after item: Int) -> Int {
    let distance = max(0, item - first) + body.stride - 1
    return min(marks.lowerBound + distance / body.stride, marks.upperBound)
  }

  /// The number in the draft of the first item after a mark of the run.
  func item(atMark mark: Int) -> Int {
    first + body.item(atMark: mark) - body.item(atMark: marks.lowerBound)
  }
}

extension Array {
  /// The run that has an item, or the last one.
  func index<Rule>(ofItem item: Int) -> Int where Element == ColumnRun<Rule> {
    Swift.max(0, partitioningIndex { $0.first > item } - 1)
  }
}
