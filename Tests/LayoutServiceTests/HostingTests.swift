// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import GRPCInProcessTransport
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

/// Lets in who knows the word.
private struct Authentication: ServerInterceptor {
  var word: String

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>,
    context: ServerContext,
    next:
      @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
      -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    guard request.metadata[stringValues: "authorization"].contains("Bearer \(word)") else {
      throw RPCError(code: .unauthenticated, message: "A bearer token is needed.")
    }
    return try await next(request, context)
  }
}

/// The services on a `GRPCServer` of one's own, as the documentation of `LayoutServices` shows it.
@Suite("Services hosted by another program", .timeLimit(.minutes(1)))
struct HostingTests {
  @Test("runs in process, behind an interceptor of the host's own")
  func inProcess() async throws {
    let services = LayoutServices(storage: MemoryStorage())
    try await services.load()
    let transport = InProcessTransport()
    let server = GRPCServer(
      transport: transport.server,
      services: [services],
      interceptors: [Authentication(word: "sesame")]
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve() }
      try await withGRPCClient(transport: transport.client) { client in
        let collections = CollectionLayout_V1_CollectionService.Client(wrapping: client)
        let refused = await problem {
          _ = try await collections.listCollections(.init())
        }
        #expect(refused?.code == .unauthenticated)
        let metadata: Metadata = ["authorization": "Bearer sesame"]
        let created = try await collections.createCollection(
          .with {
            $0.collectionID = "a"
            $0.collection.defaultLayout.list.rowHeight = 10
            $0.contents.sections = [.with { $0.blocks = [.with { $0.count = 3 }] }]
          },
          metadata: metadata
        ).collection
        #expect(created.itemCount == 3)
        let queries = CollectionLayout_V1_LayoutQueryService.Client(wrapping: client)
        let answer = try await queries.queryElements(
          .with { $0.target.collection = "collections/a" },
          metadata: metadata
        )
        #expect(answer.elements.count == 3)
        // The example closes its client before its server.
      }
      services.beginDraining()
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
    #expect(services.sessionCount == 0)
  }

  @Test("a server that cannot listen ends with an error, whatever else it serves")
  func takenPort() async throws {
    try await withServer { clients in
      let other = LayoutServer(
        host: "127.0.0.1",
        port: clients.port,
        webSockets: WebSocketOptions(port: 0)
      )
      await #expect(throws: (any Error).self) { try await other.run() }
    }
  }
}
