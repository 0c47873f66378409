// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutService
import Logging
import ServiceLifecycle
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@main
struct LayoutServerCommand {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") {
      print(ServerOptions.help)
      return
    }
    if arguments.contains("--version") {
      print("layout-server \(ServiceConfiguration().version)")
      return
    }
    do {
      let options = try ServerOptions.read(arguments: arguments)
      try await run(options)
    } catch let error as UsageError {
      fail("\(error); see --help", status: usageStatus)
    } catch {
      fail("\(error)", status: EXIT_FAILURE)
    }
  }

  private static let usageStatus: Int32 = 64

  private static func fail(_ message: String, status: Int32) -> Never {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let bytes = Array("layout-server: \(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    exit(status)
  }

  private static func run(_ options: ServerOptions) async throws {
    var logger = Logger(label: "layout-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = options.logLevel
    let (storage, close) = try openStorage(options, logger: logger)
    defer { close() }
    let server = LayoutServer(
      host: options.host,
      port: options.port,
      configuration: options.service,
      storage: storage,
      logger: logger
    )
    var quiet = Logger(label: "lifecycle") { StreamLogHandler.standardError(label: $0) }
    quiet.logLevel = .critical
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(
          service: ServerService(server: server, logger: logger),
          successTerminationBehavior: .gracefullyShutdownGroup
        )
      ],
      gracefulShutdownSignals: [.sigterm, .sigint],
      logger: quiet
    )
    configuration.maximumGracefulShutdownDuration = options.service.timing.shutdown
    do { try await ServiceGroup(configuration: configuration).run() } catch let error
      as CannotListen
    {
      throw UsageError(
        "cannot listen on \(options.host):\(options.port): \(error.reason)"
      )
    }
  }
}

extension LayoutServerCommand {
  /// The storage and what is to be done with it at the end.
  private static func openStorage(
    _ options: ServerOptions,
    logger: Logger
  ) throws -> (any CollectionStorage, () -> Void) {
    guard options.store == .sqlite else { return (MemoryStorage(), {}) }
    let storage = try SQLiteStorage(path: options.storePath) { fault in
      var metadata: Logger.Metadata = ["kind": "\(fault.kind.rawValue)", "reason": "\(fault)"]
      if let collection = fault.collection { metadata["collection"] = "\(collection)" }
      logger.error(
        fault.kind == .damaged ? "stored data is damaged" : "the store failed",
        metadata: metadata
      )
    }
    logger.info("opened the store", metadata: ["path": "\(storage.path)"])
    return (
      storage,
      {
        do { try storage.close() } catch {
          // What was committed is safe nevertheless.
          logger.warning("could not close the store", metadata: ["reason": "\(error)"])
        }
      }
    )
  }
}

/// Why there is no listening socket.
private struct CannotListen: Error {
  var reason: String
}

/// Runs the server within the process's life.
private struct ServerService: Service {
  let server: LayoutServer
  let logger: Logger

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Without a listening socket the other task says why.
        guard let address = try? await server.listeningAddress else { return }
        print("layout-server listening on \(address)")
        fflush(nil)
        logger.info("started", metadata: ["address": "\(address)"])
      }
      group.addTask {
        try await withGracefulShutdownHandler {
          do { try await server.run() } catch let error where !server.hasListened {
            throw CannotListen(reason: "\(error)")
          }
        } onGracefulShutdown: {
          server.beginGracefulShutdown()
        }
        logger.info("stopped")
      }
      try await group.waitForAll()
    }
  }
}
