// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import LayoutProtocol
import Testing

@testable import LayoutService

@Suite("Sessions as operators see them", .timeLimit(.minutes(2)))
struct OperatedSessionTests {
  @Test("a session with a stream shows what its client has")
  func figures() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      try await clients.withSession { probe in
        let opened = try await probe.open()
        let frame = try await probe.frame()
        #expect(clients.server.sessionNames == [opened.session])
        let status = try #require(clients.server.sessionStatus(named: opened.session))
        #expect(!status.isDetached && status.facts.collection == "a")
        #expect(status.facts.peer.hasPrefix("ipv4:127.0.0.1:"))
        let figures = try #require(status.figures)
        #expect(figures.layout == "list" && figures.frames == 1 && figures.keyframes == 1)
        #expect(figures.liveElements == Int(frame.liveCount) && figures.sentBytes > 0)
      }
    }
  }

  @Test("a session that an operator ends is gone for good")
  func ending() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let error = await #expect(throws: RPCError.self) {
        try await clients.withSession { probe in
          let opened = try await probe.open()
          _ = try await probe.frame()
          #expect(clients.server.endSession(named: opened.session, reason: "for a test"))
          while try await probe.next() != nil {}
        }
      }
      #expect(error?.code == .notFound && error?.message.contains("for a test") == true)
      await clients.sessionsEnd()
      #expect(clients.server.detachedSessionCount == 0)
    }
  }

  @Test("a session that waits for its client is ended too, once")
  func detached() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let name = try await clients.withSession { probe in
        let opened = try await probe.open()
        _ = try await probe.frame()
        return opened.session
      }
      await clients.server.sessionChanges.wait { clients.server.detachedSessionCount > 0 }
      let status = try #require(clients.server.sessionStatus(named: name))
      #expect(status.isDetached && status.figures?.layout == "list")
      #expect(clients.server.endSession(named: name, reason: ""))
      #expect(clients.server.detachedSessionCount == 0)
      #expect(!clients.server.endSession(named: name, reason: ""))
      #expect(clients.server.sessionStatus(named: name) == nil)
    }
  }
}
