// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// The state in which a frame leaves all sessions that were opened alike and have made the same
/// frames since. Such a session needs nothing but this and its link.
public final class CommonState: Sendable {
  /// The session that made the frame; all but its link is common.
  let session: ViewportSession
  /// Roughly the memory of a session in this state, in bytes: `ViewportSession.byteCount`.
  public let byteCount: Int
  /// The number of the layout that is shown: `ViewportSession.finishedLayout`.
  public let layout: UInt64
  /// What answers queries.
  package let query: Boxed<SessionQuery?>
  /// The kind of the layout.
  public let layoutKind: String

  /// - Returns: nil = the session's state does not follow from what it was opened with and its
  ///   frames alone, or it has something to do besides following commits.
  public init?(after session: ViewportSession) {
    guard session.followsFromOpening, !session.hasWork, !session.needsTurn,
      session.wantedLayout == nil, !session.showsStandIn, session.lastBeforeRejection == nil,
      session.movement == nil, session.unsettled.isEmpty, session.waitingSyncs.isEmpty,
      session.waitingScrolls.isEmpty, session.waitingOffers.isEmpty,
      let layout = session.finishedLayout
    else { return nil }
    var isAlone = true
    session.forEachPinnedLayout { isAlone = isAlone && $0.identity == layout }
    guard isAlone else { return nil }
    self.session = session
    self.layout = layout
    byteCount = session.byteCount
    query = Boxed(session.query)
    layoutKind = session.layoutKind
  }

  private var options: SessionOptions { session.terms.value.options }

  // MARK: - What is common

  /// The data version that is shown.
  public var dataVersion: UInt64 { session.dataVersion }
  /// `ViewportSession.layoutVersion`
  public var layoutVersion: UInt64 { session.layoutVersion }
  /// `ViewportSession.liveCount`
  public var liveCount: Int { session.liveCount }
  /// `ViewportSession.pinnedLayoutsVersion`
  public var pinnedLayoutsVersion: UInt64 { session.pinnedLayoutsVersion }

  // MARK: - A session in this state

  /// A session in this state as one that has all for itself.
  public func session(_ link: SessionLink) -> ViewportSession {
    var session = session
    session.link = link
    return session
  }

  /// The link of a session that was in the state before the frame and was sent it, too.
  ///
  /// - Parameters:
  ///   - link: its link before.
  ///   - now: the time since the same moment in all calls.
  public func follow(_ link: inout SessionLink, at now: Duration) {
    let window = session.link.window
    let frame = FrameWindow.Outstanding(
      sequence: window.lastSent,
      isKeyframe: window.lastKeyframe == window.lastSent,
      checksum: session.live.checksum
    )
    link.sent(frame, at: now)
  }

  /// Whether the window and the shortest interval allow another frame.
  public func canFollow(_ link: SessionLink, at now: Duration) -> Bool {
    link.canSend(at: now, options)
  }

  /// When the shortest interval since the newest frame ends; nil = it is over.
  public func intervalEnd(_ link: SessionLink, after now: Duration) -> Duration? {
    link.intervalEnd(after: now, options)
  }

  /// Whether no frame can be sent before the client acknowledges one.
  public func isWindowFull(_ link: SessionLink) -> Bool {
    link.window.count >= options.maxInFlightFrames
  }

  /// Takes an acknowledgement that only frees a place in the window.
  ///
  /// - Returns: nil = nothing follows from it; otherwise what the session, which then is in a state
  ///   of its own, has to be told by `settle`.
  /// - Throws: `ProtocolViolation` where the frame was never sent; the stream must end then.
  public func acknowledge(
    _ ack: FrameAck,
    _ link: inout SessionLink,
    at now: Duration
  ) throws(ProtocolViolation) -> AckFollowUp? {
    if ack.stateChecksum != nil, session.live.checksum == nil { return AckFollowUp(ack, nil) }
    let verdict = try link.acknowledge(ack, at: now)
    return verdict == .fine ? nil : AckFollowUp(ack, verdict)
  }

  /// See `ViewportSession.heartbeat`.
  public func heartbeat(
    _ link: inout SessionLink,
    at now: Duration,
    isForced: Bool
  ) -> Heartbeat? {
    guard isForced || link.isHeartbeatDue(at: now, options) else { return nil }
    link.lastOutgoing = now
    return session.heartbeat(after: link.lastFrame)
  }

  /// Whether the client keeps up.
  public func health(_ link: SessionLink, at now: Duration) -> SessionHealth {
    link.health(at: now, session.terms.value)
  }

  /// See `ViewportSession.nextDeadline`.
  public func nextDeadline(_ link: SessionLink, after now: Duration) -> Duration {
    max(link.nextDeadline(after: now, session.terms.value), now)
  }
}

/// What a session has to be told of an acknowledgement once it is in a state of its own.
public struct AckFollowUp: Sendable {
  let ack: FrameAck
  /// What follows from it; nil = nobody has looked at it yet.
  let verdict: FrameWindow.Verdict?

  init(_ ack: FrameAck, _ verdict: FrameWindow.Verdict?) {
    self.ack = ack
    self.verdict = verdict
  }
}
