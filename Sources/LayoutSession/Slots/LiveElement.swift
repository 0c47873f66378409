// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// An element that the client holds. Trivial, so that arrays of it copy like bytes, and small: they
/// are most of what a session at rest keeps.
struct LiveElement: Sendable {
  /// As the client has it, with the session's kind numbers and an extra of `LiveSet.extras`; its
  /// index path is where its item or section is by now.
  var element: LayoutElement
  var slot: UInt32
  /// The frame that filled the slot, as far as 32 bits tell.
  private var clampedSince: UInt32
  /// Its part of the state's checksum, where that is kept.
  var hash: UInt32

  init(element: LayoutElement, since: UInt64, slot: UInt32, hash: UInt32) {
    self.element = element
    self.slot = slot
    clampedSince = UInt32(clamping: since)
    self.hash = hash
  }

  var path: IndexPath { element.indexPath }
  var since: UInt64 { UInt64(clampedSince) }
}

/// What the client knows of an element that a batch has given another index path.
struct ToldElement: Sendable {
  var path: IndexPath
  /// Whether a batch moved it by name, or its section, rather than by what it changed before it.
  var isMoved = false
}

/// An element that a frame takes away.
struct LeavingElement: Sendable {
  /// As the client has it.
  var element: LayoutElement
  var slot: UInt32
  var hash: UInt32
  /// Where its item or section is by now, if anywhere.
  var path: IndexPath
}

/// What one frame does to the live elements.
struct LiveChanges: Sendable {
  /// New and changed elements, sorted by their new index path.
  var upserts: [FrameElement] = []
  /// Those of `upserts` that are new, and their places among the live elements.
  var added: [(upsert: Int, place: Int)] = []
  /// First those whose item or section is gone.
  var removed: [LeavingElement] = []
  var departedCount = 0

  var isEmpty: Bool { upserts.isEmpty && removed.isEmpty }

  /// - Parameter told: the index path that the client knows; nil = the element's.
  mutating func remove(_ live: LiveElement, _ told: IndexPath?) {
    var element = live.element
    if let told { element.indexPath = told }
    removed.append(
      LeavingElement(element: element, slot: live.slot, hash: live.hash, path: live.path)
    )
  }

  /// Forgets everything and keeps the room.
  mutating func removeAll() {
    upserts.removeAll(keepingCapacity: true)
    added.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
    departedCount = 0
  }
}
