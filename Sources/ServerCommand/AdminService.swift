// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutAdmin
import LayoutMetrics
import LayoutService
import Logging
import ServiceLifecycle

/// The server could not open the listening socket of its admin port.
struct CannotListenForAdmin: Error {
  var reason: String
}

/// The address at which the admin port listens.
struct AdminAddress: Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func set(_ address: String?) {
    if let address { continuation.yield(address) }
    continuation.finish()
  }

  /// Waits for the address; nil = the port could not listen. Call this once.
  var value: String? {
    get async {
      for await address in stream { return address }
      return nil
    }
  }
}

/// Runs the admin port as a service of the process's `ServiceGroup`. It precedes the server in the
/// group, which ends services in reverse order: so the port reports the shutdown until the server
/// has ended.
struct AdminService: Service {
  let address = AdminAddress()
  private let port: AdminPort
  private let logger: Logger

  init(
    _ options: ServerOptions,
    _ server: LayoutServer,
    _ metrics: PrometheusMetrics,
    _ providers: LayoutProviders,
    _ logger: Logger,
    _ log: ServerLog
  ) {
    self.logger = logger
    var configuration = AdminConfiguration()
    configuration.host = options.adminHost
    configuration.port = options.adminPort
    configuration.backupFolder = options.folderForBackups
    port = AdminPort(
      configuration: configuration,
      server: server,
      metrics: metrics,
      controls: AdminControls(
        logLevel: { log.level },
        setLogLevel: { log.level = $0 }
      ),
      providers: providers,
      logger: logger
    )
  }

  func run() async throws {
    do {
      let found = try await port.start()
      logger.info("the admin port listens", metadata: ["address": "\(found)"])
      address.set(found)
    } catch {
      address.set(nil)
      await port.stop()
      throw CannotListenForAdmin(reason: "\(error)")
    }
    // Cancelled if the server fails, which ends the port too.
    try? await gracefulShutdown()
    await port.stop()
  }
}

extension ServerOptions {
  var hasAdminPort: Bool { adminPort >= 0 }

  /// An absolute path, since it is reported to operators who may be in another folder. "" = the
  /// store has no backups.
  var folderForBackups: String {
    guard store == .sqlite else { return backupFolder }
    let folder = FileManager.default.currentDirectoryPath
    guard backupFolder.isEmpty else {
      return backupFolder.hasPrefix("/") ? backupFolder : "\(folder)/\(backupFolder)"
    }
    let path = storePath.hasPrefix("/") ? storePath : "\(folder)/\(storePath)"
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
