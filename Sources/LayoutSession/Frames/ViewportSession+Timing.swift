// SPDX-License-Identifier: Apache-2.0

/// Whether the client of a session keeps up.
public enum SessionHealth: Hashable, Sendable {
  /// The client has been heard from lately, and acknowledges frames in time.
  case good
  /// A frame has waited for its acknowledgement for `ClientPatience.notice`: the owner should tell
  /// the client.
  case slow
  /// A frame has waited for its acknowledgement for `ClientPatience.end`: the owner should end the
  /// stream.
  case tooSlow
  /// Nothing has come from the client for three heartbeat intervals: the owner should detach the
  /// session.
  case silent
}

extension ViewportSession {
  /// The heartbeat that is due; nil = something has been sent within the heartbeat interval, or the
  /// session is closed.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Parameter isForced: whether a heartbeat is wanted before it is due, because the owner sends
  ///   something of its own with it.
  public mutating func heartbeat(at now: Duration, isForced: Bool = false) -> Heartbeat? {
    guard !isClosed, isForced || link.isHeartbeatDue(at: now, options) else { return nil }
    link.lastOutgoing = now
    return heartbeat(after: link.lastFrame)
  }

  /// What a heartbeat says after a frame.
  func heartbeat(after lastFrame: UInt64) -> Heartbeat {
    Heartbeat(
      lastFrame: lastFrame,
      dataVersion: contents.version,
      appliedEvent: appliedEvent,
      liveCount: live.count,
      stateChecksum: stateChecksum
    )
  }

  /// Whether the client keeps up.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  public func health(at now: Duration) -> SessionHealth {
    link.health(at: now, terms.value)
  }

  /// When the owner has to look at the session again if no event comes first: for a frame when the
  /// shortest interval has passed, a heartbeat, a sighting, or a worse health. Not before `now`;
  /// nil = the session is closed.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  public func nextDeadline(after now: Duration) -> Duration? {
    guard !isClosed else { return nil }
    var deadline = link.nextDeadline(after: now, terms.value)
    // A past moment is not announced again: the owner has looked at what is in sight already.
    if let visibilityDeadline, visibilityDeadline > now {
      deadline = min(deadline, visibilityDeadline)
    }
    if hasWork, isPresentable, link.window.count < options.maxInFlightFrames {
      deadline = min(deadline, link.intervalEnd(after: now, options) ?? now)
    }
    return max(deadline, now)
  }
}
