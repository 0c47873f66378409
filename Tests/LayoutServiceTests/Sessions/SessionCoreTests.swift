// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@testable import LayoutService

@Suite("The core of a session", .timeLimit(.minutes(1)))
struct SessionCoreTests {
  private let time = ManualTime()

  /// A viewer of a collection who has its first frame and acknowledges nothing.
  private func viewer(
    of collection: LiveCollection,
    height: Double,
    maxInFlightFrames: UInt32 = 4,
    _ services: SessionServices
  ) async throws -> SessionCore {
    var request = Wire.StreamLayoutRequest()
    request.eventSeq = 1
    request.open = .with {
      $0.collection = "collections/\(collection.id)"
      $0.layout.list.rowHeight = 1
      $0.viewport.size.width = 100
      $0.viewport.size.height = height
      $0.options.maxInFlightFrames = maxInFlightFrames
    }
    let opener = SessionOpener(services: services, peer: "ipv4:127.0.0.1:4000") {
      LiveSession(name: $0)
    }
    let opened = try await opener.open(
      request,
      context: CallContext(metadata: [:], peer: "ipv4:127.0.0.1:4000", cancellation: .init()),
      isLarge: false
    )
    let core = SessionCore(opened, subscription: nil, trace: nil, services: services)
    var turn: SessionTurn?
    while core.counts.frames == 0 {
      switch core.next(at: services.clock.now, in: turn) {
      case .prepare(let preparation):
        let prepared = try preparation.request.prepare(work: .unlimited)
        core.supply(.whole(MadeLayout(prepared: prepared)), for: preparation.request)
      case .turn: turn = .building(.unlimited)
      case .write: break
      default: throw UnexpectedWork()
      }
    }
    return core
  }

  private struct UnexpectedWork: Error {}

  @Test(
    "commits need not wake a session whose window is full, which takes them over when it is woken"
  )
  func deferring() async throws {
    let services = SessionServices.manual(time)
    let collection = try await services.registry.create(
      CollectionRecord(id: "a"),
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 50)])])
    )
    let core = try await viewer(of: collection, height: 200, maxInFlightFrames: 1, services)
    #expect(core.defersCommits)
    _ = try await collection.commit(
      UpdateBatch([.deleteItems(section: 0, items: 0 ..< 1)])
    ) { [] }
    core.take(SessionMail(marks: [.collectionChanged]))
    _ = core.next(at: services.clock.now, in: nil)
    #expect(core.sessionInPlace.dataVersion == 1)
    #expect(core.defersCommits)
    let ack = SessionInput(ack: FrameAck(sequence: core.sessionInPlace.lastFrame))
    try core.take(ack, at: services.clock.now)
    #expect(!core.defersCommits)
  }

  @Test("commits wake a session whose window is full while somebody waits for them")
  func awaited() async throws {
    let services = SessionServices.manual(time)
    let collection = try await services.registry.create(
      CollectionRecord(id: "a"),
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 50)])])
    )
    let core = try await viewer(of: collection, height: 200, maxInFlightFrames: 1, services)
    let observer = core.live.observe(awaiting: 1) {}
    #expect(!core.defersCommits)
    _ = try await collection.commit(
      UpdateBatch([.deleteItems(section: 0, items: 0 ..< 1)])
    ) { [] }
    // Who began to wait after the commit wakes it by the mark.
    core.take(SessionMail(marks: [.versionAwaited]))
    _ = core.next(at: services.clock.now, in: nil)
    #expect(core.sessionInPlace.dataVersion == 1)
    #expect(core.defersCommits)
    core.live.remove(observer)
  }

  @Test("takes over in turns what was committed if the client has much")
  func following() async throws {
    let services = SessionServices.manual(time)
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 5000)])]
    )
    let collection = try await services.registry.create(
      CollectionRecord(id: "a"),
      contents: contents
    )
    let (much, little) = (
      try await viewer(of: collection, height: 3000, services),
      try await viewer(of: collection, height: 200, services)
    )
    _ = try await collection.commit(
      UpdateBatch([.deleteItems(section: 0, items: 0 ..< 1)])
    ) { [] }
    for core in [much, little] { core.take(SessionMail(marks: [.collectionChanged])) }
    guard case .turn(.building) = much.next(at: services.clock.now, in: nil) else {
      Issue.record("the commit was taken over on a thread that all share")
      return
    }
    #expect(much.sessionInPlace.dataVersion == 0)
    _ = much.next(at: services.clock.now, in: .building(.unlimited))
    #expect(much.sessionInPlace.dataVersion == 1)
    // Nothing is new any more, so no turn is needed.
    much.take(SessionMail(marks: [.collectionChanged]))
    if case .turn = much.next(at: services.clock.now, in: nil) {
      Issue.record("a turn was wanted for nothing")
    }
    _ = little.next(at: services.clock.now, in: nil)
    #expect(little.sessionInPlace.dataVersion == 1)
  }
}
