// SPDX-License-Identifier: Apache-2.0

extension LineBreaker {
  /// Adds one line.
  ///
  /// - Parameter length: the greatest of its items along the scroll axis.
  /// - Precondition: no line is open.
  @inline(__always)
  mutating func addLine(of items: Int, length: Double) {
    close(line: items, pitch: length + rule.lineSpacing)
  }

  /// Adds lines of a leaf as they are.
  ///
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
    // As long as the leaf has room the last one may be what fills it.
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

  /// - Parameter end: where the last of the lines ends.
  /// - Precondition: all but the last fit into the leaf.
  private mutating func addAll(
    _ lines: Range<Int>,
    _ old: Span<LineStart<Float>>,
    end: (offset: Double, item: Int)
  ) {
    var (leafLength, lineCount) = (leafLength, lineCount)
    let shift = leafItems - Int(old[lines.lowerBound].item)
    var offset = Double(old[lines.lowerBound].offset)
    // Out of here meanwhile: one span of it for all lines.
    var taken: [LineStart<Double>] = []
    swap(&taken, &self.starts)
    var starts = taken.mutableSpan
    for line in lines {
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
