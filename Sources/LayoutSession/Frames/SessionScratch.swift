// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// Storage in which frames are built. An owner of many sessions lends it to one after the other:
/// building a frame then allocates almost nothing, and a resting session keeps only its elements.
public struct SessionScratch: Sendable {
  /// The elements that a layout gives for the coverage.
  var buffer = ElementBuffer()
  /// The next live elements.
  var next: [LiveElement] = []
  /// What changes from the old live elements to the next.
  var changes = LiveChanges()
  /// Empty storage for the next frame's `removedSlots`.
  private var removedSlots: [UInt32] = []

  /// Few frames have more elements; more storage is not worth keeping.
  private static let elementLimit = 4096

  /// Storage without capacity, which grows when it is used.
  public init() {}

  /// Takes back the storage of a frame that is no longer needed.
  public mutating func takeBack(_ frame: consuming SessionFrame) {
    changes.upserts = frame.upserts
    removedSlots = frame.removedSlots
  }

  /// Whether the storage has grown so large that the owner should drop it.
  public var isOversized: Bool {
    max(buffer.elements.capacity, next.capacity, changes.upserts.capacity) > Self.elementLimit
  }

  /// Moves the upserts and removed slots out, for a frame.
  ///
  /// - Parameter isKeyframe: whether the frame carries all live elements rather than the changed
  ///   ones.
  mutating func takeBody(
    ofKeyframe isKeyframe: Bool,
    _ live: LiveSet
  ) -> (upserts: [FrameElement], removedSlots: [UInt32]) {
    var upserts: [FrameElement] = []
    swap(&upserts, &changes.upserts)
    var slots: [UInt32] = []
    swap(&slots, &removedSlots)
    slots.removeAll(keepingCapacity: true)
    if isKeyframe {
      upserts.removeAll(keepingCapacity: true)
      live.appendAll(to: &upserts)
    } else {
      for live in changes.removed { slots.append(live.slot) }
    }
    return (upserts, slots)
  }
}
