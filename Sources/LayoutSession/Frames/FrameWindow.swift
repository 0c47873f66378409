// SPDX-License-Identifier: Apache-2.0

/// The frames in flight: sent and not yet acknowledged. At most eight, since `SessionOptions`
/// grants no larger window.
struct FrameWindow: Sendable {
  /// A frame in flight.
  struct Outstanding {
    var sequence: UInt64
    var isKeyframe: Bool
    /// For a keyframe that repeats offset adjustments which the client did not apply: the last
    /// frame that the client applied. nil = the frame repeats none.
    var repairsSince: UInt64?
    /// The checksum of the client's elements after the frame; nil = no checksum is kept.
    var checksum: UInt32?
  }

  /// The frames in flight, the oldest first.
  private var outstanding: [Outstanding] = []
  /// The newest frame that was sent; 0 = none.
  private(set) var lastSent: UInt64 = 0
  /// The newest frame that the client acknowledged, whether it applied or rejected it; 0 = none.
  private(set) var lastAcknowledged: UInt64 = 0
  /// The newest frame that the client applied; 0 = none.
  private(set) var lastApplied: UInt64 = 0
  /// The newest keyframe that was sent; 0 = none.
  private(set) var lastKeyframe: UInt64 = 0
  /// The checksum of the client's elements after `lastAcknowledged`; nil = it is not known.
  private var acknowledgedChecksum: UInt32?
  /// How many keyframes in a row did not help the client, up to 255.
  private var uselessKeyframes: UInt8 = 0

  /// The number of frames in flight.
  var count: Int { outstanding.count }

  /// When the session began to wait for an acknowledgement: when it sent the oldest frame in
  /// flight, or when the client last acknowledged one if that was later. nil = no frame is in
  /// flight.
  private(set) var waitingSince: Duration?

  /// Notes that a frame was sent.
  mutating func sent(_ frame: Outstanding, at now: Duration) {
    lastSent = frame.sequence
    if frame.isKeyframe { lastKeyframe = frame.sequence }
    if outstanding.isEmpty { waitingSince = now }
    outstanding.append(frame)
  }

  /// What follows from an acknowledgement.
  enum Verdict: Equatable {
    /// Nothing needs to be done.
    case fine
    /// The client applied the frame but has other elements than it should: a keyframe is needed.
    case mismatch
    /// The client could not apply the frame: a keyframe is needed.
    case rejected
    /// The client could not apply the frame, but a later keyframe is in flight that replaces all
    /// elements. The keyframe also repeats the offset adjustments since `repairsSince`; nil = it
    /// repeats none.
    case repaired(byKeyframe: UInt64, repairsSince: UInt64?)
  }

  /// Processes an acknowledgement.
  ///
  /// Acknowledgements of frame 0 are ignored, even rejections, and so are those of older frames
  /// than the last acknowledged, which clients repeat together with events.
  ///
  /// - Throws: `ProtocolViolation` if the frame was never sent.
  mutating func acknowledge(_ ack: FrameAck, at now: Duration) throws(ProtocolViolation) -> Verdict
  {
    guard ack.sequence > 0 else { return .fine }
    guard ack.sequence <= lastSent else {
      throw ProtocolViolation(
        "frame \(ack.sequence) was acknowledged and never sent; the last one is \(lastSent)"
      )
    }
    guard ack.sequence >= lastAcknowledged else { return .fine }
    // Clients repeat acknowledgements.
    let isNew = ack.sequence > lastAcknowledged
    if isNew {
      while let first = outstanding.first, first.sequence <= ack.sequence {
        acknowledgedChecksum = first.checksum
        outstanding.removeFirst()
      }
      lastAcknowledged = ack.sequence
      waitingSince = outstanding.isEmpty ? nil : now
    }
    if !ack.isRejected { lastApplied = ack.sequence }
    // The newest keyframe repairs whatever went wrong before it.
    guard ack.sequence >= lastKeyframe else {
      guard ack.isRejected, let next = outstanding.first(where: \.isKeyframe) else { return .fine }
      return .repaired(byKeyframe: next.sequence, repairsSince: next.repairsSince)
    }
    let verdict = verdict(of: ack)
    if isNew { noteUse(of: ack, verdict) }
    return verdict
  }

  private func verdict(of ack: FrameAck) -> Verdict {
    if ack.isRejected { return .rejected }
    if let found = ack.stateChecksum, let expected = acknowledgedChecksum, found != expected {
      return .mismatch
    }
    return .fine
  }

  /// Counts keyframes that did not help the client.
  private mutating func noteUse(of ack: FrameAck, _ verdict: Verdict) {
    if verdict == .fine {
      uselessKeyframes = 0
    } else if ack.sequence == lastKeyframe, uselessKeyframes < .max {
      uselessKeyframes += 1
    }
  }

  /// How long the next frame waits, because the client accepts none: a keyframe is answered at once
  /// by another rejection, and costs the server much more than the client.
  var repairPause: Duration {
    let wasted = Int(uselessKeyframes) - Self.promptRepairs
    return wasted <= 0 ? .zero : min(.seconds(1), .milliseconds(10 << min(wasted, 7)))
  }

  /// So many keyframes in a row that help nobody are each followed by the next one at once.
  private static let promptRepairs = 3

  /// Sets the checksum of the client's elements after the newest frame, when checksums begin to be
  /// kept.
  mutating func noteChecksum(_ checksum: UInt32) {
    if outstanding.isEmpty {
      acknowledgedChecksum = checksum
    } else {
      outstanding[outstanding.count - 1].checksum = checksum
    }
  }

  /// Starts over on a new stream: no frame is in flight.
  ///
  /// - Parameter applied: the last frame that the client has applied.
  mutating func restart(applied: UInt64) {
    outstanding.removeAll()
    lastAcknowledged = lastSent
    lastApplied = min(applied, lastSent)
    acknowledgedChecksum = nil
    waitingSince = nil
  }
}
