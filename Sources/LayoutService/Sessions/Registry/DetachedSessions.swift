// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol

/// Where a stream came from.
struct SessionPeer: Hashable, Sendable {
  /// The client's address without its port (`PeerHost`).
  var host: String
  /// The whole address, port included, which stands for one connection.
  var connection: String

  /// - Parameter peer: in gRPC's form: "ipv4:127.0.0.1:49782", "ipv6:[::1]:49782".
  init(_ peer: String) {
    connection = peer
    host = PeerHost.host(of: peer)
  }
}

/// Sessions that lost their streams and wait for their clients, within limits.
///
/// When there are too many, the host with the largest share loses the oldest session of its largest
/// connection. So nobody can drive out the sessions of others by leaving many of their own. A host
/// that exceeds its own limit loses one of its sessions in any case.
struct DetachedSessions: Sendable {
  private struct Stay: Sendable {
    var session: DetachedSession
    var peer: SessionPeer
    var byteCount: Int
    /// Tells this stay from another of the same session.
    var ticket: UInt64
    var deadline: ContinuousClock.Instant
  }

  private struct Ticket: Sendable {
    var name: String
    var number: UInt64
  }

  /// What a host, a connection or all of them keep.
  private struct Holding: Sendable {
    var count = 0
    var bytes = 0
    /// Only for connections. In the order of arrival; the sessions of some are gone.
    var tickets: Deque<Ticket> = []
  }

  private let limits: ResumeLimits
  private var stays: [String: Stay] = [:]
  private var total = Holding()
  private var nextTicket: UInt64 = 0
  /// Sessions of shared and of private contents, each in the order of expiry; some are gone.
  private var shared: Deque<Ticket> = []
  private var own: Deque<Ticket> = []
  private var hosts: [String: Holding] = [:]
  private var connections: [SessionPeer: Holding] = [:]
  private var largestHosts = LargestShare<String>()
  private var largestConnections: [String: LargestShare<SessionPeer>] = [:]

  init(limits: ResumeLimits) { self.limits = limits }

  var count: Int { stays.count }
  /// What the sessions alone keep in memory.
  var byteCount: Int { total.bytes }

  /// Keeps a session.
  ///
  /// - Returns: the sessions dropped in return, possibly this one; release them outside a lock.
  mutating func insert(
    _ session: DetachedSession,
    named name: String,
    of peer: SessionPeer,
    at now: ContinuousClock.Instant
  ) -> [DetachedSession] {
    var dropped: [DetachedSession] = []
    if let earlier = remove(name) { dropped.append(earlier) }
    let isOwn = session.collection == nil
    nextTicket += 1
    let stay = Stay(
      session: session,
      peer: peer,
      byteCount: session.byteCount,
      ticket: nextTicket,
      deadline: now + limits.grace(isPrivate: isOwn)
    )
    let ticket = Ticket(name: name, number: nextTicket)
    stays[name] = stay
    if isOwn { own.append(ticket) } else { shared.append(ticket) }
    connections[peer, default: Holding()].tickets.append(ticket)
    account(for: stay, sign: 1)
    while (hosts[peer.host]?.count ?? 0) > limits.sessionsPerAddress,
      let oldest = popFromLargest(of: peer.host)
    {
      dropped.append(oldest)
    }
    while total.count > limits.sessions || total.bytes > limits.bytes,
      let oldest = largestHosts.largest().flatMap({ popFromLargest(of: $0) })
    {
      dropped.append(oldest)
    }
    forgetTickets(of: peer)
    return dropped
  }

  /// In no order.
  var names: [String] { Array(stays.keys) }

  /// nil = there is none.
  subscript(name: String) -> DetachedSession? { stays[name]?.session }

  func has(_ name: String, of owner: String?) -> Bool {
    stays[name].map { $0.session.owner == owner } ?? false
  }

  /// - Parameter owner: who has to own the session.
  /// - Returns: nil = there is none, it belongs to someone else, or it has expired.
  mutating func take(
    _ name: String,
    of owner: String?,
    at now: ContinuousClock.Instant
  ) -> DetachedSession? {
    guard let held = stays[name], held.session.owner == owner else { return nil }
    guard let stay = removeStay(name), stay.deadline > now else { return nil }
    return stay.session
  }

  /// Removes a session of any owner.
  ///
  /// - Returns: the session, to be released outside a lock; nil = there is none.
  mutating func remove(_ name: String) -> DetachedSession? { removeStay(name)?.session }

  /// How many sessions expire at once: releasing one takes some microseconds, and the sessions of a
  /// proxy that has restarted expire together.
  static let expiredAtOnce = 64

  /// Removes sessions that have expired, at most `expiredAtOnce`.
  ///
  /// - Returns: these sessions, to be released outside a lock, and when to call this again: when
  ///   the next one expires, which is `now` or before if there are more.
  mutating func expire(
    at now: ContinuousClock.Instant
  ) -> (dropped: [DetachedSession], next: ContinuousClock.Instant?) {
    var dropped: [DetachedSession] = []
    let next = [\Self.shared, \.own].compactMap { expire($0, at: now, &dropped) }
    return (dropped, next.min())
  }

  private mutating func expire(
    _ order: WritableKeyPath<Self, Deque<Ticket>>,
    at now: ContinuousClock.Instant,
    _ dropped: inout [DetachedSession]
  ) -> ContinuousClock.Instant? {
    while let first = self[keyPath: order].first {
      if let stay = stays[first.name], stay.ticket == first.number {
        if stay.deadline > now || dropped.count == Self.expiredAtOnce { return stay.deadline }
        if let session = remove(first.name) { dropped.append(session) }
      }
      self[keyPath: order].removeFirst()
    }
    return nil
  }

  private mutating func removeStay(_ name: String) -> Stay? {
    guard let stay = stays.removeValue(forKey: name) else { return nil }
    account(for: stay, sign: -1)
    return stay
  }

  private mutating func popFromLargest(of host: String) -> DetachedSession? {
    guard let peer = largestConnections[host]?.largest() else { return nil }
    while let ticket = connections[peer]?.tickets.popFirst() {
      if stays[ticket.name]?.ticket == ticket.number { return remove(ticket.name) }
    }
    return nil
  }

  // MARK: - Accounts

  private mutating func account(for stay: Stay, sign: Int) {
    func add(_ holding: inout Holding) {
      holding.count += sign
      holding.bytes += sign * stay.byteCount
    }
    let (peer, host) = (stay.peer, stay.peer.host)
    add(&total)
    add(&hosts[host, default: Holding()])
    add(&connections[peer, default: Holding()])
    largestHosts.set(share(hosts[host]), of: host)
    largestConnections[host, default: .init()].set(share(connections[peer]), of: peer)
    if connections[peer]?.count == 0 { connections[peer] = nil }
    if hosts[host]?.count == 0 {
      hosts[host] = nil
      largestConnections[host] = nil
    }
  }

  /// The share of what the limits allow, by count or by bytes, whichever is larger.
  private func share(_ holding: Holding?) -> Double {
    guard let holding, holding.count > 0 else { return 0 }
    return max(
      Double(holding.count) / Double(max(1, limits.sessions)),
      Double(holding.bytes) / Double(max(1, limits.bytes))
    )
  }

  /// Removes the tickets of sessions that are gone, once there are many.
  private mutating func forgetTickets(of peer: SessionPeer) {
    func isGone(_ ticket: Ticket) -> Bool { stays[ticket.name]?.ticket != ticket.number }
    if shared.count + own.count > 2 * stays.count + 64 {
      shared.removeAll(where: isGone)
      own.removeAll(where: isGone)
    }
    if let holding = connections[peer], holding.tickets.count > 2 * holding.count + 8 {
      connections[peer]?.tickets.removeAll(where: isGone)
    }
  }
}
