// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The groups of a section that have a `GroupShape`.
struct MeasuredGroups: Sendable {
  let shape: GroupShape
  let items: ItemSequence
  /// All items, in order.
  let runs: SummaryTree<MeasuredRun>

  /// The number of groups, of which the last one may not be full.
  var count: Int { (items.count + shape.count - 1) / shape.count }

  /// The extent of all groups, each with the spacing after it, in points.
  var length: Double { runs.summary.lengths.first ?? 0 }

  /// The memory of the groups alone, in bytes: an estimate.
  var byteCount: Int { runs.count * MeasuredRun.byteCount(ofCount: shape.count) }

  /// The first group that, with the spacing after it, does not end before a place along the scroll
  /// axis; nil = all do.
  ///
  /// - Complexity: O(log items + items of a run)
  func cursor(endingAt main: Double) -> GroupCursor? {
    var place = GroupPlace()
    let found = runs.walk(&place) { place, sums in
      let next = place.past(sums)
      guard next.length < main else { return false }
      place = next
      return true
    }
    guard let found else { return nil }
    var cursor = GroupCursor(self, found.element, at: place)
    // Only by rounding it may be the last run, in which no group begins.
    guard cursor.first < items.count else { return self.cursor(ofItem: items.count - 1) }
    cursor.advance(endingAt: main)
    return cursor
  }

  /// The group that has an item; nil = there is no such item.
  ///
  /// - Complexity: O(log items + items of a run)
  func cursor(ofItem item: Int) -> GroupCursor? {
    guard item >= 0, item < items.count else { return nil }
    let first = item / shape.count * shape.count
    var place = GroupPlace()
    guard let run = run(ofItem: first, &place) else { return nil }
    var cursor = GroupCursor(self, run, at: place)
    cursor.advance(to: first)
    return cursor
  }

  /// The run that has an item, and in `place` its beginning; nil = there is no such item.
  func run(ofItem item: Int, _ place: inout GroupPlace) -> MeasuredRun? {
    place = GroupPlace()
    return runs.walk(&place) { place, sums in
      guard place.items + sums.items <= item else { return false }
      place = place.past(sums)
      return true
    }?
    .element
  }
}

/// Moves from group to group.
///
/// The start of a group is always summed in the same way: along the path to its run, and from there
/// group by group or, if these have equal lengths, by multiplication. So it is the same to the last
/// bit, whatever was asked before.
struct GroupCursor {
  private let groups: MeasuredGroups
  private var reader: GroupReader
  private var equalPitch: Double?
  /// The first group that begins in the run.
  private var base: GroupPlace
  /// The end of the items at which a group of the run may begin.
  private var runEnd: Int

  /// The group's first item.
  private(set) var first: Int
  /// Where the group begins, in points from the start of the first group.
  private(set) var start: Double
  /// The extent of the group, with the spacing after it, in points.
  private(set) var pitch = 0.0
  /// The number of items visited.
  private(set) var steps = 0

  /// Creates a cursor at the first group that begins in a run or after it.
  ///
  /// - Parameter place: where the run begins.
  fileprivate init(_ groups: MeasuredGroups, _ run: MeasuredRun, at place: GroupPlace) {
    self.groups = groups
    reader = GroupReader(groups.shape, groups.items)
    equalPitch = run.equalPitch
    runEnd = place.items + run.summary.items
    start = place.length
    first = place.items + GroupSums.phase(after: place.items, count: groups.shape.count)
    base = GroupPlace(items: first, length: start)
    read()
  }

  /// The group's items.
  var items: Range<Int> { first ..< min(first + groups.shape.count, groups.items.count) }

  /// The number of groups before it.
  var index: Int { first / groups.shape.count }

  /// Goes on to the next group.
  ///
  /// - Returns: false = this is the last one.
  mutating func next() -> Bool {
    guard first + groups.shape.count < groups.items.count else { return false }
    step()
    return true
  }

  private mutating func step() {
    guard equalPitch == nil else { return skip(equal: 1) }
    first += groups.shape.count
    start += pitch
    read()
  }

  /// Moves on by some groups in a run of groups of equal length.
  private mutating func skip(equal number: Int) {
    first += number * groups.shape.count
    start = base.length + Double((first - base.items) / groups.shape.count) * pitch
    read()
  }

  /// Reads the group, and its run if another run begins.
  private mutating func read() {
    guard first < groups.items.count else {
      pitch = 0
      return
    }
    if first >= runEnd {
      var place = GroupPlace()
      guard let run = groups.run(ofItem: first, &place) else {
        pitch = 0
        return
      }
      (equalPitch, runEnd, start) = (run.equalPitch, place.items + run.summary.items, place.length)
      base = GroupPlace(items: first, length: start)
    }
    if let equalPitch {
      pitch = equalPitch
      steps += 1
    } else {
      pitch = reader.pitch(ofGroupAt: first)
      steps += groups.shape.count
    }
  }

  /// Moves on to the first group of the run that does not end before a place, or to its last group.
  fileprivate mutating func advance(endingAt main: Double) {
    if let equalPitch, equalPitch > 0 {
      // One less than was passed, in case rounding made it one too many.
      let passed = ((main - start) / equalPitch).rounded(.up) - 2
      if passed > 0 { skip(equal: min(Int(min(passed, Double(rest))), rest)) }
    }
    while start + pitch < main, rest > 0 { step() }
  }

  /// Moves on to the group that begins with an item of the run.
  fileprivate mutating func advance(to item: Int) {
    if equalPitch != nil, item > first { skip(equal: (item - first) / groups.shape.count) }
    while first < item, rest > 0 { step() }
  }

  /// The number of groups of the run that begin after this one.
  private var rest: Int {
    let items = min(runEnd, groups.items.count) - first
    return max(0, GroupSums.groups(items: items, phase: 0, count: groups.shape.count) - 1)
  }
}
