// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import ServerLifetime
import Synchronization
import Testing

@Suite("How servers stop", .timeLimit(.minutes(1)))
struct ServerLifetimeTests {
  @Test("a connection passes an open gate, and is closed at a closed one")
  func gate() async throws {
    let refused = Atomic(0)
    let gate = ListenerGate { refused.add(1, ordering: .relaxed) }
    let listener = EmbeddedChannel()
    try await gate.guardListener(listener).get()
    let early = EmbeddedChannel()
    try await early.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    try listener.writeInbound(early as any Channel)
    let passed = try listener.readInbound(as: (any Channel).self)
    #expect(passed === early && early.isActive)

    await gate.close()
    let late = EmbeddedChannel()
    try await late.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    try listener.writeInbound(late as any Channel)
    #expect(try listener.readInbound(as: (any Channel).self) == nil)
    #expect(!late.isActive && early.isActive)
    #expect(refused.load(ordering: .relaxed) == 1)
    _ = try listener.finish()
    _ = try early.finish()
  }

  @Test("what serves is not cancelled with its caller, but by what stops it")
  func uncancelled() async throws {
    let stops = Atomic(0)
    let (served, serve) = AsyncStream<Void>.makeStream()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let caller = Task {
      try await serveUncancelled {
        begin.yield()
        for await _ in served {}
        // The stream ended before the task was cancelled.
        #expect(!Task.isCancelled)
      } stop: { serving in
        stops.add(1, ordering: .relaxed)
        serve.finish()
        _ = await serving.result
        serving.cancel()
      }
    }
    for await _ in begun { break }
    caller.cancel()
    try await caller.value
    #expect(stops.load(ordering: .relaxed) == 1)
  }

  @Test("an error of what serves is the caller's, and nothing has to be stopped then")
  func failing() async {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await serveUncancelled {
        throw Failure()
      } stop: { _ in
        Issue.record("stopped")
      }
    }
  }
}
