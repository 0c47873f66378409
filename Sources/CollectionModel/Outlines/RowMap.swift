// SPDX-License-Identifier: Apache-2.0

/// Consecutive visible items of an outline, followed by consecutive hidden ones.
struct RowRun: SummarizedElement, TreeSummary {
  var shown: Int
  var hidden: Int

  static let zero = RowRun(shown: 0, hidden: 0)

  static func + (a: RowRun, b: RowRun) -> RowRun {
    RowRun(shown: a.shown + b.shown, hidden: a.hidden + b.hidden)
  }

  var summary: RowRun { self }
  /// The number of items, visible or not.
  var itemCount: Int { shown + hidden }
}

/// Which items of an outline are visible: the rows of those who see it so.
///
/// A persistent tree of runs of items. Its size is that of the runs, and an edit shares all the
/// others.
public struct RowMap: Sendable {
  private var runs: SummaryTree<RowRun>

  /// A map in which all items are visible.
  init(itemCount: Int) {
    runs = SummaryTree(itemCount > 0 ? [RowRun(shown: itemCount, hidden: 0)] : [])
  }

  init(_ list: RowRunList) { runs = SummaryTree(list.runs) }

  /// The number of visible items.
  public var rowCount: Int { runs.summary.shown }
  /// The number of items, visible or not.
  public var itemCount: Int { runs.summary.itemCount }
  /// Roughly the memory in use, in bytes.
  var byteCount: Int { runs.count * Self.runBytes }
  /// How many visible runs there are, with what is hidden behind each.
  var runCount: Int { runs.count }

  /// Roughly the memory of a run, in bytes.
  static let runBytes = 20

  /// The number of visible items before an item.
  ///
  /// - Complexity: O(log runs)
  /// - Precondition: `item` is within 0 ... itemCount.
  public func rowCount(before item: Int) -> Int {
    guard let run = run(of: item) else { return rowCount }
    return run.prefix.shown + min(item - run.prefix.itemCount, run.element.shown)
  }

  /// The row of an item; nil = it is not visible.
  ///
  /// - Complexity: O(log runs)
  /// - Precondition: `item` is within 0 ..< itemCount.
  public func row(of item: Int) -> Int? {
    guard let run = run(of: item) else { return nil }
    let offset = item - run.prefix.itemCount
    return offset < run.element.shown ? run.prefix.shown + offset : nil
  }

  /// The item of a row; for the end of the rows, `itemCount`.
  ///
  /// - Complexity: O(log runs)
  public func item(ofRow row: Int) -> Int {
    guard let run = runs.firstPosition(where: { $0.shown > row }) else { return itemCount }
    return run.prefix.itemCount + row - run.prefix.shown
  }

  private func run(of item: Int) -> SummaryTree<RowRun>.Position? {
    runs.firstPosition { $0.itemCount > item }
  }

  /// The runs of a range of items.
  ///
  /// - Complexity: O(log runs + runs in the range)
  /// - Precondition: `items` is within 0 ..< itemCount.
  func runs(in items: Range<Int>) -> RowRunList {
    var list = RowRunList()
    guard !items.isEmpty, let first = run(of: items.lowerBound) else { return list }
    runs.forEach(in: first.index ..< runs.count) { run, _, prefix in
      let start = prefix.itemCount
      guard start < items.upperBound else { return false }
      let middle = start + run.shown
      list.append(shown: (start ..< middle).clamped(to: items).count)
      list.append(hidden: (middle ..< start + run.itemCount).clamped(to: items).count)
      return true
    }
    return list
  }

  /// Replaces the runs of a range of items.
  ///
  /// - Complexity: O(log runs + new runs)
  /// - Precondition: `items` is within 0 ..< itemCount.
  mutating func replace(_ items: Range<Int>, with new: RowRunList) {
    // The neighbouring runs are replaced too, so that they merge with the new ones.
    let first = items.lowerBound > 0 ? run(of: items.lowerBound - 1) : run(of: 0)
    guard let first else {
      self = RowMap(new)
      return
    }
    let last = run(of: items.upperBound)
    let lower = first.prefix.itemCount
    let upper = last.map { $0.prefix.itemCount + $0.element.itemCount } ?? itemCount
    var list = runs(in: lower ..< items.lowerBound)
    list.append(new)
    list.append(runs(in: items.upperBound ..< upper))
    runs.replaceSubrange(first.index ..< (last?.index ?? runs.count - 1) + 1, with: list.runs)
  }
}

/// Runs in order, with neighbours of the same kind joined.
struct RowRunList {
  private(set) var runs: [RowRun] = []

  mutating func append(shown count: Int) {
    guard count > 0 else { return }
    if let last = runs.indices.last, runs[last].hidden == 0 {
      runs[last].shown += count
    } else {
      runs.append(RowRun(shown: count, hidden: 0))
    }
  }

  mutating func append(hidden count: Int) {
    guard count > 0 else { return }
    if let last = runs.indices.last {
      runs[last].hidden += count
    } else {
      runs.append(RowRun(shown: 0, hidden: count))
    }
  }

  mutating func append(_ other: RowRunList) {
    for run in other.runs {
      append(shown: run.shown)
      append(hidden: run.hidden)
    }
  }
}
