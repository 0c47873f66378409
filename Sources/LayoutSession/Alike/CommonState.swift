// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutGeometry

/// The state in which a frame leaves all sessions that were opened alike and have made the same
/// frames since. Such a session needs nothing but this and its link.
public final class CommonState: Sendable {
  /// The session that made the frame; all but its link is common.
  let session: ViewportSession
  /// Roughly the memory of a session in this state, in bytes: `ViewportSession.byteCount`.
  public let byteCount: Int
  /// The number of the layout that is shown: `ViewportSession.finishedLayout`.
  public let layout: UInt64
  /// What answers queries; nil = nothing is prepared yet.
  package let query: Boxed<SessionQuery>?
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
    query = session.query.map { Boxed($0) }
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
  ///
  /// - Complexity: O(1); O(elements) if its frames have other numbers than those of the session
  ///   that made the state.
  public func session(_ link: SessionLink) -> ViewportSession {
    var session = session
    if link.lastFrame != session.lastFrame { session.renumber(lastFrame: link.lastFrame) }
    session.link = link
    return session
  }

  /// Whether a session that has built no frame yet would be in this state if it had been opened
  /// earlier: it was opened like the sessions in this state, and `keyframe` is all that it needs.
  public func admits(_ opened: ViewportSession) -> Bool {
    isAlike(opened) && mayBegin(like: opened)
  }

  /// Whether a session that shows the same layout may begin in this state.
  func mayBegin(like opened: ViewportSession) -> Bool {
    // The newest frame counts as the first one of a session that joins. A client that comes later
    // was not told to move sections that are out of sight by now.
    opened.lastFrame == 0 && opened.viewport == session.viewport
      && session.adjustments.adjustment(since: max(1, session.lastFrame) - 1) == .zero
      && session.rendererOffsets.value?.hasResets != true
      && opened.rendererOffsets.value == session.rendererOffsets.value
  }

  /// Whether a session that was opened like those in this state is in this state as well, but for
  /// its link.
  ///
  /// - Parameter isAlone: whether nobody else comes with it. Otherwise it may be younger than those
  ///   who do, so what happened before it began has to be the same as well.
  /// - Complexity: O(elements)
  public func isState(of other: ViewportSession, isAlone: Bool) -> Bool {
    isAlike(other) && clientHasSame(as: other, isAlone: isAlone)
  }

  /// Whether the client of a session that shows the same layout has the same, and will be sent the
  /// same.
  func clientHasSame(as other: ViewportSession, isAlone: Bool) -> Bool {
    guard let sent = session.sent, let its = other.sent,
      sent.viewport == its.viewport, other.viewport == session.viewport,
      sent.coverage == its.coverage, sent.lookupOffsets == its.lookupOffsets,
      sent.contentSize == its.contentSize, session.toldScrolls == other.toldScrolls,
      session.kinds.names == other.kinds.names, session.earlierSlotCount == other.earlierSlotCount,
      session.layoutVersion == other.layoutVersion
    else { return false }
    let shift = ViewportSession.shift(from: session.lastFrame, to: other.lastFrame)
    let first: Int64 = isAlone ? 1 : .min
    var offsets = session.rendererOffsets.value
    offsets?.renumber(by: shift)
    return other.rendererOffsets.value == offsets
      // Only reports of sizes ask since when.
      && other.live.isSame(as: session.live, shift: shift, from: first, isDated: other.canMeasure)
      && other.adjustments.isSame(as: session.adjustments, shift: shift, from: first)
  }

  private func isAlike(_ other: ViewportSession) -> Bool {
    other.dataVersion == dataVersion && other.finishedLayout == layout && other.followsFromOpening
  }

  /// The frame that brings a client to this state as the first one of its session.
  ///
  /// - Returns: nil = there is none that does exactly that, or it takes more than a small effort.
  public func keyframe(scratch: inout SessionScratch) -> SessionFrame? {
    var copy = session(SessionLink(at: .zero))
    copy.needsKeyframe = true
    guard let frame = copy.nextFrame(at: .zero, scratch: &scratch, effort: .small),
      frame.isKeyframe, frame.offsetAdjustment == .zero, frame.transition == nil,
      copy.sent?.coverage == session.sent?.coverage, copy.viewport == session.viewport,
      copy.sent?.lookupOffsets == session.sent?.lookupOffsets,
      copy.toldScrolls == session.toldScrolls,
      copy.rendererOffsets.value == session.rendererOffsets.value,
      copy.kinds.names == session.kinds.names, copy.live.checksum == session.live.checksum,
      copy.live.slots == session.live.slots, copy.live.count == session.live.count
    else { return nil }
    return frame
  }

  /// The link of a session that was in the state before the frame and was sent it, too, with a
  /// number of its own; or was sent `keyframe`.
  ///
  /// - Parameters:
  ///   - link: its link before.
  ///   - isKeyframe: whether the frame replaces all that the client has.
  ///   - now: the time since the same moment in all calls.
  public func follow(_ link: inout SessionLink, isKeyframe: Bool, at now: Duration) {
    let frame = FrameWindow.Outstanding(
      sequence: link.lastFrame + 1,
      isKeyframe: isKeyframe,
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

  /// What is due to a session by the time.
  public struct Due {
    /// See `ViewportSession.heartbeat`; nil = none is due.
    public var heartbeat: Heartbeat?
    /// Whether the client keeps up.
    public var health: SessionHealth
    /// See `ViewportSession.nextDeadline`.
    public var next: Duration
  }

  /// What is due to a session in this state, which then sends it.
  ///
  /// - Parameter isForced: whether a heartbeat is due in any case.
  public func due(_ link: inout SessionLink, at now: Duration, isForced: Bool) -> Due {
    var heartbeat: Heartbeat?
    if isForced || link.isHeartbeatDue(at: now, options) {
      link.lastOutgoing = now
      heartbeat = session.heartbeat(after: link.lastFrame)
    }
    let terms = session.terms.value
    return Due(
      heartbeat: heartbeat,
      health: link.health(at: now, terms),
      next: max(link.nextDeadline(after: now, terms), now)
    )
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
