// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The state machine of one connection, free of sockets and clocks: when to connect, what to wait
/// for, which requests are in flight, and what happens to them when the connection is lost.
///
/// Its owner performs what `next` returns, and reports the outcome. Requests are answered in the
/// order in which they were sent. Each request is returned exactly once: by `completed`, or by a
/// `Step.disconnect`; or `add` refuses it.
struct ConnectionMachine<Request> {
  typealias Instant = ContinuousClock.Instant

  enum Phase: Hashable {
    /// The connection is being established, until the deadline.
    case connecting(SocketReadiness, deadline: Instant)
    /// Nothing is in flight.
    case idle
    /// Bytes of requests wait until the socket takes them.
    case pipelining
    /// All requests are sent, and some are not answered.
    case inFlight
    /// The connection is lost, and its owner has not been told to close it yet.
    case failed
    /// There is no connection; the next attempt is made then.
    case backingOff(until: Instant)
    /// There will be no other connection.
    case closed
  }

  /// What the owner does next.
  enum Step {
    /// Begins a connection, and reports `began`.
    case connect
    /// Sends a request, and reports `flushed`.
    case send(Request)
    /// Waits for the socket, for a new request, and until the deadline; then reports what the
    /// socket has.
    case wait(SocketReadiness, deadline: Instant?)
    /// Closes the connection and fails the requests: those that were sent may have had an effect.
    case disconnect(sent: [Request], waiting: [Request])
    /// Nothing more to do.
    case end
  }

  private(set) var phase: Phase
  private let timing: ConnectionTiming
  /// The most requests in flight.
  private let depth: Int
  /// How many hosts there are to try, of which each attempt begins with another one.
  private let hosts: Int
  private var waiting: Deque<Request> = []
  private var sent: Deque<(request: Request, deadline: Instant)> = []
  private var failures = 0
  /// Whether `retryNow` has made requests wait again since the connection was lost. Once is enough:
  /// a database that seems to be back again and again must not make them wait without end.
  private var hasRetried = false
  private var isClosing = false

  init(timing: ConnectionTiming = .init(), depth: Int = 64, hosts: Int = 1, now: Instant) {
    self.timing = timing
    self.depth = depth
    self.hosts = max(1, hosts)
    phase = .backingOff(until: now)
  }

  var inFlightCount: Int { sent.count }
  var waitingCount: Int { waiting.count }
  /// Whether a lost connection could not be restored, with any of the hosts first. Until then,
  /// requests wait for it.
  var isBroken: Bool { failures > hosts }
  /// Whether unsent requests wait for the next connection when one is lost.
  var keepsWaiting = true
  var isConnected: Bool {
    switch phase {
    case .idle, .pipelining, .inFlight: true
    case .connecting, .failed, .backingOff, .closed: false
    }
  }

  /// Adds a request.
  ///
  /// - Returns: false = it is refused, because there is no connection and the last attempt failed.
  mutating func add(_ request: Request) -> Bool {
    guard !isClosing, !isBroken else { return false }
    waiting.append(request)
    return true
  }

  /// The next step.
  mutating func next(now: Instant) -> Step {
    switch phase {
    case .closed: return .end
    case .failed: return disconnect(now: now)
    case .backingOff(let until):
      if isClosing { return close() }
      guard now >= until else { return .wait([], deadline: until) }
      // Once requests wait no longer, a host that is slow to log in has the time of a single one.
      let limit = isBroken ? timing.connect : timing.connect(of: hosts)
      phase = .connecting(.write, deadline: now + limit)
      return .connect
    case .connecting(let readiness, let deadline):
      if isClosing || now >= deadline { return fail(now: now) }
      return .wait(readiness, deadline: deadline)
    case .idle, .pipelining, .inFlight:
      if let first = sent.first, now >= first.deadline { return fail(now: now) }
      if isClosing && sent.isEmpty { return fail(now: now) }
      if !isClosing, sent.count < depth, let request = waiting.popFirst() {
        sent.append((request, now + timing.answer))
        return .send(request)
      }
      return .wait(phase == .pipelining ? [.read, .write] : .read, deadline: sent.first?.deadline)
    }
  }

  // MARK: - What came of it

  /// The connection is being established, and waits for the socket.
  mutating func connecting(_ readiness: SocketReadiness) {
    guard case .connecting(_, let deadline) = phase else { return }
    phase = .connecting(readiness, deadline: deadline)
  }

  /// The connection is established.
  mutating func connected() {
    guard case .connecting = phase else { return }
    failures = 0
    hasRetried = false
    phase = .idle
  }

  /// Bytes were passed to the socket.
  ///
  /// - Parameter isDone: whether all of them were.
  mutating func flushed(_ isDone: Bool) {
    guard isConnected else { return }
    phase = isDone ? (sent.isEmpty ? .idle : .inFlight) : .pipelining
  }

  /// Bytes of answers came: the next answer has its full time from here.
  mutating func progressed(now: Instant) {
    guard isConnected, let first = sent.first else { return }
    sent[0].deadline = max(first.deadline, now + timing.answer)
  }

  /// The oldest request in flight is answered.
  ///
  /// - Returns: the request; nil = none is in flight.
  mutating func completed() -> Request? {
    guard isConnected, let first = sent.popFirst() else { return nil }
    if sent.isEmpty, phase == .inFlight { phase = .idle }
    return first.request
  }

  /// The connection is lost, or could not be made.
  mutating func lost() {
    if phase != .closed { phase = .failed }
  }

  /// The database can be reached again: the next attempt is made at once, and requests wait for it.
  mutating func retryNow(now: Instant) {
    guard case .backingOff = phase else { return }
    phase = .backingOff(until: now)
    guard !hasRetried else { return }
    hasRetried = true
    failures = min(failures, 1)
  }

  /// No more requests will follow. Those in flight are answered first.
  mutating func beginClosing() { isClosing = true }

  // MARK: - Ends

  private mutating func fail(now: Instant) -> Step {
    phase = .failed
    return disconnect(now: now)
  }

  private mutating func disconnect(now: Instant) -> Step {
    failures += 1
    let delay = min(timing.firstDelay * (1 << min(failures - 1, 10)), timing.longestDelay)
    phase = isClosing ? .closed : .backingOff(until: now + delay)
    guard keepsWaiting, !isBroken, !isClosing else { return takeAll() }
    defer { sent.removeAll() }
    return .disconnect(sent: sent.map(\.request), waiting: [])
  }

  private mutating func close() -> Step {
    phase = .closed
    return takeAll()
  }

  private mutating func takeAll() -> Step {
    defer {
      sent.removeAll()
      waiting.removeAll()
    }
    return .disconnect(sent: sent.map(\.request), waiting: Array(waiting))
  }
}

/// What a connection waits for at its socket.
struct SocketReadiness: OptionSet, Hashable, Sendable {
  let rawValue: Int
  static let read = SocketReadiness(rawValue: 1)
  static let write = SocketReadiness(rawValue: 2)
}

/// Time limits, and how long a connection waits before it tries again.
struct ConnectionTiming: Sendable {
  /// For one attempt, if there is one host.
  var connect = Duration.seconds(5)
  /// For one attempt that requests wait for, if there are several hosts; unless `connect` is less.
  var leastConnect = Duration.seconds(2)
  /// From sending a request to its answer, or between two bytes of answers.
  var answer = Duration.seconds(60)
  var firstDelay = Duration.milliseconds(50)
  /// The delay doubles with each failure up to this.
  var longestDelay = Duration.seconds(1)

  /// The time limit of an attempt that requests wait for, and that begins with one of several
  /// hosts: they share the time of one, so that requests do not wait for each silent host as long
  /// as for a single one.
  func connect(of hosts: Int) -> Duration {
    max(connect / max(1, hosts), min(connect, leastConnect))
  }
}
