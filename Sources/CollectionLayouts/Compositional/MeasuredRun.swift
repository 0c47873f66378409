// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Consecutive items with sums of the groups that begin at them, for every possible phase of the
/// groups.
///
/// Groups follow each other without gaps, so the beginning of the first one determines all others.
/// An insertion shifts the beginning of each following group to another item. Since the sums exist
/// for every phase, nothing has to be added up again.
struct MeasuredRun: SummarizedElement {
  let summary: GroupSums
  /// The extent of each group that begins here, if it is the same for all; nil = it is not.
  let equalPitch: Double?

  /// Items at which groups of different lengths begin.
  init(_ summary: GroupSums) {
    self.summary = summary
    equalPitch = nil
  }

  /// Items at which groups of one length begin.
  ///
  /// - Parameter count: the number of items in a group.
  init(items: Int, equalPitch: Double, count: Int) {
    summary = GroupSums(
      items: items,
      lengths: (0 ..< count).map {
        Double(GroupSums.groups(items: items, phase: $0, count: count)) * equalPitch
      }
    )
    self.equalPitch = equalPitch
  }

  /// The memory of a run with its place in a tree, in bytes.
  static func byteCount(ofCount count: Int) -> Int {
    let array = 32 + count * MemoryLayout<Double>.stride
    // Inner nodes add a sixteenth, and nodes have half as much room again.
    return array + array / 16 + MemoryLayout<MeasuredRun>.stride * 3 / 2
  }
}

/// Sums of the groups that begin at consecutive items.
struct GroupSums: TreeSummary {
  /// The number of items.
  var items: Int
  /// For each phase, the total extent of the groups that begin at that phase and every group's
  /// length of items after it, each with the spacing after it, in points. The phase, which is the
  /// index, is the number of items before the first of these groups. Empty = there are no items.
  var lengths: [Double]

  static let zero = GroupSums(items: 0, lengths: [])

  static func + (a: GroupSums, b: GroupSums) -> GroupSums {
    guard a.items > 0 else { return b }
    guard b.items > 0 else { return a }
    var sum = a
    sum.items += b.items
    var phase = phase(after: a.items, count: a.lengths.count)
    for index in sum.lengths.indices {
      sum.lengths[index] += b.lengths[phase]
      phase = phase + 1 < b.lengths.count ? phase + 1 : 0
    }
    return sum
  }

  /// The phase after some items, if a group begins with the first of them.
  ///
  /// - Parameter count: the number of items in a group.
  static func phase(after items: Int, count: Int) -> Int {
    let filled = items % count
    return filled == 0 ? 0 : count - filled
  }

  /// The number of groups that begin at a phase and every `count` items behind it.
  static func groups(items: Int, phase: Int, count: Int) -> Int {
    items > phase ? (items - phase - 1) / count + 1 : 0
  }
}

/// A place between the items of a section whose first item begins a group.
struct GroupPlace {
  /// The number of items before it.
  var items = 0
  /// The extent of the groups that begin before it, in points.
  var length = 0.0

  /// The place after a run.
  func past(_ run: GroupSums) -> GroupPlace {
    let phase = GroupSums.phase(after: items, count: run.lengths.count)
    return GroupPlace(items: items + run.items, length: length + run.lengths[phase])
  }
}
