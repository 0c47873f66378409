// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutProtocol
import LayoutService
import Testing

@Suite("A server whose task is cancelled", .timeLimit(.minutes(2)))
struct CancelledServerTests {
  @Test("ends while calls keep coming, and takes nothing of the process with it")
  func underCalls() async throws {
    for _ in 0 ..< 10 {
      let server = LayoutServer(configuration: .patient, storage: MemoryStorage())
      let serving = Task { try await server.run() }
      let port = Int(try await server.listeningAddress.split(separator: ":").last ?? "") ?? 0
      try await withThrowingTaskGroup(of: Int.self) { group in
        let (busy, continuation) = AsyncStream.makeStream(of: Void.self)
        for _ in 0 ..< 3 {
          group.addTask { try await Self.callUntilCut(port) { continuation.yield() } }
        }
        var clients = busy.makeAsyncIterator()
        for _ in 0 ..< 3 { await clients.next() }
        serving.cancel()
        try await serving.value
        #expect(server.connectionCount == 0)
        for try await answered in group { #expect(answered > 0) }
      }
    }
  }

  @Test("ends at once where it was cancelled before it ran")
  func before() async throws {
    let server = LayoutServer(configuration: .patient, storage: MemoryStorage())
    let serving = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await server.run()
    }
    _ = await serving.result
    #expect(server.connectionCount == 0)
  }

  /// Makes calls, sixteen at a time, until the connection is cut.
  ///
  /// - Parameter begun: called when some have been answered.
  /// - Returns: how many were answered.
  private static func callUntilCut(
    _ port: Int,
    begun: @escaping @Sendable () -> Void
  ) async throws -> Int {
    let transport = try HTTP2ClientTransport.Posix(
      target: .ipv4(address: "127.0.0.1", port: port),
      transportSecurity: .plaintext
    )
    return try await withGRPCClient(transport: transport) { grpc in
      let collections = CollectionLayout_V1_CollectionService.Client(wrapping: grpc)
      _ = try await collections.listCollections(.init())
      return await withTaskGroup(of: Int.self) { group in
        for number in 0 ..< 16 {
          group.addTask {
            var answered = 0
            var options = CallOptions.defaults
            options.waitForReady = false
            options.timeout = .seconds(10)
            while (try? await collections.listCollections(.init(), options: options)) != nil {
              answered += 1
              if number == 0, answered == 10 { begun() }
            }
            return answered
          }
        }
        return await group.reduce(0, +)
      }
    }
  }
}
