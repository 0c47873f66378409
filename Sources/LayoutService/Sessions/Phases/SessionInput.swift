// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession

/// One request of the client: an acknowledgement, then an event.
struct SessionInput: Sendable {
  enum Event: Sendable {
    case event(SessionEvent, seq: UInt64)
    /// An event that could not be read, or exceeded the rate.
    case refused(LayoutProblem, seq: UInt64)
    /// New credentials, which are in force already.
    case renewed(seq: UInt64)
  }

  /// Frame 0 = no acknowledgement; the request still shows that the client is alive.
  var ack: FrameAck
  /// nil = a bare acknowledgement.
  var event: Event?
  /// The memory of the decoded request, roughly.
  var byteCount: Int
  /// Whether it was so large on the wire that processing it may take long.
  var isLarge: Bool

  /// - Parameter wireByteCount: the size of a layout in the request.
  init(
    ack: FrameAck = FrameAck(sequence: 0),
    event: Event? = nil,
    wireByteCount: Int = 0,
    isLarge: Bool = false
  ) {
    self.ack = ack
    self.event = event
    self.isLarge = isLarge
    byteCount = Self.byteCount(of: event) + wireByteCount * Self.layoutExpansion
  }

  /// Merges a later request into this one if nothing is lost: two acknowledgements, or two viewport
  /// changes, become one. An acknowledgement may move ahead of a viewport change, never ahead of
  /// another event.
  ///
  /// - Returns: false = both have to stay; then nothing has changed.
  mutating func merge(_ newer: SessionInput) -> Bool {
    guard !isLarge, !newer.isLarge, let ack = ack.merged(with: newer.ack) else { return false }
    switch (event, newer.event) {
    case (nil, nil), (.event(.viewport, _), nil): break
    case (nil, let event?): self.event = event
    case (.event(.viewport(let older), let olderSeq), .event(.viewport(let change), let seq)):
      guard seq > olderSeq else { return false }
      event = .event(.viewport(older.merged(with: change)), seq: seq)
    default: return false
    }
    self.ack = ack
    byteCount = max(byteCount, newer.byteCount, Self.byteCount(ofViewportIn: event))
    return true
  }
}

extension FrameAck {
  /// Both acknowledgements as one; nil if the newer one does not say all that both say.
  func merged(with newer: FrameAck) -> FrameAck? {
    if newer.saysNothing { return self }
    if saysNothing { return newer }
    guard !isRejected, !newer.isRejected, newer.sequence >= sequence,
      stateChecksum == nil || newer.stateChecksum != nil
    else { return nil }
    return newer
  }

  private var saysNothing: Bool { sequence == 0 && stateChecksum == nil && !isRejected }
}

extension ViewportChange {
  /// Both changes as one: what the newer one leaves unset is as in this one.
  func merged(with newer: ViewportChange) -> ViewportChange {
    var merged = newer
    if newer.offset == nil, let offset {
      merged.offset = offset
      // It belongs to the offset.
      merged.observedFrame = observedFrame
    }
    merged.size = newer.size ?? size
    merged.insets = newer.insets ?? insets
    merged.velocity = newer.velocity ?? velocity
    merged.traits = newer.traits ?? traits
    merged.safeAreaInsets = newer.safeAreaInsets ?? safeAreaInsets
    merged.layoutMargins = newer.layoutMargins ?? layoutMargins
    merged.readableContentWidth = newer.readableContentWidth ?? readableContentWidth
    merged.sectionOffsets = sectionOffsets.merging(newer.sectionOffsets) { $1 }
    return merged
  }
}
