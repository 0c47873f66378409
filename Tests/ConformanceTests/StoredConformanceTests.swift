// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutClient
import LayoutService
import PostgreSQLStore
import StoreTesting
import Testing

/// The same cases with the collections in durable stores.
@Suite("Conformance on stores", .serialized, .timeLimit(.minutes(5)))
struct StoredConformanceTests {
  @Test("cases hold with collections in SQLite")
  func embedded() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "conformance-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let storage = try SQLiteStorage(path: folder.path + "/store.sqlite")
    try await runAll(storage)
    storage.finishBackgroundWork()
    try storage.close()
  }

  @Test(
    "cases hold with collections in PostgreSQL",
    .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed")
  )
  func shared() async throws {
    let storage = try PostgreSQLStorage(
      PostgreSQLConfiguration(url: try PostgresInstance.shared().url, schema: "conformance")
    )
    defer { storage.close() }
    try await runAll(storage)
  }

  /// Runs all cases against one server.
  private func runAll(_ storage: any CollectionStorage) async throws {
    var configuration = ServiceConfiguration()
    configuration.timing.open = .seconds(60)
    let server = LayoutServer(configuration: configuration, storage: storage)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let address = try #require(ServerAddress(try await server.listeningAddress))
      let transport = try HTTP2ClientTransport.Posix(
        target: .ipv4(address: address.host, port: address.port),
        transportSecurity: .plaintext
      )
      try await withGRPCClient(transport: transport) { client in
        for name in ConformanceSuite.names { await (try ConformanceSuite(named: name)).run(client) }
      }
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }
}
