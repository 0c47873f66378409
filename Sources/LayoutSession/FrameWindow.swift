// SPDX-License-Identifier: Apache-2.0

/// The frames that were sent and not yet acknowledged, at most eight.
struct FrameWindow: Sendable {
  private struct Outstanding {
    var sequence: UInt64
    var checksum: UInt32
    var sentAt: Duration
  }

  private var outstanding: [Outstanding] = []
  private(set) var lastSent: UInt64 = 0
  private(set) var lastAcknowledged: UInt64 = 0
  /// The last frame that the client said it applied.
  private(set) var lastApplied: UInt64 = 0
  private(set) var lastKeyframe: UInt64 = 0
  private var acknowledgedChecksum: UInt32 = 0

  var count: Int { outstanding.count }

  /// When the oldest outstanding frame was sent, or the client last acknowledged one if later.
  private(set) var waitingSince: Duration?

  mutating func sent(_ sequence: UInt64, isKeyframe: Bool, checksum: UInt32, at now: Duration) {
    lastSent = sequence
    if isKeyframe { lastKeyframe = sequence }
    if outstanding.isEmpty { waitingSince = now }
    outstanding.append(Outstanding(sequence: sequence, checksum: checksum, sentAt: now))
  }

  enum Verdict { case fine, keyframeNeeded }

  mutating func acknowledge(_ ack: FrameAck, at now: Duration) throws(ProtocolViolation) -> Verdict
  {
    guard ack.sequence > 0 else { return .fine }
    guard ack.sequence <= lastSent else {
      throw ProtocolViolation(
        "frame \(ack.sequence) was acknowledged and never sent; the last one is \(lastSent)"
      )
    }
    guard ack.sequence >= lastAcknowledged else {
      throw ProtocolViolation(
        "frame \(ack.sequence) was acknowledged after frame \(lastAcknowledged)"
      )
    }
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
    guard ack.sequence >= lastKeyframe else { return .fine }
    if ack.isRejected { return .keyframeNeeded }
    if let checksum = ack.stateChecksum, checksum != acknowledgedChecksum {
      return .keyframeNeeded
    }
    return .fine
  }

  /// A new stream: nothing is under way on it.
  mutating func forgetOutstanding() {
    outstanding.removeAll()
    lastAcknowledged = lastSent
    waitingSince = nil
  }
}
