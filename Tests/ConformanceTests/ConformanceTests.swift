// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionStore
import Foundation
import GRPCCore
import GRPCInProcessTransport
import GRPCNIOTransportHTTP2Posix
import LayoutClient
import Logging
import Testing

@testable import LayoutService

/// Language-neutral cases whose expected values others measured or asserted.
@Suite("Conformance", .timeLimit(.minutes(5)))
struct ConformanceTests {
  /// Among hundreds of other tests a stream may have to wait for its turn.
  private static let configuration: ServiceConfiguration = {
    var configuration = ServiceConfiguration()
    configuration.timing.open = .seconds(60)
    return configuration
  }()

  @Test("every file of cases is a known suite, and every pending case exists once")
  func inventory() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: ConformanceSuite.folder.path)
    let found = files.filter { $0.hasSuffix(".json") }.map { $0.dropLast(".json".count) }
    #expect(Set(found) == Set(ConformanceSuite.names.map { $0[...] }))
    var labels: Set<String> = []
    for suite in try ConformanceSuite.names.map(ConformanceSuite.init(named:)) {
      for test in suite.cases {
        #expect(labels.insert(suite.label(of: test)).inserted, "\(suite.label(of: test)) twice")
      }
    }
    #expect(ConformanceSuite.pending.subtracting(labels) == [])
  }

  @Test("cases hold over loopback", arguments: ConformanceSuite.names)
  func overLoopback(_ name: String) async throws {
    let suite = try ConformanceSuite(named: name)
    try await withServer { address in
      let transport = try HTTP2ClientTransport.Posix(
        target: .ipv4(address: address.host, port: address.port),
        transportSecurity: .plaintext
      )
      try await withGRPCClient(transport: transport) { client in
        await suite.run(client)
      }
    }
  }

  @Test("cases hold without a network", arguments: ConformanceSuite.names)
  func inProcess(_ name: String) async throws {
    let suite = try ConformanceSuite(named: name)
    let services = SessionServices(
      configuration: Self.configuration,
      layouts: .init(),
      storage: MemoryStorage(),
      logger: Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() }
    )
    let transport = InProcessTransport()
    let serving = transport.server
    let calling = transport.client
    try await withGRPCServer(transport: serving, services: [LayoutServices(services)]) { _ in
      try await withGRPCClient(transport: calling) { client in
        await suite.run(client)
      }
    }
  }

  /// Runs a server on a free port for as long as `body` does.
  private func withServer(_ body: (ServerAddress) async throws -> Void) async throws {
    let server = LayoutServer(configuration: Self.configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let address = try #require(ServerAddress(try await server.listeningAddress))
      try await body(address)
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }
}

extension ConformanceSuite {
  /// How PendingCases.txt names a case.
  func label(of test: ConformanceCase) -> String { "\(name)/\(test.id)" }

  /// Runs every case and records those that do not hold.
  func run(_ client: GRPCClient<some ClientTransport>) async {
    let runner = CaseRunner(client: client, tolerance: tolerance)
    for test in cases {
      let label = label(of: test)
      do {
        try await runner.run(test)
        if Self.pending.contains(label) {
          Issue.record("\(label) holds now: take it off PendingCases.txt")
        }
      } catch {
        if Self.pending.contains(label), error is Mismatch { continue }
        Issue.record("\(label): \(error)")
      }
    }
  }
}
