// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
public import CollectionStore
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutTrust
public import Logging
public import Metrics
internal import ServerLifetime
internal import Synchronization
public import Tracing

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
  private let webSockets: WebSocketServer?
  /// Of connections that another port of the program accepts.
  let shared: WebSocketServer
  let services: SessionServices
  private let transportGuard: TransportGuard
  private let security: ServerSecurity
  private let isListening = Mutex(false)

  /// Creates a server. It does not listen before `run()`.
  ///
  /// - Parameters:
  ///   - host: an address of this machine, IPv4 or IPv6.
  ///   - port: 0 = any free port.
  ///   - configuration: limits and timeouts.
  ///   - layouts: custom layouts that clients may request by name, besides the built-in ones.
  ///   - storage: where collections are stored.
  ///   - security: by default there is none.
  ///   - webSockets: where browsers connect; nil = nowhere.
  ///   - logger: by default nothing is logged.
  ///   - metrics: makes the metrics; by default those that the process has chosen.
  ///   - tracer: makes spans of calls and of what they have done; nil = nothing is traced.
  public init(
    host: String = "127.0.0.1",
    port: Int = 0,
    configuration: ServiceConfiguration = .init(),
    layouts: LayoutRegistry = .init(),
    storage: any CollectionStorage = MemoryStorage(),
    security: ServerSecurity = .none,
    webSockets: WebSocketOptions? = nil,
    logger: Logger = Logger(label: "layout-server") { _ in SwiftLogNoOpLogHandler() },
    metrics: any MetricsFactory = MetricsSystem.factory,
    tracer: (any Tracer)? = nil
  ) {
    self.security = security
    let transportGuard = TransportGuard(
      limits: configuration.transport,
      messageBytes: configuration.limits.messageBytes,
      write: configuration.timing.write,
      methods: LayoutServices.methods,
      logger: logger
    )
    self.transportGuard = transportGuard
    services = SessionServices(
      configuration: configuration,
      layouts: layouts,
      storage: storage,
      logger: logger,
      trust: security.trust,
      metrics: metrics,
      tracer: tracer,
      settle: { await transportGuard.settle($0) },
      streams: transportGuard.streams
    )
    let address: GRPCNIOTransportCore.SocketAddress =
      host.contains(":") ? .ipv6(host: host, port: port) : .ipv4(host: host, port: port)
    transport = HTTP2ServerTransport.Posix(
      address: address,
      transportSecurity: security.transport,
      config: .defaults { $0.apply(configuration, guard: transportGuard) }
    )
    let (hosted, interceptors) = (
      LayoutServices(services),
      // Traced and measured first, so that refused credentials count.
      (tracer.map { [CallTracing.applied(with: $0)] } ?? [])
        + [CallMeasuring.applied(with: services.metrics)]
        + (security.trust.map { [.apply(TrustInterceptor(trust: $0), to: .all)] } ?? [])
    )
    server = GRPCServer(
      transport: transport,
      services: [hosted],
      interceptorPipeline: interceptors
    )
    func webSocketServer(_ options: WebSocketOptions?) -> WebSocketServer {
      let transport = WebSocketTransport(options, transport: transportGuard, security: security)
      return WebSocketServer(
        transport: transport,
        server: GRPCServer(
          transport: transport,
          services: [hosted],
          interceptorPipeline: interceptors
        )
      )
    }
    self.webSockets = webSockets.map(webSocketServer)
    shared = webSocketServer(nil)
  }

  /// Loads the collections from the storage and serves until `beginGracefulShutdown()`, or until
  /// the task is cancelled, which cuts off all calls. Call this once.
  ///
  /// A graceful shutdown takes at most the configuration's `timing.drain` and `timing.shutdown`
  /// together; after that the server closes all connections, even if clients have not read
  /// everything. If a shutdown has begun before this call, it returns without an error.
  ///
  /// - Throws: an error if the storage cannot be read or the server cannot listen;
  ///   `CannotListenForWebSockets` if it cannot listen for WebSockets.
  public func run() async throws {
    try await services.registry.load()
    guard !services.drain.isLeaving else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        try await withThrowingTaskGroup(of: Void.self) { servers in
          servers.addTask { try await self.serve { try await self.server.serve() } }
          for webSockets in [webSockets, shared].compactMap(\.self) {
            servers.addTask { try await self.serve { try await webSockets.server.serve() } }
          }
          // If one fails, the others end, and the caller is told why. They would go on otherwise.
          while try await servers.next() != nil {}
        }
      }
      group.addTask {
        await self.leave()
        await self.endShutdown()
      }
      if services.registry.isShared {
        group.addTask { [services] in await services.registry.follow() }
      }
      if security.needsWatching { group.addTask { [security] in await security.run() } }
      try await group.next()
      group.cancelAll()
    }
  }

  /// - Parameter body: serves until the shutdown.
  private func serve(_ body: @escaping @Sendable () async throws -> Void) async throws {
    do {
      try await serveUncancelled(body) { await self.cutOff($0) }
    } catch let error as RuntimeError {
      // A shutdown that begins while the server starts closes the socket before it listens.
      guard !services.drain.isDraining else { return }
      throw error.cause ?? error
    }
  }

  /// Ends what serves, without waiting for clients.
  private func cutOff(_ serving: Task<Void, any Error>) async {
    await endServing().value
    repeat {
      closeAll()
      try? await Task.sleep(for: Self.closingStep)
    } while connectionCount > 0
    // For calls that still compute.
    serving.cancel()
  }

  /// Waits for a shutdown to begin. If there is a drain time, passes its first quarter, in which
  /// proxies find out, and spreads what sessions are told over the rest. Ends the drain then.
  private func leave() async {
    let (begin, continuation) = AsyncStream.makeStream(of: Never.self)
    let observer = services.drain.observe(isEarly: true) { continuation.finish() }
    for await _ in begin {}
    services.drain.remove(observer)
    let time = services.configuration.timing.drain
    let end = ContinuousClock.now + time
    // This task is cancelled when the server has ended by itself.
    guard !services.drain.isDraining, (try? await Task.sleep(for: time / 4)) != nil else { return }
    while ContinuousClock.now < end, !services.drain.isDraining {
      let rest = ContinuousClock.now.duration(to: end)
      services.drain.tellSessions(Self.drainStep / rest)
      guard (try? await Task.sleep(for: min(Self.drainStep, rest))) != nil else { return }
    }
    endServing()
  }

  /// From when some sessions are told that the server leaves to when the next ones are.
  private static let drainStep = Duration.milliseconds(20)

  /// Waits for a shutdown to begin, and closes all open connections when its time is over.
  private func endShutdown() async {
    let (begin, continuation) = AsyncStream.makeStream(of: Never.self)
    let observer = services.drain.observe { continuation.finish() }
    defer { services.drain.remove(observer) }
    for await _ in begin {}
    // This task is cancelled when the server has ended by itself.
    let shutdown = services.configuration.timing.shutdown
    guard (try? await Task.sleep(for: shutdown)) != nil else { return }
    repeat { closeAll() } while (try? await Task.sleep(for: Self.closingStep)) != nil
  }

  /// Closes all connections. Has to be repeated after `closingStep`, for those that are just being
  /// accepted.
  private func closeAll() {
    transportGuard.closeAll()
    webSockets?.transport.closeAll()
    shared.transport.closeAll()
  }

  private static let closingStep = Duration.milliseconds(100)

  /// The address that the server listens on, such as "127.0.0.1:50051" or "[::1]:50051". Waits
  /// until the server listens; throws if it ends before.
  public var listeningAddress: String {
    get async throws {
      let address = try await transport.listeningAddress
      isListening.withLock { $0 = true }
      if let ipv4 = address.ipv4 { return "\(ipv4.host):\(ipv4.port)" }
      if let ipv6 = address.ipv6 { return "[\(ipv6.host)]:\(ipv6.port)" }
      return "\(address)"
    }
  }

  /// Where browsers connect, such as "127.0.0.1:8080"; nil = nowhere. Waits until the server
  /// listens there; throws if it ends before.
  public var webSocketAddress: String? {
    get async throws { try await webSockets?.transport.listeningAddress }
  }

  /// Whether `listeningAddress` has returned an address. If `run()` throws while this is false, the
  /// server could not start listening.
  public var hasListened: Bool { isListening.withLock { $0 } }

  /// Tells all streams that the server is going away, and accepts no new ones. `run()` returns when
  /// the last stream has ended. With a drain time (`timing.drain`) that happens little by little:
  /// until it is over the server goes on serving, and only says that it is not ready. A repeated
  /// call ends the drain.
  public func beginGracefulShutdown() {
    let leaves = services.configuration.timing.drain > .zero && !services.drain.isLeaving
    if leaves { services.drain.leave() } else { endServing() }
  }

  /// Does what takes milliseconds for operators on a thread on which no frames wait, one after the
  /// other.
  ///
  /// - Throws: what `work` throws; `CancellationError` if the task is cancelled before it begins.
  package func performAside<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await services.engine.performUninterrupted(isLimited: false, work)
  }

  /// Stops accepting connections, and tells all streams that the server goes away.
  ///
  /// - Returns: a task that ends when both is done.
  @discardableResult
  private func endServing() -> Task<Void, Never> {
    services.drain.begin()
    return Task {
      await transportGuard.gate.close()
      server.beginGracefulShutdown()
      webSockets?.server.beginGracefulShutdown()
      shared.server.beginGracefulShutdown()
    }
  }

  /// The number of open connections.
  public var connectionCount: Int { transportGuard.connectionCount }

  /// How often the transport's guards acted, by the name of the action. "calmed", for example,
  /// counts connections that were closed because they exceeded a rate limit.
  public var transportEvents: [String: Int] { transportGuard.log.counts }

  /// The number of open layout streams.
  public var sessionCount: Int { services.sessions.count }

  /// The number of detached sessions: their stream broke, and their client can still resume them.
  public var detachedSessionCount: Int { services.sessions.detachedCount }

  /// Fires after each change of `sessionCount` or `detachedSessionCount`.
  package var sessionChanges: ChangeSignal { services.sessions.changes }
}

/// A further server of the same services.
struct WebSocketServer: Sendable {
  let transport: WebSocketTransport
  let server: GRPCServer<WebSocketTransport>
}

extension SessionServices {
  convenience init(
    configuration: ServiceConfiguration,
    layouts: LayoutRegistry,
    storage: any CollectionStorage,
    clock: SessionClock = .ticking(),
    logger: Logger,
    trust: Trust? = nil,
    metrics: any MetricsFactory = NOOPMetricsHandler.instance,
    tracer: (any Tracer)? = nil,
    settle: @escaping @Sendable (_ peer: String) async -> Void = { _ in },
    streams: CallStreams = CallStreams()
  ) {
    let limits = ContentsLimits(
      items: configuration.limits.itemsPerCollection,
      sections: configuration.limits.sectionsPerCollection,
      operations: configuration.limits.operationsPerBatch,
      itemDataBytes: configuration.limits.itemDataBytes
    )
    var store = configuration.store
    store.contents = limits
    store.collectionBytes = configuration.memory.collection
    let accounts = ServerAccounts(limits: configuration.memory)
    var limited = configuration.engine
    limited.layoutByteLimit = min(limited.layoutByteLimit, configuration.memory.session)
    let engine = LayoutEngine(
      configuration: limited,
      server: accounts.server,
      metrics: metrics
    )
    let identities = IdentityMeter(defaults: configuration.identity, trust: trust)
    let disposal = Disposal()
    // Taking fewer apart takes a millisecond or two.
    let manyItems = 65_536
    self.init(
      registry: CollectionRegistry(
        storage: MeasuredStorage(
          storage,
          metrics: metrics,
          observer: tracer == nil ? nil : Spans.note(storeOperation:took:error:)
        ),
        codec: ProtobufContentsCodec(),
        limits: store,
        account: { accounts.collection(named: $0) },
        ownerLimit: { identities.contentBytes(of: $0) },
        retire: { contents in
          guard contents.itemCount > manyItems else { return }
          disposal.letGo(of: contents, bytes: contents.indexedByteCount, after: .seconds(1))
        },
        // What other servers commit has the same price and the same thread as what is committed
        // here; nobody else's turn pays for it.
        followApplier: engine.applier(isLarge: false, for: accounts.server)
      ),
      sessions: SessionRegistry(
        limit: configuration.limits.sessions,
        unopenedLimit: configuration.limits.unopenedStreamsPerAddress,
        resume: configuration.resume,
        clock: clock,
        disposal: disposal
      ),
      tokens: ResumeTokenSigner(
        secret: configuration.resume.secret,
        storeSecret: storage.secret,
        lifetime: configuration.resume.tokenLifetime
      ),
      engine: engine,
      accounts: accounts,
      rules: ReadingRules(
        limits: limits,
        registry: layouts,
        expansionExceptions: configuration.limits.expansionExceptions
      ),
      configuration: configuration,
      drain: DrainSignal(),
      clock: clock,
      logger: logger,
      isGuarded: trust != nil,
      disposal: disposal,
      identities: identities,
      metrics: ServiceMetrics(metrics),
      tracer: tracer,
      settle: settle,
      streams: streams
    )
  }
}

extension HTTP2ServerTransport.Posix.Config {
  fileprivate mutating func apply(_ configuration: ServiceConfiguration, guard: TransportGuard) {
    let limits = configuration.transport
    http2.maxConcurrentStreams = limits.streamsPerConnection
    http2.targetWindowSize = limits.windowBytes
    // The guard refuses larger messages earlier, with a reason that clients can read.
    rpc.maxRequestPayloadSize = configuration.limits.messageBytes
    // Frames that are ready together are flushed together anyway. Waiting for more would add 100
    // µs.
    connection.flushCoalescing?.maxFlushDelay = .zero
    channelDebuggingCallbacks.onBindTCPListener = { `guard`.guardListener($0) }
    channelDebuggingCallbacks.onAcceptTCPConnection = { `guard`.guardConnection($0) }
    channelDebuggingCallbacks.onAcceptHTTP2Stream = { `guard`.guardStream($0) }
  }
}
