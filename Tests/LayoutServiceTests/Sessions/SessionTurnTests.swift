// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import Dispatch
import GRPCCore
import LayoutEngine
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@testable import LayoutService

@Suite("Turns of sessions that hold much", .timeLimit(.minutes(1)))
struct SessionTurnTests {
  private let time = ManualTime()

  private func collection(_ services: SessionServices) async throws -> LiveCollection {
    let keys = (0 ..< 3000).map { "k\($0)" }
    return try await services.registry.create(
      CollectionRecord(id: "a"),
      contents: CollectionContents(
        sections: [SectionContents(blocks: [ItemBlock(count: 3000, keys: keys)])]
      )
    )
  }

  /// A viewer that has its first frame and holds some items.
  private func viewer(
    of collection: LiveCollection,
    holding count: Int,
    _ services: SessionServices
  ) async throws -> SessionCore {
    var request = Wire.StreamLayoutRequest()
    request.eventSeq = 1
    request.open = .with {
      $0.collection = "collections/\(collection.id)"
      $0.layout.list.rowHeight = 40
      $0.viewport.size.width = 100
      $0.viewport.size.height = 400
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
    try rest(core, services)
    let items = MovementItems.keys((0 ..< count).map { "k\($0 * 2)" })
    core.postpone(SessionInput(event: .event(.movement(.beginItems(items)), seq: 2)))
    try rest(core, services)
    return core
  }

  private struct UnexpectedWork: Error {}

  /// Lets the session do all that there is to do, in turns.
  private func rest(_ core: SessionCore, _ services: SessionServices) throws {
    var turn: SessionTurn?
    while true {
      let work = core.next(at: services.clock.now, in: turn)
      turn = nil
      switch work {
      case .prepare(let preparation):
        let prepared = try preparation.request.prepare(work: .unlimited)
        core.supply(.whole(MadeLayout(prepared: prepared)), for: preparation.request)
      case .turn(.uninterrupted): turn = .uninterrupted
      case .turn(.building): turn = .building(.unlimited)
      case .write: break
      case .rest: return
      case .commit, .end: throw UnexpectedWork()
      }
    }
  }

  private func step(_ item: Int, seq: Int) -> SessionInput {
    let step = InteractiveMovement.target(IndexPath(section: 0, item: item))
    return SessionInput(event: .event(.movement(step), seq: UInt64(seq)))
  }

  @Test("of steps that wait, the newest is carried out; all are answered")
  func supersededSteps() async throws {
    let services = SessionServices.manual(time)
    let core = try await viewer(of: try await collection(services), holding: 900, services)
    time.advance(by: .milliseconds(50))
    let version = core.sessionInPlace.layoutVersion
    for seq in 3 ... 12 {
      core.postpone(step(seq * 100, seq: seq))
      // Acknowledgements, and what the user scrolls meanwhile, do not need any step.
      core.postpone(SessionInput(ack: FrameAck(sequence: core.sessionInPlace.lastFrame)))
    }
    // On a slow machine not all fit into what it may take at once.
    for _ in 0 ..< 10 where core.sessionInPlace.appliedEvent < 11 {
      guard case .turn(.uninterrupted) = core.next(at: services.clock.now, in: nil) else {
        Issue.record("the newest step was carried out on a shared thread")
        return
      }
    }
    #expect(core.sessionInPlace.appliedEvent == 11)
    guard case .turn(.uninterrupted) = core.next(at: services.clock.now, in: nil) else {
      Issue.record("the newest step was carried out on a shared thread")
      return
    }
    let answers = core.responses.count
    #expect(answers == 9)
    guard case .prepare = core.next(at: services.clock.now, in: .uninterrupted) else {
      Issue.record("no other layout is wanted")
      return
    }
    #expect(core.sessionInPlace.appliedEvent == 12)
    #expect(core.responses.count == answers + 1)
    #expect(core.sessionInPlace.layoutVersion == version)
    try rest(core, services)
  }

  @Test(
    "a frame that is due comes between events that take long, and the events are left for later"
  )
  func framesBetweenEvents() async throws {
    let services = SessionServices.manual(time)
    let core = try await viewer(of: try await collection(services), holding: 900, services)
    // Nothing supersedes a step before a commit of what is held.
    func postpone(_ seq: Int) {
      core.postpone(step(seq * 10, seq: seq))
      let rules = SessionEvent.movement(.rules(MovementRules()))
      core.postpone(SessionInput(event: .event(rules, seq: UInt64(seq + 1))))
    }
    for seq in stride(from: 3, through: 41, by: 2) { postpone(seq) }
    // A request that ends comes after all of them.
    core.take(SessionMail(requestsEnd: .finished))
    func acknowledge() throws {
      let ack = FrameAck(sequence: core.sessionInPlace.lastFrame)
      try core.take(SessionInput(ack: ack), at: services.clock.now)
    }
    try acknowledge()
    var turn: SessionTurn?
    var framesBetween: [Int] = []
    var frames = core.counts.frames
    loop: while true {
      let work = core.next(at: services.clock.now, in: turn)
      if core.counts.frames > frames, core.sessionInPlace.appliedEvent < 42 {
        framesBetween.append(Int(core.sessionInPlace.appliedEvent))
      }
      frames = core.counts.frames
      turn = nil
      switch work {
      case .prepare(let preparation):
        let prepared = try preparation.request.prepare(work: .unlimited)
        core.supply(.whole(MadeLayout(prepared: prepared)), for: preparation.request)
      case .turn(.uninterrupted):
        turn = .uninterrupted
        time.advance(by: .milliseconds(30))
      case .turn(.building): turn = .building(.unlimited)
      case .write: try acknowledge()
      case .end: break loop
      case .rest, .commit: throw UnexpectedWork()
      }
    }
    #expect(core.sessionInPlace.appliedEvent == 42)
    // One for each 100 ms, of more than a second.
    #expect(framesBetween.count >= 5)
    #expect(framesBetween.count <= 15)
  }

  @Test("a frame whose layout may not be prepared yet keeps nobody busy, and no event waiting")
  func delayedLayouts() async throws {
    var configuration = ServiceConfiguration()
    // The opening and the beginning of the movement use them up.
    (configuration.limits.eventsPerSecond, configuration.limits.eventBurst) = (1, 2)
    let services = SessionServices.manual(time, .init(), configuration)
    let core = try await viewer(of: try await collection(services), holding: 900, services)
    time.advance(by: .milliseconds(200))
    for seq in 3 ... 12 { core.postpone(step(seq * 100, seq: seq)) }
    try core.take(
      SessionInput(ack: FrameAck(sequence: core.sessionInPlace.lastFrame)),
      at: services.clock.now
    )
    var turn: SessionTurn?
    var calls = 0
    loop: while calls < 100 {
      calls += 1
      switch core.next(at: services.clock.now, in: turn) {
      case .turn(.uninterrupted): turn = .uninterrupted
      case .turn(.building): turn = .building(.unlimited)
      case .write: turn = nil
      case .rest: break loop
      case .prepare, .commit, .end: throw UnexpectedWork()
      }
    }
    #expect(core.sessionInPlace.appliedEvent == 12)
    #expect(calls < 30)
    time.advance(by: .seconds(2))
    try rest(core, services)
  }

  @Test("a client sees frames while it sends steps faster than layouts are made for them")
  func framesAmongSteps() async throws {
    let services = SessionServices.manual(time)
    let core = try await viewer(of: try await collection(services), holding: 900, services)
    var seq = 2
    func postponeSteps() {
      for _ in 0 ..< 3 {
        seq += 1
        core.postpone(step(seq * 7 % 2000, seq: seq))
      }
    }
    func acknowledge() throws {
      let ack = FrameAck(sequence: core.sessionInPlace.lastFrame)
      try core.take(SessionInput(ack: ack), at: services.clock.now)
    }
    try acknowledge()
    let frames = core.counts.frames
    postponeSteps()
    var turn: SessionTurn?
    var turnCount = 0
    while turnCount < 40 {
      let work = core.next(at: services.clock.now, in: turn)
      turn = nil
      switch work {
      case .prepare(let preparation):
        postponeSteps()
        time.advance(by: .milliseconds(30))
        let prepared = try preparation.request.prepare(work: .unlimited)
        core.supply(.whole(MadeLayout(prepared: prepared)), for: preparation.request)
      case .turn(.uninterrupted):
        turn = .uninterrupted
        turnCount += 1
        postponeSteps()
        time.advance(by: .milliseconds(30))
      case .turn(.building): turn = .building(.unlimited)
      case .write: try acknowledge()
      case .rest, .commit, .end: throw UnexpectedWork()
      }
    }
    // One for each 100 ms, of more than two seconds.
    #expect(core.counts.frames - frames >= 10)
  }

  private func commit(to collection: LiveCollection) async throws {
    _ = try await collection.commit(UpdateBatch([.deleteItems(section: 0, items: 2999 ..< 3000)])) {
      []
    }
  }

  @Test("commits are followed in the turns of what cannot be paused if much is held")
  func following() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    let much = try await viewer(of: collection, holding: 900, services)
    let little = try await viewer(of: collection, holding: 3, services)
    _ = try await collection.commit(
      UpdateBatch([
        .insertItems(at: IndexPath(section: 0, item: 0), items: [ItemBlock(count: 1, keys: ["n"])])
      ])
    ) { [] }
    for core in [much, little] { core.take(SessionMail(marks: [.collectionChanged])) }
    for turn in [nil, SessionTurn.building(.unlimited)] {
      guard case .turn(.uninterrupted) = much.next(at: services.clock.now, in: turn) else {
        Issue.record("the commit was taken over on a thread that others need")
        return
      }
      #expect(much.sessionInPlace.dataVersion == 0)
    }
    _ = much.next(at: services.clock.now, in: .uninterrupted)
    #expect(much.sessionInPlace.dataVersion == 1)
    _ = little.next(at: services.clock.now, in: nil)
    #expect(little.sessionInPlace.dataVersion == 1)
  }

  @Test("who holds much takes over commits now and then, and all that there are by then")
  func pausing() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    let core = try await viewer(of: collection, holding: 800, services)
    func follow() async throws {
      _ = try await collection.commit(
        UpdateBatch([
          .insertItems(
            at: IndexPath(section: 0, item: 0),
            items: [ItemBlock(count: 1, keys: ["n\(collection.dataVersion)"])]
          )
        ])
      ) { [] }
      core.take(SessionMail(marks: [.collectionChanged]))
      try rest(core, services)
    }
    try await follow()
    #expect(core.sessionInPlace.dataVersion == 1)
    // 800 items are left alone for 200 ms.
    for _ in 0 ..< 3 {
      time.advance(by: .milliseconds(50))
      try await follow()
      #expect(core.sessionInPlace.dataVersion == 1)
    }
    guard case .rest(let until) = core.next(at: services.clock.now, in: nil) else {
      Issue.record("there was something to do")
      return
    }
    #expect(until <= services.clock.now + .milliseconds(51))
    time.advance(by: .milliseconds(51))
    try rest(core, services)
    #expect(core.sessionInPlace.dataVersion == 4)
    // Whoever waits for a commit has it taken over at once.
    let observer = core.live.observe(awaiting: 5) {}
    try await follow()
    #expect(core.sessionInPlace.dataVersion == 5)
    core.live.remove(observer)
    // So does a session that has missed many.
    for _ in 0 ..< 65 {
      #expect(core.sessionInPlace.dataVersion == 5)
      try await follow()
    }
    #expect(core.sessionInPlace.dataVersion == 70)
    #expect(core.sessionInPlace.liveCount > 0)
  }

  @Test("the outcome of a commit is taken in a turn if much is held")
  func outcomes() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    for (count, takesLong) in [(3, false), (900, true)] {
      let core = try await viewer(of: collection, holding: count, services)
      let batch = UpdateBatch([.deleteItems(section: 0, items: 2999 ..< 3000)])
      core.postpone(SessionInput(event: .event(.update(batch), seq: 3)))
      guard case .commit(let commit) = core.next(at: services.clock.now, in: nil) else {
        Issue.record("nothing was to be committed")
        continue
      }
      #expect(commit.takesLongToSettle == takesLong)
    }
  }

  @Test("while another has its turn, the outcome of a commit waits if much is held, and only then")
  func waitingOutcomes() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var much = StreamProbe(services)
    var little = StreamProbe(services, peer: "ipv4:127.0.0.2:4000")
    func open(_ probe: inout StreamProbe, holding count: Int) async throws {
      _ = try await probe.open { open in
        open.collection = "collections/\(collection.id)"
        open.layout.list.rowHeight = 40
      }
      _ = try await probe.frame()
      probe.send {
        $0.eventSeq = 2
        $0.movement.beginItems.keys = (0 ..< count).map { "k\($0 * 2)" }
      }
      let result = try await self.result(&probe)
      #expect(result.eventSeq == 2 && !result.hasProblem)
    }
    try await open(&much, holding: 900)
    try await open(&little, holding: 3)
    let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let busy = Task {
      try await services.engine.performUninterrupted {
        begun.signal()
        released.wait()
      }
    }
    await Task.detached { begun.waitUntilSignaled() }.value
    func update(_ probe: borrowing StreamProbe, _ item: UInt32) {
      probe.send {
        $0.eventSeq = 3
        $0.update = .inserting(1, at: item)
        $0.update.operations.operations[0].insertItems.blocks[0].keys = ["new \(item)"]
      }
    }
    let (commits, note) = AsyncStream<Void>.makeStream()
    let subscription = collection.subscribe { _ in note.yield() }
    update(much, 0)
    for await _ in commits { break }
    collection.unsubscribe(subscription)
    update(little, 1)
    #expect(try await result(&little).eventSeq == 3)
    #expect(much.writer.resultCount == 1)
    released.signal()
    try await busy.value
    let late = try await result(&much)
    #expect(late.eventSeq == 3 && late.dataVersion == 1)
  }

  private func result(_ probe: inout StreamProbe) async throws -> Wire.EventResult {
    try await probe.next { response in
      if case .eventResult(let result) = response.message { result } else { nil }
    }
  }
}

extension DispatchSemaphore {
  /// Waits, for tasks that may block their thread.
  func waitUntilSignaled() { wait() }
}
