// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutTrust
import SwiftProtobuf
import Testing
import TrustTesting

@testable import LayoutService

@Suite("Quotas of a server", .timeLimit(.minutes(2)))
struct ServerQuotaTests {
  /// Runs a server with quotas of its own, and of its policy, with the collection "own" and a
  /// connection.
  private func withServer(
    _ identity: IdentityQuotas = .init(),
    policy quotas: String = "[]",
    _ body: @Sendable @escaping (SecuredServer, SecuredClient) async throws -> Void
  ) async throws {
    var options = SecuredServer.Options()
    options.identity = identity
    options.policy = "\(SecuredServer.policy.dropLast()), \"quotas\": \(quotas)}"
    try await SecuredServer.with(options) { server in
      try await server.connect { client in
        try await client.create("own")
        try await body(server, client)
      }
    }
  }

  private func create(
    _ client: SecuredClient,
    _ id: String,
    count: UInt32,
    token: String = "admin-token"
  ) async -> LayoutProblem? {
    await problem {
      _ = try await client.collections.createCollection(
        .with {
          $0.collectionID = id
          $0.contents.sections = [.with { $0.blocks = [.with { $0.count = count }] }]
        },
        metadata: .bearer(token)
      )
    }
  }

  @Test("an identity has as many streams as it may, others have theirs")
  func sessions() async throws {
    try await withServer(.init(sessions: 1)) { server, client in
      try await client.stream(token: "view-token") { first in
        let opened = try await first.open()
        let refused = await problem {
          try await client.stream(token: "view-token") { _ = try await $0.open() }
        }
        #expect(refused?.reason == .quota(.sessions))
        #expect(refused?.metadata == ["limit": "1", "scope": "identity"])
        #expect(refused?.retryDelay != nil)
        try await client.stream(token: "edit-token") { _ = try await $0.open() }
        // A stream that takes the session over takes its place too.
        try await client.stream(token: "view-token") { second in
          let resumed = try await second.open {
            $0.resume.resumeToken = opened.resumeToken
          }
          #expect(resumed.session == opened.session)
        }
      }
      #expect(server.server.services.sessions.ownerCount <= 1)
      await server.server.sessionChanges.wait { server.server.sessionCount == 0 }
      try await client.stream(token: "view-token") { _ = try await $0.open() }
    }
  }

  @Test("an identity makes as many calls in a second as it may")
  func calls() async throws {
    try await withServer(.init(callsPerSecond: 1)) { _, client in
      var refused: LayoutProblem?
      for _ in 0 ..< 20 where refused == nil {
        refused = await problem {
          _ = try await client.queries.getServerInfo(.init(), metadata: .bearer("view-token"))
        }
      }
      #expect(refused?.code == .resourceExhausted && refused?.reason == .quota(.callRate))
      #expect(refused?.metadata == ["limit": "1", "scope": "identity"])
      #expect(refused?.retryDelay.map { $0 <= .seconds(1) } == true)
      let stream = await problem {
        try await client.stream(token: "view-token") { _ = try await $0.open() }
      }
      #expect(stream?.reason == .quota(.callRate))
      #expect(await create(client, "own2", count: 1) == nil)
    }
  }

  @Test("a quota of nothing is not something to wait for")
  func nothing() async throws {
    let quotas = """
      [{"identities": ["token:view"], "sessions": 0}, {"identities": ["token:edit"], "callsPerSecond": 0}]
      """
    try await withServer(policy: quotas) { _, client in
      let stream = await problem {
        try await client.stream(token: "view-token") { _ = try await $0.open() }
      }
      #expect(stream?.reason == .quota(.sessions) && stream?.retryDelay == nil)
      let call = await problem {
        _ = try await client.queries.getServerInfo(.init(), metadata: .bearer("edit-token"))
      }
      #expect(call?.reason == .quota(.callRate) && call?.retryDelay == nil)
    }
  }

  @Test("contents count for whoever created them, whoever makes them grow")
  func contents() async throws {
    let quotas = #"[{"identities": ["token:admin"], "contentBytes": 20000}]"#
    try await withServer(policy: quotas) { _, client in
      #expect(await create(client, "own-large", count: 10_000_000, token: "root-token") == nil)
      #expect(await create(client, "own-a", count: 100) == nil)
      let large = await problem {
        _ = try await client.collections.createCollection(
          .with {
            $0.collectionID = "own-b"
            $0.contents.sections = [
              .with {
                $0.blocks = [
                  .with {
                    $0.count = 9000
                    $0.heights = (0 ..< 9000).map { Double($0) }
                  }
                ]
              }
            ]
          },
          metadata: .bearer("admin-token")
        )
      }
      #expect(large?.code == .resourceExhausted && large?.reason == .quota(.memory))
      #expect(large?.metadata["limitName"] == "identityBytes")
      #expect(large?.metadata["limit"] == "20000" && large?.metadata["scope"] == "identity")
      let growth = await problem {
        _ = try await client.collections.applyUpdates(
          .with {
            $0.name = "collections/own-a"
            $0.batch.operations.operations = [
              .with {
                $0.insertItems.at.item = 0
                $0.insertItems.blocks = [
                  .with {
                    $0.count = 9000
                    $0.heights = (0 ..< 9000).map { Double($0) }
                  }
                ]
              }
            ]
          },
          metadata: .bearer("edit-token")
        )
      }
      #expect(growth?.metadata["limitName"] == "identityBytes")
      // What was refused was not counted.
      #expect(await create(client, "own-c", count: 100) == nil)
    }
  }

  @Test("layouts count once for an identity, and a stream that needs more ends")
  func layouts() async throws {
    let quotas = #"[{"roles": ["view"], "layoutBytes": 100000}]"#
    try await withServer(policy: quotas) { _, client in
      _ = try await client.collections.createCollection(
        .with {
          $0.collectionID = "own-wide"
          $0.collection.defaultLayout.flow = .init()
          $0.contents.sections = [
            .with {
              $0.blocks = [
                .with {
                  $0.count = 20_000
                  $0.widths = (0 ..< 20_000).map { Double(10 + $0 % 37) }
                  $0.heights = (0 ..< 20_000).map { Double(10 + $0 % 41) }
                }
              ]
            }
          ]
        },
        metadata: .bearer("root-token")
      )
      let ended: RPCError.Code? = try await client.stream(token: "view-token") { probe in
        do { try await Self.openWide(&probe) } catch let error as RPCError { return error.code }
        return await probe.end()
      }
      #expect(ended == .resourceExhausted)
      try await client.stream(token: "edit-token") { probe in
        try await Self.openWide(&probe)
        let alive = try await probe.result(of: 3) { $0.resync = .init() }
        #expect(!alive.hasProblem)
      }
    }
  }

  private static func openWide(_ probe: inout StreamProbe) async throws {
    _ = try await probe.open {
      $0.collection = "collections/own-wide"
      $0.viewport.size.width = 300
    }
  }

  @Test("a caller learns his quotas, and a new policy changes them")
  func info() async throws {
    let quotas = #"[{"identities": ["token:view"], "sessions": 3, "contentBytes": 5}]"#
    try await withServer(.init(callsPerSecond: 1000), policy: quotas) { server, client in
      func limits(_ token: String) async throws -> CollectionLayout_V1_ServerLimits {
        try await client.queries.getServerInfo(.init(), metadata: .bearer(token)).limits
      }
      let view = try await limits("view-token")
      #expect(view.maxSessionsPerIdentity == 3 && view.maxContentBytesPerIdentity == 5)
      #expect(view.maxCallsPerSecondPerIdentity == 1000 && !view.hasMaxLayoutBytesPerIdentity)
      let edit = try await limits("edit-token")
      #expect(!edit.hasMaxSessionsPerIdentity && !edit.hasMaxContentBytesPerIdentity)
      try server.folder.write(SecuredServer.policy, to: "policy")
      while try await limits("view-token").hasMaxSessionsPerIdentity {}
    }
  }

  @Test("what others have prepared is told to those only who may do everything")
  func cache() async throws {
    try await SecuredServer.with { server in
      try await server.connect { client in
        for (token, isTold) in [("view", false), ("admin", false), ("root", true)] {
          let info = try await client.queries.getServerInfo(
            .init(),
            metadata: .bearer("\(token)-token")
          )
          #expect(info.hasCache == isTold, "\(token)")
          #expect(info.hasLimits)
        }
      }
    }
  }
}
