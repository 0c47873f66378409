// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// The elements that the client has.
///
/// An element is identified by its item or section, category and kind. Its index path follows the
/// item through every batch, so old and new elements are compared like two sorted lists, and
/// batches need not be kept.
struct LiveSet: Sendable {
  /// Sorted by current index path, category and kind.
  private(set) var elements: [LiveElement] = []
  /// What the client knows of each of `elements`, while batches since the newest frame have changed
  /// some index paths, or data that the client wants. Empty otherwise: the client then knows the
  /// current ones.
  private var told: [ToldElement] = []
  /// Elements whose item or section no longer exists, with the index path that the client knows.
  /// The next frame removes them.
  private(set) var departed: [LiveElement] = []
  /// The rarer attributes of the elements.
  private(set) var extras: [ElementExtra] = []
  /// The sum of the hashes of all elements that the client has, kept up to date; nil = the client
  /// has shown no interest in checksums.
  private(set) var checksum: UInt32?
  /// Which slots are in use.
  private(set) var slots = SlotAllocator()

  /// The number of elements that the client has.
  var count: Int { elements.count + departed.count }

  /// Roughly the memory in use, in bytes.
  ///
  /// - Complexity: O(1)
  var byteCount: Int {
    (elements.capacity + departed.capacity) * MemoryLayout<LiveElement>.stride
      + told.capacity * MemoryLayout<ToldElement>.stride
      + extras.capacity * MemoryLayout<ElementExtra>.stride + slots.byteCount
  }

  // MARK: - Identity

  /// Updates the index paths of all elements after a change of the contents.
  ///
  /// - Parameter tellsData: whether the client wants the data of items, so that cells with other
  ///   data are sent again.
  /// - Complexity: O(live · log operations), and a sort where the order changes; O(live) if all are
  ///   before what changed
  mutating func follow(_ change: ContentsChange, tellsData: Bool) {
    guard let first = change.firstChangedPath, elements.contains(where: { $0.path >= first }) else {
      return
    }
    if told.isEmpty { told = elements.map { ToldElement(path: $0.path) } }
    let hasMoves = change.hasMoves
    var isSorted = true
    var isTold = true
    var kept = 0
    for index in elements.indices {
      var live = elements[index]
      guard let path = change.newIndexPath(ofOld: live.path) else {
        live.element.indexPath = told[index].path
        departed.append(live)
        continue
      }
      told[kept] = told[index]
      if hasMoves, change.isMoved(old: live.path) { told[kept].isMoved = true }
      if tellsData, live.element.category == .cell, change.changesData(ofOld: live.path) {
        told[kept].hasOtherData = true
      }
      live.element.indexPath = path
      if kept > 0, !LayoutElement.precedes(elements[kept - 1].element, live.element) {
        isSorted = false
      }
      if path != told[kept].path || told[kept].hasOtherData { isTold = false }
      elements[kept] = live
      kept += 1
    }
    elements.removeSubrange(kept...)
    told.removeSubrange(kept...)
    if isTold { told = [] }
    if !isSorted { sort() }
  }

  /// The cells of a range of items, with their slots.
  ///
  /// - Complexity: O(live)
  func cells(in range: ClosedRange<IndexPath>) -> [(path: IndexPath, slot: UInt32)] {
    elements.filter { $0.element.category == .cell && range.contains($0.path) }
      .map { ($0.path, $0.slot) }
  }

  /// Takes back elements whose items no longer exist, for other items. Unknown slots are ignored.
  ///
  /// - Parameter paths: the slots of the elements, and the paths of the new items.
  /// - Complexity: O(live log live)
  mutating func readmit(_ paths: [(slot: UInt32, path: IndexPath)]) {
    guard !paths.isEmpty, !departed.isEmpty else { return }
    let targets = Dictionary(paths.map { ($0.slot, $0.path) }) { first, _ in first }
    if told.isEmpty { told = elements.map { ToldElement(path: $0.path) } }
    for var live in departed {
      guard let path = targets[live.slot] else { continue }
      told.append(ToldElement(path: live.path))
      live.element.indexPath = path
      elements.append(live)
    }
    departed.removeAll { targets[$0.slot] != nil }
    sort()
  }

  /// Restores the order of `elements`.
  private mutating func sort() {
    let order = elements.indices.sorted {
      LayoutElement.precedes(elements[$0].element, elements[$1].element)
    }
    elements = order.map { elements[$0] }
    if !told.isEmpty { told = order.map { told[$0] } }
  }

  /// Treats all items and sections as removed.
  mutating func departAll() {
    for index in elements.indices {
      departed.append(elements[index])
      departed[departed.count - 1].element.indexPath = toldPath(at: index)
    }
    elements.removeAll(keepingCapacity: true)
    told = []
  }

  /// The index path that the client knows of an element.
  ///
  /// - Parameter index: an index in `elements`.
  func toldPath(at index: Int) -> IndexPath {
    told.isEmpty ? elements[index].path : told[index].path
  }

  /// Whether a move operation since the newest frame moved an element or its section.
  ///
  /// - Parameter index: an index in `elements`.
  func isMoved(at index: Int) -> Bool { !told.isEmpty && told[index].isMoved }

  /// An element as the client has it.
  ///
  /// - Parameter index: an index in `elements`.
  func told(at index: Int) -> LayoutElement {
    var element = elements[index].element
    element.indexPath = toldPath(at: index)
    return element
  }

  /// Where the cell of an item is drawn; nil = the client does not have it.
  ///
  /// - Complexity: O(log live)
  func box(ofCellAt path: IndexPath) -> Rect? {
    let index = elements.partitioningIndex { $0.path >= path }
    guard index < elements.count, elements[index].path == path else { return nil }
    let element = elements[index].element
    guard element.category == .cell else { return nil }
    guard element.extra >= 0, Int(element.extra) < extras.count else { return element.frame }
    return extras[Int(element.extra)].transform.boundingBox(of: element.frame)
  }

  // MARK: - Frames

  /// Adds to the numbers of the frames in which elements got their slots.
  ///
  /// - Complexity: O(live)
  mutating func renumber(by shift: Int64) {
    for index in elements.indices { elements[index].since &+= shift }
    for index in departed.indices { departed[index].since &+= shift }
  }

  /// Whether a client with this set is in the same state as one with another, and stays so whatever
  /// follows.
  ///
  /// - Parameters:
  ///   - shift: what the numbers of frames are here above those in `other`.
  ///   - first: the first frame that matters: elements that `other` has had for longer count as
  ///     those of that frame.
  ///   - isDated: whether it matters since when an element has had its slot; asked where that
  ///     differs.
  /// - Precondition: `replace` was called on both since the last change of their contents, for the
  ///   same elements.
  /// - Complexity: O(live)
  func isSame(
    as other: LiveSet,
    shift: Int64,
    from first: Int64,
    isDated: (LiveElement) -> Bool
  ) -> Bool {
    guard elements.count == other.elements.count, checksum == other.checksum,
      slots == other.slots
    else { return false }
    for (mine, its) in zip(elements, other.elements) {
      guard mine.slot == its.slot,
        mine.since == max(first, its.since &+ shift) || !isDated(mine),
        Self.order(mine.element, its.element) == 0, mine.element.kind == its.element.kind,
        looksSame(mine.element, its.element, other.extras)
      else { return false }
    }
    return true
  }

  /// Replaces the elements by those of a query and reports what changed.
  ///
  /// - Parameters:
  ///   - wanted: the new elements, sorted and with the session's kind numbers.
  ///   - wantedExtras: those that `extra` of the new elements is an index into.
  ///   - frame: the sequence number of the frame that will carry the changes.
  ///   - next: storage for the new set.
  ///   - changes: receives what changed.
  ///   - hash: an element's part of the checksum; called only where a checksum is kept.
  /// - Complexity: O(live + wanted)
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
    for live in departed { changes.remove(live, nil) }
    changes.departedCount = departed.count
    let isHashed = checksum != nil
    var sum = checksum ?? 0
    // Local copies, because reading them needs no exclusivity checks.
    var current: [LiveElement] = []
    swap(&current, &elements)
    let told = told
    var old = 0
    for element in wanted {
      if let last = next.last, Self.order(last.element, element) == 0 {
        continue  // A faulty layout gave the element twice: the first one counts.
      }
      var order = 1
      while old < current.count {
        order = Self.order(current[old].element, element)
        guard order < 0 else { break }
        changes.remove(current[old], told.isEmpty ? nil : told[old].path)
        old += 1
      }
      guard order == 0, old < current.count else {
        // Slots are assigned at the end, once those of removed elements are free.
        changes.added.append((upsert: changes.upserts.count, place: next.count))
        changes.upserts.append(
          FrameElement(element: element, slot: 0, previousPath: element.indexPath)
        )
        next.append(
          LiveElement(
            element: element,
            since: Int64(clamping: frame),
            slot: 0,
            hash: isHashed ? hash(element) : 0
          )
        )
        continue
      }
      var live = current[old]
      let toldPath = told.isEmpty ? live.path : told[old].path
      let hasOtherData = !told.isEmpty && told[old].hasOtherData
      old += 1
      let looksSame = !hasOtherData && looksSame(live.element, element, wantedExtras)
      if !looksSame || toldPath != element.indexPath {
        changes.upserts.append(
          FrameElement(
            element: element,
            slot: live.slot,
            isShiftOnly: looksSame,
            previousPath: toldPath
          )
        )
        if isHashed {
          sum &-= live.hash
          live.hash = hash(element)
          sum &+= live.hash
        }
      }
      live.element = element
      next.append(live)
    }
    while old < current.count {
      changes.remove(current[old], told.isEmpty ? nil : told[old].path)
      old += 1
    }
    swap(&current, &elements)
    for leaving in changes.removed {
      sum &-= leaving.hash
      slots.giveBack(leaving.slot, of: leaving.element)
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
    self.told = []
    departed = []
  }

  /// Keeps the elements in storage of about their size, because most sessions rest most of the
  /// time.
  private mutating func keep(_ next: [LiveElement]) {
    if elements.capacity >= next.count, elements.capacity <= next.count + next.count / 4 + 16 {
      elements.removeAll(keepingCapacity: true)
    } else {
      elements = []
      elements.reserveCapacity(next.count)
    }
    elements.append(contentsOf: next)
  }

  /// Appends all elements, for a keyframe.
  ///
  /// - Precondition: `replace` was called since the last change of the contents.
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

  /// The checksum of all elements that the client has, computed from scratch.
  ///
  /// - Parameter hash: an element's part of the checksum.
  /// - Complexity: O(live)
  func checksum(_ hash: (LayoutElement) -> UInt32) -> UInt32 {
    var sum: UInt32 = 0
    for index in elements.indices { sum &+= hash(told(at: index)) }
    for live in departed { sum &+= hash(live.element) }
    return sum
  }

  /// Keeps a checksum from now on, or one in another unit than before.
  ///
  /// - Parameter hash: an element's part of the checksum.
  /// - Complexity: O(live)
  mutating func keepChecksum(_ hash: (LayoutElement) -> UInt32) {
    var sum: UInt32 = 0
    for index in elements.indices {
      elements[index].hash = hash(told(at: index))
      sum &+= elements[index].hash
    }
    for index in departed.indices {
      departed[index].hash = hash(departed[index].element)
      sum &+= departed[index].hash
    }
    checksum = sum
  }

  /// Negative, 0 or positive where `a` comes before, at the same place as, or after `b`.
  @inline(__always)
  private static func order(_ a: LayoutElement, _ b: LayoutElement) -> Int {
    if a.indexPath != b.indexPath { return a.indexPath < b.indexPath ? -1 : 1 }
    return Int(a.classRank) - Int(b.classRank)
  }

  /// Whether all attributes but the index path are exactly the same.
  ///
  /// - Parameter a: an element with an index into `extras`.
  /// - Parameter b: an element with an index into `wantedExtras`.
  @inline(__always)
  private func looksSame(
    _ a: LayoutElement,
    _ b: LayoutElement,
    _ wantedExtras: [ElementExtra]
  ) -> Bool {
    guard a.frame == b.frame, a.alpha == b.alpha, a.zIndex == b.zIndex, a.isHidden == b.isHidden,
      a.outline == b.outline, a.scrollsAcross == b.scrollsAcross
    else { return false }
    if a.extra < 0 || b.extra < 0 { return a.extra < 0 && b.extra < 0 }
    return extras[Int(a.extra)] == wantedExtras[Int(b.extra)]
  }
}
