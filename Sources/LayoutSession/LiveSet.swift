// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The elements that the client holds, by identity.
///
/// Identity is the item: an element's path follows its item through batches, so that a new set of
/// elements is compared with the old one like two sorted lists, and no batch need be remembered.
struct LiveSet: Sendable {
  /// Sorted by current path, category and kind.
  private(set) var elements: [LiveElement] = []
  /// Elements whose item or section is gone, until a frame says so.
  private(set) var departed: [LiveElement] = []
  private(set) var extras: [ElementExtra] = []
  /// The sum of the hashes of all that the client holds.
  private(set) var checksum: UInt32 = 0
  private(set) var slots = SlotAllocator()
  /// The storage of the set before, used again for the next.
  private var spare: [LiveElement] = []

  /// How many elements the client holds.
  var count: Int { elements.count + departed.count }

  // MARK: - Identity

  /// Carries identity through a batch.
  ///
  /// - Complexity: O(live · log operations), and a sort where the batch moved something.
  mutating func follow(_ change: ContentsChange) {
    var isSorted = true
    var kept = 0
    for index in elements.indices {
      var live = elements[index]
      guard let path = change.newIndexPath(ofOld: live.path) else {
        departed.append(live)
        continue
      }
      live.path = path
      if kept > 0, !LiveElement.precedes(elements[kept - 1], live) { isSorted = false }
      elements[kept] = live
      kept += 1
    }
    elements.removeSubrange(kept...)
    if !isSorted { elements.sort(by: LiveElement.precedes) }
  }

  /// Nothing is known of what became of the items.
  mutating func departAll() {
    departed.append(contentsOf: elements)
    elements.removeAll(keepingCapacity: true)
  }

  // MARK: - Frames

  /// Replaces the elements by those of a query and says what changed.
  ///
  /// - Parameters:
  ///   - wanted: sorted, with the session's kind numbers.
  ///   - hash: the checksum's part of one element.
  /// - Complexity: O(live + wanted).
  mutating func replace(
    by wanted: [LayoutElement],
    extras wantedExtras: [ElementExtra],
    frame: UInt64,
    hash: (LayoutElement) -> UInt32
  ) -> LiveChanges {
    var changes = LiveChanges()
    var next = spare
    next.removeAll(keepingCapacity: true)
    next.reserveCapacity(wanted.count)
    // The places in `next` of the added ones, which get their slots once the free ones are known.
    var addedPlaces: [Int] = []
    changes.removed = departed
    changes.departedCount = departed.count
    var old = 0
    for element in wanted {
      if let last = next.last, last.path == element.indexPath,
        last.element.classRank == element.classRank
      {
        continue  // A layout that names an element twice is wrong; the first one counts.
      }
      while old < elements.count, Self.order(elements[old], element) < 0 {
        changes.removed.append(elements[old])
        old += 1
      }
      guard old < elements.count, Self.order(elements[old], element) == 0 else {
        addedPlaces.append(next.count)
        changes.added.append(changes.upserts.count)
        changes.upserts.append(
          FrameElement(element: element, slot: 0, previousPath: element.indexPath)
        )
        next.append(
          LiveElement(
            element: element,
            path: element.indexPath,
            since: frame,
            slot: 0,
            hash: hash(element)
          )
        )
        continue
      }
      var live = elements[old]
      old += 1
      let looksSame = looksSame(live.element, element, wantedExtras)
      if !looksSame || live.element.indexPath != element.indexPath {
        changes.upserts.append(
          FrameElement(
            element: element,
            slot: live.slot,
            isShiftOnly: looksSame,
            previousPath: live.element.indexPath
          )
        )
        checksum &-= live.hash
        live.hash = hash(element)
        checksum &+= live.hash
      }
      live.element = element
      live.path = element.indexPath
      next.append(live)
    }
    changes.removed.append(contentsOf: elements[old...])
    for live in changes.removed {
      checksum &-= live.hash
      slots.giveBack(live.slot, of: live.element)
    }
    for (upsert, place) in zip(changes.added, addedPlaces) {
      let slot = slots.take(for: next[place].element)
      next[place].slot = slot
      changes.upserts[upsert].slot = slot
      checksum &+= next[place].hash
    }
    spare = elements
    elements = next
    extras = wantedExtras
    departed.removeAll(keepingCapacity: true)
    return changes
  }

  /// All elements, as a keyframe sends them.
  var asUpserts: [FrameElement] {
    elements.map {
      FrameElement(element: $0.element, slot: $0.slot, previousPath: $0.element.indexPath)
    }
  }

  /// The sum of all hashes made anew, for another unit or to check `checksum`.
  mutating func rehash(_ hash: (LayoutElement) -> UInt32) {
    checksum = 0
    for index in elements.indices {
      elements[index].hash = hash(elements[index].element)
      checksum &+= elements[index].hash
    }
    for index in departed.indices {
      departed[index].hash = hash(departed[index].element)
      checksum &+= departed[index].hash
    }
  }

  private static func order(_ live: LiveElement, _ element: LayoutElement) -> Int {
    if live.path != element.indexPath { return live.path < element.indexPath ? -1 : 1 }
    let (a, b) = (live.element.classRank, element.classRank)
    return a == b ? 0 : a < b ? -1 : 1
  }

  /// Whether all attributes but the index path are the same, exactly.
  private func looksSame(
    _ a: LayoutElement,
    _ b: LayoutElement,
    _ wantedExtras: [ElementExtra]
  ) -> Bool {
    guard a.frame == b.frame, a.alpha == b.alpha, a.zIndex == b.zIndex, a.isHidden == b.isHidden
    else { return false }
    if a.extra < 0 || b.extra < 0 { return a.extra < 0 && b.extra < 0 }
    return extras[Int(a.extra)] == wantedExtras[Int(b.extra)]
  }
}
