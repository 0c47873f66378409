// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LinesBody {
  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let begin = span.main - (arrangement.separators?.reachBehind ?? 0)
    let end = span.mainEnd + (arrangement.separators?.reachBefore ?? 0)
    var reader = ItemLengthReader(items, rule: rule)
    var separators = separatorReader(for: sink)
    func append(_ leaf: LineLeaf, after before: LineSummary) -> Bool {
      guard before.length <= end else { return false }
      if case .summed(let rows) = leaf.storage {
        return rows.forEach(endingAt: begin - before.length) { row, offset in
          guard before.length + offset <= end, !sink.isFull else { return false }
          return appendLine(
            before.items + row ..< before.items + row + 1,
            main: before.length + offset,
            span: span,
            reader: &reader,
            separators: &separators,
            to: &sink
          )
        }
      }
      var line = leaf.firstLine(endingAt: begin - before.length)
      var start = leaf.start(ofLine: line)
      while line < leaf.summary.lines {
        guard before.length + start.offset <= end, !sink.isFull else { return false }
        let next = leaf.start(ofLine: line + 1)
        let goesOn = appendLine(
          before.items + start.item ..< before.items + next.item,
          main: before.length + start.offset,
          span: span,
          reader: &reader,
          separators: &separators,
          to: &sink
        )
        guard goesOn else { return false }
        line += 1
        start = next
      }
      return true
    }
    lines.forEach(
      where: { $0.length >= begin },
      body: { leaf, _, before in append(leaf, after: before) }
    )
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
    let (offset, firstItem) = leaf.start(ofLine: line)
    let range = first + firstItem ..< first + leaf.firstItem(ofLine: line + 1)
    let main = position.prefix.length + offset
    var reader = ItemLengthReader(items, rule: rule)
    switch category {
    case .cell:
      guard let (solvedLine, spread) = solve(range, reader: &reader, visit: { sink.visit($0) })
      else { return }
      let place = item - range.lowerBound
      var cross = spread.start
      let lengths: ItemLengths
      if let uniform {
        lengths = uniform
        cross += Double(place) * (lengths.cross + spread.gap)
      } else {
        lengths = reader.lengths(at: item)
        let isComplete = Self.forEachPart(of: range.lowerBound ..< item) { part in
          guard sink.visit(part.count) else { return false }
          reader.forEach(in: part) { cross += $0.cross + spread.gap }
          return true
        }
        guard isComplete else { return }
      }
      sink.appendCell(
        item,
        frame: frame(lengths, cross: cross, lineMain: main, lineLength: solvedLine.length),
        zIndex: arrangement.zIndex
      )
    case .decoration:
      var separators = separatorReader(for: sink)
      let length = (uniform ?? reader.lengths(at: item)).main
      appendSeparators(of: item, main: main, length: length, kind: kind, &separators, to: &sink)
    case .supplementary: break
    }
  }

  private func separatorReader(for sink: ElementSink) -> RowSeparatorReader? {
    arrangement.separators.map {
      RowSeparatorReader($0, items: items, cellKindNames: sink.cellKindNames)
    }
  }

  /// Appends the items of a line that meet a span, and its separators.
  ///
  /// - Returns: whether to go on; false once the query has taken all its steps.
  private func appendLine(
    _ range: Range<Int>,
    main: Double,
    span: AxisRect,
    reader: inout ItemLengthReader,
    separators: inout RowSeparatorReader?,
    to sink: inout ElementSink
  ) -> Bool {
    guard let (line, spread) = solve(range, reader: &reader, visit: { sink.visit($0) })
    else { return false }
    if let lengths = uniform {
      let step = lengths.cross + spread.gap
      let places = places(of: range.count, from: spread.start, step: step, meeting: span)
      let isComplete = Self.forEachPart(of: places) { part in
        guard sink.visit(part.count) else { return false }
        for place in part {
          sink.appendCell(
            range.lowerBound + place,
            frame: frame(
              lengths,
              cross: spread.start + Double(place) * step,
              lineMain: main,
              lineLength: line.length
            ),
            zIndex: arrangement.zIndex
          )
        }
        return !sink.isFull
      }
      guard isComplete else { return false }
    } else {
      var cross = spread.start
      var item = range.lowerBound
      let isComplete = Self.forEachPart(of: range) { part in
        reader.forEach(in: part) { lengths in
          sink.appendCell(
            item,
            frame: frame(lengths, cross: cross, lineMain: main, lineLength: line.length),
            zIndex: arrangement.zIndex
          )
          cross += lengths.cross + spread.gap
          item += 1
        }
        return !sink.isFull
      }
      guard isComplete else { return false }
    }
    // In a list each line is a row.
    appendSeparators(
      of: range.upperBound - 1,
      main: main,
      length: line.length,
      kind: nil,
      &separators,
      to: &sink
    )
    return true
  }

  /// Calls `body` with the parts of a line, in order, until it returns false. A line may hold all
  /// items of a section, so that a query has to be able to end within it.
  ///
  /// - Returns: whether `body` was called with all parts and never returned false.
  private static func forEachPart(of line: Range<Int>, _ body: (Range<Int>) -> Bool) -> Bool {
    var rest = line
    while !rest.isEmpty {
      let part = rest.prefix(4096)
      guard body(part) else { return false }
      rest = part.upperBound ..< line.upperBound
    }
    return true
  }

  /// The items of a line of equal ones that can meet a span, as indices in the line, with one to
  /// spare at each end.
  ///
  /// - Parameter start: where the first item starts.
  /// - Parameter step: from the start of one item to the start of the next.
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
  ///
  /// - Parameter range: the items of the line.
  /// - Parameter visit: called with the number of items about to be looked at; returns whether to
  ///   go on. A line of equal items counts as one, because only its items near the rect are
  ///   visited.
  /// - Returns: nil if `visit` returned false.
  private func solve(
    _ range: Range<Int>,
    reader: inout ItemLengthReader,
    visit: (Int) -> Bool
  ) -> (
    line: LineArrangement.Line, spread: (start: Double, gap: Double)
  )? {
    let total = lines.summary
    var line = LineArrangement.Line(
      count: range.count,
      sum: 0,
      length: 0,
      isComplete: range.upperBound < items.count || total.lines == total.items
    )
    if let uniform {
      guard visit(1) else { return nil }
      line.sum = Double(range.count) * uniform.cross
      line.length = uniform.main
    } else {
      let isComplete = Self.forEachPart(of: range) { part in
        guard visit(part.count) else { return false }
        reader.forEach(in: part) { lengths in
          line.sum += lengths.cross
          line.length = max(line.length, lengths.main)
        }
        return true
      }
      guard isComplete else { return nil }
    }
    return (line, arrangement.spread(line, columns: columns, rule: rule))
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

  /// Appends the separators of a row, if the layout has any.
  ///
  /// - Parameter main: where the row starts.
  /// - Parameter wanted: the kind of the separator to append; nil = both.
  private func appendSeparators(
    of row: Int,
    main: Double,
    length: Double,
    kind wanted: Int?,
    _ reader: inout RowSeparatorReader?,
    to sink: inout ElementSink
  ) {
    guard let separators = reader?.separators, let separator = reader?.separator(of: row) else {
      return
    }
    func append(_ kind: Int, at main: Double, _ insets: EdgeInsets) {
      let strip = rule.axis.rect(
        AxisRect(main: main, cross: 0, mainLength: separators.thickness, crossLength: rule.extent)
      )
      sink.append(
        .decoration,
        kind: kind,
        item: row,
        frame: rule.axis.axisRect(strip.inset(by: insets)),
        zIndex: arrangement.zIndex + 1
      )
    }
    if let topKind = separators.topKind, wanted ?? topKind == topKind, separator.isAbove {
      append(topKind, at: main, separator.topInsets)
    }
    if wanted ?? separators.kind == separators.kind, separator.isBelow(row == items.count - 1) {
      append(separators.kind, at: main + length, separator.bottomInsets)
    }
  }
}
