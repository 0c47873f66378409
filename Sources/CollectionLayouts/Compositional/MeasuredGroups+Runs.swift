// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension MeasuredGroups {
  /// The groups of all items.
  ///
  /// - Complexity: O(items), without items that have no lengths and chunks that have only one.
  init(_ shape: GroupShape, _ items: ItemSequence, work: LayoutWork) {
    var builder = MeasuredRunBuilder(shape, items, work)
    builder.append(0 ..< items.count)
    self.init(shape: shape, items: items, runs: SummaryTree(builder.runs))
  }

  /// The groups after changes.
  ///
  /// - Parameters:
  ///   - items: the items after the changes.
  ///   - splices: over item indices, sorted and disjoint.
  /// - Complexity: O(changes · (log items + items of a run))
  func following(
    _ splices: [Splice],
    to items: ItemSequence,
    shape: GroupShape,
    work: LayoutWork
  ) -> MeasuredGroups {
    var replacements: [SummaryTree<MeasuredRun>.Replacement] = []
    var next = 0
    while next < splices.count {
      var old = place(before: splices[next])
      let begin = old.start + splices[next].new.lowerBound - splices[next].old.lowerBound
      var end = 0
      repeat {
        let splice = splices[next]
        next += 1
        old.cover(splice.old.upperBound, in: runs)
        end = old.end + splice.new.upperBound - splice.old.upperBound
        // A few items are joined with the next run, so that runs do not become ever shorter.
        if end - begin < MeasuredRunBuilder.leastItems { end += old.coverNext(in: runs) }
      } while next < splices.count && firstTouched(by: splices[next]) < old.end
      var builder = MeasuredRunBuilder(shape, items, work)
      builder.append(begin ..< end)
      replacements.append(.init(old.runs, with: builder.runs))
    }
    var runs = runs
    runs.replaceSubranges(replacements)
    return MeasuredGroups(shape: shape, items: items, runs: runs)
  }

  /// The first item at which a group with items of a splice may begin. Appended items join the last
  /// run, so for them it is the last item, even if no group with them begins there.
  private func firstTouched(by splice: Splice) -> Int {
    max(0, min(splice.old.lowerBound - (shape.count - 1), items.count - 1))
  }

  /// The run in which the first such group may begin, as a range to extend.
  private func place(before splice: Splice) -> CoveredRuns {
    guard let place = runs.place(of: firstTouched(by: splice), in: \.items) else {
      return CoveredRuns(runs: 0 ..< 0, start: 0, end: 0)
    }
    return CoveredRuns(runs: place.index ..< place.index, start: place.start, end: place.start)
  }

  /// Consecutive runs, and their items.
  private struct CoveredRuns {
    var runs: Range<Int>
    let start: Int
    var end: Int

    /// Extends the range to the runs up to an item, which need not exist.
    mutating func cover(_ item: Int, in all: SummaryTree<MeasuredRun>) {
      guard item > end, let last = all.place(of: item - 1, in: \.items) else {
        // A run that changes is included even if none of its items is replaced.
        if runs.isEmpty { _ = coverNext(in: all) }
        return
      }
      runs = runs.lowerBound ..< last.index + 1
      end = last.start + last.element.summary.items
    }

    /// Extends the range by another run.
    ///
    /// - Returns: the number of its items; 0 = there is none.
    mutating func coverNext(in all: SummaryTree<MeasuredRun>) -> Int {
      guard runs.upperBound < all.count else { return 0 }
      let items = all[runs.upperBound].summary.items
      runs = runs.lowerBound ..< runs.upperBound + 1
      end += items
      return items
    }
  }
}

/// Divides items into runs.
private struct MeasuredRunBuilder {
  /// The fewest items in a run, but for short sections: few enough to visit in each query, and
  /// enough that the run's sums are small beside them.
  static let leastItems = 64
  private static let mostItems = 256
  /// The fewest groups in a run with sums.
  private static let leastGroups = 8

  private let shape: GroupShape
  private let items: ItemSequence
  private let work: LayoutWork
  private var reader: GroupReader
  private var lengths: MeasuredLengths
  private let most: Int
  /// The longest cell of each group.
  private var longest = Windows<Double>()
  /// 1 for groups with a measured cell, otherwise 0.
  private var measured = Windows<UInt8>()
  private(set) var runs: [MeasuredRun] = []

  init(_ shape: GroupShape, _ items: ItemSequence, _ work: LayoutWork) {
    self.shape = shape
    self.items = items
    self.work = work
    reader = GroupReader(shape, items)
    lengths = MeasuredLengths(items, along: shape.axis)
    most = max(Self.mostItems, Self.leastGroups * shape.count)
  }

  /// Appends runs of the items of a range.
  mutating func append(_ range: Range<Int>) {
    var first = range.lowerBound
    while first < range.upperBound {
      let equal = equalRun(from: first, to: range.upperBound)
      if let equal, equal.items >= most {
        runs.append(MeasuredRun(items: equal.items, equalPitch: equal.pitch, count: shape.count))
        first += equal.items
        guard work.proceed(1 + shape.count / 8) else { return }
        continue
      }
      let rest = range.upperBound - first
      let count = rest <= most ? rest : rest < 2 * most ? rest / 2 : most
      runs.append(MeasuredRun(GroupSums(items: count, lengths: sums(of: first ..< first + count))))
      first += count
      // A run has a sum for each item of a group, however few items it has itself.
      let looks = shape.equalCells == nil ? count * shape.count : count
      guard work.proceed(looks + shape.count / 8) else { return }
    }
  }

  /// How many items from one on begin groups that have only items without lengths, or only items of
  /// one length.
  private mutating func equalRun(from first: Int, to end: Int) -> (items: Int, pitch: Double)? {
    let (column, chunk) = lengths.chunk(of: first)
    let (last, pitch): (Int, Double)
    switch column {
    case .absent: (last, pitch) = (items.endOfUnsizedRun(at: first), shape.patternPitch)
    case .constant(let length):
      let longest = shape.longestExtent(ofEqual: shape.length(length))
      (last, pitch) = (chunk.upperBound, shape.pitch(longest: longest))
    case .floats, .doubles: return nil
    }
    return (min(max(last, chunk.upperBound) - (shape.count - 1), end) - first, pitch)
  }

  /// The extents of the groups that begin at each item of a range, summed by phase.
  private mutating func sums(of range: Range<Int>) -> [Double] {
    var sums = [Double](repeating: 0, count: shape.count)
    guard let cells = shape.equalCells else {
      var phase = 0
      for item in range {
        sums[phase] += reader.pitch(ofGroupAt: item)
        phase = phase + 1 < shape.count ? phase + 1 : 0
      }
      return sums
    }
    let count = range.count + shape.count - 1
    let isWhollyMeasured = longest.fill(count) {
      reader.copyLengths(from: range.lowerBound, to: &$0, pattern: cells.length)
    }
    longest.widen(to: shape.count, max)
    if !isWhollyMeasured {
      _ = measured.fill(count) { reader.copyFlags(from: range.lowerBound, to: &$0) }
      measured.widen(to: shape.count, |)
    }
    var phase = 0
    for place in 0 ..< range.count {
      sums[phase] +=
        isWhollyMeasured || measured.values[place] == 1
        ? shape.pitch(longest: max(0, longest.values[place] + cells.around)) : shape.patternPitch
      phase = phase + 1 < shape.count ? phase + 1 : 0
    }
    return sums
  }
}

/// A value for each window over consecutive items; one window begins at each item.
private struct Windows<Value: Numeric> {
  private(set) var values: [Value] = []

  /// Sets the windows of one item.
  ///
  /// - Returns: what `body` returns.
  mutating func fill(_ count: Int, _ body: (inout MutableSpan<Value>) -> Bool) -> Bool {
    if values.count != count { values = [Value](repeating: 0, count: count) }
    var values = values.mutableSpan
    return body(&values)
  }

  /// Widens the windows from one item to `width`. Windows beyond the last item are then
  /// meaningless.
  ///
  /// - Parameter join: combines the values of two windows.
  /// - Complexity: O(items · log width): two adjacent windows of one width make one of twice the
  ///   width.
  @inline(__always)
  mutating func widen(to width: Int, _ join: (Value, Value) -> Value) {
    var values = values.mutableSpan
    var found = 1
    while found < width {
      let step = min(found, width - found)
      for place in 0 ..< values.count - step {
        values[place] = join(values[place], values[place + step])
      }
      found += step
    }
  }
}
