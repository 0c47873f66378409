// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// An element that the client has. The type is trivial, so arrays of it are fast to copy, and
/// small, since these arrays are most of the memory of a resting session.
struct LiveElement: Sendable {
  /// The element as the client has it, with the session's kind numbers and an index into
  /// `LiveSet.extras`, but with the current index path of its item or section.
  var element: LayoutElement
  /// The slot that the element fills.
  var slot: UInt32
  /// `since` in 32 bits. After 2³¹ frames it stays at the highest number; then a measurement of the
  /// slot's previous element may be taken for one of this element.
  private var clampedSince: Int32
  /// The element's part of the checksum; 0 if no checksum is kept.
  var hash: UInt32

  init(element: LayoutElement, since: Int64, slot: UInt32, hash: UInt32) {
    self.element = element
    self.slot = slot
    clampedSince = Int32(clamping: since)
    self.hash = hash
  }

  /// The current index path of the element's item or section.
  var path: IndexPath { element.indexPath }
  /// The frame in which the element got its slot; below 1 = one before the session's first, in a
  /// session that has joined others.
  var since: Int64 {
    get { Int64(clampedSince) }
    set { clampedSince = Int32(clamping: newValue) }
  }
}

/// What the client knows of an element whose index path batches may have changed.
struct ToldElement: Sendable {
  /// The index path in the newest frame.
  var path: IndexPath
  /// Whether a move operation moved the element or its section since then, rather than changes
  /// before it.
  var isMoved = false
  /// Whether its item's data have changed since then, for a client that wants them.
  var hasOtherData = false
}

/// An element that a frame removes.
struct LeavingElement: Sendable {
  /// The element as the client has it.
  var element: LayoutElement
  /// The slot that becomes empty.
  var slot: UInt32
  /// The element's part of the checksum; 0 if no checksum is kept.
  var hash: UInt32
  /// The current index path of its item or section, if that still exists.
  var path: IndexPath
}

/// What one frame changes of the live elements.
struct LiveChanges: Sendable {
  /// New and changed elements, sorted by their new index path.
  var upserts: [FrameElement] = []
  /// The new elements, by their index in `upserts` and their index among the live elements.
  var added: [(upsert: Int, place: Int)] = []
  /// The removed elements: first those whose item or section no longer exists.
  var removed: [LeavingElement] = []
  /// The number of elements in `removed` whose item or section no longer exists.
  var departedCount = 0

  /// Whether nothing changes.
  var isEmpty: Bool { upserts.isEmpty && removed.isEmpty }

  /// Notes that an element is removed.
  ///
  /// - Parameter told: the index path that the client knows; nil = the element's.
  mutating func remove(_ live: LiveElement, _ told: IndexPath?) {
    var element = live.element
    if let told { element.indexPath = told }
    removed.append(
      LeavingElement(element: element, slot: live.slot, hash: live.hash, path: live.path)
    )
  }

  /// Forgets all changes and keeps the capacity.
  mutating func removeAll() {
    upserts.removeAll(keepingCapacity: true)
    added.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
    departedCount = 0
  }
}
