// SPDX-License-Identifier: Apache-2.0

/// A part of a section in which rows may appear or disappear.
struct OutlineRegion {
  /// Some items before a change and after it.
  struct Part {
    var splice: Splice
    /// nil = the same items on both sides.
    var kind: SpliceKind?
  }

  var parts: [Part]

  var old: Range<Int> {
    (parts.first?.splice.old.lowerBound ?? 0) ..< (parts.last?.splice.old.upperBound ?? 0)
  }
  var new: Range<Int> {
    (parts.first?.splice.new.lowerBound ?? 0) ..< (parts.last?.splice.new.upperBound ?? 0)
  }
}

/// Derives the rows of one section from those before a change.
struct SectionProjection {
  private let old: ItemSequence
  private let new: ItemSequence
  private let seen: SectionContents
  /// nil = the section is not an outline after the change.
  private let rule: ExpansionRule?
  private var splices = RowSplices()
  /// For each region, its old items and the runs that replace theirs.
  private var replaced: [(items: Range<Int>, runs: RowRunList)] = []

  /// - Parameter old: all items before the change.
  /// - Parameter new: all items after it.
  /// - Parameter seen: the section before the change, as the viewer sees it.
  init(old: ItemSequence, new: ItemSequence, seen: SectionContents, rule: ExpansionRule?) {
    self.old = old
    self.new = new
    self.seen = seen
    self.rule = rule
  }

  // MARK: - Regions

  /// The section as one region.
  func everything(_ map: SpliceMap) -> OutlineRegion {
    var region = OutlineRegion(parts: [])
    var (oldEnd, newEnd) = (0, 0)
    for (splice, kind) in zip(map.splices, map.kinds) {
      region.appendGap(to: splice, oldEnd, newEnd)
      region.parts.append(.init(splice: splice, kind: kind))
      (oldEnd, newEnd) = (splice.old.upperBound, splice.new.upperBound)
    }
    region.appendGap(
      to: Splice(old: old.count ..< old.count, new: new.count ..< new.count),
      oldEnd,
      newEnd
    )
    return region
  }

  /// The regions of a change: from each splice to the first following item that is no deeper than
  /// any in the splice. From there on, no item has an ancestor in the splice, before or after.
  func regions(of map: SpliceMap) -> [OutlineRegion] {
    var regions: [OutlineRegion] = []
    var region = OutlineRegion(parts: [])
    // Items below `level`, up to `end` of the new items, belong to the region.
    var level = OutlineItem.highestLevel
    var (end, newEnd, oldEnd) = (0, 0, 0)
    func close() {
      guard !region.parts.isEmpty else { return }
      let tail = end - newEnd
      region.appendGap(
        to: Splice(old: oldEnd + tail ..< oldEnd + tail, new: end ..< end),
        oldEnd,
        newEnd
      )
      regions.append(region)
    }
    for (splice, kind) in zip(map.splices, map.kinds) {
      if region.parts.isEmpty || splice.new.lowerBound >= end {
        close()
        region = OutlineRegion(parts: [])
        level = OutlineItem.highestLevel + 1
      } else {
        region.appendGap(to: splice, oldEnd, newEnd)
      }
      region.parts.append(.init(splice: splice, kind: kind))
      (oldEnd, newEnd) = (splice.old.upperBound, splice.new.upperBound)
      if kind != .reconfigure || !hasSamePlaces(splice) {
        level = min(level, old.lowestLevel(in: splice.old) ?? level)
        level = min(level, new.lowestLevel(in: splice.new) ?? level)
      }
      end =
        level > OutlineItem.highestLevel
        ? newEnd : new.firstIndex(from: newEnd, upToLevel: level)
    }
    close()
    return regions
  }

  /// Whether reconfigured items have the same places in the outline as before. Not checked if there
  /// are many.
  private func hasSamePlaces(_ splice: Splice) -> Bool {
    guard splice.old.count == splice.new.count, splice.old.count <= 64 else { return false }
    return zip(splice.old, splice.new).allSatisfy {
      old.outlineItem(at: $0) == new.outlineItem(at: $1)
    }
  }

  // MARK: - Rows

  /// Works out what happens to the rows of a region. Regions come in order.
  ///
  /// - Parameter proceed: as in `ExpansionRule.runs`.
  mutating func append(_ region: OutlineRegion, proceed: () -> Bool = { true }) {
    guard !region.parts.isEmpty else { return }
    let map = seen.rows?.map
    splices.keep(untilRow: map?.rowCount(before: region.old.lowerBound) ?? region.old.lowerBound)
    var runs = RowRunList()
    if let rule {
      runs = rule.runs(in: region.new, of: new, proceed: proceed)
    } else {
      runs.append(shown: region.new.count)
    }
    replaced.append((region.old, runs))
    var before = RunCursor(map, region.old)
    var after = RunCursor(runs.runs, from: region.new.lowerBound)
    for part in region.parts {
      switch part.kind {
      case .edit?:
        before.take(part.splice.old.count) { count, isShown, _ in
          if isShown { splices.remove(count) }
        }
        after.take(part.splice.new.count) { count, isShown, start in
          if isShown { splices.insert(start ..< start + count) }
        }
      case let kind:
        RunCursor.walk(&before, &after, count: part.splice.new.count) {
          count,
          wasShown,
          isShown,
          start in
          switch (wasShown, isShown) {
          case (true, true):
            if let kind {
              splices.replace(start ..< start + count, kind)
            } else {
              splices.keep(count)
            }
          case (true, false): splices.remove(count)
          case (false, true): splices.insert(start ..< start + count)
          case (false, false): break
          }
        }
      }
    }
  }

  /// The rows after the change.
  mutating func finish() -> (items: ItemSequence, map: RowMap, splices: SpliceMap) {
    splices.finish()
    var items = seen.items
    items.replaceRows(splices, from: new)
    var map = seen.rows?.map ?? RowMap(itemCount: old.count)
    for (range, runs) in replaced.reversed() { map.replace(range, with: runs) }
    return (items, map, splices.map)
  }
}

extension OutlineRegion {
  /// Appends the items between the last part and a splice, which are the same on both sides.
  fileprivate mutating func appendGap(to next: Splice, _ oldEnd: Int, _ newEnd: Int) {
    guard next.new.lowerBound > newEnd else { return }
    let splice = Splice(
      old: oldEnd ..< next.old.lowerBound,
      new: newEnd ..< next.new.lowerBound
    )
    parts.append(.init(splice: splice, kind: nil))
  }
}

/// Reads runs item by item.
struct RunCursor {
  private let runs: [RowRun]
  private var run = 0
  /// How many items of the run have been read.
  private var offset = 0
  /// The index of the next item.
  private var item: Int

  /// - Parameter item: the index of the first item of the runs.
  init(_ runs: [RowRun], from item: Int) {
    self.runs = runs
    self.item = item
  }

  /// - Parameter map: nil = all items are visible.
  init(_ map: RowMap?, _ items: Range<Int>) {
    let all = [RowRun(shown: items.count, hidden: 0)]
    self.init(map?.runs(in: items).runs ?? all, from: items.lowerBound)
  }

  /// How many of the next items are all visible or all hidden.
  private var next: (count: Int, isShown: Bool) {
    guard run < runs.count else { return (0, false) }
    let isShown = offset < runs[run].shown
    return ((isShown ? runs[run].shown : runs[run].itemCount) - offset, isShown)
  }

  private mutating func skip(_ count: Int) {
    offset += count
    item += count
    while run < runs.count, offset >= runs[run].itemCount {
      offset -= runs[run].itemCount
      run += 1
    }
  }

  /// Calls `body` for each run of the next items that is visible or hidden as a whole, with the
  /// number of items, whether they are visible, and the index of the first one.
  mutating func take(_ count: Int, _ body: (Int, Bool, Int) -> Void) {
    var rest = count
    while rest > 0, next.count > 0 {
      let (length, isShown) = next
      let step = min(length, rest)
      body(step, isShown, item)
      skip(step)
      rest -= step
    }
  }

  /// Calls `body` for each run of the next items that is uniform in two lists of runs, with the
  /// number of items, whether they are visible in the first and in the second list, and the index
  /// in the second.
  static func walk(
    _ a: inout RunCursor,
    _ b: inout RunCursor,
    count: Int,
    _ body: (Int, Bool, Bool, Int) -> Void
  ) {
    var rest = count
    while rest > 0, a.next.count > 0, b.next.count > 0 {
      let (first, second) = (a.next, b.next)
      let step = min(first.count, second.count, rest)
      body(step, first.isShown, second.isShown, b.item)
      a.skip(step)
      b.skip(step)
      rest -= step
    }
  }
}
