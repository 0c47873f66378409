// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import GRPCCore
import LayoutEngine
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import ResourceAccounting
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Sessions that are opened alike", .timeLimit(.minutes(1)))
struct AlikeSessionTests {
  /// A session and what its client has got.
  private struct Viewer {
    let core: SessionCore
    var mirror = ElementMirror()
    /// The sum of all offset adjustments.
    var adjustment = Point.zero

    var sequence: UInt64 { mirror.frameSequence }
  }

  private struct UnexpectedWork: Error {}

  private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.add(1, ordering: .relaxed) }
  }

  private let time = ManualTime()
  /// How often sessions were woken that waited for others.
  private let woken = Counter()

  private func collection(_ services: SessionServices) async throws -> LiveCollection {
    try await services.registry.create(
      CollectionRecord(id: "a"),
      contents: CollectionContents(
        sections: [SectionContents(key: "s", blocks: [ItemBlock(count: 500)])]
      )
    )
  }

  private static func request(_ fill: (inout Wire.OpenSession) -> Void) -> Wire.OpenSession {
    .with {
      $0.collection = "collections/a"
      $0.layout.list.rowHeight = 10
      $0.viewport.size.width = 100
      $0.viewport.size.height = 200
      $0.capabilities.checksums = true
      fill(&$0)
    }
  }

  private func open(
    _ services: SessionServices,
    _ fill: (inout Wire.OpenSession) -> Void = { _ in }
  ) async throws -> Viewer {
    var request = Wire.StreamLayoutRequest()
    request.eventSeq = 1
    request.open = Self.request(fill)
    var viewer = Viewer(core: try await opened(request, services))
    try await run(&viewer, services)
    return viewer
  }

  private func opened(
    _ request: Wire.StreamLayoutRequest,
    _ services: SessionServices,
    isLarge: Bool = false
  ) async throws -> SessionCore {
    let peer = "ipv4:127.0.0.1:4000"
    let opener = SessionOpener(services: services, peer: peer) { LiveSession(name: $0) }
    let opened = try await opener.open(
      request,
      context: CallContext(metadata: [:], peer: peer, cancellation: .init()),
      isLarge: isLarge
    )
    return SessionCore(opened, subscription: nil, trace: nil, services: services) { [woken] in
      woken.add()
    }
  }

  /// Lets the session follow what was committed, up to the layout that it wants.
  private func begin(
    _ viewer: inout Viewer,
    _ services: SessionServices
  ) async throws -> Preparation {
    viewer.core.take(SessionMail(marks: [.collectionChanged]))
    switch viewer.core.next(at: services.clock.now, in: nil) {
    case .prepare(let preparation): return preparation
    default: throw UnexpectedWork()
    }
  }

  private func finish(
    _ preparation: Preparation,
    _ viewer: inout Viewer,
    _ services: SessionServices
  ) async throws {
    let made = try await services.whole(preparation)
    viewer.core.supply(.whole(made), for: preparation.request)
    try await run(&viewer, services)
  }

  /// Works on the session until it rests; the client acknowledges each frame, or none.
  private func run(
    _ viewer: inout Viewer,
    _ services: SessionServices,
    acknowledges: Bool = true
  ) async throws {
    var turn: SessionTurn?
    while true {
      switch viewer.core.next(at: services.clock.now, in: turn) {
      case .prepare(let preparation):
        let made = try await services.whole(preparation)
        viewer.core.supply(.whole(made), for: preparation.request)
      case .turn: turn = .building(.unlimited)
      case .write(let responses, _, _):
        for response in responses {
          let message = try Wire.StreamLayoutResponse(serializedBytes: response.bytes)
          guard case .frame(let frame) = message.message else { continue }
          _ = try viewer.mirror.apply(frame)
          viewer.adjustment.x += frame.contentOffsetAdjustment.x
          viewer.adjustment.y += frame.contentOffsetAdjustment.y
          guard acknowledges else { continue }
          let ack = FrameAck(
            sequence: viewer.sequence,
            stateChecksum: viewer.mirror.stateChecksum
          )
          try viewer.core.take(SessionInput(ack: ack), at: services.clock.now)
        }
      case .rest: return
      default: throw UnexpectedWork()
      }
    }
  }

  private func commit(_ collection: LiveCollection, _ random: inout SplitMix64) async throws {
    let at = random.below(30)
    let operation: UpdateOperation =
      random.chance(50)
      ? .deleteItems(section: 0, items: at ..< at + 1)
      : .insertItems(at: IndexPath(section: 0, item: at), items: [ItemBlock(count: 2)])
    _ = try await collection.commit(UpdateBatch([operation])) { [] }
  }

  private func news(_ viewer: inout Viewer, _ services: SessionServices) async throws {
    viewer.core.take(SessionMail(marks: [.collectionChanged]))
    try await run(&viewer, services)
  }

  @Test("what they share is charged to the client whose session made it")
  func charged() async throws {
    let services = SessionServices.manual(time)
    _ = try await collection(services)
    let first = try await open(services)
    let peer = try #require(first.core.charges.account.parent?.parent)
    #expect(peer.scope == .peer)
    let one = peer.used
    let second = try await open(services)
    _ = try #require(second.core.alike)
    // Its own, and the state with its frame, which it has once more.
    #expect(peer.used > 2 * one + MemoryLayout<ViewportSession>.size)
  }

  @Test("where that is much, each keeps its own")
  func dense() async throws {
    let services = SessionServices.manual(time)
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", blocks: [ItemBlock(count: 4000)])]
    )
    _ = try await services.registry.create(CollectionRecord(id: "a"), contents: contents)
    for _ in 0 ..< 3 {
      let viewer = try await open(services) {
        $0.layout.list.rowHeight = 0.05
      }
      #expect(viewer.mirror.elements.count == 4000)
      #expect(viewer.core.alike == nil)
    }
  }

  @Test("from the second one on they are in one state, and one makes the frames of all")
  func sharing() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 5 { viewers.append(try await open(services)) }
    #expect(viewers[0].core.alike == nil)
    let state = try #require(viewers[1].core.alike)
    #expect(viewers[2...].allSatisfy { $0.core.alike === state })
    var random = SplitMix64(seed: 3)
    for round in 1 ... 6 {
      try await commit(collection, &random)
      for index in viewers.indices { try await news(&viewers[index], services) }
      #expect(viewers.allSatisfy { $0.sequence == UInt64(round + 1) })
      #expect(viewers.allSatisfy { $0.mirror.stateChecksum == viewers[0].mirror.stateChecksum })
      let next = try #require(viewers[1].core.alike)
      #expect(viewers[2...].allSatisfy { $0.core.alike === next })
      #expect(viewers.allSatisfy { $0.core.sessionInPlace.unacknowledgedFrames == 0 })
    }
  }

  @Test("those who open otherwise are in a state of their own")
  func others() async throws {
    let services = SessionServices.manual(time)
    _ = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 3 { viewers.append(try await open(services)) }
    let wide = try await open(services) { $0.viewport.size.width = 101 }
    let prefetching = try await open(services) { $0.options.prefetch.maxItems = 1 }
    let started = try await open(services) { $0.start.fraction = 0.5 }
    for viewer in [wide, prefetching, started] { #expect(viewer.core.alike == nil) }
    // Where the others have gone there is nobody to share with.
    viewers = []
    #expect(try await open(services).core.alike == nil)
  }

  @Test(
    "one that could not apply a frame gets a keyframe at once, though it said so while others worked on the session"
  )
  func rejection() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 3 { viewers.append(try await open(services)) }
    var random = SplitMix64(seed: 9)
    try await commit(collection, &random)
    for index in viewers.indices { try await news(&viewers[index], services) }
    let core = viewers[2].core
    #expect(core.form.isCommon && core.commonRest != nil)
    core.postpone(SessionInput(ack: FrameAck(sequence: 2, isRejected: true)))
    try await run(&viewers[2], services)
    #expect(core.counts.keyframes == 2 && viewers[2].sequence == 3)
    #expect(viewers[2].mirror.stateChecksum == viewers[1].mirror.stateChecksum)
  }

  @Test("those who open later join the others, with numbers of their own")
  func later() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 2 { viewers.append(try await open(services)) }
    var random = SplitMix64(seed: 4)
    for round in 1 ... 6 {
      try await commit(collection, &random)
      for index in viewers.indices { try await news(&viewers[index], services) }
      viewers.append(try await open(services))
      let state = try #require(viewers[1].core.alike)
      #expect(viewers[2...].allSatisfy { $0.core.alike === state })
      #expect(viewers.last?.sequence == 1 && viewers[1].sequence == UInt64(round) + 1)
      #expect(viewers.allSatisfy { $0.mirror.stateChecksum == viewers[1].mirror.stateChecksum })
    }
    // The session that was opened first was alone then, and found the others later.
    #expect(viewers[0].core.alike === viewers[1].core.alike)
  }

  /// What a viewer is shown who shares nothing with others.
  private func reference(
    _ services: SessionServices,
    _ fill: (inout Wire.OpenSession) -> Void
  ) async throws -> Viewer {
    var request = Wire.StreamLayoutRequest()
    request.eventSeq = 1
    request.open = Self.request(fill)
    var viewer = Viewer(core: try await opened(request, services, isLarge: true))
    try await run(&viewer, services)
    return viewer
  }

  @Test(
    "whenever they open, follow and leave, each is shown what one alone would be shown",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func anyTime(seed: UInt64) async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var random = SplitMix64(seed: seed)
    func fill(_ open: inout Wire.OpenSession) {
      open.options.maxInFlightFrames = 4
      open.layout.list.headerHeight = 12
      open.layout.list.footerHeight = 8
      if seed % 2 == 0 { open.capabilities.encodings = [.packed] }
      // What is inserted above moves the viewports of those who are there.
      if seed % 3 == 0 { open.viewport.contentOffset.y = 150 }
    }
    var alone: [Viewer] = [try await reference(services, fill)]
    var viewers: [Viewer] = [try await open(services, fill)]
    for _ in 0 ..< 40 {
      switch random.below(10) {
      case 0 ... 2 where viewers.count < 8:
        viewers.append(try await open(services, fill))
        alone.append(try await reference(services, fill))
      case 3 where viewers.count > 1:
        let index = random.below(viewers.count)
        viewers.remove(at: index)
        alone.remove(at: index)
      case 4:
        let index = random.below(viewers.count)
        let change = ViewportChange(offset: Point(x: 0, y: random.double(0 ... 2000)))
        let seq = viewers[index].core.sessionInPlace.lastEvent + 1
        let event = SessionInput.Event.event(.viewport(change), seq: seq)
        for core in [viewers[index].core, alone[index].core] {
          try core.take(SessionInput(event: event), at: services.clock.now)
        }
        try await run(&viewers[index], services)
        try await run(&alone[index], services)
      default: try await commit(collection, &random)
      }
      for index in viewers.indices where random.chance(70) {
        try await news(&viewers[index], services)
        try await news(&alone[index], services)
        try compare(viewers[index], alone[index])
      }
    }
  }

  private func compare(_ viewer: Viewer, _ alone: Viewer) throws {
    #expect(viewer.mirror.stateChecksum == alone.mirror.stateChecksum)
    #expect(viewer.mirror.elements.count == alone.mirror.elements.count)
    #expect(viewer.mirror.contentSize == alone.mirror.contentSize)
    #expect(viewer.adjustment == alone.adjustment)
    #expect(viewer.core.sessionInPlace.lastFrame == viewer.sequence)
    #expect(viewer.core.sessionInPlace.unacknowledgedFrames == 0)
    #expect(viewer.mirror.stateChecksum == viewer.core.sessionInPlace.stateChecksum)
  }

  @Test("whoever does something by itself leaves the others, and they go on", arguments: [0, 1, 2])
  func leaving(what: Int) async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 4 { viewers.append(try await open(services)) }
    let now = services.clock.now
    switch what {
    case 0:
      let change = ViewportChange(offset: Point(x: 0, y: 900))
      let event = SessionInput.Event.event(.viewport(change), seq: 2)
      try viewers[1].core.take(SessionInput(event: event), at: now)
    case 1:
      try viewers[1].core.take(SessionInput(ack: FrameAck(sequence: 1, isRejected: true)), at: now)
    default:
      let ack = FrameAck(sequence: 1, stateChecksum: 7)
      try viewers[1].core.take(SessionInput(ack: ack), at: now)
    }
    #expect(viewers[1].core.alike == nil)
    try await run(&viewers[1], services)
    var random = SplitMix64(seed: 5)
    for _ in 0 ..< 3 {
      try await commit(collection, &random)
      for index in viewers.indices.reversed() { try await news(&viewers[index], services) }
    }
    #expect(viewers[2].core.alike != nil && viewers[2].core.alike === viewers[3].core.alike)
    #expect(viewers[1].core.alike == nil)
    #expect(viewers[2].mirror.stateChecksum == viewers[0].mirror.stateChecksum)
    for viewer in viewers {
      #expect(viewer.mirror.stateChecksum == viewer.core.sessionInPlace.stateChecksum)
    }
  }

  @Test(
    "those who are a little behind follow step by step, those who are further behind together in one",
    arguments: 1 ... 6
  )
  func behind(commits: Int) async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 6 { viewers.append(try await open(services)) }
    var random = SplitMix64(seed: 6)
    var states: [WeakState] = []
    for _ in 0 ..< commits {
      try await commit(collection, &random)
      for index in 0 ..< 3 { try await news(&viewers[index], services) }
      states.append(WeakState(state: viewers[2].core.alike))
    }
    // Those behind keep two of the states that the others have left.
    #expect(states.count { $0.state != nil } <= 3)
    for index in 3 ..< 6 { try await news(&viewers[index], services) }
    let isStepwise = commits <= 2
    for viewer in viewers[3...] {
      #expect(viewer.sequence == (isStepwise ? UInt64(commits) + 1 : 2))
      #expect(viewer.core.alike != nil && viewer.core.alike === viewers[3].core.alike)
      if isStepwise { #expect(viewer.core.alike === viewers[2].core.alike) }
    }
    // At most one more: that of the frame in which those behind got all.
    #expect(states.count { $0.state != nil } == 1)
    for _ in 0 ..< 2 {
      try await commit(collection, &random)
      for index in viewers.indices { try await news(&viewers[index], services) }
      #expect(viewers.allSatisfy { $0.mirror.stateChecksum == viewers[0].mirror.stateChecksum })
    }
  }

  private struct WeakState {
    weak var state: AlikeState?
  }

  @Test("a session whose client acknowledges nothing goes on by itself")
  func full() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 3 {
      viewers.append(try await open(services) { $0.options.maxInFlightFrames = 1 })
    }
    var random = SplitMix64(seed: 6)
    try await commit(collection, &random)
    viewers[2].core.take(SessionMail(marks: [.collectionChanged]))
    try await run(&viewers[2], services, acknowledges: false)
    for _ in 0 ..< 3 {
      for index in 0 ..< 2 { try await news(&viewers[index], services) }
      try await commit(collection, &random)
    }
    try await news(&viewers[2], services)
    #expect(viewers[2].core.alike == nil && viewers[2].sequence == 2)
    let ack = FrameAck(sequence: viewers[2].sequence)
    try viewers[2].core.take(SessionInput(ack: ack), at: services.clock.now)
    for index in viewers.indices { try await news(&viewers[index], services) }
    #expect(viewers[2].sequence == 3)
    #expect(viewers.allSatisfy { $0.mirror.stateChecksum == viewers[0].mirror.stateChecksum })
  }

  @Test("a stored layout that has changed makes another state, even where nothing is prepared anew")
  func otherDefault() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    func use(_ alpha: Double) async throws {
      var layout = Wire.LayoutSpec()
      layout.list.rowHeight = 10
      layout.scrollEffects = [
        .with { $0.leading.values.alpha = alpha }
      ]
      let bytes: [UInt8] = try layout.serializedBytes()
      _ = try await collection.updateRecord { $0.defaultLayout = bytes }
    }
    try await use(0.5)
    var viewers: [Viewer] = []
    for _ in 0 ..< 3 { viewers.append(try await open(services) { $0.clearLayout() }) }
    #expect(viewers[2].core.alike === viewers[1].core.alike)
    try await use(0.25)
    let late = try await open(services) { $0.clearLayout() }
    #expect(late.core.alike == nil)
    #expect(late.mirror.stateChecksum != 0)
  }

  @Test("a commit before the first frame leaves no state for those who open later")
  func commitWhileOpening() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var random = SplitMix64(seed: 8)
    for round in 0 ..< 2 {
      var request = Wire.StreamLayoutRequest()
      request.eventSeq = 1
      request.open = Self.request { _ in }
      let core = try await opened(request, services)
      if round == 0 { _ = try await open(services) }
      try await commit(collection, &random)
      var viewer = Viewer(core: core)
      try await news(&viewer, services)
      #expect(viewer.core.alike == nil && viewer.sequence == 1)
    }
    #expect(try await open(services).core.alike == nil)
  }

  @Test("a shortest interval between frames delays those who follow, and separates nobody")
  func interval() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 4 {
      viewers.append(try await open(services) { $0.options.minFrameInterval.nanos = 50_000_000 })
    }
    var random = SplitMix64(seed: 9)
    for round in 1 ... 3 as ClosedRange<UInt64> {
      try await commit(collection, &random)
      for index in viewers.indices { try await news(&viewers[index], services) }
      #expect(viewers[1...].allSatisfy { $0.sequence == round })
      time.advance(by: .milliseconds(60))
      for index in viewers.indices { try await run(&viewers[index], services) }
      #expect(viewers.allSatisfy { $0.sequence == round + 1 })
      #expect(viewers[1].core.alike != nil)
      #expect(viewers[2...].allSatisfy { $0.core.alike === viewers[1].core.alike })
      #expect(viewers.allSatisfy { $0.mirror.stateChecksum == viewers[0].mirror.stateChecksum })
    }
  }

  @Test("a commit is not left to the others while somebody waits for it, or for long")
  func awaited() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    for (interval, waits) in [(1, true), (1, false), (8, false)] as [(Int64, Bool)] {
      var viewers: [Viewer] = []
      for _ in 0 ..< 3 {
        viewers.append(try await open(services) { $0.options.minFrameInterval.seconds = interval })
      }
      #expect(viewers[2].core.alike != nil)
      var random = SplitMix64(seed: 5)
      try await commit(collection, &random)
      let version = collection.dataVersion
      let observer = waits ? viewers[2].core.live.observe(awaiting: version) {} : nil
      try await news(&viewers[2], services)
      let isFollowed = viewers[2].core.sessionInPlace.dataVersion == version
      #expect(isFollowed == (waits || interval > 1))
      // The frame waits for its interval in any case.
      #expect(viewers[2].sequence == 1)
      if let observer { viewers[2].core.live.remove(observer) }
      time.advance(by: .seconds(interval + 1))
      for index in viewers.indices { try await news(&viewers[index], services) }
      #expect(viewers.allSatisfy { $0.sequence == 2 })
      #expect(viewers.allSatisfy { $0.mirror.stateChecksum == viewers[0].mirror.stateChecksum })
    }
  }

  @Test("large requests are not compared with others")
  func large() async throws {
    let services = SessionServices.manual(time)
    _ = try await collection(services)
    var request = Wire.StreamLayoutRequest()
    request.eventSeq = 1
    request.open = Self.request { _ in }
    var viewers: [Viewer] = []
    for isLarge in [true, true, true, false, false] {
      var viewer = Viewer(core: try await opened(request, services, isLarge: isLarge))
      try await run(&viewer, services)
      #expect(viewer.core.alike == nil || !isLarge)
      viewers.append(viewer)
    }
    #expect(try await open(services).core.alike != nil)
  }

  @Test("a session that is left alone makes its frames for itself only")
  func alone() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 2 { viewers.append(try await open(services)) }
    viewers[0].core.leaveForGood()
    var random = SplitMix64(seed: 7)
    try await commit(collection, &random)
    try await news(&viewers[1], services)
    #expect(viewers[1].core.alike == nil && viewers[1].sequence == 2)
    #expect(viewers[1].mirror.stateChecksum == viewers[1].core.sessionInPlace.stateChecksum)
  }

  @Test("one makes the next frame, and the others wait for it")
  func claims() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 5 { viewers.append(try await open(services)) }
    var random = SplitMix64(seed: 10)
    try await commit(collection, &random)
    let begun = try await begin(&viewers[1], services)
    for index in 2 ..< 4 { try await news(&viewers[index], services) }
    #expect(viewers[2...].allSatisfy { $0.sequence == 1 } && woken.count == 0)
    // Whoever does something by itself does not wait.
    let change = ViewportChange(offset: Point(x: 0, y: 900))
    let event = SessionInput.Event.event(.viewport(change), seq: 2)
    try viewers[3].core.take(SessionInput(event: event), at: services.clock.now)
    try await run(&viewers[3], services)
    #expect(viewers[3].sequence == 2)
    try await finish(begun, &viewers[1], services)
    #expect(woken.count == 1)
    let state = try #require(viewers[1].core.alike)
    for index in [2, 4] {
      try await news(&viewers[index], services)
      #expect(viewers[index].core.alike === state)
      #expect(viewers[index].mirror.stateChecksum == viewers[1].mirror.stateChecksum)
    }
  }

  enum Stop: CaseIterable { case leaves, ends, takesLong, isOfNoUse }

  @Test("if who makes it does not, others go on", arguments: Stop.allCases)
  func claimsThatEnd(stop: Stop) async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 6 { viewers.append(try await open(services)) }
    var random = SplitMix64(seed: 11)
    try await commit(collection, &random)
    _ = try await begin(&viewers[1], services)
    try await news(&viewers[2], services)
    // However often it is told, it is woken once.
    for _ in 0 ..< 5 {
      try viewers[2].core.take(SessionInput(ack: FrameAck(sequence: 1)), at: services.clock.now)
      try await run(&viewers[2], services)
    }
    #expect(viewers[2].sequence == 1 && woken.count == 0)
    switch stop {
    case .leaves:
      let change = ViewportChange(offset: Point(x: 0, y: 90))
      let event = SessionInput.Event.event(.viewport(change), seq: 2)
      try viewers[1].core.take(SessionInput(event: event), at: services.clock.now)
    case .ends: viewers[1].core.leaveForGood()
    case .takesLong: time.advance(by: .milliseconds(100))
    case .isOfNoUse: try #require(viewers[2].core.alike).giveUpNext()
    }
    #expect(woken.count == 1)
    let next = try await begin(&viewers[2], services)
    try await news(&viewers[3], services)
    // Where frames are of no use to others, nobody waits.
    #expect(viewers[3].sequence == (stop == .isOfNoUse ? 2 : 1))
    try await finish(next, &viewers[2], services)
    for index in 3 ... 5 { try await news(&viewers[index], services) }
    #expect(viewers[2...].allSatisfy { $0.sequence == 2 })
    #expect(
      viewers[2...].allSatisfy { $0.mirror.stateChecksum == viewers[2].mirror.stateChecksum }
    )
  }

  @Test("sessions in one state keep only what is theirs, until they do something by themselves")
  func forms() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 4 { viewers.append(try await open(services)) }
    func isCommon(_ viewer: Viewer) -> Bool {
      if case .common = viewer.core.form { true } else { false }
    }
    var random = SplitMix64(seed: 12)
    for _ in 0 ..< 3 {
      try await commit(collection, &random)
      for index in viewers.indices { try await news(&viewers[index], services) }
      #expect(viewers[1...].allSatisfy(isCommon))
    }
    // A heartbeat and an acknowledgement leave it so.
    time.advance(by: .seconds(16))
    for index in viewers.indices {
      let ack = SessionInput(ack: FrameAck(sequence: viewers[index].sequence))
      try viewers[index].core.take(ack, at: services.clock.now)
      try await run(&viewers[index], services)
    }
    #expect(viewers[1...].allSatisfy(isCommon))
    let figures = viewers[1].core.figures
    #expect(figures.layout == "list" && figures.unacknowledgedFrames == 0)
    #expect(figures.dataVersion == collection.dataVersion)
    #expect(figures.liveElements == viewers[1].mirror.elements.count)
    let query = try #require(viewers[1].core.takeQuery()?.value ?? nil)
    #expect(query.dataVersion == collection.dataVersion)
    // What follows from this takes the session out of the state.
    let ack = FrameAck(sequence: viewers[2].sequence, isRejected: true)
    try viewers[2].core.take(SessionInput(ack: ack), at: services.clock.now)
    #expect(!isCommon(viewers[2]) && viewers[2].core.alike == nil)
    try await run(&viewers[2], services)
    #expect(viewers[2].mirror.stateChecksum == viewers[1].mirror.stateChecksum)
  }

  @Test("what a state takes is charged to the server until nobody is in it")
  func charges() async throws {
    let services = SessionServices.manual(time)
    _ = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 2 { viewers.append(try await open(services)) }
    let before = services.accounts.server.used
    viewers[1].core.leaveForGood()
    let freed = before - services.accounts.server.used
    #expect(freed > MemoryLayout<ViewportSession>.size && freed < 20_000)
  }

  @Test("each session is charged for the layout that it shows, in common form as by itself")
  func layoutCharges() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    var viewers: [Viewer] = []
    for _ in 0 ..< 4 { viewers.append(try await open(services)) }
    var random = SplitMix64(seed: 13)
    func used(_ viewer: Viewer) -> Int { viewer.core.charges.account.used }
    var others: Set<Int> = []
    for _ in 0 ..< 6 {
      try await commit(collection, &random)
      for index in 1 ... 3 { try await news(&viewers[index], services) }
      let state = try #require(viewers[2].core.alike)
      #expect(viewers[1...].allSatisfy { used($0) > state.layout.byteCount })
      for viewer in viewers[2...] { others.insert(used(viewer) - state.layout.byteCount) }
    }
    // What else it keeps is the same after each commit, so no layout is charged twice or kept.
    #expect(others.count == 1)
    // Taken out of the state, it keeps the layout and its charge.
    let before = used(viewers[2])
    let ack = FrameAck(sequence: viewers[2].sequence, isRejected: true)
    try viewers[2].core.take(SessionInput(ack: ack), at: services.clock.now)
    try await run(&viewers[2], services)
    #expect(viewers[2].core.alike == nil)
    #expect(abs(used(viewers[2]) - before) < 4096)
  }
}
