// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import Foundation
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import LayoutService
import LayoutSession
import NIOCore
import NIOPosix
import ServerTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutClient

@Suite("Viewers that reconnect", .serialized, .timeLimit(.minutes(5)))
struct ReconnectingTests {
  private static let configuration = ViewerConfiguration(
    source: .collection("collections/a"),
    viewport: ViewportChange(size: Size(width: 100, height: 200)),
    capabilities: ClientCapabilities(checksums: true, itemKeys: true)
  )

  @Test("a viewer whose connection is cut goes on, and each of its edits is made once")
  func cut() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      let proxy = CuttableProxy(target: clients.port)
      let port = try await proxy.start()
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
        try await client.view(Self.configuration) { viewer in
          let session = await viewer.session
          for round in 1 ... 5 {
            await viewer.send(.update(UpdateBatch([.insertOne(at: 0)])))
            proxy.cut()
            // Sent while there is no stream.
            await viewer.send(.update(UpdateBatch([.insertOne(at: 0)])))
            await viewer.scroll(to: Point(x: 0, y: Double(round) * 500))
            var outcomes: [LayoutViewer.Continuation] = []
            var applied = 0
            while applied < 2 || outcomes.isEmpty {
              switch try await viewer.next() {
              case .reconnected(let outcome): outcomes.append(outcome)
              case .eventApplied: applied += 1
              case .eventRefused(_, let problem): throw problem
              case .frameRejected(_, let fault): throw fault
              case nil: throw StreamEnded()
              default: continue
              }
            }
            #expect(outcomes.allSatisfy { $0 != .reset })
            try await viewer.settle()
            let mirror = await viewer.mirror
            #expect(mirror.dataVersion == UInt64(round) * 2)
            #expect(mirror.contentSize.height == 10_000 + Double(round) * 20)
            #expect(await viewer.session == session)
          }
        }
      }
      #expect(proxy.acceptedCount >= 6)
      try await proxy.stop()
      let collection = try await clients.collections
        .getCollection(.with { $0.name = "collections/a" }).collection
      #expect(collection.dataVersion == 10)
    }
  }

  @Test("a viewport change that the server refuses does not end the viewer at the next reconnect")
  func refusedViewport() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      let proxy = CuttableProxy(target: clients.port)
      let port = try await proxy.start()
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
        try await client.view(Self.configuration) { viewer in
          let size = Size(width: -1, height: 200)
          let change = ViewportChange(offset: Point(x: 0, y: 70), size: size)
          let refused = try #require(await viewer.send(.viewport(change)))
          await viewer.scroll(to: Point(x: 0, y: 500))
          let arrivals = try await viewer.settle()
          #expect(
            arrivals.contains {
              if case .eventRefused(refused, _) = $0 { true } else { false }
            }
          )
          proxy.cut()
          var outcome: LayoutViewer.Continuation?
          while outcome == nil {
            if case .reconnected(let found) = try await viewer.next() { outcome = found }
          }
          #expect(outcome != .reset)
          try await viewer.settle()
          #expect(await viewer.viewport().size.width == 100)
          #expect(await viewer.offset == Point(x: 0, y: 500))
        }
      }
      try await proxy.stop()
    }
  }

  @Test("streams that open and break are waited for longer each time, until one works for a second")
  func shortStreams() {
    var backoff = Backoff()
    var now = ContinuousClock.now
    func wait(after working: Duration, asked: Duration? = nil) -> Duration {
      backoff.opened(at: now)
      // A server that opens the session again and again works no sooner for it.
      backoff.opened(at: now + working)
      now += working
      return backoff.next(asked: asked, at: now)
    }
    let short = (0 ..< 9).map { _ in wait(after: .milliseconds(900)) }
    #expect((.milliseconds(80) ... .milliseconds(120)).contains(short[0]))
    #expect((.milliseconds(640) ... .milliseconds(960)).contains(short[3]))
    #expect((.seconds(8) ... .seconds(12)).contains(short[8]))
    // What the server asks for is no way around it.
    #expect(wait(after: .zero, asked: .zero) >= .seconds(8))
    #expect(wait(after: .zero, asked: .seconds(60)) == .seconds(60))
    #expect(wait(after: .seconds(1), asked: .zero) == .zero)
    #expect((.milliseconds(80) ... .milliseconds(120)).contains(wait(after: .seconds(1))))
  }

  @Test(
    "a server that opens every stream and breaks it is not asked without end",
    arguments: [false, true]
  )
  func breakingServer(refusesResumes: Bool) async throws {
    let answer = ScriptedServer.Answer(
      to: CollectionLayout_V1_LayoutSessionService.Method.StreamLayout.descriptor
    ) {
      (
        requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
        writer: RPCWriter<Wire.StreamLayoutResponse>
      ) in
      for try await request in requests {
        if refusesResumes, !request.open.resume.resumeToken.isEmpty {
          throw LayoutProblem.sessionExpired("sessions/s")
        }
        try await writer.write(
          Wire.StreamLayoutResponse.with {
            $0.opened.session = "sessions/s"
            $0.opened.resumeToken = .init([1])
            $0.opened.outcome = refusesResumes ? .created : .resumed
          }
        )
        try await writer.write(
          Wire.StreamLayoutResponse.with {
            $0.frame.frameSeq = 1
            $0.frame.elements = .init()
          }
        )
        throw RPCError(code: .unavailable, message: "broken")
      }
    }
    try await ScriptedServer.run([answer]) { port in
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
        try await client.view(Self.configuration) { viewer in
          let start = ContinuousClock.now
          var reconnects = 0
          while reconnects < 4 {
            if case .reconnected = try await viewer.next() { reconnects += 1 }
          }
          // 0.1 + 0.2 + 0.4 + 0.8 s, less what the jitter takes.
          #expect(start.duration(to: .now) >= .seconds(1))
        }
      }
    }
  }

  @Test("a token that expires in more seconds than a wait can have is renewed as others are")
  func farExpiry() async {
    struct Provider: TokenProvider {
      func token() -> AccessToken {
        AccessToken("a", expiry: Date(timeIntervalSince1970: 1e300))
      }
    }
    let viewer = LayoutViewer(.init(), offset: .zero, unitsPerPoint: 1, connect: { _ in })
    let renewal = Task { await viewer.renewCredentials(from: TokenSource(Provider())) }
    renewal.cancel()
    await renewal.value
  }

  @Test("a viewer whose connection is cut hears of each candidate and sighting once")
  func attention() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 1000)
      let proxy = CuttableProxy(target: clients.port)
      let port = try await proxy.start()
      var configuration = Self.configuration
      configuration.options.prefetch.maxItems = 5
      configuration.options.visibility.rules = [VisibilityRule(threshold: 0.5)]
      let viewing = configuration
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
        try await client.view(viewing) { viewer in
          var candidates: Set<UInt64> = []
          var sightings: Set<UInt64> = []
          var asked = 0
          for round in 1 ... 4 {
            if round % 2 == 0 { proxy.cut() }
            await viewer.scroll(to: Point(x: 0, y: Double(round) * 500))
            for arrival in try await viewer.settle() + viewer.settle() {
              switch arrival {
              case .prefetch(let change):
                #expect(!change.isReset)
                for number in change.shown + change.cancelled {
                  #expect(candidates.remove(number) != nil)
                }
                for item in change.items { #expect(candidates.insert(item.number).inserted) }
                asked += change.items.count
              case .visibility(let change):
                #expect(!change.isReset)
                for end in change.ended { #expect(sightings.remove(end.number) != nil) }
                for sight in change.began { #expect(sightings.insert(sight.number).inserted) }
              default: break
              }
            }
            #expect(candidates.count == 5)
            #expect(sightings.count >= 10)
          }
          #expect(asked >= 20)
        }
      }
      try await proxy.stop()
    }
  }

  @Test("a server that says nothing is a broken stream to who waits for it")
  func silence() async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0)
      .get()
    let port = try #require(listener.localAddress?.port)
    try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
      let link = ViewerLink(
        patience: .init(opening: .milliseconds(100), open: .seconds(60))
      )
      async let call: Void = link.run(on: client, metadata: [:])
      let error = await #expect(throws: RPCError.self) { _ = try await link.responses() }
      await call
      #expect(error?.code == .deadlineExceeded)
      #expect(error?.message == "the server said nothing for 0.1 seconds")
    }
    try await listener.close()
  }

  /// A viewer without a stream, with the request that opens its session.
  private func viewer(token: [UInt8]) async -> (LayoutViewer, Wire.OpenSession) {
    var opening = Wire.OpenSession()
    opening.collection = "collections/a"
    opening.layout.list.rowHeight = 10
    opening.options.heartbeatInterval.seconds = 20
    let viewer = LayoutViewer(opening, offset: .zero, unitsPerPoint: 64, connect: { _ in })
    await viewer.know(token: token)
    return (viewer, opening)
  }

  @Test("a resume does not name a layout or options in place of which others may be applied")
  func unanswered() async throws {
    let (viewer, opening) = await viewer(token: [1])
    var open = await viewer.resumption().open
    #expect(open.hasLayout && open.hasOptions)
    await viewer.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout()))))
    open = await viewer.resumption().open
    #expect(!open.hasLayout && open.hasOptions)
    await viewer.send(.options(SessionOptions()))
    open = await viewer.resumption().open
    #expect(!open.hasLayout && !open.hasOptions)
    // A new session begins with what was taken, and is told the rest.
    await viewer.know(token: [])
    open = await viewer.resumption().open
    #expect(open.layout == opening.layout && open.options == opening.options)
    let repeated = await viewer.handOver().repeated
    #expect(repeated.count == 2)
  }

  @Test("a new session is told what its opening left out, unless a repeated event tells it")
  func restored() async throws {
    let (viewer, opening) = await viewer(token: [1])
    await viewer.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout()))))
    let repeated = await viewer.lastEvent
    _ = await viewer.resumption()
    await viewer.replace()
    #expect(await viewer.lastEvent == repeated)
    // Refused there, so the session still has the default layout.
    await viewer.refuse(repeated)
    #expect(await viewer.lastEvent == repeated + 1)
    #expect(await viewer.request(repeated + 1)?.layout.layout == opening.layout)
    await viewer.refuse(repeated + 1)
    #expect(await viewer.lastEvent == repeated + 1)
    await viewer.send(.with { $0.transition.begin.grid = .init() })
    await viewer.send(.options(SessionOptions()))
    _ = await viewer.resumption()
    await viewer.replace()
    // The step of the transition was meant for the old session.
    #expect(await viewer.request(repeated + 4)?.layout.layout == opening.layout)
    await viewer.refuse(repeated + 3)
    #expect(await viewer.request(repeated + 5)?.options == opening.options)
  }

  @Test("a new session is sent all but what names slots, and steps of what ended")
  func handedOver() async throws {
    let (viewer, _) = await viewer(token: [1])
    await viewer.scroll(to: Point(x: 0, y: 5))
    let repeated = [
      await viewer.send(.with { $0.outline.expand = ["a"] }),
      await viewer.send(.with { $0.table.reset = true }),
      await viewer.send(.with { $0.scrollTarget = .init() }),
      await viewer.send(.with { $0.invalidation = .init() }),
      await viewer.send(.with { $0.sync = .init() }),
    ]
    let abandoned = [
      await viewer.send(.with { $0.outline.toggledSlots = [0] }),
      await viewer.send(.with { $0.measurements = .init() }),
      await viewer.send(.with { $0.movement.cancel = true }),
      await viewer.send(.with { $0.transition.cancel = true }),
    ]
    _ = await viewer.resumption()
    // What is scrolled since the opening is not part of it.
    let scrolled = try #require(await viewer.scroll(to: Point(x: 0, y: 6)))
    let inheritance = await viewer.handOver()
    #expect(inheritance.repeated.map(\.eventSeq) == repeated + [scrolled])
    #expect(inheritance.repeated.last?.viewport.contentOffset.y == 6)
    #expect(inheritance.abandoned == abandoned)
  }

  @Test("a new session is told the columns, what is expanded, and where sections were scrolled to")
  func folded() async throws {
    let (viewer, _) = await viewer(token: [1])
    func apply(_ request: Wire.StreamLayoutRequest, dataVersion: UInt64 = 0) async {
      let event = await viewer.send(request)
      _ = await viewer.answer(
        .with { $0.eventResult = .with { ($0.eventSeq, $0.dataVersion) = (event, dataVersion) } }
      )
    }
    await apply(
      .with {
        $0.table.columns = [
          .with { ($0.id, $0.width) = ("year", 80) }, .with { ($0.id, $0.hidden) = ("note", true) },
        ]
        $0.table.order.ids = ["note"]
      }
    )
    await apply(.with { $0.table.columns = [.with { $0.id = "year" }] })
    await apply(.with { $0.outline.expand = ["a", "b"] })
    await apply(.with { $0.outline.collapse = ["b"] })
    // With a version the collection keeps it.
    await apply(.with { $0.outline.expand = ["d"] }, dataVersion: 4)
    let arrival = await viewer.answer(
      .with { $0.scrollTarget.sectionOffset = .with { ($0.section, $0.offset) = (3, 70) } }
    )
    guard case .sectionScrolled(3, 70)? = arrival else {
      Issue.record("\(String(describing: arrival)) is told")
      return
    }
    let open = await viewer.resumption().open
    #expect(open.table.columns.map(\.id) == ["note"] && open.table.order.ids == ["note"])
    #expect(open.expansions.expanded == ["a"] && open.expansions.collapsed == ["b"])
    #expect(open.viewport.sectionOffsets.map(\.offset) == [70])
    await apply(.with { $0.table.reset = true })
    #expect(await viewer.resumption().open.table == .init())
  }

  @Test("an opening has the newest offsets of sections, as many as servers accept")
  func manyOffsets() {
    func offsets(_ sections: Range<UInt32>) -> Wire.ViewportChange {
      .with { $0.sectionOffsets = sections.map { section in .with { $0.section = section } } }
    }
    let known = offsets(0 ..< 4096).merged(with: offsets(4096 ..< 4100))
      .merged(with: offsets(1000 ..< 1001)).sectionOffsets.map(\.section)
    #expect(known.count == 4096 && known.first == 4 && known.last == 1000)
  }

  @Test("a scroll target is followed by the result of its event")
  func target() async throws {
    let (viewer, _) = await viewer(token: [1])
    let event = await viewer.send(.with { $0.scrollTarget = .init() })
    let target = Wire.StreamLayoutResponse.with { $0.scrollTarget.eventSeq = event }
    #expect(await viewer.answer(target) != nil)
    #expect(await viewer.answer(target) == nil)
    let result = await viewer.answer(.with { $0.eventResult.eventSeq = event })
    guard case .eventApplied(event, _, _)? = result else {
      Issue.record("\(String(describing: result)) is told")
      return
    }
  }

  @Test("a stream that is refused for a while is opened again after the wait that the server names")
  func quota() async {
    let (viewer, _) = await viewer(token: [1])
    let full = LayoutProblem.quotaExceeded(.sessions, limit: 1, retryDelay: .seconds(7))
    #expect(await viewer.mayReconnect(after: RPCError(full)))
    #expect(await viewer.reconnectDelay == .seconds(7))
    let forGood = LayoutProblem.quotaExceeded(.sessions, limit: 1)
    #expect(await !viewer.mayReconnect(after: RPCError(forGood)))
  }

  @Test("a token that the server refuses is followed by one other")
  func refusedToken() async throws {
    final class Tokens: TokenProvider {
      let count = Mutex(0)
      func token() -> AccessToken {
        let number = count.withLock {
          $0 += 1
          return $0
        }
        return AccessToken("t\(number)", expiry: .distantFuture)
      }
    }
    let source = TokenSource(Tokens())
    for _ in 0 ..< 2 { #expect(try await source.token().value == "t1") }
    let viewer = LayoutViewer(
      .init(),
      offset: .zero,
      unitsPerPoint: 64,
      tokens: source,
      connect: { _ in }
    )
    let ended = RPCError(code: .unauthenticated, message: "the token has ended")
    #expect(await viewer.mayReconnect(after: ended))
    #expect(try await source.token().value == "t2")
    // It is refused at once, or the stream ends soon.
    #expect(await !viewer.mayReconnect(after: ended))
    _ = await viewer.answer(.with { $0.opened.session = "sessions/a" })
    #expect(await !viewer.mayReconnect(after: ended))
    await viewer.work(for: .seconds(1))
    await viewer.noteEnd()
    #expect(await viewer.mayReconnect(after: ended))
  }

  @Test("a viewer follows a server that goes away to the one that comes after it")
  func restart() async throws {
    // It outlives both servers.
    let storage = MemoryStorage(keepsContents: true)
    // Without a secret in the configuration: the storage has one for both.
    var configuration = ServiceConfiguration.patient
    configuration.timing.reconnectSpread = .milliseconds(50)
    let proxy = CuttableProxy(target: 1)
    let port = try await proxy.start()
    let (steps, step) = AsyncStream<Void>.makeStream()
    let (answers, answer) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [configuration] in
        for round in 0 ..< 2 {
          try await withServer(configuration, storage: storage) { clients in
            proxy.move(to: clients.port)
            if round == 0 { try await clients.createCollection(items: 1000) }
            answer.yield()
            for await _ in steps { return }
          }
        }
      }
      group.addTask {
        // Both servers end where this fails.
        defer { step.finish() }
        var answers = answers.makeAsyncIterator()
        _ = await answers.next()
        try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) {
          client in
          try await client.view(Self.configuration) { viewer in
            try await viewer.perform(.update(UpdateBatch([.insertOne(at: 0)])))
            // The next session is opened with the layout that was taken, not with the refused one.
            let layout = LayoutConfiguration(ListLayout(rowHeight: 20))
            try await viewer.perform(.layout(LayoutChange(layout: layout)))
            await #expect(throws: LayoutProblem.self) {
              try await viewer.perform(
                .namedLayout("collections/a/layouts/none", isAnimated: false)
              )
            }
            let session = await viewer.session
            step.yield()
            var outcome: LayoutViewer.Continuation?
            while outcome == nil {
              if case .reconnected(let found) = try await viewer.next() { outcome = found }
            }
            #expect(outcome == .reset)
            #expect(await viewer.session != session)
            try await viewer.perform(.update(UpdateBatch([.insertOne(at: 0)])))
            try await viewer.settle()
            let mirror = await viewer.mirror
            #expect(mirror.dataVersion == 2)
            #expect(mirror.contentSize.height == 20_040)
          }
        }
      }
      try await group.waitForAll()
    }
    try await proxy.stop()
  }
}

extension LayoutViewer {
  fileprivate func know(token: [UInt8]) { resumeToken = token }
  fileprivate func request(_ event: UInt64) -> Wire.StreamLayoutRequest? { pending[event] }

  /// Goes on in another session.
  fileprivate func replace() {
    isOnline = false
    _ = pending.handOver(openedAt: openedAt)
    restore()
  }

  fileprivate func refuse(_ event: UInt64) {
    _ = pending.answered(event, isRefusal: true)
    restore()
  }
  fileprivate func handOver() -> PendingEvents.Inheritance {
    pending.handOver(openedAt: openedAt)
  }

  fileprivate func answer(_ response: Wire.StreamLayoutResponse) -> Arrival? { take(response) }
}

extension UpdateOperation {
  static func insertOne(at item: Int) -> UpdateOperation {
    .insertItems(at: IndexPath(section: 0, item: item), items: [ItemBlock(count: 1)])
  }
}

extension LayoutViewer {
  /// Lets time pass since the stream was opened.
  func work(for time: Duration) {
    backoff = Backoff()
    backoff.opened(at: .now - time)
  }
}
