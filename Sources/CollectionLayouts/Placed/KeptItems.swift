// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Which sections are the same before and after changes of contents, and which items are the same
/// with the same values.
public struct KeptItems: Sendable {
  /// Items that follow each other in both the old and the new contents.
  public struct Run: Hashable, Sendable {
    /// The first one's index path before.
    public var old: IndexPath
    /// The first one's index path after.
    public var new: IndexPath
    /// How many there are.
    public var count: Int
  }

  /// The old index of each new section; nil = it is new.
  public private(set) var sections: [Int?] = []
  /// In the order of new index paths; each run is as long as possible.
  public private(set) var runs: [Run] = []

  /// What one change keeps.
  ///
  /// - Parameter work: once it has stopped, the result is of no use.
  /// - Complexity: O(sections · log n), and O(log k) for each item that k operations replaced or
  ///   moved
  public init(_ change: ContentsChange, work: LayoutWork = .unlimited) {
    sections.reserveCapacity(change.new.sectionCount)
    for section in 0 ..< change.new.sectionCount {
      let count = change.new.section(at: section).items.count
      guard let old = change.oldIndexPath(ofNew: IndexPath(section: section))?.section else {
        sections.append(nil)
        // Only a move brings items into a new section.
        if change.hasMoves { appendEach(0 ..< count, ofNew: section, change, work) }
        continue
      }
      sections.append(old)
      var (nextOld, nextNew) = (0, 0)
      for splice in change.itemSplices(ofOldSection: old) {
        append(
          old: IndexPath(section: old, item: nextOld),
          new: IndexPath(section: section, item: nextNew),
          count: splice.new.lowerBound - nextNew
        )
        appendEach(splice.new, ofNew: section, change, work)
        (nextOld, nextNew) = (splice.old.upperBound, splice.new.upperBound)
      }
      append(
        old: IndexPath(section: old, item: nextOld),
        new: IndexPath(section: section, item: nextNew),
        count: count - nextNew
      )
    }
  }

  private init() {}

  /// What is kept by these changes and then by others.
  ///
  /// - Complexity: O(sections + runs · log runs)
  public func followed(by next: KeptItems) -> KeptItems {
    var result = KeptItems()
    result.sections = next.sections.map { middle in
      middle.flatMap { sections.indices.contains($0) ? sections[$0] : nil }
    }
    for run in next.runs {
      let found = runs.partitioningIndex { $0.new.advanced(by: $0.count) > run.old }
      for first in runs[found...] {
        let start = max(first.new, run.old)
        let end = min(first.new.advanced(by: first.count), run.old.advanced(by: run.count))
        guard start < end else { break }
        result.append(
          old: first.old.advanced(by: start.distance(from: first.new)),
          new: run.new.advanced(by: start.distance(from: run.old)),
          count: end.distance(from: start)
        )
      }
    }
    return result
  }

  private mutating func appendEach(
    _ items: Range<Int>,
    ofNew section: Int,
    _ change: ContentsChange,
    _ work: LayoutWork
  ) {
    for item in items {
      if !work.proceed(1) { return }
      let new = IndexPath(section: section, item: item)
      guard !change.isReconfigured(new: new), let old = change.oldIndexPath(ofNew: new) else {
        continue
      }
      append(old: old, new: new, count: 1)
    }
  }

  private mutating func append(old: IndexPath, new: IndexPath, count: Int) {
    guard count > 0 else { return }
    if let last = runs.last, last.old.advanced(by: last.count) == old,
      last.new.advanced(by: last.count) == new
    {
      runs[runs.count - 1].count += count
    } else {
      runs.append(Run(old: old, new: new, count: count))
    }
  }
}

extension IndexPath {
  /// The item this many places after this one in the same section.
  func advanced(by count: Int) -> IndexPath {
    IndexPath(rawValue: rawValue + UInt64(clamping: count))
  }

  /// How many items of the same section another one is before this one.
  fileprivate func distance(from other: IndexPath) -> Int {
    Int(clamping: rawValue - other.rawValue)
  }
}
