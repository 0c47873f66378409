// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LinesBody {
  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let thickness = arrangement.separator?.thickness ?? 0
    let begin = span.main - thickness
    let end = span.mainEnd
    guard let first = lines.firstPosition(where: { $0.length >= begin }) else { return }
    var reader = ItemLengthReader(items, rule: rule)
    var start = first.prefix
    lines.forEach(in: first.index ..< lines.count) { leaf, _, _ in
      guard start.length <= end else { return false }
      for line in leaf.firstLine(endingAt: begin - start.length) ..< leaf.summary.lines {
        let main = start.length + leaf.offset(ofLine: line)
        guard main <= end else { return false }
        let range = leaf.items(ofLine: line)
        appendLine(
          start.items + range.lowerBound ..< start.items + range.upperBound,
          main: main,
          span: span,
          reader: &reader,
          to: &sink
        )
      }
      start = start + leaf.summary
      return true
    }
  }

  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard item >= 0, item < items.count else { return }
    guard let position = lines.firstPosition(where: { $0.items > item }) else { return }
    let leaf = position.element
    let first = position.prefix.items
    let line = leaf.line(ofItem: item - first)
    let local = leaf.items(ofLine: line)
    let range = first + local.lowerBound ..< first + local.upperBound
    let main = position.prefix.length + leaf.offset(ofLine: line)
    var reader = ItemLengthReader(items, rule: rule)
    switch category {
    case .cell:
      let (solvedLine, spread) = solve(range, reader: &reader)
      let place = item - range.lowerBound
      var cross = spread.start
      let lengths: ItemLengths
      if let uniform {
        lengths = uniform.lengths
        cross += Double(place) * (lengths.cross + spread.gap)
      } else {
        lengths = reader.lengths(at: item)
        reader.forEach(in: range.lowerBound ..< item) { cross += $0.cross + spread.gap }
      }
      sink.appendCell(
        item,
        frame: frame(lengths, cross: cross, lineMain: main, lineLength: solvedLine.length)
      )
    case .decoration:
      guard let separator = arrangement.separator, separator.kind == kind,
        item < items.count - 1
      else { return }
      appendSeparator(
        separator,
        after: item,
        main: main + (uniform?.lengths ?? reader.lengths(at: item)).main,
        to: &sink
      )
    case .supplementary: break
    }
  }

  private func appendLine(
    _ range: Range<Int>,
    main: Double,
    span: AxisRect,
    reader: inout ItemLengthReader,
    to sink: inout ElementSink
  ) {
    let (line, spread) = solve(range, reader: &reader)
    if let uniform {
      let lengths = uniform.lengths
      let step = lengths.cross + spread.gap
      for place in places(of: range.count, from: spread.start, step: step, meeting: span) {
        sink.appendCell(
          range.lowerBound + place,
          frame: frame(
            lengths,
            cross: spread.start + Double(place) * step,
            lineMain: main,
            lineLength: line.length
          )
        )
      }
    } else {
      var cross = spread.start
      var item = range.lowerBound
      reader.forEach(in: range) { lengths in
        sink.appendCell(
          item,
          frame: frame(lengths, cross: cross, lineMain: main, lineLength: line.length)
        )
        cross += lengths.cross + spread.gap
        item += 1
      }
    }
    if let separator = arrangement.separator, range.upperBound < items.count {
      appendSeparator(separator, after: range.upperBound - 1, main: main + line.length, to: &sink)
    }
  }

  /// The places of a line of equal items that can meet a span, with one to spare at each end.
  private func places(
    of count: Int,
    from start: Double,
    step: Double,
    meeting span: AxisRect
  ) -> Range<Int> {
    guard count > 8, step > 0 else { return 0 ..< count }
    return Range(
      from: ((span.cross - start) / step).rounded(.down) - 1,
      through: ((span.crossEnd - start) / step).rounded(.up) + 1,
      count: count
    )
  }

  /// The figures of a line, and where its items go.
  private func solve(
    _ range: Range<Int>,
    reader: inout ItemLengthReader
  ) -> (
    line: LineArrangement.Line, spread: (start: Double, gap: Double)
  ) {
    let total = lines.summary
    var line = LineArrangement.Line(
      count: range.count,
      sum: 0,
      length: 0,
      isComplete: range.upperBound < items.count || total.lines == total.items
    )
    if let uniform {
      line.sum = Double(range.count) * uniform.lengths.cross
      line.length = uniform.lengths.main
    } else {
      reader.forEach(in: range) { lengths in
        line.sum += lengths.cross
        line.length = max(line.length, lengths.main)
      }
    }
    return (line, arrangement.spread(line, uniform: uniform, rule: rule))
  }

  private func frame(
    _ lengths: ItemLengths,
    cross: Double,
    lineMain: Double,
    lineLength: Double
  ) -> AxisRect {
    AxisRect(
      main: lineMain + arrangement.offset(lengths.main, inLine: lineLength),
      cross: cross,
      mainLength: lengths.main,
      crossLength: lengths.cross
    )
  }

  private func appendSeparator(
    _ separator: LineArrangement.Separator,
    after item: Int,
    main: Double,
    to sink: inout ElementSink
  ) {
    let row = rule.axis.rect(
      AxisRect(main: main, cross: 0, mainLength: separator.thickness, crossLength: rule.extent)
    )
    sink.append(
      .decoration,
      kind: separator.kind,
      item: item,
      frame: rule.axis.axisRect(row.inset(by: separator.insets)),
      zIndex: LineArrangement.separatorZIndex
    )
  }
}
