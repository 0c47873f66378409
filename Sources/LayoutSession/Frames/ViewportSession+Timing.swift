// SPDX-License-Identifier: Apache-2.0

/// How a session and its client are getting on.
public enum SessionHealth: Hashable, Sendable {
  case good
  /// Frames have waited for an acknowledgement for as long as `ClientPatience.notice`: the client
  /// is to be told.
  case slow
  /// As long as `ClientPatience.end`: the stream is to end.
  case tooSlow
  /// Nothing came from the client for three heartbeats: the session is to be detached.
  case silent
}

extension ViewportSession {
  private var heartbeatInterval: Duration { options.heartbeatInterval ?? .seconds(15) }

  /// Sent where nothing else was for as long as the client's heartbeat interval, or where the owner
  /// has something of its own to tell with it.
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

  public func health(at now: Duration) -> SessionHealth {
    if now - lastIncoming >= heartbeatInterval * 3 { return .silent }
    guard let waitingSince = window.waitingSince else { return .good }
    let wait = now - waitingSince
    return wait >= patience.end ? .tooSlow : wait >= patience.notice ? .slow : .good
  }

  /// When something is due that no event announces: a frame whose interval has passed, a heartbeat,
  /// a worse health. nil = never.
  public func nextDeadline(after now: Duration) -> Duration? {
    guard !isClosed else { return nil }
    var deadline = lastOutgoing + heartbeatInterval
    // What is past and still so is not announced again, but for what has to be sent.
    func announce(_ moment: Duration) {
      if moment > now { deadline = min(deadline, moment) }
    }
    announce(lastIncoming + heartbeatInterval * 3)
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
