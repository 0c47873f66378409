// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Makes the draft of columns after edits: keeps runs, and places items again around the edits.
struct ColumnsEditor<Rule: ColumnRule> {
  private let old: [ColumnRun<Rule>]
  private let items: ItemSequence
  private let rule: Rule
  private let work: LayoutWork
  private var new: [ColumnRun<Rule>] = []
  /// How far the old runs have been kept or replaced: a run, and a mark of its body.
  private var next: (run: Int, mark: Int)
  /// Added to the numbers of the items that are kept next.
  private var itemShift = 0
  /// How far these move along the scroll axis, in points.
  private var mainShift = 0.0
  /// The seam before these.
  private var seam: (start: Double, end: Double)?
  /// How many items have been placed again.
  private var placedCount = 0

  /// - Parameter runs: before the edits; at least one.
  /// - Parameter items: after them.
  init(_ runs: [ColumnRun<Rule>], to items: ItemSequence, rule: Rule, work: LayoutWork) {
    old = runs
    self.items = items
    self.rule = rule
    self.work = work
    next = (0, runs.first?.marks.lowerBound ?? 0)
  }

  /// How many items are placed again after an edit, so that those in view around it are in their
  /// final places.
  static func reach(edits: Int) -> Int {
    min(max(4 * LayoutDrafts.replacedItems / max(edits, 1), 128), LayoutDrafts.replacedItems)
  }

  /// The draft after edits.
  ///
  /// - Parameters:
  ///   - splices: over the items of the runs, sorted and disjoint.
  ///   - place: items are placed again at least up to this place along the scroll axis; nil = the
  ///     usual number.
  /// - Returns: nil = that would take as long as placing all items, or the work has stopped.
  mutating func edited(_ splices: [Splice], upTo place: Double? = nil) -> ColumnsDraft<Rule>? {
    guard splices.count <= LayoutDrafts.edits else { return nil }
    let reach = Self.reach(edits: splices.count)
    var index = 0
    while index < splices.count {
      var end = Self.position(behind: splices[index].old.upperBound + reach, in: old)
      var last = index
      // Edits that follow closely are part of the same run.
      while last + 1 < splices.count,
        splices[last + 1].old.lowerBound - rule.stride <= item(at: end)
      {
        last += 1
        let behind = Self.position(behind: splices[last].old.upperBound + reach, in: old)
        if item(at: behind) > item(at: end) { end = behind }
      }
      guard replace(splices[index ... last], end: end, upTo: place) else { return nil }
      index = last + 1
    }
    keep(upTo: (old.count, 0))
    guard new.count <= LayoutDrafts.runs else { return nil }
    return ColumnsDraft(items, rule: rule, runs: new)
  }

  // MARK: - Positions

  /// A mark from which items can be kept: at or after an item, and not shortly before the end of a
  /// run other than the last, so that runs do not become ever shorter.
  private static func position(
    behind item: Int,
    in runs: [ColumnRun<Rule>]
  ) -> (run: Int, mark: Int) {
    var run = runs.index(ofItem: item)
    guard run < runs.count - 1 else { return (run, runs[run].mark(after: item)) }
    var mark = runs[run].mark(after: item)
    while run < runs.count - 1,
      runs[run].last - runs[run].item(atMark: mark) < LayoutDrafts.replacedItems
    {
      run += 1
      mark = runs[run].marks.lowerBound
    }
    return (run, mark)
  }

  private func item(at position: (run: Int, mark: Int)) -> Int {
    old[position.run].item(atMark: position.mark)
  }

  // MARK: - Runs

  /// Keeps the old runs up to a position.
  private mutating func keep(upTo end: (run: Int, mark: Int)) {
    while next.run < old.count, next.run <= end.run {
      let run = old[next.run]
      let upper = next.run == end.run ? end.mark : run.marks.upperBound
      if next.mark < upper {
        let isWhole = next.mark == run.marks.lowerBound
        new.append(
          ColumnRun(
            run.body,
            marks: next.mark ..< upper,
            first: run.item(atMark: next.mark) + itemShift,
            shift: run.shift + mainShift,
            seam: seam ?? (isWhole ? run.seam : nil)
          )
        )
        seam = nil
      }
      if next.run == end.run {
        next.mark = max(next.mark, upper)
        return
      }
      next.run += 1
      next.mark = next.run < old.count ? old[next.run].marks.lowerBound : 0
    }
  }

  /// Places the items around some edits again.
  ///
  /// - Parameter end: where old items are kept again, unless `place` is further on.
  /// - Returns: false = that takes too long.
  private mutating func replace(
    _ splices: ArraySlice<Splice>,
    end: (run: Int, mark: Int),
    upTo place: Double?
  ) -> Bool {
    guard let first = splices.first, let last = splices.last else { return true }
    // Items before an edit have not moved, so the run that ends there matters.
    let runIndex = old.index(ofItem: max(0, first.old.lowerBound - 1))
    let run = old[runIndex]
    let mark = run.mark(at: first.old.lowerBound)
    keep(upTo: (runIndex, mark))
    let start = run.item(atMark: mark) + first.new.lowerBound - first.old.lowerBound
    let shift = run.shift + mainShift
    let state = run.body.state(atMark: mark)
    itemShift = last.new.upperBound - last.old.upperBound
    var end = end
    if let place {
      let reached = self.item(reaching: place - shift, from: start, state)
      let behind = Self.position(behind: reached - itemShift + LayoutDrafts.replacedItems, in: old)
      if item(at: behind) > item(at: end) { end = behind }
    }
    let stop = min(item(at: end) + itemShift, items.count)
    guard stop >= start, stop - start <= LayoutDrafts.items - placedCount else { return false }
    placedCount += stop - start
    let body = ColumnsBody(items, in: start ..< stop, rule: rule, start: state, work: work)
    if work.isStopped { return false }
    if stop > start {
      new.append(ColumnRun(body, marks: 0 ..< body.markCount, first: start, shift: shift))
    }
    next = end
    join(body, shift, to: end)
    return true
  }

  /// Moves the following items behind those that were placed again, just far enough that none
  /// overlaps another.
  private mutating func join(
    _ body: ColumnsBody<Rule>,
    _ shift: Double,
    to end: (run: Int, mark: Int)
  ) {
    let columns = rule.columnCount
    let ends = body.state(atMark: body.markCount).prefix(columns)
    let starts = old[end.run].body.state(atMark: end.mark).prefix(columns)
    let distances = zip(ends, starts).map { $0 - $1 }
    let farthest = (distances.max() ?? 0) + shift
    mainShift = farthest - old[end.run].shift
    seam = nil
    guard distances.contains(where: { $0 + shift != farthest }) else { return }
    seam = ((ends.min() ?? 0) + shift - farthest, starts.max() ?? 0)
  }

  /// The first item at which all columns have reached a place.
  ///
  /// - Parameter state: the state before the first item considered.
  private func item(reaching main: Double, from start: Int, _ state: [Double]) -> Int {
    var columns = state
    var item = start
    rule.stack(
      items,
      in: start ..< min(items.count, start + LayoutDrafts.items),
      columns: &columns,
      stride: rule.stride
    ) { state in
      if let least = state.prefix(rule.columnCount).min(), least > main { return false }
      item += rule.stride
      return work.proceed(rule.steps(toPlace: rule.stride))
    } pause: {
      work.proceed($0)
    }
    return item
  }
}

/// The sizes of drafts.
enum LayoutDrafts {
  /// How many items are placed again after one edit: many screens of them.
  static let replacedItems = 4096
  /// The most items that are placed again for one draft.
  static let items = 65_536
  /// The most edits at once.
  static let edits = 256
  /// The most runs of a draft; they grow with edits in different places.
  static let runs = 1024
}

// MARK: - Updates

extension ColumnRule {
  /// The body of columns after a change.
  ///
  /// - Parameters:
  ///   - body: the body before the change; nil or another type of body = the result is nil.
  ///   - items: the items after the change.
  ///   - change: tells whether a draft is acceptable.
  /// - Returns: nil = the items have to be placed from scratch.
  func updated(
    _ body: (any SectionBody)?,
    to items: ItemSequence,
    by change: SectionUpdate,
    work: LayoutWork
  ) -> (any SectionBody)? {
    let whole = body as? ColumnsBody<Self>
    let draft = body as? ColumnsDraft<Self>
    guard let first = whole ?? draft?.runs.first?.body else { return nil }
    if change.isDraft, let drafted = drafted(whole, draft, to: items, by: change, work: work) {
      return drafted
    }
    if work.isStopped { return body }
    if let whole {
      return whole.updated(to: items, rule: self, splices: change.itemSplices, work: work)
    }
    let known = min(
      draft?.runs.first?.count ?? 0,
      change.itemSplices.first?.new.lowerBound ?? .max
    )
    return first.continued(keeping: known, to: items, rule: self, work: work)
  }

  /// nil if the whole takes no longer.
  private func drafted(
    _ whole: ColumnsBody<Self>?,
    _ draft: ColumnsDraft<Self>?,
    to items: ItemSequence,
    by change: SectionUpdate,
    work: LayoutWork
  ) -> (any SectionBody)? {
    // If items may be placed further back, an item may lie before the marks that a search by place
    // finds; so may one that fills a gap before a seam.
    guard lookBack == 0 else { return nil }
    if let span = change.settledSpan { return draft?.settled(in: span, work: work) }
    guard let splice = change.itemSplices.first else { return draft }
    if whole != nil, items.count - splice.new.lowerBound <= 2 * LayoutDrafts.replacedItems {
      return nil
    }
    guard let runs = draft?.runs ?? whole.map({ [ColumnRun($0)] }) else { return nil }
    var editor = ColumnsEditor(runs, to: items, rule: self, work: work)
    return editor.edited(change.itemSplices)
  }
}
