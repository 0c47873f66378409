// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LinesBody {
  /// The body of the items after a change. From each edited line on lines are broken anew until one
  /// starts where an old one did; all others are shared.
  ///
  /// - Parameter splices: over item indices, sorted and disjoint.
  /// - Parameter work: told of lines by the thousand. Once it has stopped, the body is not to be used.
  func updated(to items: ItemSequence, splices: [Splice], work: LayoutWork) -> LinesBody {
    let uniform = Self.uniform(items, rule: rule, arrangement: arrangement)
    if uniform != nil {
      // Closed form: nothing to share.
      return LinesBody(items, rule: rule, arrangement: arrangement, work: work)
    }
    var update = LineUpdate(lines, items, rule: rule, splices: splices, work: work)
    let lines = update.lines()
    if work.isStopped { return self }
    return LinesBody(
      rule: rule,
      arrangement: arrangement,
      items: items,
      lines: lines,
      uniform: nil
    )
  }
}

/// Breaks anew what splices disturb, and puts it all into the tree at once.
private struct LineUpdate {
  private let old: SummaryTree<LineLeaf>
  /// Of the new items.
  private let itemCount: Int
  private let isList: Bool
  private let splices: [Splice]
  /// The next splice, and how far the items before it have moved.
  private var next = 0
  private var shift = 0
  private var reader: ItemLengthReader
  private var breaker: LineBreaker
  private let work: LayoutWork
  /// The new item up to which `work` was told of the lines.
  private var reported = 0
  private var replacements: [SummaryTree<LineLeaf>.Replacement] = []

  init(
    _ old: SummaryTree<LineLeaf>,
    _ items: ItemSequence,
    rule: LineRule,
    splices: [Splice],
    work: LayoutWork
  ) {
    self.old = old
    self.work = work
    self.splices = splices
    itemCount = items.count
    isList = rule.isList
    reader = ItemLengthReader(items, rule: rule)
    breaker = LineBreaker(rule)
  }

  mutating func lines() -> SummaryTree<LineLeaf> {
    while next < splices.count { replaceLeaves() }
    var lines = old
    if work.isStopped { return lines }
    if replacements.count == 1 {
      lines.replaceSubrange(replacements[0].range, with: replacements[0].elements)
    } else {
      lines.replaceSubranges(replacements)
    }
    return lines
  }

  /// Replaces the leaf with the next splice, and those after it up to one that stays.
  private mutating func replaceLeaves() {
    guard let place = old.place(of: touched, in: { $0.items }) else {
      // There are no old lines.
      breakLines(from: 0)
      replacements.append(.init(0 ..< old.count, with: breaker.finish()))
      return
    }
    var cursor = LineCursor(at: place)
    while true {
      cursor.goToLine(ofItem: touched)
      breaker.add(cursor.keptLine ..< cursor.line, of: cursor.leaf)
      guard breakLines(from: cursor.item + shift, until: &cursor) else {
        replacements.append(.init(place.index ..< old.count, with: breaker.finishEvenly()))
        return
      }
      // The cursor is at the old line that the new ones have met. When it is the first of a leaf the
      // leaf may stay.
      if cursor.line == 0 && !breaker.isLeafSmall {
        replacements.append(.init(place.index ..< cursor.index, with: breaker.finishEvenly()))
        return
      }
      cursor.keptLine = cursor.line
      guard next < splices.count, touched < cursor.end else { break }
    }
    breaker.add(cursor.line ..< cursor.leaf.summary.lines, of: cursor.leaf)
    replacements.append(.init(place.index ..< cursor.index + 1, with: breaker.finishEvenly()))
  }

  /// The old item whose line the next splice disturbs. The one before the change may have ended its
  /// line only because the next did not fit.
  private var touched: Int {
    min(max(splices[next].old.lowerBound - 1, 0), max(old.summary.items - 1, 0))
  }

  /// Breaks lines from a new item on until one starts where an old one does and no splice before it
  /// is left.
  ///
  /// - Returns: whether there is such a line; the cursor is there.
  private mutating func breakLines(from first: Int, until cursor: inout LineCursor) -> Bool {
    var item = first
    reported = first
    var changeEnd = takeSplice()
    while item < itemCount, mayContinue(at: item) {
      // Those that the new lines have run into.
      while next < splices.count, splices[next].new.lowerBound <= item { changeEnd = takeSplice() }
      if item >= changeEnd, cursor.go(toLineAt: item - shift, in: old) { return true }
      item = breakLine(from: item)
    }
    next = splices.count
    return false
  }

  /// - Returns: where its new items end.
  private mutating func takeSplice() -> Int {
    let splice = splices[next]
    shift = splice.new.upperBound - splice.old.upperBound
    next += 1
    return splice.new.upperBound
  }

  private mutating func breakLines(from first: Int) {
    var item = first
    reported = first
    while item < itemCount, mayContinue(at: item) { item = breakLine(from: item) }
    next = splices.count
  }

  /// Tells the work of the lines up to an item, by the thousand items.
  @inline(__always)
  private mutating func mayContinue(at item: Int) -> Bool {
    if item - reported < 1024 { return true }
    // A run of equal items is one step, however long it is.
    let steps = min(item - reported, 2048)
    reported = item
    return work.proceed(steps)
  }

  /// Breaks one line, or all lines that are a run of equal items.
  ///
  /// - Returns: the first item of the next line.
  @inline(__always)
  private mutating func breakLine(from first: Int) -> Int {
    let run = reader.run(at: first)
    if run >= LineBreaker.leastRun { return breakRun(of: run, from: first) }
    if isList {
      breaker.addLine(of: 1, length: reader.lengths(at: first).main)
      return first + 1
    }
    let (end, length) = reader.lineEnd(from: first, itemCount: itemCount)
    breaker.addLine(of: end - first, length: length)
    return end
  }

  /// - Returns: the first item that does not fit into the last line of the run.
  @inline(never)
  private mutating func breakRun(of run: Int, from first: Int) -> Int {
    breaker.add(run, of: reader.lengths(at: first))
    var item = first + run
    while item < itemCount {
      let lengths = reader.lengths(at: item)
      guard breaker.fits(lengths) else { break }
      _ = breaker.add(lengths)
      item += 1
    }
    breaker.closeLine()
    return item
  }
}
