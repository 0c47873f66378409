// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
public import CollectionStore
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutEngine
internal import LayoutProtocol
public import Logging
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
  private let transportGuard: TransportGuard
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
    let transportGuard = TransportGuard(
      limits: configuration.transport,
      messageBytes: configuration.limits.messageBytes,
      write: configuration.timing.write,
      methods: LayoutServices.methods,
      logger: logger
    )
    self.transportGuard = transportGuard
    let address: GRPCNIOTransportCore.SocketAddress =
      host.contains(":") ? .ipv6(host: host, port: port) : .ipv4(host: host, port: port)
    transport = HTTP2ServerTransport.Posix(
      address: address,
      transportSecurity: .plaintext,
      config: .defaults { $0.apply(configuration, guard: transportGuard) }
    )
    server = GRPCServer(transport: transport, services: [LayoutServices(services)])
  }

  /// Reads what the storage holds and serves until `beginGracefulShutdown()`, or until the task is
  /// cancelled, which cuts off all calls. To be called once.
  ///
  /// A shutdown ends within the configuration's `timing.shutdown`: then all connections close,
  /// whatever their clients leave unread. A shutdown that began before ends it without an error.
  ///
  /// - Throws: what kept it from listening, or the storage from being read.
  public func run() async throws {
    try await services.registry.load()
    guard !services.drain.isDraining else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [server] in
        do { try await server.serve() } catch let error as RuntimeError {
          // A shutdown that came before there was anything to shut down.
          guard error.code != .serverIsStopped else { return }
          throw error.cause ?? error
        }
      }
      group.addTask { await self.endShutdown() }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Closes all connections that are left when the time of a shutdown is over.
  private func endShutdown() async {
    let (begin, continuation) = AsyncStream.makeStream(of: Never.self)
    let observer = services.drain.observe { continuation.finish() }
    defer { services.drain.remove(observer) }
    for await _ in begin {}
    // Cancelled means that all have gone.
    let shutdown = services.configuration.timing.shutdown
    guard (try? await Task.sleep(for: shutdown)) != nil else { return }
    transportGuard.closeAll()
    // Those that were being accepted just now.
    while (try? await Task.sleep(for: .milliseconds(100))) != nil { transportGuard.closeAll() }
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

  /// Open connections.
  public var connectionCount: Int { transportGuard.connectionCount }

  /// How often the guards of the transport did something, by its name, such as "calmed": closed a
  /// connection that asks too much.
  public var transportEvents: [String: Int] { transportGuard.log.counts }

  /// Streams that are open.
  public var sessionCount: Int { services.sessions.count }

  /// Sessions that lost their stream and wait for their client.
  public var detachedSessionCount: Int { services.sessions.detachedCount }

  /// Sent after each change of the two counts.
  package var sessionChanges: ChangeSignal { services.sessions.changes }
}

extension SessionServices {
  convenience init(
    configuration: ServiceConfiguration,
    layouts: LayoutRegistry,
    storage: any CollectionStorage,
    clock: SessionClock = .ticking(),
    logger: Logger
  ) {
    let limits = ContentsLimits(
      items: configuration.limits.itemsPerCollection,
      sections: configuration.limits.sectionsPerCollection,
      operations: configuration.limits.operationsPerBatch
    )
    var store = configuration.store
    store.contents = limits
    store.collectionBytes = configuration.memory.collection
    let accounts = ServerAccounts(limits: configuration.memory)
    var engine = configuration.engine
    engine.layoutByteLimit = min(engine.layoutByteLimit, configuration.memory.session)
    self.init(
      registry: CollectionRegistry(
        storage: storage,
        codec: ProtobufContentsCodec(),
        limits: store,
        account: { accounts.collection(named: $0) }
      ),
      sessions: SessionRegistry(
        limit: configuration.limits.sessions,
        resume: configuration.resume,
        clock: clock
      ),
      tokens: ResumeTokenSigner(
        secret: configuration.resume.secret,
        storeSecret: storage.secret,
        lifetime: configuration.resume.tokenLifetime
      ),
      engine: LayoutEngine(configuration: engine, server: accounts.server),
      accounts: accounts,
      rules: ReadingRules(limits: limits, registry: layouts),
      configuration: configuration,
      drain: DrainSignal(),
      clock: clock,
      logger: logger
    )
  }
}

extension HTTP2ServerTransport.Posix.Config {
  fileprivate mutating func apply(_ configuration: ServiceConfiguration, guard: TransportGuard) {
    let limits = configuration.transport
    http2.maxConcurrentStreams = limits.streamsPerConnection
    http2.targetWindowSize = limits.windowBytes
    // The guard refuses larger ones before, with a reason that clients can read.
    rpc.maxRequestPayloadSize = configuration.limits.messageBytes
    // Batching costs nothing while there is more to send; waiting for more would cost 100 µs.
    connection.flushCoalescing?.maxFlushDelay = .zero
    channelDebuggingCallbacks.onBindTCPListener = { `guard`.guardListener($0) }
    channelDebuggingCallbacks.onAcceptTCPConnection = { `guard`.guardConnection($0) }
    channelDebuggingCallbacks.onAcceptHTTP2Stream = { `guard`.guardStream($0) }
  }
}
