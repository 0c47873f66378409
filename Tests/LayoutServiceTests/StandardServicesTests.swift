// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Health and reflection", .serialized, .timeLimit(.minutes(2)))
struct StandardServicesTests {
  @Test("reports health by service")
  func health() async throws {
    try await withServer { clients in
      let health = Grpc_Health_V1_Health.Client(wrapping: clients.grpc)
      let whole = try await health.check(.init())
      #expect(whole.status == .serving)
      let name = "collection_layout.v1.CollectionService"
      let service = try await health.check(.with { $0.service = name })
      #expect(service.status == .serving)
      await #expect(throws: RPCError.self) {
        _ = try await health.check(.with { $0.service = "none" })
      }
      let list = try await health.list(.init())
      #expect(list.statuses[name]?.status == .serving)
    }
  }

  @Test("does not serve while its store does not work, and says so when that changes")
  func storeHealth() async throws {
    let storage = MemoryStorage()
    try await withServer(storage: storage) { clients in
      let health = Grpc_Health_V1_Health.Client(wrapping: clients.grpc)
      try await health.watch(.init()) { response in
        var messages = response.messages.makeAsyncIterator()
        var told = try await messages.next()?.status
        #expect(told == .serving)
        storage.health.update(StorageFault(.fileChanged, "gone"))
        told = try await messages.next()?.status
        #expect(told == .notServing)
        let checked = try await health.check(.init()).status
        #expect(checked == .notServing)
        let listed = try await health.list(.init()).statuses[""]?.status
        #expect(listed == .notServing)
        storage.health.update(nil)
        told = try await messages.next()?.status
        #expect(told == .serving)
        let recovered = try await health.check(.init()).status
        #expect(recovered == .serving)
      }
    }
  }

  @Test("describes every service and the files that it needs")
  func reflection() async throws {
    try await withServer { clients in
      let reflection = Grpc_Reflection_V1_ServerReflection.Client(wrapping: clients.grpc)
      let responses = try await reflection.serverReflectionInfo { writer in
        try await writer.write(.with { $0.listServices = "" })
        try await writer.write(
          .with { $0.fileContainingSymbol = "collection_layout.v1.LayoutSessionService" }
        )
        try await writer.write(.with { $0.fileContainingSymbol = "none" })
      } onResponse: { response in
        try await response.messages.reduce(
          into: [Grpc_Reflection_V1_ServerReflectionResponse]()
        ) { $0.append($1) }
      }
      #expect(
        responses[0].listServicesResponse.service.map(\.name).contains(
          "collection_layout.v1.LayoutQueryService"
        )
      )
      #expect(responses[1].fileDescriptorResponse.fileDescriptorProto.count >= 8)
      #expect(responses[2].errorResponse.errorCode == 5)
    }
  }
}
