// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import StoreTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutClient
@testable import LayoutService

@Suite("A server that drains", .timeLimit(.minutes(5)))
struct DrainTests {
  @Test("readiness ends at once, sessions are told one after another, and then all is over")
  func order() {
    let drain = DrainSignal()
    let told = Mutex<[String]>([])
    func note(_ name: String) -> @Sendable () -> Void { { told.withLock { $0.append(name) } } }
    _ = drain.observe(isEarly: true, note("health"))
    _ = drain.observe(note("watch"))
    let ids = (0 ..< 8).map { drain.observe(inTurn: note("\($0)")) }
    drain.leave()
    drain.leave()
    #expect(drain.isLeaving && !drain.isDraining)
    #expect(told.withLock { $0 } == ["health"])
    drain.remove(ids[1])
    drain.tellSessions(0.25)
    #expect(told.withLock { $0 } == ["health", "0"])
    drain.tellSessions(0.5)
    #expect(told.withLock { $0 } == ["health", "0", "2", "3", "4"])
    _ = drain.observe(isEarly: true, note("late health"))
    #expect(told.withLock { $0.last } == "late health")
    _ = drain.observe(inTurn: note("new"))
    drain.tellSessions(1)
    #expect(told.withLock { $0.contains("7") && !$0.contains("new") })
    drain.begin()
    #expect(drain.isDraining)
    #expect(told.withLock { $0.contains("watch") && $0.contains("new") })
    _ = drain.observe(inTurn: note("late"))
    #expect(told.withLock { $0.last } == "late")
  }

  @Test("a stream goes on while the server is not ready, and is told to go on elsewhere")
  func streams() async throws {
    var configuration = ServiceConfiguration.patient
    // On a busy machine the turn comes late, and then everybody is told at once.
    configuration.timing.drain = .seconds(2)
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      let end = await problem {
        try await clients.withSession { probe in
          _ = try await probe.open()
          _ = try await probe.frame()
          clients.server.beginGracefulShutdown()
          #expect(clients.server.readiness.isDraining)
          let notice = try await probe.next { response -> Wire.Notice? in
            if case .notice(let notice) = response.message { notice } else { nil }
          }
          #expect(notice.type == .goingAway)
          // In its turn, so there is nothing to wait for.
          #expect(notice.reconnectDelay == .init())
          while try await probe.next() != nil {}
        }
      }
      #expect(end?.reason == .serverDraining)
    }
  }
}

@Suite("Clients of several servers", .timeLimit(.minutes(5)))
struct SeveralServersTests {
  private static let configuration = ViewerConfiguration(
    source: .collection("collections/a"),
    viewport: ViewportChange(size: Size(width: 100, height: 200)),
    capabilities: ClientCapabilities(checksums: true, itemKeys: true)
  )

  /// Two servers that share their collections and accept each other's tokens.
  private func withServers(
    _ body: @Sendable @escaping (Clients, Clients) async throws -> Void
  ) async throws {
    let storage = MemoryStorage(keepsContents: true)
    try await withServer(storage: storage) { first in
      try await withServer(storage: storage) { second in try await body(first, second) }
    }
  }

  private func address(_ port: Int) -> ServerAddress {
    ServerAddress(host: "127.0.0.1", port: port)
  }

  @Test("a viewer whose server is lost goes on at the next one, at its place; edits are made once")
  func failover() async throws {
    try await withServers { first, second in
      try await first.createCollection(items: 1000)
      let proxy = CuttableProxy(target: first.port)
      let addresses = [address(try await proxy.start()), address(second.port)]
      try await LayoutClient.connect(to: addresses) { client in
        try await client.view(Self.configuration) { viewer in
          await viewer.scroll(to: Point(x: 0, y: 5000))
          try await viewer.settle()
          let session = await viewer.session
          let before = await viewer.mirror.dataVersion
          try await proxy.stop()
          await viewer.send(.update(UpdateBatch([.insertOne(at: 0)])))
          var outcome: LayoutViewer.Continuation?
          var isApplied = false
          while outcome == nil || !isApplied {
            switch try await viewer.next() {
            case .reconnected(let continuation): outcome = continuation
            case .eventApplied: isApplied = true
            case .eventRefused(_, let problem): throw problem
            case nil: throw StreamEnded()
            default: continue
            }
          }
          #expect(outcome == .reset)
          try await viewer.settle()
          #expect(await viewer.session != session)
          #expect(await viewer.mirror.dataVersion == before + 1)
          // The new row above is 10 points high.
          #expect(await viewer.offset.y == 5010)
        }
      }
      let collection = try await first.collections
        .getCollection(.with { $0.name = "collections/a" }).collection
      #expect(collection.itemCount == 1001)
    }
  }

  @Test("a watcher who has seen more at another server is not refused by one that is behind")
  func watching() async throws {
    try await withServers { first, second in
      try await first.createCollection(items: 10)
      // In memory at both.
      _ = try await second.insert(1)
      for _ in 0 ..< 20 {
        let version = try await first.insert(1).dataVersion
        try await second.watch(after: version) { messages in
          let found = try await messages.next()?.dataVersion
          #expect(found == version)
        }
      }
    }
  }

  @Test("the next address is tried at once, and a round of all of them waits longer each time")
  func backoff() {
    var now = ContinuousClock.now
    func work(_ backoff: inout Backoff) {
      backoff.opened(at: now)
      now += .seconds(2)
    }
    var backoff = Backoff(addresses: 3)
    #expect(backoff.next() == .zero)
    #expect(backoff.next() == .zero)
    #expect((.milliseconds(80) ... .milliseconds(120)).contains(backoff.next()))
    #expect(backoff.next() == .zero)
    work(&backoff)
    #expect(backoff.next(at: now) == .zero)
    var one = Backoff()
    let waits = (0 ..< 9).map { _ in one.next() }
    #expect((.milliseconds(80) ... .milliseconds(120)).contains(waits[0]))
    #expect((.milliseconds(1600) ... .milliseconds(2400)).contains(waits[8]))
    work(&one)
    let later = (0 ..< 9).map { _ in one.next(at: now) }
    #expect((.seconds(8) ... .seconds(12)).contains(later[8]))
  }
}
