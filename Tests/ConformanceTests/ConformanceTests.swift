// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionStore
import GRPCCore
import GRPCInProcessTransport
import GRPCNIOTransportHTTP2Posix
import LayoutClient
import Logging
import Testing

@testable import LayoutService

/// Language-neutral cases whose expected values others measured or asserted. They lie beside the
/// checkout; without them there is nothing to run.
@Suite(
  "Conformance",
  .enabled(if: !ConformanceSuite.all.isEmpty, "no ../shared/conformance"),
  .timeLimit(.minutes(5))
)
struct ConformanceTests {
  /// Among hundreds of other tests a stream may have to wait for its turn.
  private static let configuration: ServiceConfiguration = {
    var configuration = ServiceConfiguration()
    configuration.timing.open = .seconds(60)
    return configuration
  }()

  @Test("cases hold over loopback", arguments: ConformanceSuite.all)
  func overLoopback(_ suite: ConformanceSuite) async throws {
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

  @Test("cases hold without a network", arguments: ConformanceSuite.all)
  func inProcess(_ suite: ConformanceSuite) async throws {
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
  /// Runs every case and records those that do not hold.
  func run(_ client: GRPCClient<some ClientTransport>) async {
    let runner = CaseRunner(client: client, tolerance: tolerance)
    for test in cases {
      let label = "\(name)/\(test.id)"
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
