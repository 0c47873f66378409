// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionStore
import LayoutAdmin
import LayoutMetrics
import LayoutProtocol
import LayoutService
import LayoutTrust
import Logging
import Metrics
import PostgreSQLStore
import ServiceLifecycle
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program `layout-server`, also for servers with layouts of their own.
///
/// ```swift
/// @main
/// struct CalendarServer {
///   static func main() async {
///     var layouts = LayoutRegistry()
///     layouts.register(CalendarWeekLayout.self)
///     await ServerCommand(name: "calendar-server", layouts: layouts).run()
///   }
/// }
/// ```
///
/// Such a server has all options of `layout-server`, on the command line, in the environment and in
/// the configuration file: stores, TLS and identities, limits, the admin port, traces.
public struct ServerCommand: Sendable {
  private let name: String
  private let layouts: LayoutRegistry

  /// Creates a command, to be run once. Opens standard descriptors that are closed on the null
  /// device.
  ///
  /// - Parameters:
  ///   - name: the program's name in its help, output and log.
  ///   - layouts: custom layouts that clients may request by name, besides the built-in ones.
  public init(name: String = "layout-server", layouts: LayoutRegistry = LayoutRegistry()) {
    // Before anything else: starting threads open files, which would get these descriptors.
    ProcessSetup.openStandardDescriptors()
    self.name = name
    self.layouts = layouts
  }

  /// Reads the options and serves until a signal ends the process. Call this once, before anything
  /// else: it takes over the signals, standard descriptors and limits of the process.
  ///
  /// Errors are printed to standard error and end the process, with status 64 if the options are
  /// wrong and 1 otherwise.
  public func run() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    ProcessSetup.ignoreSignals()
    do {
      if arguments.contains("--help") || arguments.contains("-h") {
        return try StandardOutput.write(line: ServerOptions.help(command: name))
      }
      if arguments.contains("--version") {
        let version = ServiceConfiguration().version
        return try StandardOutput.write(line: "\(name) \(version)")
      }
      let options = try ServerOptions.read(arguments: arguments.filter { $0 != Self.checkFlag })
      if arguments.contains(Self.checkFlag) {
        let status = try await ConfigurationCheck(options: options).run()
        // Not thrown: the findings were printed already.
        exit(status)
      }
      try await run(options)
    } catch let error as UsageError {
      fail("\(error); see --help", status: Self.usageStatus)
    } catch let error as StandardOutput.Failure where error.isClosedPipe {
      // The reader closed the pipe, as in `layout-server --help | head -n 1`.
    } catch {
      fail("\(error)", status: EXIT_FAILURE)
    }
  }

  private static let usageStatus: Int32 = 64
  private static let checkFlag = "--check"

  private func fail(_ message: String, status: Int32) -> Never {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let bytes = Array("\(name): \(line)\n".utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    exit(status)
  }

  private func run(_ options: ServerOptions) async throws {
    let log = ServerLog(format: options.logFormat, level: options.logLevel)
    let logger = log.logger(name)
    var options = options
    if let files = ProcessSetup.raiseDescriptorLimit() {
      let wanted = options.service.transport.connections
      let allowed = ProcessSetup.connections(of: wanted, files: files)
      options.service.transport.connections = allowed
      if allowed < wanted {
        logger.warning(
          "fewer connections than configured: the process may not open more files",
          metadata: ["wanted": "\(wanted)", "maxConnections": "\(allowed)", "files": "\(files)"]
        )
      }
    }
    await ProcessSetup.makeTimers()
    let signals = ProcessSetup.shutdownSignals(reloads: options.security.hasFiles)
    ProcessSetup.exit(on: signals)
    let security: ServerSecurity
    do throws(TrustError) { security = try await options.security.security(logger: logger) } catch {
      throw UsageError("\(error)")
    }
    let (storage, close) = try Self.openStorage(options, logger: logger)
    defer { close() }
    let metrics = PrometheusMetrics(
      descriptions: AdminPort.descriptions + TracingOptions.descriptions
    )
    // Without an admin port nobody reads them.
    let factory: any MetricsFactory =
      options.hasAdminPort ? metrics : NOOPMetricsHandler.instance
    let tracing = options.tracing.tracing(
      version: options.service.version,
      metrics: factory,
      logger: log.logger("traces")
    )
    let providers = LayoutProviders(
      options.providers.configurations,
      prototype: options.providers.prototype,
      logger: log.logger("layout-providers")
    )
    var layouts = layouts
    providers.register(in: &layouts)
    let server = LayoutServer(
      host: options.host,
      port: options.port,
      configuration: options.service,
      layouts: layouts,
      storage: storage,
      security: security,
      webSockets: options.web.port >= 0 ? options.web : nil,
      logger: logger,
      metrics: factory,
      tracer: tracing?.tracer
    )
    let quiet = ServerLog(format: options.logFormat, level: .critical).logger("lifecycle")
    let admin =
      options.hasAdminPort
      ? AdminService(options, server, metrics, providers, logger, log) : nil
    var helpers: [any Service] = [MemoryReturnService()]
    if let tracing { helpers.append(tracing.service) }
    if !options.providers.addresses.isEmpty || options.hasAdminPort {
      helpers.append(ProviderConnectionService(providers: providers))
    }
    if let admin { helpers.append(admin) }
    if options.security.hasFiles {
      helpers.append(ReloadService(security: security, logger: logger))
    }
    // The server limits the duration of its shutdown itself. Cancelling it here would cut off calls
    // that would still end normally.
    let configuration = ServiceGroupConfiguration(
      services: helpers.map { .init(service: $0) } + [
        .init(
          service: ServerService(
            name: name,
            server: server,
            drain: options.service.timing.drain,
            shutdown: options.service.timing.shutdown,
            signals: signals,
            admin: admin?.address,
            logger: logger
          ),
          successTerminationBehavior: .gracefullyShutdownGroup
        )
      ],
      gracefulShutdownSignals: signals,
      logger: quiet
    )
    do { try await ServiceGroup(configuration: configuration).run() } catch let error
      as CannotListen
    {
      throw UsageError(
        "cannot listen on \(HostAndPort(options.host, options.port)): \(error.reason)"
      )
    } catch let error as CannotListenForWebSockets {
      throw UsageError(
        "cannot listen on \(HostAndPort(options.web.host, options.web.port)): \(error)"
      )
    } catch let error as CannotTrace {
      throw UsageError("--otlp-endpoint or --otlp-ca: \(error.reason)")
    } catch let error as CannotReachProviders {
      throw UsageError("--layout-provider-ca: \(error.reason)")
    } catch let error as CannotListenForAdmin {
      throw UsageError(
        "cannot listen on \(HostAndPort(options.adminHost, options.adminPort)): \(error.reason)"
      )
    }
  }
}

extension ServerCommand {
  /// Opens the storage.
  ///
  /// - Returns: the storage, and a closure that closes it before the process exits.
  private static func openStorage(
    _ options: ServerOptions,
    logger: Logger
  ) throws -> (any CollectionStorage, () -> Void) {
    let report: @Sendable (StorageFault) -> Void = { fault in
      var metadata: Logger.Metadata = ["kind": "\(fault.kind.rawValue)", "reason": "\(fault)"]
      if let collection = fault.collection { metadata["collection"] = "\(collection)" }
      if fault.kind == .rewound {
        return logger.warning("the store has lost commits", metadata: metadata)
      }
      logger.error(
        fault.kind == .damaged ? "stored data is damaged" : "the store failed",
        metadata: metadata
      )
    }
    switch options.store {
    case .memory: return (MemoryStorage(), {})
    case .sqlite: return try openSQLite(options, logger: logger, report)
    case .postgresql:
      let storage = try PostgreSQLStorage(options.database, report: report)
      logger.info("opened the store", metadata: ["database": "\(storage.name)"])
      return (storage, { storage.close() })
    }
  }

  private static func openSQLite(
    _ options: ServerOptions,
    logger: Logger,
    _ report: @escaping @Sendable (StorageFault) -> Void
  ) throws -> (any CollectionStorage, () -> Void) {
    let storage = try SQLiteStorage(path: options.storePath, report: report)
    logger.info("opened the store", metadata: ["path": "\(storage.path)"])
    if storage.isRestored {
      logger.notice("the store was restored or moved: all collections have new incarnations")
    }
    return (
      storage,
      {
        do { try storage.close() } catch {
          // Committed data are safe even so.
          logger.warning("could not close the store", metadata: ["reason": "\(error)"])
        }
      }
    )
  }
}

/// The server could not open its listening socket.
private struct CannotListen: Error {
  var reason: String
}

/// Runs the server as a service of the process's `ServiceGroup`.
private struct ServerService: Service {
  /// Added to the shutdown timeout before `ShutdownWatch` ends the process: the server needs this
  /// time to close its connections.
  private static let grace = Duration.seconds(1)

  let name: String
  let server: LayoutServer
  /// How long it goes on serving…
  let drain: Duration
  /// …and how long the rest of a shutdown may take.
  let shutdown: Duration
  /// What begins a shutdown, and ends the process if it comes again.
  let signals: [UnixSignal]
  /// Where the admin port listens; nil = there is none.
  let admin: AdminAddress?
  let logger: Logger

  func run() async throws {
    // A separate task, because a shutdown that begins before the server listens would leave this
    // waiting for an address that never comes.
    let announcement = Task { await announce() }
    defer { announcement.cancel() }
    try await withGracefulShutdownHandler {
      do { try await server.run() } catch let error as CannotListenForWebSockets {
        throw error
      } catch let error where !server.hasListened {
        throw CannotListen(reason: "\(error)")
      }
    } onGracefulShutdown: {
      logger.info("shutting down", metadata: ["within": "\(shutdown)"])
      ShutdownWatch.begin(
        limit: drain + shutdown + Self.grace,
        signals: signals,
        logger: logger
      )
      server.beginGracefulShutdown()
    }
    logger.info("stopped")
  }

  /// Prints and logs the listening address as soon as there is one.
  private func announce() async {
    // If there is no listening socket, `run` throws the reason.
    guard let address = try? await server.listeningAddress else { return }
    logger.info("started", metadata: ["address": "\(address)"])
    do {
      try StandardOutput.write(line: "\(name) listening on \(address)")
      if let web = try await server.webSocketAddress {
        logger.info("accepts WebSockets", metadata: ["address": "\(web)"])
        try StandardOutput.write(line: "\(name) web port on \(web)")
      }
      guard let admin = await admin?.value else { return }
      try StandardOutput.write(line: "\(name) admin port on \(admin)")
    } catch {
      // The addresses are in the log as well, so the server keeps running.
      logger.warning("\(error)")
    }
  }
}
