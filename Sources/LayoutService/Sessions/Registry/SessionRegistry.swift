// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// The sessions of a server: those with a stream, and for a while those that lost theirs.
final class SessionRegistry: Sendable, AlarmTarget {
  fileprivate struct State {
    var attached: [String: LiveSession] = [:]
    /// The number of sessions with a stream by owner, without zeros.
    var owned: [String: Int] = [:]
    var detached: DetachedSessions
    /// Open streams, also those whose first request has not come.
    var streamCount = 0
    /// Streams whose first request has not come, by address (`PeerHost`), without zeros.
    var unopened: [String: Int] = [:]
    /// The deadline of the pending alarm.
    var alarm: ContinuousClock.Instant?
  }

  /// The outcome of claiming a session.
  enum Claim: Sendable {
    case unknown
    case claimed(DetachedSession)
    /// The session's stream did not release it in time, or the caller was cancelled.
    case busy
    /// The owner has the maximum number of sessions with a stream.
    case tooMany
  }

  private let limit: Int
  private let unopenedLimit: Int
  private let resume: ResumeLimits
  private let clock: SessionClock
  private let disposal: Disposal
  private let state: Mutex<State>
  /// Sent after each change of `count` and `detachedCount`.
  let changes = ChangeSignal()

  /// - Parameters:
  ///   - limit: the most streams.
  ///   - unopenedLimit: the most streams of one address whose first request has not come.
  ///   - disposal: releases private contents.
  init(
    limit: Int,
    unopenedLimit: Int,
    resume: ResumeLimits,
    clock: SessionClock,
    disposal: Disposal = Disposal()
  ) {
    self.limit = limit
    self.unopenedLimit = unopenedLimit
    self.resume = resume
    self.clock = clock
    self.disposal = disposal
    state = Mutex(State(detached: DetachedSessions(limits: resume)))
  }

  /// Sessions with a stream.
  var count: Int { state.withLock { $0.attached.count } }
  /// Sessions without a stream.
  var detachedCount: Int { state.withLock { $0.detached.count } }
  /// What the sessions without a stream keep in memory.
  var detachedByteCount: Int { state.withLock { $0.detached.byteCount } }
  var streamCount: Int { state.withLock { $0.streamCount } }

  /// Counts a stream until `leave`. Each address may have only a few streams whose first request
  /// has not come, so that idle streams do not take the places of others.
  ///
  /// - Parameter peer: the client's address.
  /// - Throws: QUOTA_SESSIONS
  func enter(from peer: String) throws(LayoutProblem) {
    let host = PeerHost.host(of: peer)
    let refusal: LayoutProblem? = state.withLock { state in
      guard state.streamCount < limit else { return Self.refusal(limit) }
      guard state.unopened[host, default: 0] < unopenedLimit else {
        var problem = Self.refusal(unopenedLimit)
        problem.message =
          "This address has \(unopenedLimit) streams that have not sent their first request; at most as "
          + "many are allowed."
        return problem
      }
      state.streamCount += 1
      state.unopened[host, default: 0] += 1
      return nil
    }
    if let refusal { throw refusal }
  }

  private static func refusal(_ limit: Int) -> LayoutProblem {
    .quotaExceeded(.sessions, limit: UInt64(clamping: limit), retryDelay: .seconds(1))
  }

  /// Notes the first request of a stream.
  func open(from peer: String) {
    let host = PeerHost.host(of: peer)
    state.withLock { $0.removeUnopened(of: host) }
  }

  /// - Parameter isOpen: whether the stream's first request has come.
  func leave(from peer: String, isOpen: Bool) {
    let host = isOpen ? "" : PeerHost.host(of: peer)
    state.withLock { state in
      state.streamCount -= 1
      if !isOpen { state.removeUnopened(of: host) }
    }
  }

  /// Addresses with streams whose first request has not come.
  var unopenedHostCount: Int { state.withLock { $0.unopened.count } }

  // MARK: - Sessions with a stream

  func session(named name: String) -> LiveSession? { state.withLock { $0.attached[name] } }

  /// - Parameter limit: the most sessions with a stream that the owner may have; nil = any number.
  /// - Throws: QUOTA_SESSIONS
  func add(_ session: LiveSession, limit: Int? = nil) throws(LayoutProblem) {
    guard state.withLock({ $0.attach(session, limit: limit) }) else {
      throw Self.refusal(ofIdentity: limit ?? 0)
    }
    changes.send()
  }

  /// QUOTA_SESSIONS: an owner has the maximum number of sessions with a stream.
  static func refusal(ofIdentity limit: Int) -> LayoutProblem {
    .identityQuotaExceeded(
      .sessions,
      limit: limit,
      limit > 0
        ? "This identity has \(limit) open sessions, which is the limit."
        : "This identity may have no sessions.",
      retryDelay: .seconds(1)
    )
  }

  /// The number of owners that have sessions with a stream.
  var ownerCount: Int { state.withLock { $0.owned.count } }

  /// Ends a session for good.
  func remove(_ live: LiveSession) {
    state.withLock { $0.removeAttached(live) }
    changes.send()
    live.end()
  }

  // MARK: - Sessions without

  /// Keeps a session for a client that may come back.
  ///
  /// - Parameter peer: the client's address on the last stream.
  func detach(_ live: LiveSession, _ session: DetachedSession, of peer: String) {
    let grace = resume.grace(isPrivate: session.collection == nil)
    guard grace > .zero, resume.sessions > 0 else { return remove(live) }
    let (now, peer) = (clock.now, SessionPeer(peer))
    var session = session
    session.owner = live.owner
    // Released outside the lock: a layout may be freed with each.
    let dropped = state.withLock { [session] state in
      state.removeAttached(live)
      return state.detached.insert(session, named: live.name, of: peer, at: now)
    }
    letGo(of: dropped)
    changes.send()
    live.end()
    arm(now + grace)
  }

  /// Takes over a session, which has the name of `live`, for the stream of `live`. If another
  /// stream has the session, that stream ends.
  ///
  /// - Parameter quota: the most sessions with a stream that the owner may have; nil = any number.
  func claim(
    _ live: LiveSession,
    within limit: Duration,
    quota: Int? = nil
  ) async -> Claim {
    enum Place {
      case nowhere
      case barred
      case here(DetachedSession)
      case elsewhere(LiveSession)
    }
    let deadline = clock.now + limit
    let wake = WakeSignal()
    while true {
      let now = clock.now
      let place: Place = state.withLock { state in
        if state.detached.has(live.name, of: live.owner) {
          // A session that still has a stream is counted already.
          guard state.hasRoom(for: live, limit: quota) else { return .barred }
          if let detached = state.detached.take(live.name, of: live.owner, at: now) {
            _ = state.attach(live, limit: nil)
            return .here(detached)
          }
        }
        // A session of another owner is treated as if it did not exist.
        guard let other = state.attached[live.name], other.owner == live.owner else {
          return .nowhere
        }
        return .elsewhere(other)
      }
      switch place {
      case .nowhere: return .unknown
      case .barred: return .tooMany
      case .here(let session):
        changes.send()
        return .claimed(session)
      case .elsewhere(let other):
        if now >= deadline || Task.isCancelled { return .busy }
        let observer = other.observe { wake.set() }
        defer { other.remove(observer) }
        other.supersede()
        if !other.isEnded { await wake.wait(until: .now + now.duration(to: deadline)) }
      }
    }
  }

  // MARK: - Operators

  /// The names of all sessions, sorted.
  var names: [String] {
    state.withLock { Array($0.attached.keys) + $0.detached.names }.sorted()
  }

  /// One session; nil = there is none, or it is being opened.
  func status(named name: String) -> SessionStatus? {
    let (live, detached) = state.withLock { ($0.attached[name], $0.detached[name]) }
    if let live { return live.status }
    return detached.map { detached in
      var figures = SessionFigures()
      figures.layout = detached.session.layoutKind
      figures.dataVersion = detached.session.shownDataVersion
      let facts = SessionFacts(
        peer: detached.peer,
        owner: detached.owner ?? "",
        collection: detached.collection?.id ?? "",
        opened: detached.start
      )
      return SessionStatus(name: name, facts: facts, figures: figures, isDetached: true)
    }
  }

  /// Ends a session for good, with or without a stream.
  ///
  /// - Returns: whether there was such a session.
  func end(_ name: String, reason: String) -> Bool {
    let (live, detached) = state.withLock { state in
      (state.attached[name], state.detached.remove(name))
    }
    let isDetached = detached != nil
    if let detached { letGo(of: [detached]) }
    if isDetached { changes.send() }
    return live?.end(byOperatorFor: reason) ?? isDetached
  }

  // MARK: - Time

  func ring(_ deadline: ContinuousClock.Instant) {
    let now = clock.now
    let (dropped, next) = state.withLock { state in
      if state.alarm == deadline { state.alarm = nil }
      return state.detached.expire(at: now)
    }
    letGo(of: dropped)
    changes.send()
    // Others are served before more expire.
    if let next { arm(max(next, now + .milliseconds(1))) }
  }

  /// Call this outside the lock: a layout may be freed with each session.
  private func letGo(of sessions: consuming [DetachedSession]) {
    for var session in sessions where session.collection == nil {
      // Its charges are released at once.
      session.charges = nil
      disposal.letGo(of: session, bytes: session.byteCount)
    }
  }

  /// One alarm serves all sessions, at the earliest deadline.
  private func arm(_ deadline: ContinuousClock.Instant) {
    let isNeeded = state.withLock { state in
      if let alarm = state.alarm, alarm <= deadline { return false }
      state.alarm = deadline
      return true
    }
    if isNeeded { clock.arm(deadline, for: self) }
  }
}

extension SessionRegistry.State {
  fileprivate mutating func removeUnopened(of host: String) {
    let rest = unopened[host, default: 1] - 1
    unopened[host] = rest > 0 ? rest : nil
  }

  fileprivate func hasRoom(for live: LiveSession, limit: Int?) -> Bool {
    guard let limit, let owner = live.owner else { return true }
    return owned[owner, default: 0] < limit
  }

  /// - Returns: false = there is no room for it.
  fileprivate mutating func attach(_ live: LiveSession, limit: Int?) -> Bool {
    guard hasRoom(for: live, limit: limit) else { return false }
    attached[live.name] = live
    if let owner = live.owner { owned[owner, default: 0] += 1 }
    return true
  }

  fileprivate mutating func removeAttached(_ live: LiveSession) {
    guard attached[live.name] === live else { return }
    attached[live.name] = nil
    guard let owner = live.owner else { return }
    let rest = owned[owner, default: 1] - 1
    owned[owner] = rest > 0 ? rest : nil
  }
}
