// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutClient
import LayoutProtocol
import Logging
import SwiftProtobuf
import Testing
import TrustTesting

@testable import LayoutService

@Suite("Rights of streams", .timeLimit(.minutes(2)))
struct StreamRightsTests {
  /// Runs a server with a collection "own" and a connection to it.
  private func withCollection(
    _ options: SecuredServer.Options = .init(),
    _ body: @Sendable @escaping (SecuredServer, SecuredClient) async throws -> Void
  ) async throws {
    try await SecuredServer.with(options) { server in
      try await server.connect { client in
        try await client.create("own")
        try await body(server, client)
      }
    }
  }

  @Test("the end of a token ends its stream, but not one that was renewed")
  func expiry() async throws {
    let time = TestTime(Date())
    try await withCollection(.init(now: { time.now })) { server, client in
      let token = try server.signer.token(subject: "view", lasting: 60, from: time.now)
      let later = try server.signer.token(subject: "view", lasting: 600, from: time.now)
      try await client.stream(token: token) { renewed in
        _ = try await renewed.open()
        let result = try await renewed.result(of: 2) { $0.credentials.token = later }
        #expect(!result.hasProblem)
        let code = try await client.stream(token: token) { probe in
          _ = try await probe.open()
          time.pass(61)
          return await probe.end()
        }
        #expect(code == .unauthenticated)
        await server.log.wait(for: "session ended")
        let ended = server.log.lines.first { $0.message == "session ended" }
        #expect(ended?.metadata["end"] == "UNAUTHENTICATED")
        let alive = try await renewed.result(of: 3) { $0.resync = .init() }
        #expect(!alive.hasProblem)
      }
    }
  }

  @Test("credentials that are wrong, or of others, are refused, and the stream goes on")
  func badRenewal() async throws {
    try await withCollection { server, client in
      let token = try server.signer.token(subject: "view")
      let other = try server.signer.token(subject: "admin")
      try await client.stream(token: token) { probe in
        _ = try await probe.open()
        let result = try await probe.result(of: 2) { $0.credentials.token = other }
        #expect(result.problem.code == UInt32(Status.Code.unauthenticated.rawValue))
        let soon = try await probe.result(of: 3) { $0.credentials.token = token }
        #expect(soon.problem.reason == "QUOTA_EVENT_RATE")
        let long = try await probe.result(of: 4) {
          $0.credentials.token = String(repeating: "a", count: 20_000)
        }
        #expect(long.problem.reason == "FIELD_INVALID")
        let alive = try await probe.result(of: 5) { $0.resync = .init() }
        #expect(!alive.hasProblem)
      }
    }
  }

  @Test("a new policy ends streams that it no longer allows, and no others")
  func policy() async throws {
    try await withCollection { server, client in
      try await client.stream(token: "edit-token") { editor in
        _ = try await editor.open()
        let code = try await client.stream(token: "view-token") { probe in
          _ = try await probe.open()
          try server.folder.write(SecuredServer.policy(#""edit""#), to: "policy")
          return await probe.end()
        }
        #expect(code == .permissionDenied)
        let alive = try await editor.result(of: 2) { $0.update = .insertion() }
        #expect(!alive.hasProblem)
        // A role that is taken back in part leaves what is left of it.
        let reduced = SecuredServer.policy(#""edit""#).replacing(
          #""role": "edit""#,
          with: #""role": "view""#
        )
        try server.folder.write(reduced, to: "policy")
        var seq: UInt64 = 3
        while try await !editor.result(of: seq, { $0.update = .insertion() }).hasProblem {
          seq += 1
        }
        let refused = try await editor.result(of: seq + 1) { $0.update = .insertion() }
        #expect(refused.problem.code == UInt32(Status.Code.permissionDenied.rawValue))
        try server.folder.write(SecuredServer.policy(#""view""#), to: "policy")
        #expect(await editor.end() == .permissionDenied)
      }
    }
  }

  @Test("who may only look on is refused a change in a stream, and the stream goes on")
  func viewers() async throws {
    try await withCollection { _, client in
      try await client.stream(token: "view-token") { probe in
        _ = try await probe.open()
        let result = try await probe.result(of: 2) { $0.update = .insertion() }
        #expect(result.problem.code == UInt32(Status.Code.permissionDenied.rawValue))
        let alive = try await probe.result(of: 3) { $0.resync = .init() }
        #expect(!alive.hasProblem)
      }
    }
  }

  @Test("a session is resumed by whoever opened it, and by nobody else")
  func resume() async throws {
    try await withCollection { server, client in
      let (own, again) = (
        try server.signer.token(subject: "view"), try server.signer.token(subject: "view")
      )
      let opened = try await client.stream(token: own) { try await $0.open() }
      let resume: @Sendable (inout Wire.OpenSession) -> Void = {
        $0.resume.resumeToken = opened.resumeToken
      }
      let foreign = try await client.stream(token: "edit-token") { try await $0.open(resume) }
      #expect(foreign.outcome == .reset && foreign.session != opened.session)
      let none = await problem {
        _ = try await client.stream(token: "none-token") { try await $0.open(resume) }
      }
      #expect(none?.code == .permissionDenied)
      let resumed = try await client.stream(token: again) { try await $0.open(resume) }
      #expect(resumed.session == opened.session && resumed.outcome != .reset)
    }
  }

  @Test("contents of a session's own are nobody else's")
  func privateContents() async throws {
    try await withCollection { _, client in
      let opened = try await client.stream(token: "view-token") { probe in
        try await probe.open {
          $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 3 }] }]
          $0.layout.list.rowHeight = 10
        }
      }
      let foreign = await problem {
        _ = try await client.stream(token: "admin-token") { probe in
          try await probe.open { $0.resume.resumeToken = opened.resumeToken }
        }
      }
      #expect(foreign?.reason == .sessionExpired)
      let resumed = try await client.stream(token: "view-token") { probe in
        try await probe.open { $0.resume.resumeToken = opened.resumeToken }
      }
      #expect(resumed.session == opened.session)
    }
  }

  @Test("a token without a right to a session's collection learns nothing of the session")
  func otherRights() async throws {
    var options = SecuredServer.Options()
    options.policy = """
      {"rules": [
        {"identities": ["claim:team=a"], "role": "view", "collections": ["own*"]},
        {"identities": ["claim:team=b"], "role": "view", "collections": ["other*"]},
        {"identities": ["token:root"], "role": "admin", "collections": ["*"]}]}
      """
    try await withCollection(options) { server, client in
      let own = try server.signer.token(subject: "x", #","team":"a""#)
      let other = try server.signer.token(subject: "x", #","team":"b""#)
      try await client.stream(token: own) { probe in
        let opened = try await probe.open()
        func ask(_ session: String, _ token: String) async -> Outcome {
          let method = CollectionLayout_V1_LayoutQueryService.Method.GetContentSize.descriptor
          let request = Wire.GetContentSizeRequest.with { $0.target.session = session }
          return await client.outcome(of: method, [request], token: token)
        }
        #expect(await ask(opened.session, own).code == nil)
        let unknown = "sessions/" + String(repeating: "0", count: opened.session.count - 9)
        let (found, missing) = (await ask(opened.session, other), await ask(unknown, other))
        #expect(found.code == .notFound)
        #expect(missing.renaming(unknown, to: opened.session) == found)
      }
    }
  }

  @Test("of a session of another nobody learns whether it is there")
  func foreignSessions() async throws {
    try await withCollection { _, client in
      try await client.stream(token: "view-token") { probe in
        let opened = try await probe.open()
        func ask(_ session: String, _ token: String) async -> Outcome {
          let method = CollectionLayout_V1_LayoutQueryService.Method.GetContentSize.descriptor
          let request = Wire.GetContentSizeRequest.with { $0.target.session = session }
          return await client.outcome(of: method, [request], token: token)
        }
        #expect(await ask(opened.session, "view-token").code == nil)
        let unknown = "sessions/" + String(repeating: "0", count: opened.session.count - 9)
        let (foreign, missing) = (
          await ask(opened.session, "admin-token"), await ask(unknown, "admin-token")
        )
        #expect(foreign.code == .notFound)
        #expect(missing.renaming(unknown, to: opened.session) == foreign)
      }
    }
  }

  @Test("watchers and imports end with the rights that they need")
  func otherStreams() async throws {
    try await withCollection { server, client in
      let watching = await problem {
        try await client.collections.watchUpdates(
          .with { $0.name = "collections/own" },
          metadata: .bearer("view-token")
        ) { response in
          var isFirst = true
          for try await _ in response.messages where isFirst {
            isFirst = false
            try server.folder.write(SecuredServer.policy(#""edit""#), to: "policy")
          }
        }
      }
      #expect(watching?.code == .permissionDenied)
      let sending = RequestTask()
      let importing = await problem {
        _ = try await client.collections.importContents(metadata: .bearer("edit-token")) { writer in
          try await sending.run {
            try await writer.write(.with { $0.header.name = "collections/own" })
            try server.folder.write(SecuredServer.policy(#""view""#), to: "policy")
            let (never, hold) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            hold.finish()
          }
        } onResponse: { response in
          try await sending.endAfter { try response.message }
        }
      }
      #expect(importing?.code == .permissionDenied)
    }
  }

  @Test("a list has what the caller may see, over all pages")
  func lists() async throws {
    try await withCollection { _, client in
      for id in ["a", "own-1", "own-2", "p", "z"] { try await client.create(id) }
      func pages(_ token: String) async throws -> [[String]] {
        var pages: [[String]] = []
        var page = ""
        repeat {
          let response = try await client.collections.listCollections(
            .with {
              $0.pageSize = 2
              $0.pageToken = page
            },
            metadata: .bearer(token)
          )
          pages.append(response.collections.map { String($0.name.dropFirst(12)) })
          page = response.nextPageToken
        } while !page.isEmpty
        return pages
      }
      let (seen, all) = (try await pages("view-token"), try await pages("root-token"))
      #expect(seen == [["own", "own-1"], ["own-2"]])
      #expect(all == [["a", "own"], ["own-1", "own-2"], ["p", "z"]])
    }
  }

  @Test("the audit has who did what to which version, and neither tokens nor keys of items")
  func audit() async throws {
    try await withCollection { server, client in
      let token = try server.signer.token(subject: "edit")
      _ = try await client.collections.applyUpdates(
        .with {
          $0.name = "collections/own"
          $0.batch = .insertion(key: "secret-item")
        },
        metadata: .bearer(token)
      )
      try await client.stream(token: "edit-token") { probe in
        _ = try await probe.open()
        _ = try await probe.result(of: 2) { $0.update = .insertion(key: "other-item") }
      }
      _ = await problem {
        _ = try await client.collections.getCollection(
          .with { $0.name = "collections/hidden" },
          metadata: .bearer(token)
        )
      }
      let lines = server.log.lines.filter { $0.message.hasPrefix("audit") }
      func has(_ message: String, _ metadata: [String: String]) -> Bool {
        lines.contains { line in
          line.message == message && metadata.allSatisfy { "\(line.metadata[$0] ?? "")" == $1 }
        }
      }
      let service = "collection_layout.v1.CollectionService"
      #expect(
        has(
          "audit",
          [
            "identity": "subject:edit", "call": "\(service)/ApplyUpdates", "collection": "own",
            "version": "1",
          ]
        )
      )
      let stream = "collection_layout.v1.LayoutSessionService/StreamLayout"
      for version in ["1", "2"] {
        #expect(
          has(
            "audit",
            [
              "identity": "token:edit", "call": stream, "collection": "own", "version": version,
            ]
          )
        )
      }
      #expect(
        has(
          "audit: refused",
          ["identity": "subject:edit", "collection": "hidden", "needed": "view"]
        )
      )
      let all = "\(server.log.lines)"
      for secret in [token, "edit-token", "secret-item", "other-item"] {
        #expect(!all.contains(secret))
      }
    }
  }
}
