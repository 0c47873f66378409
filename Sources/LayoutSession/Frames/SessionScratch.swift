// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// Storage in which frames are made. Whoever runs many sessions lends the same to one after the
/// other, so that making a frame allocates next to nothing and a session at rest keeps no more than
/// its elements.
public struct SessionScratch: Sendable {
  var buffer = ElementBuffer()
  var next: [LiveElement] = []
  var changes = LiveChanges()
  private var removedSlots: [UInt32] = []

  /// More elements than that at once are rare; their room is not worth keeping.
  private static let elementLimit = 4096

  public init() {}

  /// Takes the storage of a frame back that is no longer needed.
  public mutating func takeBack(_ frame: consuming SessionFrame) {
    changes.upserts = frame.upserts
    removedSlots = frame.removedSlots
  }

  /// Whether it has grown so large that it had better be dropped.
  public var isOversized: Bool {
    max(buffer.elements.capacity, next.capacity, changes.upserts.capacity) > Self.elementLimit
  }

  /// The elements and removed slots of a frame, moved out.
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
