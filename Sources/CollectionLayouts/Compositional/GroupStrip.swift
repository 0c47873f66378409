// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Groups of a section that all look the same, one after the other.
struct GroupRun {
  let pattern: GroupPattern
  let firstItem: Int
  /// The last group may have fewer items than the pattern.
  let itemCount: Int
  let firstGroup: Int
  /// Where the first group begins, along the strip.
  let start: Double
  /// How many group badges there are before the first group, for each of `GroupStrip.badgeKinds`.
  let badgeStarts: [Int]

  var groupCount: Int { (itemCount + pattern.cells.count - 1) / pattern.cells.count }
  var endItem: Int { firstItem + itemCount }
  var endGroup: Int { firstGroup + groupCount }

  /// Where the groups end, without the spacing after the last.
  func end(spacing: Double) -> Double {
    start + Double(groupCount) * (pattern.length + spacing) - spacing
  }
}

/// The groups of a section in order, along the axis in which they follow each other.
///
/// One run of equal groups where nothing was measured. Groups with measured items stand in runs of
/// their own between those.
struct GroupStrip: Sendable {
  private(set) var runs: [GroupRun] = []
  let spacing: Double
  /// The kinds of badges that are on groups.
  let badgeKinds: [Int]
  /// How far elements reach before the start of their group and beyond its end.
  private(set) var reachBefore = 0.0
  private(set) var reachAfter = 0.0
  /// The greatest extent of a group across the strip.
  private(set) var breadth = 0.0

  init(spacing: Double, badgeKinds: [Int]) {
    self.spacing = spacing
    self.badgeKinds = badgeKinds
  }

  var itemCount: Int { runs.last?.endItem ?? 0 }
  var groupCount: Int { runs.last?.endGroup ?? 0 }
  /// From the start of the first group to the end of the last.
  var length: Double { runs.last?.end(spacing: spacing) ?? 0 }

  /// Adds items in groups of one pattern; runs that look the same become one.
  ///
  /// - Precondition: only the last group that is ever added is not full.
  mutating func append(_ pattern: GroupPattern, itemCount count: Int, alongMain: Bool) {
    guard count > 0, !pattern.cells.isEmpty else { return }
    if let last = runs.last, last.pattern.matches(pattern) {
      runs[runs.count - 1] = GroupRun(
        pattern: last.pattern,
        firstItem: last.firstItem,
        itemCount: last.itemCount + count,
        firstGroup: last.firstGroup,
        start: last.start,
        badgeStarts: last.badgeStarts
      )
      return
    }
    let start = runs.last.map { $0.end(spacing: spacing) + spacing } ?? 0
    runs.append(
      GroupRun(
        pattern: pattern,
        firstItem: itemCount,
        itemCount: count,
        firstGroup: groupCount,
        start: start,
        badgeStarts: badgeKinds.indices.map { badgeEnd($0) }
      )
    )
    include(pattern, alongMain: alongMain)
  }

  /// How many group badges of a kind there are.
  private func badgeEnd(_ kind: Int) -> Int {
    guard let last = runs.last else { return 0 }
    return last.badgeStarts[kind] + last.groupCount * last.pattern.ordinalCount(badgeKinds[kind])
  }

  /// A group badge by its number among all of its kind; nil = there is no such one.
  func groupBadge(kind: Int, ordinal: Int) -> (run: GroupRun, group: Int, ordinal: Int)? {
    guard let index = badgeKinds.firstIndex(of: kind), ordinal >= 0, ordinal < badgeEnd(index)
    else { return nil }
    // The last run that begins at or before it: those before without badges begin there too.
    let run = runs[firstRun { $0.badgeStarts[index] > ordinal } - 1]
    let count = max(1, run.pattern.ordinalCount(kind))
    let (group, rest) = (ordinal - run.badgeStarts[index]).quotientAndRemainder(dividingBy: count)
    return (run, group, rest)
  }

  private mutating func include(_ pattern: GroupPattern, alongMain: Bool) {
    let bounds = pattern.bounds
    reachBefore = max(reachBefore, -(alongMain ? bounds.main : bounds.cross))
    reachAfter = max(
      reachAfter,
      (alongMain ? bounds.mainEnd : bounds.crossEnd) - pattern.length
    )
    breadth = max(breadth, pattern.breadth)
  }

  /// Forgets the runs from an item on, which must be the first of a group.
  mutating func truncate(toItem item: Int, alongMain: Bool) {
    while let last = runs.last, last.endItem > item {
      runs.removeLast()
      guard last.firstItem < item else { continue }
      runs.append(
        GroupRun(
          pattern: last.pattern,
          firstItem: last.firstItem,
          itemCount: item - last.firstItem,
          firstGroup: last.firstGroup,
          start: last.start,
          badgeStarts: last.badgeStarts
        )
      )
    }
    (reachBefore, reachAfter, breadth) = (0, 0, 0)
    for run in runs { include(run.pattern, alongMain: alongMain) }
  }

  /// The run that an item is in; nil = there is no such item.
  func run(ofItem item: Int) -> GroupRun? {
    guard item >= 0, item < itemCount else { return nil }
    return runs[firstRun { $0.endItem > item }]
  }

  /// The run that a group is in; nil = there is no such group.
  func run(ofGroup group: Int) -> GroupRun? {
    guard group >= 0, group < groupCount else { return nil }
    return runs[firstRun { $0.endGroup > group }]
  }

  /// The first run that satisfies a condition which all after it satisfy too; the count if none.
  func firstRun(where condition: (GroupRun) -> Bool) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if condition(runs[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Calls `body` with each run that may have elements between two places, and the range of those of
  /// its groups that may.
  ///
  /// - Complexity: O(log runs + runs in between)
  func forEachRun(from start: Double, to end: Double, _ body: (GroupRun, Range<Int>) -> Void) {
    let low = start - reachAfter
    let high = end + reachBefore
    for index in firstRun(where: { $0.end(spacing: spacing) >= low }) ..< runs.count {
      let run = runs[index]
      guard run.start <= high else { return }
      let step = run.pattern.length + spacing
      var range = 0 ..< run.groupCount
      if step > 0 {
        let first = Self.index((low - run.start) / step - 1, in: range)
        let last = Self.index((high - run.start) / step + 1, in: range)
        range = first ..< max(first, min(last + 1, range.upperBound))
      }
      body(run, range)
    }
  }

  private static func index(_ value: Double, in range: Range<Int>) -> Int {
    if !(value > 0) { return 0 }
    return value < Double(range.upperBound) ? Int(value) : max(0, range.upperBound - 1)
  }

  /// Where a group begins, along the strip, and how long it is.
  func span(ofGroup group: Int) -> (start: Double, length: Double)? {
    guard let run = run(ofGroup: group) else { return nil }
    let step = run.pattern.length + spacing
    return (run.start + Double(group - run.firstGroup) * step, run.pattern.length)
  }

  /// The item that a group begins with.
  func firstItem(ofGroup group: Int) -> Int? {
    guard let run = run(ofGroup: group) else { return nil }
    return run.firstItem + (group - run.firstGroup) * run.pattern.cells.count
  }

  /// The group whose `place` is nearest to a value; of two as near the first. nil = no groups.
  ///
  /// - Parameter place: grows from group to group.
  func group(nearestTo value: Double, place: (Int) -> Double) -> Int? {
    guard groupCount > 0 else { return nil }
    var low = 0
    var high = groupCount - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if place(middle) <= value { low = middle } else { high = middle - 1 }
    }
    guard low + 1 < groupCount else { return low }
    return value - place(low) <= place(low + 1) - value ? low : low + 1
  }

  /// Without patterns that stand for many groups of the section: the template counts its own.
  ///
  /// - Parameter shared: the pattern that somebody else counts.
  func byteCount(sharing shared: GroupPattern?) -> Int {
    runs.reduce(64) { $0 + bytesPerRun + ($1.pattern === shared ? 0 : $1.pattern.byteCount) }
  }

  /// What a run keeps in memory besides its pattern.
  var bytesPerRun: Int {
    MemoryLayout<GroupRun>.stride
      + (badgeKinds.isEmpty ? 0 : 32 + badgeKinds.count * MemoryLayout<Int>.stride)
  }
}
