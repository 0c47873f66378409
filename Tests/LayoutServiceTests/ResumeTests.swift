// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Resuming", .serialized, .timeLimit(.minutes(5)))
struct ResumeTests {
  /// What a client has when its stream is gone.
  struct Left: Sendable {
    var opened = Wire.SessionOpened()
    var frame = Wire.LayoutFrame()
    var checksum: UInt32 = 0
    var count: UInt32 = 0
    var lastEvent: UInt64 = 1

    func resume(_ open: inout Wire.OpenSession) {
      open.resume = .with {
        $0.resumeToken = opened.resumeToken
        $0.lastFrameSeq = frame.frameSeq
        $0.lastEventSeq = lastEvent
        $0.stateChecksum = checksum
        $0.liveCount = count
      }
    }
  }

  /// Opens a session, takes its keyframe and loses the stream.
  private func lose(
    _ clients: Clients,
    _ fill: @escaping @Sendable (inout Wire.OpenSession) -> Void = {
      $0.collection = "collections/a"
    },
    _ body: @escaping @Sendable (inout SessionProbe, inout Left) async throws -> Void = { _, _ in }
  ) async throws -> Left {
    try await clients.withSession { probe in
      var left = Left()
      left.opened = try await probe.open {
        fill(&$0)
        $0.capabilities.checksums = true
      }
      left.frame = try await probe.frame()
      left.checksum = left.frame.stateChecksum
      left.count = left.frame.liveCount
      try await body(&probe, &left)
      return left
    }
  }

  @Test("a client that lost its stream goes on with deltas, and hears what it missed")
  func deltas() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      let left = try await lose(clients)
      #expect(left.opened.resumeToken.count <= 512)
      #expect(left.opened.resumeGrace.seconds == 60)
      await clients.server.sessionChanges.wait { clients.server.detachedSessionCount > 0 }
      _ = try await clients.insert(1)
      try await clients.withSession { probe in
        let opened = try await probe.open { left.resume(&$0) }
        #expect(opened.outcome == .resumed)
        #expect(opened.session == left.opened.session)
        #expect(opened.lastEventSeq == 1)
        #expect(opened.dataVersion == 1)
        let frame = try await probe.frame()
        #expect(frame.frameSeq == 2)
        #expect(frame.baseFrameSeq == 1)
        #expect(frame.contentSize.height == 10_010)
        probe.send {
          $0.eventSeq = 2
          $0.viewport.contentOffset.y = 5000
        }
        #expect(try await probe.frame().appliedEventSeq == 2)
        #expect(clients.server.detachedSessionCount == 0)
      }
    }
  }

  @Test("another checksum, or a frame that was lost, takes a keyframe")
  func keyframe() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      let left = try await lose(clients)
      let changes: [@Sendable (inout Wire.OpenSession) -> Void] = [
        { $0.resume.stateChecksum &+= 1 },
        { $0.resume.lastFrameSeq = 0 },
        { $0.resume.liveCount += 1 },
        { $0.capabilities.unitsPerPoint = [192] },
      ]
      for change in changes {
        try await clients.withSession { probe in
          let opened = try await probe.open {
            left.resume(&$0)
            change(&$0)
          }
          #expect(opened.outcome == .resumedWithKeyframe)
          #expect(try await probe.frame().baseFrameSeq == 0)
        }
      }
      let reason = await problem {
        try await clients.withSession { probe in
          _ = try await probe.open {
            left.resume(&$0)
            $0.resume.lastFrameSeq = 99
          }
        }
      }?.reason
      #expect(reason == .protocolViolation)
    }
  }

  @Test("private contents survive, and each event is applied once and answered")
  func privateContents() async throws {
    try await withServer { clients in
      let left = try await lose(
        clients,
        {
          $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 5 }] }]
          $0.layout.list.rowHeight = 10
        },
        { probe, left in
          probe.send {
            $0.eventSeq = 2
            $0.update = .inserting(2, at: 0)
          }
          _ = try await probe.result(of: 2)
          left.lastEvent = 3
        }
      )
      #expect(left.opened.resumeGrace.seconds == 600)
      try await clients.withSession { probe in
        let opened = try await probe.open { left.resume(&$0) }
        #expect(opened.lastEventSeq == 2)
        // The client did not acknowledge a frame after the answer, so it hears it again.
        #expect(try await probe.result(of: 2).dataVersion == 1)
        probe.send {
          $0.eventSeq = 3
          $0.update = .inserting(1, at: 0)
        }
        #expect(try await probe.result(of: 3).dataVersion == 2)
        var frame = try await probe.frame()
        while frame.appliedEventSeq < 3 { frame = try await probe.frame() }
        #expect(frame.contentSize.height == 80)
      }
    }
  }

  @Test("a close without discard keeps the session, one with discard does not")
  func close() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      for discard in [false, true] {
        let left = try await lose(clients, { $0.collection = "collections/a" }) { probe, left in
          probe.send {
            $0.eventSeq = 2
            $0.close.discard = discard
          }
          let result = try await probe.result(of: 2)
          #expect(!result.hasProblem)
          let end = try await probe.next()
          #expect(end == nil)
        }
        try await clients.withSession { probe in
          let opened = try await probe.open { left.resume(&$0) }
          #expect(opened.outcome == (discard ? .reset : .resumed))
          #expect((opened.session == left.opened.session) != discard)
          if discard { #expect(try await probe.frame().baseFrameSeq == 0) }
        }
      }
    }
  }

  @Test("a session that is resumed elsewhere leaves its old stream")
  func takeOver() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let (lefts, handOver) = AsyncStream<Left>.makeStream()
      let end = await problem {
        try await clients.withSession { probe in
          var left = Left()
          left.opened = try await probe.open {
            $0.collection = "collections/a"
            $0.capabilities.checksums = true
          }
          left.frame = try await probe.frame()
          left.checksum = left.frame.stateChecksum
          left.count = left.frame.liveCount
          handOver.yield(left)
          async let second: Void = clients.withSession { other in
            for await left in lefts {
              let opened = try await other.open { left.resume(&$0) }
              #expect(opened.outcome == .resumed)
              other.send {
                $0.eventSeq = 2
                $0.resync = .init()
              }
              let frame = try await other.frame()
              #expect(frame.baseFrameSeq == 0)
              return
            }
          }
          defer { handOver.finish() }
          while try await probe.next() != nil {}
          try await second
        }
      }
      #expect(end?.reason == .sessionExpired)
    }
  }

  @Test("forged, foreign and late tokens are told apart")
  func tokens() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.resume.privateGrace = .milliseconds(1)
    configuration.resume.grace = .milliseconds(1)
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      let shared = try await lose(clients)
      let own = try await lose(clients) {
        $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 5 }] }]
        $0.layout.list.rowHeight = 10
      }
      func reason(_ token: [UInt8]) async -> LayoutProblem.Reason? {
        await problem {
          try await clients.withSession { probe in
            _ = try await probe.open { $0.resume.resumeToken.append(contentsOf: token) }
          }
        }?.reason
      }
      let token = Array(own.opened.resumeToken)
      #expect(await reason([]) == .resumeTokenInvalid)
      #expect(await reason(Array(repeating: 7, count: 100)) == .resumeTokenInvalid)
      #expect(await reason(Array(repeating: 1, count: 5000)) == .resumeTokenInvalid)
      for index in token.indices where index % 7 == 0 {
        var forged = token
        forged[index] ^= 1
        #expect(await reason(forged) == .resumeTokenInvalid)
      }
      await clients.server.sessionChanges.wait {
        clients.server.sessionCount + clients.server.detachedSessionCount == 0
      }
      #expect(await reason(token) == .sessionExpired)
      try await clients.withSession { probe in
        let opened = try await probe.open { shared.resume(&$0) }
        #expect(opened.outcome == .reset)
        #expect(opened.lastEventSeq == 0)
        #expect(try await probe.frame().baseFrameSeq == 0)
      }
      // Another collection under the same name is not the one that the client knows.
      _ = try await clients.collections.deleteCollection(.with { $0.name = "collections/a" })
      #expect(await reason(Array(shared.opened.resumeToken)) == .collectionNotFound)
      try await clients.createCollection()
      #expect(await reason(Array(shared.opened.resumeToken)) == .sessionExpired)
      let other = Array(shared.opened.resumeToken)
      try await withServer { clients in
        let reason = await problem {
          try await clients.withSession { probe in
            _ = try await probe.open { $0.resume.resumeToken.append(contentsOf: other) }
          }
        }?.reason
        #expect(reason == .resumeTokenInvalid)
      }
    }
  }

  @Test("no more sessions are kept than the limits allow, the oldest go first")
  func limits() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.resume.sessions = 2
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      var lefts: [Left] = []
      for _ in 0 ..< 4 {
        lefts.append(try await lose(clients))
        await clients.sessionsEnd()
      }
      #expect(clients.server.detachedSessionCount == 2)
      for (index, left) in lefts.enumerated().reversed() {
        try await clients.withSession { probe in
          let opened = try await probe.open { left.resume(&$0) }
          #expect(opened.outcome == (index < 2 ? .reset : .resumed))
        }
        await clients.sessionsEnd()
      }
    }
  }

  @Test("heartbeats bring fresh tokens, by which the session is found")
  func heartbeats() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.resume.tokenRenewal = .milliseconds(50)
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      let left = try await lose(clients, { $0.collection = "collections/a" }) { probe, left in
        left.opened.resumeToken = try await probe.next { response -> Wire.Heartbeat? in
          if case .heartbeat(let heartbeat) = response.message { heartbeat } else { nil }
        }.resumeToken
        #expect(!left.opened.resumeToken.isEmpty)
      }
      try await clients.withSession { probe in
        let opened = try await probe.open { left.resume(&$0) }
        #expect(opened.outcome == .resumed)
      }
    }
  }
}
