// SPDX-License-Identifier: Apache-2.0

/// The frames that were sent and not yet acknowledged, at most eight.
struct FrameWindow: Sendable {
  private struct Outstanding {
    var sequence: UInt64
    /// nil = it was not asked for.
    var checksum: UInt32?
    var isKeyframe: Bool
    var mendsSince: UInt64?
  }

  private var outstanding: [Outstanding] = []
  private(set) var lastSent: UInt64 = 0
  private(set) var lastAcknowledged: UInt64 = 0
  /// The last frame that the client said it applied.
  private(set) var lastApplied: UInt64 = 0
  private(set) var lastKeyframe: UInt64 = 0
  private var acknowledgedChecksum: UInt32?

  var count: Int { outstanding.count }

  /// When the oldest outstanding frame was sent, or the client last acknowledged one if later.
  private(set) var waitingSince: Duration?

  /// - Parameter mendsSince: the frame since which a keyframe makes up for adjustments that the client
  ///   did not apply.
  mutating func sent(
    _ sequence: UInt64,
    isKeyframe: Bool,
    mendsSince: UInt64? = nil,
    checksum: UInt32?,
    at now: Duration
  ) {
    lastSent = sequence
    if isKeyframe { lastKeyframe = sequence }
    if outstanding.isEmpty { waitingSince = now }
    outstanding.append(
      Outstanding(
        sequence: sequence,
        checksum: checksum,
        isKeyframe: isKeyframe,
        mendsSince: mendsSince
      )
    )
  }

  enum Verdict: Equatable {
    case fine
    /// The client applied the frame and has other elements than it should: a keyframe is needed.
    case mismatch
    /// The client could not apply the frame: a keyframe is needed.
    case rejected
    /// The client could not apply the frame. A keyframe that is under way mends the elements, and
    /// the offset where it makes up for the adjustments since `mendsSince`.
    case mended(byKeyframe: UInt64, mendsSince: UInt64?)
  }

  /// Takes an acknowledgement.
  ///
  /// One that names no frame says nothing, not even that something was rejected. One of an older
  /// frame than the last acknowledged says nothing new: it comes with an event that was sent again.
  /// - Throws: `ProtocolViolation` where the frame was never sent.
  mutating func acknowledge(_ ack: FrameAck, at now: Duration) throws(ProtocolViolation) -> Verdict
  {
    guard ack.sequence > 0 else { return .fine }
    guard ack.sequence <= lastSent else {
      throw ProtocolViolation(
        "frame \(ack.sequence) was acknowledged and never sent; the last one is \(lastSent)"
      )
    }
    guard ack.sequence >= lastAcknowledged else { return .fine }
    if ack.sequence > lastAcknowledged {
      while let first = outstanding.first, first.sequence <= ack.sequence {
        acknowledgedChecksum = first.checksum
        outstanding.removeFirst()
      }
      lastAcknowledged = ack.sequence
      waitingSince = outstanding.isEmpty ? nil : now
    }
    if !ack.isRejected { lastApplied = ack.sequence }
    // What went wrong before the newest keyframe is mended by it.
    guard ack.sequence >= lastKeyframe else {
      guard ack.isRejected, let next = outstanding.first(where: \.isKeyframe) else { return .fine }
      return .mended(byKeyframe: next.sequence, mendsSince: next.mendsSince)
    }
    if ack.isRejected { return .rejected }
    if let found = ack.stateChecksum, let expected = acknowledgedChecksum, found != expected {
      return .mismatch
    }
    return .fine
  }

  /// What the client has to have once it has applied the newest frame, now that it is known.
  mutating func noteChecksum(_ checksum: UInt32) {
    if outstanding.isEmpty {
      acknowledgedChecksum = checksum
    } else {
      outstanding[outstanding.count - 1].checksum = checksum
    }
  }

  /// A new stream: nothing is under way on it, and the client has applied everything up to a frame.
  mutating func restart(applied: UInt64) {
    outstanding.removeAll()
    lastAcknowledged = lastSent
    lastApplied = min(applied, lastSent)
    acknowledgedChecksum = nil
    waitingSince = nil
  }
}
