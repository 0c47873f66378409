// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Synchronization
import Testing

@Suite("LayoutSessionService", .serialized, .timeLimit(.minutes(2)))
struct LayoutSessionServiceTests {
  @Test("opens with a keyframe and follows the viewport with deltas")
  func scrolling() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      try await clients.withSession { probe in
        let opened = try await probe.open()
        #expect(opened.collection == "collections/a")
        #expect(opened.session.hasPrefix("sessions/"))
        let keyframe = try await probe.frame()
        #expect(keyframe.baseFrameSeq == 0)
        #expect(keyframe.contentSize.height == 10_000)
        #expect(keyframe.elements.upserts.count >= 20)
        probe.send {
          $0.eventSeq = 2
          $0.viewport.contentOffset.y = 5000
        }
        let delta = try await probe.frame()
        #expect(delta.baseFrameSeq == 1)
        #expect(delta.appliedEventSeq == 2)
      }
    }
  }

  @Test("a private session edits its own contents and survives refused events")
  func privateSession() async throws {
    try await withServer { clients in
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 5 }] }]
          $0.layout.list.rowHeight = 10
        }
        _ = try await probe.frame()
        probe.send {
          $0.eventSeq = 2
          $0.update = .inserting(1, at: 99)
        }
        let refused = try await probe.result(of: 2)
        #expect(refused.problem.reason == "INDEX_OUT_OF_RANGE")
        #expect(refused.problem.fieldViolations.first?.field.hasPrefix("operations[0]") == true)
        probe.send {
          $0.eventSeq = 3
          $0.viewport.size.width = .nan
        }
        #expect(try await probe.result(of: 3).problem.reason == "FIELD_INVALID")
        probe.send {
          $0.eventSeq = 4
          $0.layout.layout = .init()
        }
        #expect(try await probe.result(of: 4).problem.reason == "LAYOUT_KIND_UNKNOWN")
        probe.send {
          $0.eventSeq = 5
          $0.update = .inserting(2, at: 0)
        }
        #expect(try await probe.result(of: 5).dataVersion == 1)
        let frame = try await probe.frame()
        #expect(frame.dataVersion == 1)
        #expect(frame.contentSize.height == 70)
        #expect(frame.appliedEventSeq == 5)
        probe.send {
          $0.eventSeq = 6
          $0.close = .init()
        }
        #expect(try await probe.result(of: 6).hasProblem == false)
        #expect(try await probe.next() == nil)
      }
    }
  }

  @Test("each batch reaches every viewer and is derived once")
  func manyViewers() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      let viewers = 20
      let arrivals = Arrivals()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0 ..< viewers {
          group.addTask {
            try await clients.withSession { probe in
              _ = try await probe.open()
              var frame = try await probe.frame()
              arrivals.add()
              if index == 0 {
                // A viewer that came later would have nothing to derive from.
                await arrivals.reach(viewers)
                probe.send {
                  $0.eventSeq = 2
                  $0.update = .inserting(3, at: 0)
                }
                #expect(try await probe.result(of: 2).dataVersion == 1)
              }
              while frame.dataVersion < 1 { frame = try await probe.frame() }
              #expect(frame.contentSize.height == 10_030)
            }
          }
        }
        try await group.waitForAll()
      }
      let cache = try await clients.queries.getServerInfo(.init()).cache
      #expect(cache.misses == 2)
      #expect(cache.incrementalUpdates == 1)
    }
  }

  @Test("questions about an open session see what it sees")
  func sessionQueries() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      try await clients.withSession { probe in
        let opened = try await probe.open()
        _ = try await probe.frame()
        let size = try await clients.queries.getContentSize(
          .with { $0.target.session = opened.session }
        )
        #expect(size.contentSize.height == 10_000)
      }
    }
  }

  @Test("a stream that is not opened in time ends with the reason")
  func openTimeout() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.open = .milliseconds(100)
    try await withServer(configuration) { clients in
      let found = await problem { try await clients.withSession { _ = try await $0.next() } }
      #expect(found?.reason == .openTimeout)
    }
  }

  @Test("streams that break the rules end with the reason")
  func violations() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      func reason(
        metadata: Metadata = [:],
        _ body: @Sendable @escaping (inout SessionProbe) async throws -> Void
      ) async -> LayoutProblem.Reason? {
        await problem { try await clients.withSession(metadata: metadata, body) }?.reason
      }
      #expect(
        await reason { probe in
          probe.send { $0.viewport.contentOffset.x = 1 }
          _ = try await probe.next()
        } == .protocolViolation
      )
      #expect(
        await reason(metadata: ["x-layout-collection": "collections/b"]) {
          _ = try await $0.open()
        } == .routingKeyMismatch
      )
      #expect(
        await reason { _ = try await $0.open { $0.collection = "collections/none" } }
          == .collectionNotFound
      )
      #expect(
        await reason { _ = try await $0.open { $0.resume = .init() } }
          == .resumeTokenInvalid
      )
      #expect(
        await reason { probe in
          _ = try await probe.open()
          _ = try await probe.frame()
          probe.send { $0.ack.frameSeq = 77 }
          while try await probe.next() != nil {}
        } == .protocolViolation
      )
      #expect(
        await reason { probe in
          _ = try await probe.open()
          probe.send {
            $0.eventSeq = 1
            $0.resync = .init()
          }
          while try await probe.next() != nil {}
        } == .protocolViolation
      )
    }
  }

  @Test("a deleted collection ends its sessions with a notice")
  func deletion() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let end = await problem {
        try await clients.withSession { probe in
          _ = try await probe.open()
          _ = try await probe.frame()
          _ = try await clients.collections.deleteCollection(.with { $0.name = "collections/a" })
          let notice = try await probe.next { response -> Wire.Notice? in
            if case .notice(let notice) = response.message { notice } else { nil }
          }
          #expect(notice.type == .collectionDeleted)
          while try await probe.next() != nil {}
        }
      }
      #expect(end?.reason == .collectionNotFound)
    }
  }

  @Test("a session without a size of its view opens, and is told that nothing is in sight")
  func noView() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.collection = "collections/a"
          $0.clearViewport()
        }
        let notice = try await probe.next { response -> Wire.Notice? in
          if case .notice(let notice) = response.message { notice } else { nil }
        }
        #expect(notice.type == .nothingInSight)
        #expect(notice.problem.fieldViolations.map(\.field) == ["open.viewport.size"])
        _ = try await probe.frame()
      }
      try await clients.withSession { probe in
        _ = try await probe.open()
        let first = try await probe.next()
        #expect(first?.frame.frameSeq == 1, "whoever has a view is told nothing")
      }
    }
  }

  @Test("a shutdown tells every session and ends it")
  func shutdown() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let end = await problem {
        try await clients.withSession { probe in
          _ = try await probe.open()
          _ = try await probe.frame()
          clients.server.beginGracefulShutdown()
          let notice = try await probe.next { response -> Wire.Notice? in
            if case .notice(let notice) = response.message { notice } else { nil }
          }
          #expect(notice.type == .goingAway)
          #expect(notice.hasReconnectDelay)
          while try await probe.next() != nil {}
        }
      }
      #expect(end?.reason == .serverDraining)
    }
  }

  @Test("a client that goes away ends its session")
  func cancellation() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      // Leaving the body cancels the call.
      try await clients.withSession { probe in
        _ = try await probe.open()
        _ = try await probe.frame()
        #expect(clients.server.sessionCount == 1)
      }
      await clients.sessionsEnd()
    }
  }

  @Test("events beyond the rate are refused, viewports merged, and the stream goes on")
  func eventRate() async throws {
    var configuration = ServiceConfiguration.patient
    // So few that a busy machine, which sends slowly, is refused too.
    configuration.limits.eventsPerSecond = 1
    configuration.limits.eventBurst = 5
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      try await clients.withSession { probe in
        _ = try await probe.open()
        _ = try await probe.frame()
        for seq in 2 ... 20 {
          probe.send {
            $0.eventSeq = UInt64(seq)
            $0.resync = .init()
          }
        }
        #expect(try await probe.result(of: 20).problem.reason == "QUOTA_EVENT_RATE")
        for seq in 21 ... 60 {
          probe.send {
            $0.eventSeq = UInt64(seq)
            $0.viewport.contentOffset.y = Double(seq)
          }
        }
        probe.send {
          $0.eventSeq = 61
          $0.viewport.contentOffset.y = 700
        }
        var frame = try await probe.frame()
        while frame.appliedEventSeq < 61 { frame = try await probe.frame() }
      }
    }
  }

  @Test("a viewer that does not acknowledge gets one frame for all that it missed")
  func merging() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      try await clients.withSession { probe in
        _ = try await probe.open()
        for _ in 0 ..< 50 { _ = try await clients.insert(1) }
        var frames: [Wire.LayoutFrame] = []
        while frames.count < 2 {
          frames.append(
            try await probe.next { response -> Wire.LayoutFrame? in
              if case .frame(let frame) = response.message { frame } else { nil }
            }
          )
        }
        // The window of two is full.
        probe.send { $0.ack.frameSeq = 2 }
        var frame = frames[1]
        if frame.dataVersion < 50 { frame = try await probe.frame() }
        #expect(frame.dataVersion == 50)
        #expect(frame.frameSeq <= 3)
      }
    }
  }
}

/// Counts those who have come so far.
private final class Arrivals: Sendable {
  private let count = Mutex(0)
  private let changes = ChangeSignal()

  func add() {
    count.withLock { $0 += 1 }
    changes.send()
  }

  func reach(_ wanted: Int) async {
    await changes.wait { count.withLock { $0 >= wanted } }
  }
}
