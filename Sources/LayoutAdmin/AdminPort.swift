// SPDX-License-Identifier: Apache-2.0

public import LayoutMetrics
internal import LayoutProtocol
public import LayoutService
public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// The port for operators: metrics, health checks, what can be done with a running server, and the
/// inspector, over HTTP/1.1.
///
///     let metrics = PrometheusMetrics(descriptions: AdminPort.descriptions)
///     let server = LayoutServer(metrics: metrics)
///     let admin = AdminPort(server: server, metrics: metrics, controls: controls, logger: logger)
///     print("admin port on \(try await admin.start())")
///     try await server.run()
///     await admin.stop()
///
/// It has a thread of its own, so that it answers when the server's are busy.
public final class AdminPort: Sendable {
  private struct State {
    var listener: (any Channel)?
    var connections: AdminConnections
    var isStopped = false
  }

  private let configuration: AdminConfiguration
  private let routes: AdminRoutes
  private let upgrader: any HTTPServerProtocolUpgrader & Sendable
  private let logger: Logger
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let state: Mutex<State>

  /// A port that does not listen before `start()`.
  ///
  /// - Parameters:
  ///   - server: the server that it serves.
  ///   - metrics: the registry of the server's metrics. The port adds those of the process, of the
  ///     cache and the like.
  ///   - controls: what operators may change in the program around the server.
  ///   - providers: the programs that place layouts for the server; nil = there never are any.
  public init(
    configuration: AdminConfiguration = .init(),
    server: LayoutServer,
    metrics: PrometheusMetrics,
    controls: AdminControls,
    providers: LayoutProviders? = nil,
    logger: Logger
  ) {
    self.configuration = configuration
    self.logger = logger
    upgrader = server.webSocketUpgrader
    state = Mutex(State(connections: AdminConnections(limit: configuration.connections)))
    routes = AdminRoutes(
      server: server,
      metrics: metrics,
      controls: controls,
      providers: providers,
      backupFolder: configuration.backupFolder,
      logger: logger
    )
    metrics.collect { ServerMetrics.collect(server.statistics, version: server.version, &$0) }
    if let providers {
      metrics.collect { ServerMetrics.collect(providers.statuses, &$0) }
    }
    metrics.collect { ProcessMetrics.collect(&$0) }
  }

  /// The help texts of the metrics that a server makes.
  public static var descriptions: [MetricDescription] { ServerMetrics.descriptions }

  /// Begins to listen.
  ///
  /// - Returns: the address: "127.0.0.1:9090".
  /// - Throws: if the port cannot listen.
  public func start() async throws -> String {
    let listener = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 128)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture { try self?.serve(channel) }
      }
      .bind(host: configuration.host, port: configuration.port)
      .get()
    state.withLock { $0.listener = listener }
    let address = listener.localAddress
    return HostAndPort(address?.ipAddress ?? configuration.host, address?.port ?? 0).description
  }

  /// Stops listening and closes all connections. Repeated calls have no effect.
  public func stop() async {
    let (listener, connections) = state.withLock { state in
      state.isStopped = true
      defer { state.listener = nil }
      return (state.listener, state.connections.channels)
    }
    try? await listener?.close()
    for connection in connections { connection.close(promise: nil) }
    try? await group.shutdownGracefully()
  }

  /// The number of open connections.
  public var connectionCount: Int { state.withLock { $0.connections.count } }

  /// Takes a new connection; called on its event loop.
  private func serve(_ channel: any Channel) throws {
    guard add(channel) else {
      logger.debug("refused a connection to the admin port", metadata: ["reason": "too many"])
      channel.close(promise: nil)
      return
    }
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = configuration.headerBytes
    limits.maxHeaderListSize = configuration.headerBytes
    limits.maxHeaderFieldCount = configuration.headerFields
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in
          let pipeline = context.pipeline.syncOperations
          guard let http = try? pipeline.handler(type: AdminConnection.self) else { return }
          pipeline.removeHandler(http, promise: nil)
        }
      ),
      withErrorHandling: false,
      withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits
    )
    let key = ObjectIdentifier(channel)
    let connection = AdminConnection(configuration, routes: routes) { [weak self] isAnswering in
      self?.state.withLock { $0.connections.note(key, isAnswering: isAnswering) }
    }
    try pipeline.addHandler(connection)
  }

  /// - Returns: false = there are too many that are being answered.
  private func add(_ channel: any Channel) -> Bool {
    let (isAdded, dropped) = state.withLock { state in
      state.isStopped ? (false, nil) : state.connections.add(channel)
    }
    dropped?.close(promise: nil)
    guard isAdded else { return false }
    let key = ObjectIdentifier(channel)
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { $0.connections.remove(key) }
    }
    return true
  }
}
