// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// An element that the client holds. Trivial, so that arrays of it copy like bytes.
struct LiveElement: Sendable {
  /// As the client has it, with the session's kind numbers and an extra of `LiveSet.extras`.
  var element: LayoutElement
  /// Where its item or section is by now; `element.indexPath` is where the client was told.
  var path: IndexPath
  /// The frame that filled the slot.
  var since: UInt64
  var slot: UInt32
  /// Its part of the state's checksum, where that is kept.
  var hash: UInt32

  /// The order of `LiveSet.elements`.
  static func precedes(_ a: LiveElement, _ b: LiveElement) -> Bool {
    a.path == b.path ? a.element.classRank < b.element.classRank : a.path < b.path
  }
}

/// What one frame does to the live elements.
struct LiveChanges: Sendable {
  /// New and changed elements, sorted by their new index path.
  var upserts: [FrameElement] = []
  /// Those of `upserts` that are new, and their places among the live elements.
  var added: [(upsert: Int, place: Int)] = []
  /// First those whose item or section is gone.
  var removed: [LiveElement] = []
  var departedCount = 0

  var isEmpty: Bool { upserts.isEmpty && removed.isEmpty }

  /// Forgets everything and keeps the room.
  mutating func removeAll() {
    upserts.removeAll(keepingCapacity: true)
    added.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
    departedCount = 0
  }
}
