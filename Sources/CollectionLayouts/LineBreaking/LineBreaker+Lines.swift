// SPDX-License-Identifier: Apache-2.0

extension LineBreaker {
  /// Adds one line.
  ///
  /// - Parameter items: the number of its items.
  /// - Parameter length: the greatest length of its items along the scroll axis.
  /// - Precondition: no line is open.
  @inline(__always)
  mutating func addLine(of items: Int, length: Double) {
    close(line: items, pitch: length + rule.lineSpacing)
  }

  /// Adds lines of an existing leaf unchanged.
  ///
  /// - Parameter lines: indices of lines in `leaf`.
  /// - Precondition: no line is open.
  mutating func add(_ lines: Range<Int>, of leaf: LineLeaf) {
    guard !lines.isEmpty else { return }
    if case .run(let itemsPerLine, let pitch) = leaf.storage,
      lines.count * itemsPerLine >= Self.leastRun
    {
      sealLeaf()
      leaves.append(LineLeaf(run: lines.count, itemsPerLine: itemsPerLine, pitch: pitch))
      return
    }
    if case .summed(let rows) = leaf.storage {
      add(lines, of: rows)
      return
    }
    // All lines can be added at once if none before the last of them fills the leaf.
    if case .lines(let starts) = leaf.storage,
      leafItems + Int(starts[lines.upperBound - 1].item) - Int(starts[lines.lowerBound].item)
        < fullLeaf
    {
      addAll(lines, starts.span, end: leaf.start(ofLine: lines.upperBound))
      return
    }
    var start = leaf.start(ofLine: lines.lowerBound)
    for line in lines {
      let end = leaf.start(ofLine: line + 1)
      close(line: end.item - start.item, pitch: end.offset - start.offset)
      start = end
    }
  }

  /// Adds rows whose offsets are not stored.
  ///
  /// - Precondition: no line is open.
  mutating func add(_ rows: SummedRows) {
    sealLeaf()
    leaves.append(LineLeaf(rows))
  }

  /// Adds a range of summed rows, and keeps as many of them summed as possible.
  ///
  /// - Precondition: no line is open.
  private mutating func add(_ lines: Range<Int>, of rows: SummedRows) {
    guard let (part, start) = SummedRows.found(in: lines, of: rows.items, rule: rule) else {
      addRows(lines, of: rows.items)
      return
    }
    addRows(lines.lowerBound ..< start, of: rows.items)
    add(part)
    addRows(start + part.count ..< lines.upperBound, of: rows.items)
  }

  /// Adds lines of an existing leaf.
  ///
  /// - Parameter old: the starts of all lines of that leaf.
  /// - Parameter end: where the last of the lines ends in that leaf.
  /// - Precondition: no line before the last fills the leaf under construction.
  private mutating func addAll(
    _ lines: Range<Int>,
    _ old: Span<LineStart<Float>>,
    end: (offset: Double, item: Int)
  ) {
    var (leafLength, lineCount) = (leafLength, lineCount)
    let shift = leafItems - Int(old[lines.lowerBound].item)
    var offset = Double(old[lines.lowerBound].offset)
    // The array is moved out of `self`, so that one span serves all lines of the loop.
    var taken: [LineStart<Double>] = []
    swap(&taken, &self.starts)
    var starts = taken.mutableSpan
    for line in lines {
      // Nothing is cut off: the precondition keeps the index below `fullLeaf`.
      starts[lineCount] = LineStart(
        offset: leafLength,
        item: UInt16(truncatingIfNeeded: Int(old[line].item) + shift)
      )
      lineCount += 1
      let next = line + 1 < lines.upperBound ? Double(old[line + 1].offset) : end.offset
      leafLength += next - offset
      offset = next
    }
    swap(&taken, &self.starts)
    self.leafLength = leafLength
    self.lineCount = lineCount
    leafItems = end.item + shift
    if leafItems >= fullLeaf { sealLeaf() }
  }
}
