// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Some items in a row, with what the groups take that begin at them, whichever items these are.
///
/// Groups follow each other without gaps, so that where the first one begins decides for all. An insertion moves
/// the beginning of each group behind it to another item. Since all sums are there for each beginning, nothing has
/// to be added up again.
struct MeasuredRun: SummarizedElement {
  let summary: GroupSums
  /// What each group takes that begins here, if that is the same for all; nil = it is not.
  let equalPitch: Double?

  /// Items at which groups of different lengths begin.
  init(_ summary: GroupSums) {
    self.summary = summary
    equalPitch = nil
  }

  /// Items at which groups of one length begin.
  ///
  /// - Parameter count: of the items of a group.
  init(items: Int, equalPitch: Double, count: Int) {
    summary = GroupSums(
      items: items,
      lengths: (0 ..< count).map {
        Double(GroupSums.groups(items: items, phase: $0, count: count)) * equalPitch
      }
    )
    self.equalPitch = equalPitch
  }

  /// With its place in a tree, in bytes.
  static func byteCount(ofCount count: Int) -> Int {
    let array = 32 + count * MemoryLayout<Double>.stride
    // A sixteenth of the nodes are not leaves' elements; nodes have room for a half more.
    return array + array / 16 + MemoryLayout<MeasuredRun>.stride * 3 / 2
  }
}

/// What the groups take that begin at some items in a row.
struct GroupSums: TreeSummary {
  /// The number of items.
  var items: Int
  /// What those groups take together that begin at a phase and every so many items behind it as a group has, each
  /// with the spacing behind it, in points. The phase, which is the index, is the number of items before the first
  /// of them. Empty = there are no items.
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

  /// The number of items before the first group that begins behind some items, if one begins with the first.
  ///
  /// - Parameter count: of the items of a group.
  static func phase(after items: Int, count: Int) -> Int {
    let filled = items % count
    return filled == 0 ? 0 : count - filled
  }

  /// The number of groups that begin at a phase and every `count` items behind it.
  static func groups(items: Int, phase: Int, count: Int) -> Int {
    items > phase ? (items - phase - 1) / count + 1 : 0
  }
}

/// A place between the items of a section, of which the first begins a group.
struct GroupPlace {
  /// The number of items before it.
  var items = 0
  /// What the groups take that begin before it, in points.
  var length = 0.0

  /// Where it is behind a run.
  func past(_ run: GroupSums) -> GroupPlace {
    let phase = GroupSums.phase(after: items, count: run.lengths.count)
    return GroupPlace(items: items + run.items, length: length + run.lengths[phase])
  }
}
