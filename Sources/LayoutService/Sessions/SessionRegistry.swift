// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import LayoutSession
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The sessions of a server: those with a stream, and for a while those that lost theirs.
final class SessionRegistry: Sendable {
  fileprivate struct Detached {
    var session: DetachedSession
    var byteCount: Int
    /// Tells it from another stay of the same session.
    var ticket: UInt64
    var deadline: ContinuousClock.Instant
  }

  fileprivate struct State {
    var attached: [String: LiveSession] = [:]
    var detached: [String: Detached] = [:]
    /// In the order in which they lost their streams; some are no longer there.
    var order: Deque<(name: String, ticket: UInt64)> = []
    var detachedBytes = 0
    var nextTicket: UInt64 = 0
    /// Streams, those included that have not said yet what they want.
    var streamCount = 0
  }

  private let limit: Int
  private let resume: ResumeLimits
  private let state = Mutex(State())

  /// - Parameter limit: of streams.
  init(limit: Int, resume: ResumeLimits) {
    self.limit = limit
    self.resume = resume
  }

  /// Sessions with a stream.
  var count: Int { state.withLock { $0.attached.count } }
  /// Sessions that wait for their clients.
  var detachedCount: Int { state.withLock { $0.detached.count } }
  var streamCount: Int { state.withLock { $0.streamCount } }

  /// Counts a stream until `leave`.
  func enter() throws(LayoutProblem) {
    let limit = limit
    let isAllowed = state.withLock { state in
      guard state.streamCount < limit else { return false }
      state.streamCount += 1
      return true
    }
    guard isAllowed else {
      throw .quotaExceeded(.sessions, limit: UInt64(limit), retryDelay: .seconds(1))
    }
  }

  func leave() { state.withLock { $0.streamCount -= 1 } }

  // MARK: - Sessions with a stream

  func session(named name: String) -> LiveSession? { state.withLock { $0.attached[name] } }

  func add(_ session: LiveSession) { state.withLock { $0.attached[session.name] = session } }

  /// Ends a session for good.
  func remove(_ live: LiveSession) {
    state.withLock { state in
      if state.attached[live.name] === live { state.attached[live.name] = nil }
    }
    live.end()
  }

  // MARK: - Sessions without

  /// Keeps a session for a client that may come back.
  func detach(_ live: LiveSession, _ session: DetachedSession) {
    let grace = resume.grace(isPrivate: session.collection == nil)
    guard grace > .zero, resume.sessions > 0 else { return remove(live) }
    let byteCount = session.byteCount
    let (resume, name) = (resume, live.name)
    let ticket = state.withLock { state in
      if state.attached[name] === live { state.attached[name] = nil }
      state.nextTicket += 1
      state.detached[name] = Detached(
        session: session,
        byteCount: byteCount,
        ticket: state.nextTicket,
        deadline: .now + grace
      )
      state.detachedBytes += byteCount
      state.order.append((name, state.nextTicket))
      state.trim(to: resume)
      return state.nextTicket
    }
    live.end()
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(
      in: .nanoseconds(grace.wholeNanoseconds)
    ) { [weak self] in
      self?.state.withLock { _ = $0.takeDetached(name, ticket: ticket) }
    }
  }

  /// Takes a session over for the stream of `live`, which has its name; from another stream if need
  /// be, which ends then.
  ///
  /// - Returns: nil where there is no such session.
  func claim(_ live: LiveSession, within limit: Duration) async -> DetachedSession? {
    enum Place {
      case nowhere
      case here(DetachedSession)
      case elsewhere(LiveSession)
    }
    let deadline = ContinuousClock.now + limit
    let wake = WakeSignal()
    while true {
      let place: Place = state.withLock { state in
        if let detached = state.takeDetached(live.name) {
          guard detached.deadline > .now else { return .nowhere }
          state.attached[live.name] = live
          return .here(detached.session)
        }
        return state.attached[live.name].map { .elsewhere($0) } ?? .nowhere
      }
      switch place {
      case .nowhere: return nil
      case .here(let session): return session
      case .elsewhere(let other):
        if ContinuousClock.now >= deadline || Task.isCancelled { return nil }
        let observer = other.observe { wake.set() }
        defer { other.remove(observer) }
        other.supersede()
        if !other.isEnded { await wake.wait(until: deadline) }
      }
    }
  }
}

extension SessionRegistry.State {
  /// - Parameter ticket: nil = any stay.
  fileprivate mutating func takeDetached(
    _ name: String,
    ticket: UInt64? = nil
  ) -> SessionRegistry.Detached? {
    guard let found = detached[name], ticket == nil || ticket == found.ticket else { return nil }
    detached[name] = nil
    detachedBytes -= found.byteCount
    return found
  }

  /// Drops the oldest until the rest fits.
  fileprivate mutating func trim(to limits: ResumeLimits) {
    while detached.count > limits.sessions || detachedBytes > limits.bytes,
      let oldest = order.popFirst()
    {
      _ = takeDetached(oldest.name, ticket: oldest.ticket)
    }
    guard order.count > 2 * detached.count + 64 else { return }
    order.removeAll { [detached] in detached[$0.name]?.ticket != $0.ticket }
  }
}
