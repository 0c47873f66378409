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
    (alikeOpening, firstKey) = (nil, nil)
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
    // Before the first frame, sessions that are opened later start from the newer contents.
    (alikeOpening, firstKey) = (nil, nil)
    guard var state = leaveAlike() else { return }
    leaving = isKnownUniquelyReferenced(&state) ? nil : state
  }

  /// Follows the frames that other sessions have made in the same state, as far as they go.
  ///
  /// - Throws: QUOTA_MEMORY.
  func followAlike(at now: Duration) throws {
    guard alike != nil, let version = collection?.dataVersion else { return }
    while let next = alike?.next(towards: version), canFollowAlike(at: now) {
      do throws(LimitExceeded) {
        try charges.keepOnly(common: next.layout)
      } catch { throw LayoutProblem(error) }
      if let oldest = next.frame.oldestCommit, unshown == nil {
        unshown = (oldest, next.frame.dataVersion)
      }
      follow(next, at: now)
    }
  }

  /// Takes the first frame from a session that was opened alike, and joins it.
  ///
  /// - Returns: false = the session makes the frame itself, for others as well if `firstKey` is
  ///   set.
  func joinAlike(at now: Duration) -> Bool {
    guard let opening = alikeOpening, reading({ $0.isFrameDue(at: now) }) else { return false }
    alikeOpening = nil
    guard own.lastFrame == 0, canFollowAlike(at: now), own.followsFromOpening,
      let layout = own.finishedLayout
    else {
      return false
    }
    let key = AlikeSessions.Key(
      opening: opening.value,
      layout: layout,
      dataVersion: own.dataVersion
    )
    switch services.alike.find(key) {
    case .state(let state):
      follow(state, at: now)
      return true
    case .second: firstKey = Boxed(key)
    case .first: break
    }
    return false
  }

  /// When the session may follow the others, if only the shortest interval between frames keeps it
  /// from that; nil = it is in no state with others, or may do so now, or would be asked about old
  /// contents for too long.
  func alikeDelay(at now: Duration) -> Duration? {
    guard let alike, let end = alike.common.intervalEnd(currentLink, after: now) else {
      return nil
    }
    return end - now > Self.longestAlikeDelay ? nil : end
  }

  /// For how long commits are left to the others in the same state.
  private static let longestAlikeDelay = Duration.seconds(1)

  func canFollowAlike(at now: Duration) -> Bool {
    trace == nil && measurements == nil && awaited == nil && whole == nil
      && flight.count <= BytesInFlight.many && canSend(at: now)
  }

  private func canSend(at now: Duration) -> Bool {
    if case .common(let state) = form { return state.common.canFollow(link, at: now) }
    return reading { $0.canSend(at: now) }
  }

  /// The session's link, in whichever form it is.
  private var currentLink: SessionLink {
    if case .own(let kept, _) = form { kept.session.link } else { link }
  }

  private func follow(_ state: AlikeState, at now: Duration) {
    join(state)
    state.common.follow(&link, at: now)
    isQueryNew = true
    encoder = state.encoder
    services.metrics.sharedFrames.increment()
    sent(state.frame)
  }

  /// Keeps the session as the state that it has in common with others.
  func join(_ state: AlikeState) {
    if case .own(let kept, _) = form {
      link = kept.session.link
      commonRest = nil
    }
    form = .common(state)
  }

  /// Notes a frame that was made in a state which other sessions are in, for them.
  func noteAlike(_ frame: AlikeState.Frame) {
    let (from, key) = (leaving, firstKey?.value)
    (leaving, firstKey) = (nil, nil)
    leaveAlike()?.leaveNext(ObjectIdentifier(self))
    guard from != nil || key != nil, let state = state(after: frame) else {
      from?.giveUpNext()
      return
    }
    if let from {
      guard let noted = from.noteNext(state) else { return }
      if noted !== state {
        // Equal frames may be of different layouts. Without room for this one it goes on alone.
        guard (try? charges.keepOnly(common: noted.layout)) != nil else { return }
      }
      join(noted)
    } else if let key, key.layout == state.common.layout, key.dataVersion == frame.dataVersion {
      services.alike.note(state, of: key)
      join(state)
    }
  }

  /// The state in which a frame leaves the session; nil = it is one of its own.
  private func state(after frame: AlikeState.Frame) -> AlikeState? {
    guard measurements == nil, awaited == nil, whole == nil, let common = CommonState(after: own),
      let lease = charges.lease(of: common.layout)
    else { return nil }
    // Without room for it, each makes its frames itself.
    return try? AlikeState(
      common,
      encoder,
      frame: frame,
      layout: lease,
      account: charges.account.parent?.parent ?? services.accounts.server,
      clock: services.clock
    )
  }
}
