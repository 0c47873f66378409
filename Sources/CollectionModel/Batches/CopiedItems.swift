// SPDX-License-Identifier: Apache-2.0

/// Which items of some contents lie in memory that is not shared with the contents that these were
/// derived from.
///
/// A change copies the chunks around its splices, and what was copied moves with later changes. So
/// chunks that are copied again and again count once, and items that are gone do not count. An
/// estimate from above.
package struct CopiedItems: Sendable {
  /// The items in chunks that were copied.
  private(set) var copied = ItemStretches()
  /// The items around all splices, of which expansions copy only a part: that is spread over them.
  private(set) var changed = ItemStretches()
  /// How many sections were copied.
  private var sectionCount = 0
  /// How many runs the row maps have more than those that others have.
  private var runCount = 0

  /// Roughly the bytes of the path to a stretch in the trees of sections and chunks.
  private static let pathBytes = 4096
  /// Roughly the bytes of a section in the tree of sections.
  private static let sectionBytes = 512
  /// Roughly the bytes of a chunk in the tree of chunks.
  private static let chunkBytes = 192

  /// Nothing has been copied.
  package init() {}

  /// Follows a change of the contents.
  ///
  /// - Complexity: O(k log k + k log sections) for k splices and changed sections
  package mutating func follow(_ change: ContentsChange) {
    let splices = move(by: change)
    let stretches = splices.map {
      ItemStretches.Stretch(items: Self.around($0.new, of: change.new.itemCount))
    }
    copied.join(with: stretches)
    changed.join(with: stretches)
  }

  /// Follows a change that expands and collapses items. Rows that appear are whole chunks of the
  /// collection, unless hidden items lie between them.
  ///
  /// - Complexity: O(k log k + k log sections) for k splices and changed sections
  package mutating func follow(expansion change: ContentsChange) {
    let splices = move(by: change)
    let count = change.new.itemCount
    var ends: [ItemStretches.Stretch] = []
    for splice in splices {
      for end in [splice.new.lowerBound, splice.new.upperBound] {
        ends.append(ItemStretches.Stretch(items: Self.around(end ..< end, of: count)))
      }
    }
    copied.join(with: ends)
    let runs = change.addedRunCount
    runCount = max(0, runCount + runs)
    // Hidden items between the rows cut off the chunks on both sides.
    let appeared = splices.reduce(0) { $0 + $1.new.count }
    let share = min(
      1,
      Double(max(0, runs) * 2 * ChunkAssembly.highestCount) / Double(max(1, appeared))
    )
    changed.join(
      with: splices.map {
        ItemStretches.Stretch(
          items: Self.around($0.new, of: count),
          spread: Int((share * Double($0.new.count)).rounded(.up))
        )
      }
    )
  }

  private mutating func move(by change: ContentsChange) -> [Splice] {
    let splices = change.itemSplices
    copied.move(by: splices)
    changed.move(by: splices)
    let sections = change.sectionSplices.reduce(change.changedSections.count) { $0 + $1.new.count }
    sectionCount = min(change.new.sectionCount, sectionCount + sections)
    return splices
  }

  /// Some items, with those that may be in the same chunks.
  private static func around(_ items: Range<Int>, of count: Int) -> Range<Int> {
    let margin = ChunkAssembly.highestCount
    return max(0, items.lowerBound - margin) ..< min(count, items.upperBound + margin)
  }

  /// Roughly the bytes of what was copied.
  ///
  /// - Parameter contents: those after the last change.
  package func byteCount(in contents: CollectionContents) -> Int {
    let all = contents.approximateByteCount
    let share =
      Double(copied.itemCount + changed.spread) / Double(max(1, contents.itemCount))
    let chunks = changed.itemCount / ChunkAssembly.lowestCount * Self.chunkBytes
    return min(
      all,
      Int(min(1, share) * Double(all)) + pathByteCount + chunks + runCount * RowMap.runBytes
    )
  }

  /// Roughly the bytes of the nodes above what was copied.
  package var pathByteCount: Int {
    changed.stretches.count * Self.pathBytes + sectionCount * Self.sectionBytes
  }

  /// Which part of the items is near some change, from 0 to 1.
  package func changedShare(of contents: CollectionContents) -> Double {
    min(1, Double(changed.itemCount) / Double(max(1, contents.itemCount)))
  }
}

extension ContentsChange {
  /// How many runs the row maps have more than before; negative = they have fewer.
  fileprivate var addedRunCount: Int {
    changedSections.reduce(0) { sum, section in
      let before = old.section(at: section.oldIndex).rows?.map.runCount ?? 0
      let after = new.section(at: section.newIndex).rows?.map.runCount ?? 0
      return sum + after - before
    }
  }
}
