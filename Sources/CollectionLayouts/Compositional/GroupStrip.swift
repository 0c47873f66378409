// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Consecutive groups of a section that all look the same.
struct GroupRun {
  let pattern: GroupPattern
  let firstItem: Int
  /// The number of their items. The last group may have fewer items than the pattern.
  let itemCount: Int
  let firstGroup: Int
  /// Where the first group begins along the strip, in points.
  let start: Double
  /// The number of group badges before the first group, for each of `GroupStrip.badgeKinds`.
  let badgeStarts: [Int]

  /// The number of groups.
  var groupCount: Int { (itemCount + pattern.cells.count - 1) / pattern.cells.count }
  var endItem: Int { firstItem + itemCount }
  var endGroup: Int { firstGroup + groupCount }

  /// Where the last group ends, without the spacing after it.
  func end(spacing: Double) -> Double {
    start + Double(groupCount) * (pattern.length + spacing) - spacing
  }
}

/// The groups of a section in order, along the axis in which they follow each other.
///
/// If nothing was measured there is one run of equal groups. Otherwise groups with measured items
/// form runs of their own between others.
struct GroupStrip: Sendable {
  private(set) var runs: [GroupRun] = []
  let spacing: Double
  /// The kinds of the badges on groups, as indices into `SectionedLayout.elementKinds`.
  let badgeKinds: [Int]
  /// The greatest distance by which elements reach before the start of their group, in points.
  private(set) var reachBefore = 0.0
  /// The greatest distance by which elements reach beyond the end of their group, in points.
  private(set) var reachAfter = 0.0
  /// By how much the last group is shorter than its pattern, because it has fewer items, in points.
  private(set) var shortening = 0.0
  /// The greatest extent of a group across the strip, in points.
  private(set) var breadth = 0.0
  /// On how many items behind its own any of the groups depends, or of those that were dropped.
  private(set) var lookahead = 1

  init(spacing: Double, badgeKinds: [Int]) {
    self.spacing = spacing
    self.badgeKinds = badgeKinds
  }

  var itemCount: Int { runs.last?.endItem ?? 0 }
  var groupCount: Int { runs.last?.endGroup ?? 0 }
  /// The distance from the start of the first group to the end of the last, in points.
  var length: Double { (runs.last?.end(spacing: spacing) ?? 0) - shortening }
  /// The greatest distance by which elements reach beyond the end of the last group, in points.
  var reachAfterEnd: Double {
    // Badges do not move when the last group is shortened.
    runs.last?.pattern.badges.isEmpty ?? true ? reachAfter : reachAfter + shortening
  }

  /// Adds items in groups of one pattern. Neighbouring runs that look the same become one.
  ///
  /// - Parameter alongMain: whether the strip runs along the scroll axis.
  /// - Precondition: every group except the last that is ever added is full.
  mutating func append(_ pattern: GroupPattern, itemCount count: Int, alongMain: Bool) {
    guard count > 0, !pattern.cells.isEmpty else { return }
    lookahead = max(lookahead, pattern.lookahead)
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

  /// The number of group badges of a kind.
  ///
  /// - Parameter kind: index into `badgeKinds`.
  private func badgeEnd(_ kind: Int) -> Int {
    guard let last = runs.last else { return 0 }
    return last.badgeStarts[kind] + last.groupCount * last.pattern.ordinalCount(badgeKinds[kind])
  }

  /// A group badge by its number among all of its kind; nil if there is no such badge.
  func groupBadge(kind: Int, ordinal: Int) -> (run: GroupRun, group: Int, ordinal: Int)? {
    guard let index = badgeKinds.firstIndex(of: kind), ordinal >= 0, ordinal < badgeEnd(index)
    else { return nil }
    // The last run whose badges begin at or before it. Runs without badges may begin at the same
    // number, and come before that one.
    let run = runs[firstRun { $0.badgeStarts[index] > ordinal } - 1]
    let count = max(1, run.pattern.ordinalCount(kind))
    let (group, rest) = (ordinal - run.badgeStarts[index]).quotientAndRemainder(dividingBy: count)
    return (run, group, rest)
  }

  /// Takes a pattern into the greatest reach and breadth.
  private mutating func include(_ pattern: GroupPattern, alongMain: Bool) {
    let bounds = pattern.bounds
    reachBefore = max(reachBefore, -(alongMain ? bounds.main : bounds.cross))
    reachAfter = max(
      reachAfter,
      (alongMain ? bounds.mainEnd : bounds.crossEnd) - pattern.length
    )
    breadth = max(breadth, pattern.breadth)
  }

  /// Makes the last group shorter by what lies between its last item and the last of a full group.
  ///
  /// - Complexity: O(items of one group)
  mutating func shortenLastGroup(alongMain: Bool) {
    guard let last = runs.last else { return }
    shortening = last.pattern.shortening(
      withItems: last.itemCount % last.pattern.cells.count,
      alongMain: alongMain
    )
  }

  /// Drops all groups from an item on, which must be the first of a group.
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
    (reachBefore, reachAfter, shortening, breadth) = (0, 0, 0, 0)
    for run in runs { include(run.pattern, alongMain: alongMain) }
  }

  /// The run that an item is in; nil if there is no such item.
  func run(ofItem item: Int) -> GroupRun? {
    guard item >= 0, item < itemCount else { return nil }
    return runs[firstRun { $0.endItem > item }]
  }

  /// The run that a group is in; nil if there is no such group.
  func run(ofGroup group: Int) -> GroupRun? {
    guard group >= 0, group < groupCount else { return nil }
    return runs[firstRun { $0.endGroup > group }]
  }

  /// The first run for which a condition holds that also holds for all runs behind it; the number
  /// of runs if there is none.
  func firstRun(where condition: (GroupRun) -> Bool) -> Int {
    runs.partitioningIndex(where: condition)
  }

  /// Calls `body` with each run that may have elements between two places, and with the range of
  /// its groups that may, until it returns false.
  ///
  /// - Complexity: O(log runs + runs between the places)
  func forEachRun(from start: Double, to end: Double, _ body: (GroupRun, Range<Int>) -> Bool) {
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
      guard body(run, range) else { return }
    }
  }

  /// A group's index from a quotient, cut off to `range`; 0 if it is not a number.
  private static func index(_ value: Double, in range: Range<Int>) -> Int {
    if !(value > 0) { return 0 }
    return value < Double(range.upperBound) ? Int(value) : max(0, range.upperBound - 1)
  }

  /// Where a group begins along the strip, and its length, in points; nil if there is no such
  /// group.
  func span(ofGroup group: Int) -> (start: Double, length: Double)? {
    guard let run = run(ofGroup: group) else { return nil }
    let step = run.pattern.length + spacing
    let length = run.pattern.length - (group == groupCount - 1 ? shortening : 0)
    return (run.start + Double(group - run.firstGroup) * step, length)
  }

  /// The first item of a group; nil if there is no such group.
  func firstItem(ofGroup group: Int) -> Int? {
    guard let run = run(ofGroup: group) else { return nil }
    return run.firstItem + (group - run.firstGroup) * run.pattern.cells.count
  }

  /// The group whose `place` is nearest to a value; if two are equally near, the first. nil if
  /// there are no groups.
  ///
  /// - Parameter place: returns the place of a group; it must not fall from group to group.
  /// - Complexity: O(log groups) calls of `place`.
  func group(nearestTo value: Double, place: (Int) -> Double) -> Int? {
    guard groupCount > 0 else { return nil }
    let next = (1 ..< groupCount).partitioningIndex { !(place($0) <= value) }
    guard next < groupCount else { return next - 1 }
    return value - place(next - 1) <= place(next) - value ? next - 1 : next
  }

  /// The longest lengths of all groups at a level that they share; nil = none was measured.
  ///
  /// - Complexity: O(runs)
  func longest(_ level: Int) -> UniformLengths.Pair {
    var result = UniformLengths()
    for run in runs { result.raise(level, to: run.pattern.longest[level]) }
    return result[level]
  }

  /// The memory that the strip takes, in bytes: an estimate.
  ///
  /// - Parameter shared: a pattern that the section's template counts already.
  func byteCount(sharing shared: GroupPattern?) -> Int {
    runs.reduce(64) { $0 + bytesPerRun + ($1.pattern === shared ? 0 : $1.pattern.byteCount) }
  }

  /// The memory that a run takes without its pattern, in bytes.
  var bytesPerRun: Int {
    MemoryLayout<GroupRun>.stride
      + (badgeKinds.isEmpty ? 0 : 32 + badgeKinds.count * MemoryLayout<Int>.stride)
  }
}
