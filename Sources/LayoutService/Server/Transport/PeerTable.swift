// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// The address to which limits apply: an IPv4 address, or the IPv6 /64 network that one client has
/// for itself. All other sockets count as one address.
struct PeerAddress: Hashable, Sendable {
  private let bits: UInt64
  private let isIPv6: Bool

  init(_ address: SocketAddress?) {
    // Safe: the buffer has the given length, and a copy of it leaves the closure.
    let bytes =
      unsafe address?.withSockAddr { unsafe Array(UnsafeRawBufferPointer(start: $0, count: $1)) }
      ?? []
    switch address {
    case .v4 where bytes.count >= 8:
      // After the family and the port (`sockaddr_in`).
      self.init(bits: Self.number(bytes[4 ..< 8]), isIPv6: false)
    case .v6 where bytes.count >= 24:
      // After the family, the port and the flow (`sockaddr_in6`).
      self.init(ipv6: bytes[8 ..< 24])
    default: self.init(bits: 0, isIPv6: false)
    }
  }

  private init(bits: UInt64, isIPv6: Bool) {
    self.bits = bits
    self.isIPv6 = isIPv6
  }

  /// - Parameter bytes: an IPv6 address, 16 bytes. ::ffff:1.2.3.4 is IPv4 on a dual-stack socket.
  init(ipv6 bytes: ArraySlice<UInt8>) {
    let (network, host) = (Self.number(bytes.prefix(8)), Self.number(bytes.dropFirst(8)))
    isIPv6 = network != 0 || host >> 32 != 0xffff
    bits = isIPv6 ? network : host & 0xffff_ffff
  }

  /// In gRPC's form: "ipv4:10.0.0.7", "ipv6:[2001:db8:0:0::]/64"; nil = it belongs to no network,
  /// such as ::1.
  var text: String? {
    if !isIPv6 {
      let bytes = stride(from: 24, through: 0, by: -8).map { String(bits >> UInt64($0) & 0xff) }
      return "ipv4:" + bytes.joined(separator: ".")
    }
    guard bits != 0 else { return nil }
    let groups = stride(from: 48, through: 0, by: -16).map {
      String(bits >> UInt64($0) & 0xffff, radix: 16)
    }
    return "ipv6:[\(groups.joined(separator: ":"))::]/64"
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// How much of its limits one address has used.
final class Peer: Sendable {
  struct Use: Sendable {
    var connections = 0
    var newConnections: TokenBucket
    var frames: TokenBucket
    var resets: TokenBucket

    /// The part of its own limit that each connection may use, whatever the others do: a quarter,
    /// or less if so many connections together would exceed the limit of the address.
    var freeLoad: Double { min(0.25, Double(Peer.connectionLimits) / Double(max(1, connections))) }

    /// Counts frames of a connection for its address.
    ///
    /// - Parameter load: the part of its own limit that the connection has used.
    /// - Returns: how long the connection has to wait before it sends more.
    mutating func wait(after count: Int, load: Double, at now: NIODeadline) -> TimeAmount {
      _ = frames.take(count, at: now)
      // A connection below its share does not pay for others of its address.
      return load > freeLoad ? frames.wait(at: now) : .zero
    }

    /// Whether the address owes nothing and has nothing open, like one never seen.
    func isForgettable(at now: NIODeadline) -> Bool {
      connections == 0 && newConnections.load(at: now) == 0 && resets.load(at: now) == 0
    }
  }

  /// The frame limit of an address, in multiples of a connection's.
  static let connectionLimits = 4

  let address: PeerAddress
  /// Bytes of messages that have not arrived completely.
  let unfinished = Atomic(0)
  /// Bytes of answers that wait for the client to read.
  let unread = Atomic(0)
  private let use: Mutex<Use>

  init(address: PeerAddress, use: Use) {
    self.address = address
    self.use = Mutex(use)
  }

  func withUse<Result: Sendable>(_ body: (inout Use) -> Result) -> Result {
    use.withLock { body(&$0) }
  }
}

/// The addresses that have connections, or had some lately.
///
/// Bounded by twice the number of connections: above that, addresses without connections are
/// forgotten.
final class PeerTable: Sendable {
  enum Refusal: String, Error {
    case tooManyConnections = "too many connections of this address"
    case connectsTooOften = "this address connects too often"
    case resetsTooOften = "this address resets calls too often"
  }

  private let limits: TransportLimits
  private let forgottenAbove: Int
  private let peers = Mutex<[PeerAddress: Peer]>([:])

  init(limits: TransportLimits) {
    self.limits = limits
    forgottenAbove = max(1024, limits.connections) * 2
  }

  /// Counts a new connection until `release`.
  ///
  /// - Returns: the address, or why the connection has to close; then there is nothing to release.
  func admit(_ address: PeerAddress, at now: NIODeadline) -> Result<Peer, Refusal> {
    let peer = peer(address, at: now)
    return peer.withUse { use in
      let isPaced = use.newConnections.take(1, at: now)
      guard use.resets.load(at: now) <= 1 else { return .failure(.resetsTooOften) }
      guard isPaced else { return .failure(.connectsTooOften) }
      guard use.connections < limits.connectionsPerAddress else {
        return .failure(.tooManyConnections)
      }
      use.connections += 1
      return .success(peer)
    }
  }

  func release(_ peer: Peer) {
    peer.withUse { $0.connections = max(0, $0.connections - 1) }
  }

  /// An address; nil = it has no connections, and had none lately.
  subscript(address: PeerAddress) -> Peer? { peers.withLock { $0[address] } }

  /// The number of known addresses.
  var count: Int { peers.withLock { $0.count } }

  private func peer(_ address: PeerAddress, at now: NIODeadline) -> Peer {
    peers.withLock { peers in
      if let peer = peers[address] { return peer }
      if peers.count >= forgottenAbove { forget(&peers, at: now) }
      let peer = Peer(address: address, use: newUse())
      peers[address] = peer
      return peer
    }
  }

  /// Forgets addresses without connections: those that owe nothing, and if that is not enough, all.
  private func forget(_ peers: inout [PeerAddress: Peer], at now: NIODeadline) {
    peers = peers.filter { !$0.value.withUse { $0.isForgettable(at: now) } }
    guard peers.count > forgottenAbove / 2 else { return }
    peers = peers.filter { $0.value.withUse { $0.connections > 0 } }
  }

  private func newUse() -> Peer.Use {
    Peer.Use(
      newConnections: TokenBucket(tokens: limits.newConnectionsPerAddress, period: .seconds(10)),
      frames: TokenBucket(
        perSecond: min(limits.framesPerSecond, Int.max / Peer.connectionLimits)
          * Peer.connectionLimits
      ),
      resets: TokenBucket(tokens: limits.resetsPerAddress, period: .seconds(30))
    )
  }
}
