// SPDX-License-Identifier: Apache-2.0

// What a change copies, and what it leaves behind.

extension ContentsChange {
  /// The ranges of items that were replaced, with the items of all sections numbered consecutively:
  /// sorted and disjoint.
  ///
  /// - Complexity: O(k log sections + k log k) for k splices and changed sections
  package var itemSplices: [Splice] {
    itemSplices(
      oldStart: { old.itemCount(before: $0) },
      newStart: { new.itemCount(before: $0) }
    )
  }

  /// The same where it is known with which items sections start.
  ///
  /// - Parameter oldStart: returns the number of old items before a section, or before the end.
  /// - Parameter newStart: the same for new items.
  /// - Complexity: O(k log k) for k splices and changed sections, unless they are in order
  package func itemSplices(oldStart: (Int) -> Int, newStart: (Int) -> Int) -> [Splice] {
    var splices: [Splice] = []
    splices.reserveCapacity(
      changedSections.reduce(sectionSplices.count) { $0 + $1.itemSplices.count }
    )
    for splice in sectionSplices {
      splices.append(
        Splice(
          old: oldStart(splice.old.lowerBound) ..< oldStart(splice.old.upperBound),
          new: newStart(splice.new.lowerBound) ..< newStart(splice.new.upperBound)
        )
      )
    }
    for change in changedSections where !change.itemSplices.isEmpty {
      let (old, new) = (oldStart(change.oldIndex), newStart(change.newIndex))
      for splice in change.itemSplices {
        splices.append(
          Splice(
            old: old + splice.old.lowerBound ..< old + splice.old.upperBound,
            new: new + splice.new.lowerBound ..< new + splice.new.upperBound
          )
        )
      }
    }
    splices.removeAll { $0.old.isEmpty && $0.new.isEmpty }
    // Those of one section are in order.
    let isSorted = splices.indices.dropFirst().allSatisfy { !splices[$0].isBefore(splices[$0 - 1]) }
    return isSorted ? splices : splices.sorted { $0.isBefore($1) }
  }

  /// How many items appear: rows, if these are changes of rows.
  ///
  /// - Complexity: O(splices + inserted sections · log sections)
  package var insertedItemCount: Int {
    var count = 0
    for splice in sectionSplices {
      for section in splice.new { count += new.section(at: section).items.count }
    }
    for section in changedSections {
      for splice in section.itemSplices { count += splice.new.count }
    }
    return count
  }

  /// How many items only the old contents have in memory: those that were replaced, and the rest of
  /// their chunks.
  ///
  /// - Complexity: O(k log sections) for k splices and changed sections
  package var replacedItemCount: Int {
    var items = 0
    for splice in sectionSplices {
      items += old.itemCount(before: splice.old.upperBound)
      items -= old.itemCount(before: splice.old.lowerBound)
    }
    for section in changedSections {
      for splice in section.itemSplices { items += splice.old.count + Self.itemsOfChunk }
    }
    return min(items, old.itemCount)
  }

  /// A change of an item replaces the whole chunk around it, which holds about this many.
  private static var itemsOfChunk: Int { 256 }

  /// Roughly the memory that only the old contents use, in bytes.
  ///
  /// - Complexity: O(k log sections) for k splices and changed sections
  package var replacedByteCount: Int {
    let share = Double(replacedItemCount) / Double(max(1, old.itemCount))
    return 256 + replacedKindBytes
      + (sectionSplices.count + changedSections.count) * Self.pathBytes
      + Int(share * Double(old.approximateByteCount))
  }

  /// Roughly the memory of the change's own lists, in bytes.
  ///
  /// - Complexity: O(k) for k changed sections
  package var listByteCount: Int {
    let spliceBytes = MemoryLayout<Splice>.stride + MemoryLayout<SpliceKind>.stride
    let moveBytes = MemoryLayout<PlaceMove>.stride + MemoryLayout<Int>.stride
    let mapBytes = MemoryLayout<ItemMap>.stride + MemoryLayout<SectionChange>.stride
    return map.itemMaps.reduce(sectionSplices.count) { $0 + $1.items.splices.count } * spliceBytes
      + map.moves.count * moveBytes + (map.itemMaps.count + changedSections.count) * mapBytes
  }

  /// Roughly the bytes of the list of kinds that only the old contents use: none if no kinds were
  /// added.
  package var replacedKindBytes: Int {
    let count = old.cellKindNames.count
    return count == new.cellKindNames.count ? 0 : count * MemoryLayout<String>.stride
  }

  /// Roughly the bytes of the nodes above a chunk or a section that was replaced.
  private static var pathBytes: Int { 2048 }
}

extension Splice {
  fileprivate func isBefore(_ other: Splice) -> Bool {
    (old.lowerBound, new.lowerBound) < (other.old.lowerBound, other.new.lowerBound)
  }
}
