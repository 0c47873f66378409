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
  private var heartbeatInterval: Duration { options.heartbeatInterval ?? .seconds(15) }

  /// The heartbeat that is due; nil = something has been sent within the heartbeat interval, or the
  /// session is closed.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Parameter isForced: whether a heartbeat is wanted before it is due, because the owner sends
  ///   something of its own with it.
  public mutating func heartbeat(at now: Duration, isForced: Bool = false) -> Heartbeat? {
    guard !isClosed, isForced || now - lastOutgoing >= heartbeatInterval else { return nil }
    lastOutgoing = now
    return Heartbeat(
      lastFrame: window.lastSent,
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
    if now - lastIncoming >= heartbeatInterval * 3 { return .silent }
    guard let waitingSince = window.waitingSince else { return .good }
    let wait = now - waitingSince
    return wait >= patience.end ? .tooSlow : wait >= patience.notice ? .slow : .good
  }

  /// When the owner has to look at the session again if no event comes first: for a frame when the
  /// shortest interval has passed, a heartbeat, a sighting, or a worse health. Not before `now`;
  /// nil = the session is closed.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  public func nextDeadline(after now: Duration) -> Duration? {
    guard !isClosed else { return nil }
    var deadline = lastOutgoing + heartbeatInterval
    // A past moment is not announced again: the owner has acted on that health already.
    func announce(_ moment: Duration) {
      if moment > now { deadline = min(deadline, moment) }
    }
    announce(lastIncoming + heartbeatInterval * 3)
    if let visibilityDeadline { announce(visibilityDeadline) }
    if let waitingSince = window.waitingSince {
      announce(waitingSince + patience.notice)
      announce(waitingSince + patience.end)
    }
    if hasWork, isPresentable, window.count < options.maxInFlightFrames {
      deadline = min(deadline, lastFrameAt.map { $0 + options.minFrameInterval } ?? now)
    }
    return max(deadline, now)
  }
}
