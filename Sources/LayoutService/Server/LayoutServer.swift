// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
public import CollectionStore
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutEngine
internal import LayoutProtocol
public import Logging
internal import NIOCore
internal import NIOHTTP2
internal import Synchronization

/// A layout server that any program can embed:
///
///     var layouts = LayoutRegistry()
///     layouts.register(PetalLayout.self)
///     let server = LayoutServer(host: "127.0.0.1", port: 50051, layouts: layouts)
///     try await withThrowingTaskGroup(of: Void.self) { group in
///       group.addTask { try await server.run() }
///       print("listening on \(try await server.listeningAddress)")
///       try await group.waitForAll()
///     }
public final class LayoutServer: Sendable {
  private let server: GRPCServer<HTTP2ServerTransport.Posix>
  private let transport: HTTP2ServerTransport.Posix
  let services: SessionServices
  private let isListening = Mutex(false)

  /// - Parameters:
  ///   - host: an address of this machine, IPv4 or IPv6.
  ///   - port: 0 = any that is free.
  ///   - layouts: what clients may ask for by name beside the built-in layouts.
  ///   - storage: where collections are kept.
  public init(
    host: String = "127.0.0.1",
    port: Int = 0,
    configuration: ServiceConfiguration = .init(),
    layouts: LayoutRegistry = .init(),
    storage: any CollectionStorage = MemoryStorage(),
    logger: Logger = Logger(label: "layout-server") { _ in SwiftLogNoOpLogHandler() }
  ) {
    services = SessionServices(
      configuration: configuration,
      layouts: layouts,
      storage: storage,
      logger: logger
    )
    let address: GRPCNIOTransportCore.SocketAddress =
      host.contains(":") ? .ipv6(host: host, port: port) : .ipv4(host: host, port: port)
    transport = HTTP2ServerTransport.Posix(
      address: address,
      transportSecurity: .plaintext,
      config: .defaults { $0.apply(configuration.transport) }
    )
    server = GRPCServer(transport: transport, services: [LayoutServices(services)])
  }

  /// Reads what the storage holds and serves until `beginGracefulShutdown()`, or until the task is
  /// cancelled, which cuts off all calls. To be called once.
  ///
  /// - Throws: what kept it from listening, or the storage from being read.
  public func run() async throws {
    try await services.registry.load()
    do { try await server.serve() } catch let error as RuntimeError {
      throw error.cause ?? error
    }
  }

  /// Where it listens, once it does: "127.0.0.1:50051".
  public var listeningAddress: String {
    get async throws {
      let address = try await transport.listeningAddress
      isListening.withLock { $0 = true }
      if let ipv4 = address.ipv4 { return "\(ipv4.host):\(ipv4.port)" }
      if let ipv6 = address.ipv6 { return "[\(ipv6.host)]:\(ipv6.port)" }
      return "\(address)"
    }
  }

  /// Whether `listeningAddress` was answered: what fails before that is the address's fault.
  public var hasListened: Bool { isListening.withLock { $0 } }

  /// Tells all streams that the server is going away and takes no new ones; `run()` returns once
  /// the last has ended. Idempotent.
  public func beginGracefulShutdown() {
    services.drain.begin()
    server.beginGracefulShutdown()
  }

  /// Streams that are open.
  public var sessionCount: Int { services.sessions.count }

  /// Sessions that lost their stream and wait for their client.
  public var detachedSessionCount: Int { services.sessions.detachedCount }
}

extension SessionServices {
  convenience init(
    configuration: ServiceConfiguration,
    layouts: LayoutRegistry,
    storage: any CollectionStorage,
    logger: Logger
  ) {
    let limits = ContentsLimits(
      items: configuration.limits.itemsPerCollection,
      sections: configuration.limits.sectionsPerCollection,
      operations: configuration.limits.operationsPerBatch
    )
    var store = configuration.store
    store.contents = limits
    self.init(
      registry: CollectionRegistry(
        storage: storage,
        codec: ProtobufContentsCodec(),
        limits: store
      ),
      sessions: SessionRegistry(
        limit: configuration.limits.sessions,
        resume: configuration.resume
      ),
      tokens: ResumeTokenSigner(
        secret: configuration.resume.secret,
        lifetime: configuration.resume.tokenLifetime
      ),
      engine: LayoutEngine(configuration: configuration.engine),
      rules: ReadingRules(limits: limits, registry: layouts),
      configuration: configuration,
      drain: DrainSignal(),
      logger: logger
    )
  }
}

extension HTTP2ServerTransport.Posix.Config {
  fileprivate mutating func apply(_ limits: TransportLimits) {
    http2.maxConcurrentStreams = limits.streamsPerConnection
    http2.targetWindowSize = limits.windowBytes
    rpc.maxRequestPayloadSize = limits.messageBytes
    // Batching costs nothing while there is more to send; waiting for more would cost 100 µs.
    connection.flushCoalescing?.maxFlushDelay = .zero
    let budget = limits.pings
    let period = TimeAmount.nanoseconds(limits.pingPeriod.wholeNanoseconds)
    let deadPeer = limits.deadPeer
    channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
      channel.closeWhenPeerIsDead(after: deadPeer).flatMapThrowing {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
          PingGuard(budget: budget, period: period),
          position: .before(pipeline.handler(type: NIOHTTP2Handler.self))
        )
      }
    }
  }
}
