// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Metrics
internal import ResourceAccounting

extension SessionCore {
  // MARK: - Sessions in the same state

  /// The state of the session, if others are in it as well.
  var alike: AlikeState? { form.alike }

  /// The session is in a state of its own from now on.
  func leaveForGood() {
    membership = nil
    (leaveAlike() ?? leaving)?.leaveNext(ObjectIdentifier(self))
    leaving = nil
  }

  /// Takes the session out of the state that others are in.
  ///
  /// - Returns: that state; nil = it was in a state of its own.
  private func leaveAlike() -> AlikeState? {
    guard let state = form.alike else { return nil }
    form = .own(form.takenOut(link), alike: nil)
    return state
  }

  /// Takes over a commit that nobody in the same state has made a frame of. Where others are in it,
  /// the next frame is noted for them.
  func stepAhead() {
    guard var state = leaveAlike() else { return }
    // Where the session is not alone, one that is being opened may just join the state.
    let isAlone = isKnownUniquelyReferenced(&state) && membership?.group.isShared != true
    leaving = isAlone ? nil : state
  }

  /// Follows the frames that other sessions have made in the same state, as far as they go.
  ///
  /// - Parameter first: the state that the session is in, in common form.
  /// - Returns: the state that it is in now.
  /// - Throws: QUOTA_MEMORY.
  func followAlike(from first: AlikeState, at now: Duration) throws -> AlikeState {
    var state = first
    guard let version = collection?.dataVersion else { return state }
    while let next = state.next(towards: version), canFollow(state, at: now),
      let frame = next.frame.numbered(link.lastFrame + 1)
    {
      do throws(LimitExceeded) {
        try charges.keepOnly(common: next.layout)
      } catch { throw LayoutProblem(error) }
      if let oldest = frame.oldestCommit, unshown == nil { unshown = (oldest, frame.dataVersion) }
      state = next.twin ?? next
      form = .common(state)
      follow(state, frame, at: now)
    }
    return state
  }

  /// Joins sessions that were opened alike, with a first frame that shows what they show.
  ///
  /// - Returns: false = none of them can be joined now, so the session makes its first frame
  ///   itself.
  func joinAlike(at now: Duration) -> Bool {
    guard let group = membership?.group, sessionInPlace.lastFrame == 0,
      reading({ $0.isFrameDue(at: now) }),
      mayFollowOthers, reading({ $0.canSend(at: now) })
    else { return false }
    for state in group.states where reading({ state.common.admits($0) }) {
      guard let frame = state.firstFrame(from: services.scratch) else { continue }
      join(state)
      follow(state, frame, at: now)
      return true
    }
    return false
  }

  /// When the session may follow the others, if only the shortest interval between frames keeps it
  /// from that; nil = it is in no state with others, or may do so now, or would be asked about old
  /// contents for too long.
  func alikeDelay(at now: Duration) -> Duration? {
    guard case .own(let kept, let alike) = form else {
      return alike.flatMap { delay(in: $0, at: now) }
    }
    guard let alike else { return nil }
    return Self.delay(until: alike.common.intervalEnd(kept.session.link, after: now), at: now)
  }

  /// `alikeDelay` of a session in common form.
  ///
  /// - Parameter state: the state that it is in.
  func delay(in state: AlikeState, at now: Duration) -> Duration? {
    let end = Self.reading(&link) { state.common.intervalEnd($0, after: now) }
    return Self.delay(until: end, at: now)
  }

  private static func delay(until end: Duration?, at now: Duration) -> Duration? {
    end.flatMap { $0 - now > longestAlikeDelay ? nil : $0 }
  }

  /// For how long commits are left to the others in the same state.
  private static let longestAlikeDelay = Duration.seconds(1)

  /// Whether a session in common form may be sent the frames of others.
  ///
  /// - Parameter state: the state that it is in.
  func canFollow(_ state: AlikeState, at now: Duration) -> Bool {
    mayFollowOthers && Self.reading(&link) { state.common.canFollow($0, at: now) }
  }

  /// Whether nothing but its link keeps the session from the frames of others.
  private var mayFollowOthers: Bool {
    trace == nil && canBeCommon && flight.count <= BytesInFlight.many
  }

  /// Notes a frame that leads to a state which the session has just joined.
  private func follow(_ state: AlikeState, _ frame: AlikeState.Frame, at now: Duration) {
    state.common.follow(&link, isKeyframe: frame.isKeyframe, at: now)
    isQueryNew = true
    encoder = state.encoder
    services.metrics.sharedFrames.increment()
    sent(frame)
  }

  /// Keeps the session as the state that it has in common with others.
  func join(_ state: AlikeState) {
    if case .own(let kept, _) = form {
      link = kept.session.link
      commonRest = nil
    }
    form = .common(state)
  }

  /// Notes a frame that the session has made, for those who are in its state or may get there.
  func noteAlike(_ frame: AlikeState.Frame) {
    let from = leaving
    leaving = nil
    leaveAlike()?.leaveNext(ObjectIdentifier(self))
    guard let group = membership?.group, from != nil || group.isShared, canBeCommon else {
      from?.giveUpNext()
      return
    }
    let twin = group.states.first { state in
      state.encoder.hasTold(asMuchAs: encoder)
        && reading { state.common.isState(of: $0, isAlone: from == nil) }
    }
    if let from {
      noteAlike(frame, from: from, twin: twin, group)
    } else if let twin {
      joinEqual(twin)
    } else if group.hasRoom(for: frame.dataVersion), let state = state(after: frame),
      group.note(state, after: nil)
    {
      join(state)
    }
  }

  private func noteAlike(
    _ frame: AlikeState.Frame,
    from: AlikeState,
    twin: AlikeState?,
    _ group: AlikeGroup
  ) {
    guard let state = state(after: frame, twin: twin) else {
      from.giveUpNext()
      return
    }
    guard let noted = from.noteNext(state) ?? twin else { return }
    if noted !== state || twin != nil {
      joinEqual(noted.twin ?? noted)
    } else {
      // Where there are too many others, this state is only for those who were in it before.
      _ = group.note(state, after: from)
      join(state)
    }
  }

  /// Joins a state that is equal to the session's. Equal frames may be of different layouts.
  private func joinEqual(_ state: AlikeState) {
    // Without room for this one the session goes on alone.
    guard (try? charges.keepOnly(common: state.layout)) != nil else { return }
    join(state)
  }

  /// Whether the session shows nothing but what others may be shown, too.
  private var canBeCommon: Bool { measurements == nil && awaited == nil && whole == nil }

  /// The state in which a frame leaves the session; nil = it is one of its own.
  private func state(after frame: AlikeState.Frame, twin: AlikeState? = nil) -> AlikeState? {
    guard let common = twin?.common ?? CommonState(after: sessionInPlace),
      let lease = twin?.layout ?? charges.lease(of: common.layout)
    else { return nil }
    // Without room for it, each makes its frames itself.
    return try? AlikeState(
      common,
      encoder,
      frame: frame,
      twin: twin,
      layout: lease,
      account: charges.account.parent?.parent ?? services.accounts.server,
      clock: services.clock
    )
  }
}
