// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import SwiftASN1
internal import Synchronization
internal import X509

/// Serves the methods of a gRPC server over WebSockets, for browsers: each WebSocket is one call,
/// and each of its binary messages one message of the call. `Documentation/websocket.md` describes
/// the protocol.
///
/// It accepts connections itself, or serves those of another port
/// (`WebSocketTransport+Sharing.swift`).
final class WebSocketTransport: ServerTransport {
  typealias Bytes = WebSocketBytes
  typealias StreamHandler =
    @Sendable (RPCStream<Inbound, Outbound>, ServerContext) async -> Void

  /// A connection that has become a WebSocket.
  struct Upgrade: Sendable {
    var channel: WebSocketChannel
    var request: WebSocketRequest
    var client: Client
  }

  /// Who has connected; a channel that has closed no longer knows.
  struct Client: Sendable {
    /// The address as gRPC writes it.
    var name: String
    var peer: Peer
  }

  private struct State {
    var listener: (any Channel)?
    var connections: [ObjectIdentifier: any Channel] = [:]
    var isShuttingDown = false
  }

  /// The most fragments of one message.
  static let mostFragments = 1024
  /// How long after the end of a call its connection is closed, if the client does not close it.
  private static let farewell = TimeAmount.seconds(3)
  /// The most bytes of a request's headers; browsers send one or two KiB, a signed token adds a
  /// few.
  private static let headerBytes = 32 << 10

  /// nil = the transport does not listen.
  private let options: WebSocketOptions?
  let transport: TransportGuard
  private let security: ServerSecurity
  private let state = Mutex(State())
  private let upgrades = AsyncStream.makeStream(of: Upgrade.self)
  private let address: EventLoopPromise<NIOCore.SocketAddress>

  init(_ options: WebSocketOptions?, transport: TransportGuard, security: ServerSecurity) {
    self.options = options
    self.transport = transport
    self.security = security
    address = MultiThreadedEventLoopGroup.singleton.any().makePromise()
  }

  deinit { address.fail(ChannelError.ioOnClosedChannel) }

  /// Where it listens, such as "127.0.0.1:8080". Waits until it does; throws if it cannot.
  var listeningAddress: String {
    get async throws {
      let address = try await address.futureResult.get()
      return HostAndPort(address.ipAddress ?? "\(address)", address.port ?? 0).description
    }
  }

  func listen(streamHandler: @escaping StreamHandler) async throws {
    if let options { guard try await bind(options) else { return } }
    defer { beginGracefulShutdown() }
    await withDiscardingTaskGroup { group in
      for await upgrade in upgrades.stream {
        group.addTask { await self.serve(upgrade, streamHandler) }
      }
    }
  }

  func beginGracefulShutdown() {
    let listener = state.withLock { state in
      state.isShuttingDown = true
      return state.listener
    }
    listener?.close(promise: nil)
    upgrades.continuation.finish()
  }

  /// Ends all connections, whatever their clients wait for.
  func closeAll() {
    for channel in state.withLock({ Array($0.connections.values) }) { channel.close(promise: nil) }
  }

  // MARK: Listening

  /// - Returns: false = a shutdown has begun.
  private func bind(_ options: WebSocketOptions) async throws -> Bool {
    let listener: any Channel
    do {
      listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelInitializer { [transport] in transport.guardListener($0) }
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { self.prepare($0, origins: options.origins) }
        .bind(host: options.host, port: options.port)
        .get()
    } catch {
      address.fail(error)
      throw CannotListenForWebSockets(reason: "\(error)")
    }
    let isShuttingDown = state.withLock { state in
      state.listener = listener
      return state.isShuttingDown
    }
    guard !isShuttingDown, let local = listener.localAddress else {
      address.fail(ChannelError.ioOnClosedChannel)
      try? await listener.close()
      return false
    }
    address.succeed(local)
    return true
  }

  /// Counts a new connection and makes its pipeline.
  private func prepare(
    _ channel: any Channel,
    origins: Set<String>
  ) -> EventLoopFuture<Void> {
    let client: Client
    do throws(PeerTable.Refusal) { client = try admit(channel) } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    // A connection that is not a WebSocket by then is closed; WebSockets have their own limits.
    let (log, remote) = (transport.log, channel.remoteAddress)
    let greeting = channel.eventLoop.scheduleTask(in: TimeAmount(transport.limits.greeting)) {
      log.note(.silent, reason: "no request for a WebSocket", address: remote)
      channel.close(promise: nil)
    }
    return channel.closeWhenPeerIsDead(after: transport.limits.deadPeer).flatMapThrowing {
      if let tls = self.security.webSockets {
        try channel.pipeline.syncOperations.addHandler(tls.handler())
      }
      let upgrade = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
        configuration: self.pipeline(origins: origins, of: client)
      )
      let handler = try channel.pipeline.syncOperations.context(
        handlerType: NIOTypedHTTPServerUpgradeHandler<Upgrade>.self
      ).handler
      try channel.pipeline.syncOperations.addHandler(
        WebSocketRequestGuard(origins: origins),
        position: .before(handler)
      )
      upgrade.whenComplete { result in
        greeting.cancel()
        switch result {
        case .success(let upgrade): self.take(upgrade)
        case .failure: channel.close(promise: nil)
        }
      }
    }
  }

  /// Has a WebSocket served, or closes it if none are served any more: NIO traps on a channel that
  /// nobody ends.
  func take(_ upgrade: Upgrade) {
    guard case .terminated = upgrades.continuation.yield(upgrade) else { return }
    Task { try? await upgrade.channel.executeThenClose { _, _ in } }
  }

  /// Counts a connection until it closes.
  func admit(_ channel: any Channel) throws(PeerTable.Refusal) -> Client {
    let remote = channel.remoteAddress
    switch transport.peers.admit(PeerAddress(remote), at: .now()) {
    case .failure(let refusal):
      transport.log.note(.refusedConnection, reason: refusal.rawValue, address: remote)
      throw refusal
    case .success(let peer):
      count(channel, of: peer)
      return Client(name: remote.peerName, peer: peer)
    }
  }

  private func count(_ channel: any Channel, of peer: Peer) {
    let id = ObjectIdentifier(channel)
    state.withLock { $0.connections[id] = channel }
    transport.began()
    channel.closeFuture.whenComplete { [transport] _ in
      _ = self.state.withLock { $0.connections.removeValue(forKey: id) }
      transport.peers.release(peer)
      transport.ended()
    }
  }

  private func pipeline(
    origins: Set<String>,
    of client: Client
  ) -> NIOUpgradableHTTPServerPipelineConfiguration<Upgrade> {
    let upgrader = NIOTypedWebSocketServerUpgrader<Upgrade>(
      maxFrameSize: min(transport.messageBytes, Int(UInt32.max)),
      shouldUpgrade: { channel, _ in
        channel.eventLoop.makeSucceededFuture([
          "Sec-WebSocket-Protocol": WebSocketRequest.subprotocol
        ])
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          Upgrade(
            channel: try self.addHandlers(to: channel, of: client.peer),
            request: try WebSocketRequest(head, origins: origins),
            client: client
          )
        }
      }
    )
    var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Upgrade>(
      upgradeConfiguration: .init(upgraders: [upgrader]) { channel in
        // `WebSocketRequestGuard` lets nothing else through.
        channel.eventLoop.makeFailedFuture(ChannelError.inappropriateOperationForState)
      }
    )
    configuration.decoderConfiguration.maxHeaderFieldSize = Self.headerBytes
    configuration.decoderConfiguration.maxHeaderListSize = 2 * Self.headerBytes
    configuration.decoderConfiguration.maxHeaderFieldCount = 100
    return configuration
  }

  func addHandlers(to channel: any Channel, of peer: Peer) throws -> WebSocketChannel {
    let pipeline = channel.pipeline.syncOperations
    let decoder = try pipeline.context(
      handlerType: ByteToMessageHandler<WebSocketFrameDecoder>.self
    )
    let pace = WebSocketPace(
      transport: transport,
      turns: transport.turns(on: channel.eventLoop),
      address: peer.address
    )
    let bytes = WebSocketByteGuard(transport: transport, pace: pace, peer: peer)
    try pipeline.addHandlers([pace, bytes], position: .before(decoder.handler))
    try pipeline.addHandlers([
      WebSocketFrameGuard(transport: transport, bytes: bytes, pace: pace, peer: peer),
      NIOWebSocketFrameAggregator(
        // RFC 6455 allows empty ones; they are limited in number.
        minNonFinalFragmentSize: 0,
        maxAccumulatedFrameCount: Self.mostFragments,
        maxAccumulatedFrameSize: transport.messageBytes
      ),
    ])
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel,
      // One message waits while the one before it is processed.
      configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2))
    )
  }

  // MARK: Serving

  private func serve(_ upgrade: Upgrade, _ streamHandler: StreamHandler) async {
    let (channel, request, client) = (upgrade.channel, upgrade.request, upgrade.client)
    let (connection, loop) = (channel.channel, channel.channel.eventLoop)
    let certificates = await certificates(of: connection)
    let method = transport.calls.typed(request.method)
    try? await channel.executeThenClose { inbound, outbound in
      await withServerContextRPCCancellationHandle { handle in
        connection.closeFuture.whenComplete { _ in handle.cancel() }
        var context = ServerContext(
          descriptor: method,
          remotePeer: client.name,
          localPeer: connection.localAddress.peerName,
          cancellation: handle
        )
        context.transportSpecific = certificates
        let requests = WebSocketRequests(
          frames: inbound,
          metadata: request.metadata,
          shape: transport.calls[method.path]
        )
        let responses = WebSocketResponses(
          frames: outbound,
          transport: transport,
          peer: client.peer
        )
        await streamHandler(
          RPCStream(
            descriptor: method,
            inbound: RPCAsyncSequence(wrapping: requests),
            outbound: RPCWriter.Closable(wrapping: responses)
          ),
          context
        )
      }
      // The client may still have to read the closing frame.
      let end = loop.scheduleTask(in: Self.farewell) { connection.close(promise: nil) }
      try? await connection.closeFuture.get()
      end.cancel()
    }
  }

  /// The client's certificates, in the form of the HTTP/2 transport.
  private func certificates(of channel: any Channel) async -> HTTP2ServerTransport.Posix.Context? {
    guard security.webSockets != nil,
      let chain = try? await channel.nioSSL_peerValidatedCertificateChain().get()
    else { return nil }
    let certificates = chain.compactMap { try? Certificate(derEncoded: $0.toDERBytes()) }
    guard !certificates.isEmpty, certificates.count == chain.count else { return nil }
    var context = HTTP2ServerTransport.Posix.Context()
    context.peerCertificateChain = .init(uncheckedCertificateChain: certificates)
    return context
  }
}
