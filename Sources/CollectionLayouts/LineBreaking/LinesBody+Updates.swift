// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LinesBody {
  /// The body after a change of the items. From each edited line on, lines are broken again until
  /// one begins where an old one did. All other lines are shared.
  ///
  /// - Parameter rule: the body's rule, perhaps with another default size: then the lines whose
  ///   items lack sizes are broken again as well. Runs of items without a size are in closed form.
  /// - Parameter splices: over item indices, sorted and disjoint.
  /// - Parameter work: told of the items by the thousand. Once it has stopped, the result must not
  ///   be used.
  func updated(
    to items: ItemSequence,
    rule newRule: LineRule,
    splices: [Splice],
    work: LayoutWork
  ) -> LinesBody {
    if newRule.uniformLengths(of: items) != nil {
      // In closed form there is nothing to share.
      return LinesBody(items, rule: newRule, arrangement: arrangement, work: work)
    }
    var splices = splices
    if newRule.defaultSize != rule.defaultSize {
      var merge = SpliceMerge(splices)
      items.forEachRangeLackingSizes { range in
        merge.add(range)
        return work.proceed(1)
      }
      splices = merge.finish()
    }
    var update = LineUpdate(lines, items, rule: newRule, splices: splices, work: work)
    let lines = update.lines()
    if work.isStopped { return self }
    return LinesBody(rule: newRule, arrangement: arrangement, items: items, lines: lines)
  }
}

/// Breaks again the lines that splices change, and puts all of them into the tree in one pass.
private struct LineUpdate {
  private let old: SummaryTree<LineLeaf>
  /// The items after the change.
  private let items: ItemSequence
  private let itemCount: Int
  private let isList: Bool
  private let splices: [Splice]
  /// The index of the next splice.
  private var next = 0
  /// The new index less the old one, for items between the splices taken so far and the next.
  private var shift = 0
  /// The index after the new items that have to be broken into lines in any case.
  private var changeEnd = 0
  private var reader: ItemLengthReader
  private var breaker: LineBreaker
  private let work: LayoutWork
  /// The new item up to which `work` has been told of the items.
  private var reported = 0
  private var replacements: [SummaryTree<LineLeaf>.Replacement] = []

  /// Rows are added one by one if fewer are left to add.
  private static let leastRows = 128
  /// The most rows that are added before `work` is told of them.
  private static let mostRows = 2048
  /// The number of items from which on `work` is told of them while they are put into a line.
  private static let longLine = 4096

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
    self.items = items
    itemCount = items.count
    isList = rule.isList
    reader = ItemLengthReader(items, rule: rule)
    breaker = LineBreaker(rule)
  }

  /// The tree of the lines after the change.
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

  /// Replaces the leaf that the next splice touches, and the leaves after it up to one that can
  /// stay.
  private mutating func replaceLeaves() {
    guard let place = old.place(of: touched, in: { $0.items }) else {
      // There were no lines before the change.
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
      // The cursor is at the old line where the new lines have joined the old ones. If that is the
      // first line of its leaf, the leaf can stay.
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

  /// The old item whose line the next splice disturbs: the item before the splice, because its line
  /// may have ended only where the next item did not fit.
  private var touched: Int {
    min(max(splices[next].old.lowerBound - 1, 0), max(old.summary.items - 1, 0))
  }

  /// Breaks lines from a new item on, until one begins where an old line does and all splices
  /// before that are applied.
  ///
  /// - Returns: whether there is such a line; the cursor is then there.
  private mutating func breakLines(from first: Int, until cursor: inout LineCursor) -> Bool {
    var item = first
    reported = first
    takeSplice()
    while item < itemCount, mayContinue(at: item) {
      // Takes the splices that the new lines have reached.
      while next < splices.count, splices[next].new.lowerBound <= item { takeSplice() }
      if item >= changeEnd, cursor.go(toLineAt: item - shift, in: old) { return true }
      item = breakLine(from: item)
    }
    next = splices.count
    return false
  }

  /// Takes the next splice.
  private mutating func takeSplice() {
    let splice = splices[next]
    shift = splice.new.upperBound - splice.old.upperBound
    changeEnd = splice.new.upperBound
    next += 1
  }

  /// Breaks all items from an item on.
  private mutating func breakLines(from first: Int) {
    var item = first
    reported = first
    changeEnd = itemCount
    while item < itemCount, mayContinue(at: item) { item = breakLine(from: item) }
    next = splices.count
  }

  /// Tells the work of the items up to `item`, once there are a thousand of them.
  ///
  /// - Returns: whether to go on.
  @inline(__always)
  private mutating func mayContinue(at item: Int) -> Bool {
    if item - reported < 1024 { return true }
    // A run of equal items is one step, however long it is.
    let steps = min(item - reported, 2048)
    reported = item
    return work.proceed(steps)
  }

  /// Breaks one line, or all lines of a run of equal items, or many rows of a list.
  ///
  /// - Returns: the first item of the next line.
  @inline(__always)
  private mutating func breakLine(from first: Int) -> Int {
    let run = reader.run(at: first)
    if run >= LineBreaker.leastRun { return breakRun(of: run, from: first) }
    if isList {
      if changeEnd - first >= SummedRows.least,
        let (rows, start) = SummedRows.found(
          in: first ..< changeEnd,
          of: items,
          rule: breaker.rule
        )
      {
        breaker.addRows(first ..< start, of: items)
        breaker.add(rows)
        return start + rows.count
      }
      if changeEnd - first >= Self.leastRows {
        let end = min(changeEnd, first + Self.mostRows)
        breaker.addRows(first ..< end, of: items)
        return end
      }
      breaker.addLine(of: 1, length: reader.lengths(at: first).main)
      return first + 1
    }
    // Most lines are short, so that their items need not be counted.
    let bound = min(itemCount, first + Self.longLine)
    var (end, length) = reader.lineEnd(from: first, itemCount: bound)
    if end == bound, bound < itemCount {
      (end, length) = reader.longLineEnd(from: first, itemCount: itemCount, work: work)
    }
    breaker.addLine(of: end - first, length: length)
    return end
  }

  /// Breaks the lines of a run of equal items, and fills up the last of them with the items after
  /// the run.
  ///
  /// - Returns: the first item of the next line.
  @inline(never)
  private mutating func breakRun(of run: Int, from first: Int) -> Int {
    breaker.add(run, of: reader.lengths(at: first), work: work)
    var item = first + run
    var steps = StepBatch(work)
    while item < itemCount, steps.proceed() {
      let lengths = reader.lengths(at: item)
      guard breaker.fits(lengths) else { break }
      _ = breaker.add(lengths)
      item += 1
    }
    breaker.closeLine()
    return item
  }
}
