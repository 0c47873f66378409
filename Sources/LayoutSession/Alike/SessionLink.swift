// SPDX-License-Identifier: Apache-2.0

/// What a session has of its client alone, whatever it shows: the frames in flight, and when
/// something was last sent and heard.
///
/// A session that is in a `CommonState` with others has nothing else of its own.
public struct SessionLink: Sendable {
  /// The frames in flight.
  var window = FrameWindow()
  /// When the newest frame was built; nil = none was built since the session was opened or resumed.
  var lastFrameAt: Duration?
  /// When something came from the client.
  var lastIncoming: Duration
  /// When something was sent to the client.
  var lastOutgoing: Duration

  init(at now: Duration) {
    lastIncoming = now
    lastOutgoing = now
  }

  /// The sequence number of the newest frame; 0 = none was built.
  public var lastFrame: UInt64 { window.lastSent }

  /// The number of frames that were sent and are not acknowledged.
  public var unacknowledgedFrames: UInt64 { UInt64(window.count) }

  /// Notes that a frame was sent.
  mutating func sent(_ frame: FrameWindow.Outstanding, at now: Duration) {
    window.sent(frame, at: now)
    lastFrameAt = now
    lastOutgoing = max(lastOutgoing, now)
  }

  /// Takes an acknowledgement.
  ///
  /// - Throws: `ProtocolViolation` if the frame was never sent.
  mutating func acknowledge(
    _ ack: FrameAck,
    at now: Duration
  ) throws(ProtocolViolation) -> FrameWindow.Verdict {
    lastIncoming = max(lastIncoming, now)
    return try window.acknowledge(ack, at: now)
  }

  // MARK: - Time

  /// Whether the window, the shortest interval between frames and the pause before repairs allow
  /// another frame.
  func canSend(at now: Duration, _ options: SessionOptions) -> Bool {
    window.count < options.maxInFlightFrames && intervalEnd(after: now, options) == nil
  }

  /// When the shortest interval since the newest frame ends, which is longer before a keyframe for
  /// a client that accepts none; nil = it is over.
  func intervalEnd(after now: Duration, _ options: SessionOptions) -> Duration? {
    let interval = max(options.minFrameInterval, window.repairPause)
    guard let lastFrameAt, now - lastFrameAt < interval else { return nil }
    return lastFrameAt + interval
  }

  /// Whether nothing has been sent within the heartbeat interval.
  func isHeartbeatDue(at now: Duration, _ options: SessionOptions) -> Bool {
    now - lastOutgoing >= options.grantedHeartbeatInterval
  }

  /// Whether the client keeps up.
  func health(at now: Duration, _ terms: SessionTerms) -> SessionHealth {
    if now - lastIncoming >= terms.options.grantedHeartbeatInterval * 3 { return .silent }
    guard let waitingSince = window.waitingSince else { return .good }
    let wait = now - waitingSince
    return wait >= terms.patience.end ? .tooSlow : wait >= terms.patience.notice ? .slow : .good
  }

  /// When a heartbeat is due, or the health becomes worse.
  func nextDeadline(after now: Duration, _ terms: SessionTerms) -> Duration {
    let interval = terms.options.grantedHeartbeatInterval
    var deadline = lastOutgoing + interval
    // A past moment is not announced again: the owner has acted on that health already.
    func announce(_ moment: Duration) {
      if moment > now { deadline = min(deadline, moment) }
    }
    announce(lastIncoming + interval * 3)
    if let waitingSince = window.waitingSince {
      announce(waitingSince + terms.patience.notice)
      announce(waitingSince + terms.patience.end)
    }
    return deadline
  }
}

extension SessionOptions {
  /// The heartbeat interval of options that are granted.
  var grantedHeartbeatInterval: Duration { heartbeatInterval ?? .seconds(15) }
}
