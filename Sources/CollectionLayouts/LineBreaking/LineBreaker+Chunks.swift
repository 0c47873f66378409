// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LineBreaker {
  /// Adds a range of items chunk by chunk, and a run of chunks without sizes in one step.
  ///
  /// - Parameter work: told of the items. Once it has stopped, the lines must not be used.
  /// - Precondition: `range` is within the items.
  mutating func add(_ items: ItemSequence, in range: Range<Int>, work: LayoutWork) {
    var start = range.lowerBound
    while start < range.upperBound, !work.isStopped {
      items.forEachChunk(in: start ..< range.upperBound) { chunk, first in
        let end = first + chunk.count
        if chunk.widths.isAbsent, chunk.heights.isAbsent {
          let runEnd = min(items.endOfUnsizedRun(at: start), range.upperBound)
          add(runEnd - start, of: rule.lengths(width: nil, height: nil), work: work)
          start = runEnd
          _ = work.proceed(1)
          // Goes on behind the run.
          return start == end
        }
        let part = start ..< min(end, range.upperBound)
        add(chunk, part.lowerBound - first ..< part.upperBound - first, work: work)
        start = part.upperBound
        // A long chunk of equal items is broken in closed form, so its steps are limited.
        return work.proceed(min(part.count, Self.leafItems))
      }
    }
  }

  /// Adds a range of items as rows of a list, and closes the last of them.
  ///
  /// - Precondition: `range` is within the items; the rule is that of a list.
  mutating func addRows(_ range: Range<Int>, of items: ItemSequence) {
    items.forEachChunk(in: range) { chunk, first in
      let part = range.clamped(to: first ..< first + chunk.count)
      // Each row is a line, so that none is open for long.
      add(chunk, part.lowerBound - first ..< part.upperBound - first, work: .unlimited)
      return true
    }
    closeLine()
  }

  /// Adds some items of a chunk.
  private mutating func add(_ chunk: ItemChunk, _ range: Range<Int>, work: LayoutWork) {
    if let lengths = rule.uniformLengths(
      width: chunk.widths.uniform,
      height: chunk.heights.uniform
    ) {
      add(range.count, of: lengths, work: work)
      return
    }
    if rule.pixelGrid != nil {
      for index in range {
        _ = add(
          rule.lengths(width: chunk.widths.value(at: index), height: chunk.heights.value(at: index))
        )
      }
      return
    }
    let isVertical = rule.axis == .vertical
    let main = isVertical ? chunk.heights : chunk.widths
    let cross = isVertical ? chunk.widths : chunk.heights
    // Generic functions: the compiler makes one tight loop for each pair of representations.
    switch (main, rule.isList ? main : cross) {
    case (.floats(let main), .floats(let cross)):
      add(main: main.span.extracting(range), cross: cross.span.extracting(range))
    case (.floats(let main), .doubles(let cross)):
      addOneByOne(main: main.span.extracting(range), cross: cross.span.extracting(range))
    case (.doubles(let main), .floats(let cross)):
      addOneByOne(main: main.span.extracting(range), cross: cross.span.extracting(range))
    case (.doubles(let main), .doubles(let cross)):
      addOneByOne(main: main.span.extracting(range), cross: cross.span.extracting(range))
    case (let main, .floats(let cross)):
      let main = repeated(main, isWidth: !isVertical, range.count)
      addOneByOne(main: main.span, cross: cross.span.extracting(range))
    case (let main, .doubles(let cross)):
      let main = repeated(main, isWidth: !isVertical, range.count)
      addOneByOne(main: main.span, cross: cross.span.extracting(range))
    case (.floats(let main), let cross):
      let cross = repeated(cross, isWidth: isVertical, range.count)
      addOneByOne(main: main.span.extracting(range), cross: cross.span)
    case (.doubles(let main), let cross):
      let cross = repeated(cross, isWidth: isVertical, range.count)
      addOneByOne(main: main.span.extracting(range), cross: cross.span)
    default:
      break
    }
  }

  /// A column without values of its own as a column with one value for each item. Chunks that need
  /// this are small.
  private func repeated(_ column: LengthColumn, isWidth: Bool, _ count: Int) -> [Double] {
    let size = rule.defaultSize
    let length =
      if case .constant(let value) = column { value } else { isWidth ? size.width : size.height }
    return Array(repeating: length, count: count)
  }
}
