// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import ServerLifetime
internal import Synchronization

/// What the guards of a server's connections share.
final class TransportGuard: Sendable {
  let limits: TransportLimits
  /// The most bytes of one request.
  let messageBytes: Int
  /// How long a client may take to read what is written.
  let write: TimeAmount
  let calls: CallShapes
  let peers: PeerTable
  let log: TransportLog
  /// To be closed before a listener closes.
  let gate: ListenerGate
  /// Where calls find their streams.
  let streams = CallStreams()
  /// Bytes of messages that have not arrived completely.
  let unfinished = Atomic(0)
  /// Bytes of answers that wait for clients to read.
  let unread = Atomic(0)
  /// How one turn of calls follows another.
  private let turn: CallTurns.Turn
  private let connections = Atomic(0)
  /// The event loops of HTTP/2 connections, by the client's address with its port.
  private let loops = Mutex<[String: any EventLoop]>([:])
  private let rounds = Mutex<[ObjectIdentifier: ConnectionRounds]>([:])

  init(
    limits: TransportLimits,
    messageBytes: Int,
    write: Duration,
    methods: [MethodDescriptor],
    logger: Logger,
    turn: @escaping CallTurns.Turn = CallTurns.afterWaitingJobs
  ) {
    self.limits = limits
    self.turn = turn
    self.messageBytes = messageBytes
    self.write = TimeAmount(write)
    calls = CallShapes(methods)
    peers = PeerTable(limits: limits)
    let log = TransportLog(logger: logger)
    self.log = log
    gate = ListenerGate { log.count(.refusedConnection) }
  }

  /// Adds bytes of messages that have not arrived completely.
  ///
  /// - Returns: the limit of the client's address, if it is exceeded; nil = there is room.
  func addUnfinished(_ count: Int, of peer: Peer?) -> Int? {
    let limit = limits.unfinishedBytes
    let total = unfinished.add(count, ordering: .relaxed).newValue
    guard let peer else { return total > limit ? limit : nil }
    let own = peer.unfinished.add(count, ordering: .relaxed).newValue
    let share = Self.share(of: limit, (limit - total) / 3)
    return own > share ? share : nil
  }

  /// Adds bytes that wait for a client to read.
  ///
  /// - Returns: whether they are within the limits of the client's address and of the server.
  func addUnread(_ count: Int, of peer: Peer?) -> Bool {
    let limit = limits.unreadBytes
    let total = unread.add(count, ordering: .relaxed).newValue
    guard let peer else { return total <= limit }
    let own = peer.unread.add(count, ordering: .relaxed).newValue
    return own <= min(limits.unreadBytesPerAddress, Self.share(of: limit, limit - total))
  }

  /// How much of a limit of all one address may use: a part of what is left, so that others always
  /// have room and only those that use much are refused; in any case about what one reading brings.
  private static func share(of limit: Int, _ part: Int) -> Int { max(limit / 4096, part) }

  /// The number of open connections.
  var connectionCount: Int { connections.load(ordering: .relaxed) }

  /// Counts a connection.
  func began() { connections.add(1, ordering: .relaxed) }

  func ended() { connections.subtract(1, ordering: .relaxed) }

  /// - Returns: the turns and lanes of the event loop.
  func added(
    _ connection: ConnectionGuard,
    on loop: any EventLoop
  ) -> (CallTurns, LaneLoop) {
    began()
    let round = round(on: loop)
    round.add(connection)
    return (round.turns, round.lanes)
  }

  /// The turns of an event loop.
  func turns(on loop: any EventLoop) -> CallTurns { round(on: loop).turns }

  /// What the connections of an event loop have left for later rounds.
  func later(on loop: any EventLoop) -> LaterRounds { round(on: loop).later }

  private func round(on loop: any EventLoop) -> ConnectionRounds {
    rounds.withLock { rounds in
      let round = rounds[ObjectIdentifier(loop)] ?? ConnectionRounds(loop: loop, turn: turn)
      rounds[ObjectIdentifier(loop)] = round
      return round
    }
  }

  func removed(_ connection: ConnectionGuard, from loop: any EventLoop) {
    ended()
    rounds.withLock { $0[ObjectIdentifier(loop)] }?.remove(connection)
  }

  /// Notes the event loop that serves a connection.
  func opened(_ peer: String, on loop: any EventLoop) { loops.withLock { $0[peer] = loop } }

  func closed(_ peer: String) { _ = loops.withLock { $0.removeValue(forKey: peer) } }

  /// Waits until the guards have counted what was written to a connection before.
  func settle(_ peer: String) async {
    guard let loop = loops.withLock({ $0[peer] }) else { return }
    try? await loop.submit {}.get()
  }

  /// Ends all connections, whatever their clients wait for or have not read.
  func closeAll() {
    let count = connectionCount
    guard count > 0 else { return }
    log.count(.cutOff, times: count - 1)
    log.note(.cutOff, reason: "\(count) connections")
    for round in rounds.withLock({ Array($0.values) }) { round.closeAll() }
  }
}

// MARK: - Installing

extension TransportGuard {
  /// Guards a listening socket.
  func guardListener(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(
        AcceptGuard(transport: self),
        position: .first
      )
    }
    .flatMap { self.gate.guardListener(channel) }
  }

  /// Guards a connection whose pipeline is complete.
  ///
  /// If that fails, the connection closes. The future does not fail: the gRPC library would then
  /// drop what it made for the connection, and NIO traps on that.
  func guardConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
    let add: @Sendable () -> EventLoopFuture<Void> = {
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
        if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
          try pipeline.addHandler(EncryptionGuard(log: self.log), position: .before(tls))
          try pipeline.addHandler(HandshakeWatch(log: self.log), position: .after(tls))
        }
        let connection = ConnectionGuard(transport: self)
        try pipeline.addHandler(FlushMerger(), position: .before(http2))
        try pipeline.addHandler(connection, position: .before(http2))
        try pipeline.addHandler(ErrorGuard(connection: connection), position: .after(http2))
        try pipeline.addHandler(HeaderRoom(), position: .after(http2))
      }
    }
    return channel.closeWhenPeerIsDead(after: limits.deadPeer).flatMap(add).recover { _ in
      channel.close(promise: nil)
    }
  }

  /// Guards a call whose pipeline is complete. The future does not fail either.
  func guardStream(_ channel: any Channel) -> EventLoopFuture<Void> {
    do {
      guard let parent = channel.parent else { return channel.eventLoop.makeSucceededVoidFuture() }
      let connection = try parent.pipeline.syncOperations.handler(type: ConnectionGuard.self)
      try channel.pipeline.syncOperations.addHandler(
        StreamGuard(connection: connection),
        position: .first
      )
    } catch {
      channel.close(promise: nil)
    }
    return channel.eventLoop.makeSucceededVoidFuture()
  }
}

/// Keeps the connection when only one of its calls is at fault.
///
/// The HTTP/2 handler has reset that call, but reports the error nevertheless; the gRPC library
/// behind it would close the connection silently.
final class ErrorGuard: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  private let connection: ConnectionGuard

  init(connection: ConnectionGuard) { self.connection = connection }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is any NIOHTTP2Error, connection.endedOneCallOnly { return }
    context.fireErrorCaught(error)
  }
}
