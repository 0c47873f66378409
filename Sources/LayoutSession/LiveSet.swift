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
  /// The sum of the hashes of all that the client holds, kept up to date; nil = nobody has asked.
  private(set) var checksum: UInt32?
  private(set) var slots = SlotAllocator()

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
  ///   - hash: the checksum's part of one element; asked only where a checksum is kept.
  ///   - next: where the new set is put together.
  ///   - changes: what changed.
  /// - Complexity: O(live + wanted).
  mutating func replace(
    by wanted: [LayoutElement],
    extras wantedExtras: [ElementExtra],
    frame: UInt64,
    next: inout [LiveElement],
    changes: inout LiveChanges,
    hash: (LayoutElement) -> UInt32
  ) {
    next.removeAll(keepingCapacity: true)
    next.reserveCapacity(wanted.count)
    changes.removeAll()
    changes.removed.append(contentsOf: departed)
    changes.departedCount = departed.count
    let isHashed = checksum != nil
    var sum = checksum ?? 0
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
        // It gets its slot once the free ones are known.
        changes.added.append((upsert: changes.upserts.count, place: next.count))
        changes.upserts.append(
          FrameElement(element: element, slot: 0, previousPath: element.indexPath)
        )
        next.append(
          LiveElement(
            element: element,
            path: element.indexPath,
            since: frame,
            slot: 0,
            hash: isHashed ? hash(element) : 0
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
        if isHashed {
          sum &-= live.hash
          live.hash = hash(element)
          sum &+= live.hash
        }
      }
      live.element = element
      live.path = element.indexPath
      next.append(live)
    }
    changes.removed.append(contentsOf: elements[old...])
    for live in changes.removed {
      sum &-= live.hash
      slots.giveBack(live.slot, of: live.element)
    }
    for (upsert, place) in changes.added {
      let slot = slots.take(for: next[place].element)
      next[place].slot = slot
      changes.upserts[upsert].slot = slot
      sum &+= next[place].hash
    }
    if isHashed { checksum = sum }
    keep(next)
    extras = wantedExtras
    departed = []
  }

  /// Takes over the elements, in storage of their size: most sessions rest most of the time.
  private mutating func keep(_ next: [LiveElement]) {
    if elements.capacity >= next.count, elements.capacity <= next.count + next.count / 4 + 16 {
      elements.removeAll(keepingCapacity: true)
    } else {
      elements = []
      elements.reserveCapacity(next.count)
    }
    elements.append(contentsOf: next)
  }

  /// Appends all elements, as a keyframe sends them.
  func appendAll(to upserts: inout [FrameElement]) {
    upserts.reserveCapacity(elements.count)
    for live in elements {
      upserts.append(
        FrameElement(
          element: live.element,
          slot: live.slot,
          previousPath: live.element.indexPath
        )
      )
    }
  }

  // MARK: - Checksum

  /// The sum of all hashes made anew.
  ///
  /// - Complexity: O(live).
  func checksum(_ hash: (LayoutElement) -> UInt32) -> UInt32 {
    var sum: UInt32 = 0
    for live in elements { sum &+= hash(live.element) }
    for live in departed { sum &+= hash(live.element) }
    return sum
  }

  /// Keeps a checksum from now on, or in another unit.
  mutating func keepChecksum(_ hash: (LayoutElement) -> UInt32) {
    var sum: UInt32 = 0
    for index in elements.indices {
      elements[index].hash = hash(elements[index].element)
      sum &+= elements[index].hash
    }
    for index in departed.indices {
      departed[index].hash = hash(departed[index].element)
      sum &+= departed[index].hash
    }
    checksum = sum
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
