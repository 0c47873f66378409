// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Dispatch
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutService

@Suite("The shell of a session", .timeLimit(.minutes(1)))
struct SessionShellTests {
  private let time = ManualTime()

  @Test("a stream that says nothing ends when its time to open is over, not before")
  func openTimeout() async {
    let services = SessionServices.manual(time)
    let probe = StreamProbe(services)
    await time.waitForAlarm()
    time.advance(by: .milliseconds(4999))
    #expect(services.sessions.streamCount == 1)
    time.advance(by: .milliseconds(1))
    #expect(await probe.end()?.reason == .openTimeout)
    #expect(services.sessions.streamCount == 0)
  }

  @Test("an unread write is given up at its deadline, and the session kept")
  func unread() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    _ = try await probe.open()
    _ = try await probe.frame()
    probe.writer.stopTaking()
    probe.send {
      $0.eventSeq = 2
      $0.update = .inserting(1, at: 0)
    }
    await probe.waitForStuckWrite()
    time.advance(by: .seconds(29))
    #expect(services.sessions.count == 1)
    time.advance(by: .seconds(1))
    let problem = await probe.end()
    #expect(problem?.reason == .slowClient)
    #expect(problem?.message.contains("30") == true)
    #expect(services.sessions.count == 0)
    #expect(services.sessions.detachedCount == 1)
  }

  @Test("while the client has much to take, no frame is built that would be outdated then")
  func untaken() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    probe.sendOpening { open in
      open.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 3000 }] }]
      open.layout.list.rowHeight = 1
      open.viewport.size.height = 3000
      open.capabilities.encodings = [.messages]
    }
    let session = try await probe.opened().session
    // In parts.
    var first = try await probe.frame()
    var count = first.elements.upserts.count
    while first.continued {
      first = try await probe.frame()
      count += first.elements.upserts.count
    }
    #expect(count > 2000)
    probe.writer.stopTaking()
    probe.send {
      $0.eventSeq = 2
      $0.update = .inserting(1, at: 0)
    }
    await probe.waitForStuckWrite()
    #expect(services.sessions.status(named: session)?.figures?.frames == 1)
    probe.writer.takeAgain()
    let second = try await probe.frame()
    #expect(second.frameSeq == 2 && second.dataVersion == 1)
  }

  @Test("a client that only looks on is told where its section was scrolled to, before the frame")
  func scrolledSection() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    probe.sendOpening { open in
      for number in 0 ..< 3 {
        var block = Wire.ItemBlock()
        block.count = 50
        block.keys = (0 ..< 50).map { "\(number)-\($0)" }
        var section = Wire.Section()
        section.key = "s\(number)"
        section.blocks = [block]
        open.inlineContents.sections.append(section)
      }
      open.layout.compositional.sections = [
        .with { section in
          section.group.axis = .horizontal
          section.group.size.width.absolute = 100
          section.group.size.height.absolute = 80
          section.group.subitems = [
            .with {
              $0.item.size.width.fractionalWidth = 1
              $0.item.size.height.fractionalHeight = 1
            }
          ]
          section.orthogonalScrolling = .groupPaging
        }
      ]
      open.viewport.size.width = 300
      open.start.element.itemKey = "1-40"
      open.start.element.position = .center
      open.capabilities.itemKeys = true
      open.capabilities.encodings = [.messages]
    }
    var told: Wire.ScrollTarget?
    let frame = try await probe.next { response -> Wire.LayoutFrame? in
      if case .scrollTarget(let target) = response.message { told = target }
      if case .frame(let frame) = response.message { return frame } else { return nil }
    }
    let target = try #require(told)
    #expect(target.eventSeq == 0 && target.sectionOffset.section == 1)
    #expect(target.sectionOffset.offset == 40 * 100 - 100)
    let item = frame.elements.upserts.first { $0.itemKey == "1-40" }
    #expect(item?.attributes.frame.x == 100)
  }

  @Test("a write that never ends, though cancelled, holds up nobody")
  func stuckForEver() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services, heedsCancellation: false)
    probe.writer.stopTaking()
    probe.sendOpening()
    await probe.waitForStuckWrite()
    time.advance(by: .seconds(30))
    #expect(await probe.end()?.reason == .slowClient)
    #expect(services.sessions.detachedCount == 1)
  }

  @Test("a client that is silent for three heartbeats is let go")
  func silence() async throws {
    var configuration = ServiceConfiguration()
    configuration.timing.slowNotice = .seconds(999)
    configuration.timing.slowEnd = .seconds(999)
    configuration.timing.write = .seconds(999)
    // The task that has written the frame may rest only when its heartbeat is due.
    let time = ManualTime(ringsAtOnce: true)
    let services = SessionServices.manual(time, .init(), configuration)
    var probe = StreamProbe(services)
    _ = try await probe.open()
    _ = try await probe.frame()
    for _ in 0 ..< 2 {
      time.advance(by: .seconds(15))
      _ = try await probe.next { response -> Wire.Heartbeat? in
        if case .heartbeat(let heartbeat) = response.message { heartbeat } else { nil }
      }
    }
    time.advance(by: .seconds(15))
    let problem = await probe.end()
    #expect(problem?.reason == .slowClient)
    #expect(problem?.message == "Nothing came from the client for three heartbeats.")
  }

  @Test("the time for which the server itself was stopped is nobody's silence")
  func stoppedServer() async throws {
    let services = SessionServices.manual(time)
    services.clock.tick()
    var probe = StreamProbe(services)
    _ = try await probe.open()
    _ = try await probe.frame()
    probe.send {
      $0.ack.frameSeq = 1
      $0.eventSeq = 2
      $0.resync = .init()
    }
    _ = try await probe.frame()
    // All alarms go off, before anything is read.
    time.advance(by: .seconds(600))
    services.clock.tick()
    probe.send {
      $0.ack.frameSeq = 2
      $0.eventSeq = 3
      $0.resync = .init()
    }
    #expect(try await probe.frame().appliedEventSeq == 3)
    #expect(services.sessions.count == 1)
  }

  @Test("a session whose stream waits for a layout is claimed at once, with all that it has")
  func busyStream() async throws {
    let gate = LayoutGate()
    // Nobody is held for ever, even if the test fails.
    defer { gate.open() }
    var layouts = LayoutRegistry()
    layouts.register(name: "gated") { _, _ in GatedList(gate: gate) }
    let services = SessionServices.manual(time, layouts)
    var old = StreamProbe(services)
    let opened = try await old.open { open in
      // So many that they are laid out by a thread of its own, which the gate may hold.
      open.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 30_000 }] }]
      open.layout.custom.name = "gated"
    }
    let frame = try await old.frame()
    gate.close()
    old.send {
      $0.eventSeq = 2
      $0.viewport.size = .with {
        $0.width = 300
        $0.height = 200
      }
    }
    await gate.waitForVisitor()
    var new = StreamProbe(services)
    new.sendOpening { open in
      open.resume = .with {
        $0.resumeToken = opened.resumeToken
        $0.lastFrameSeq = frame.frameSeq
        $0.lastEventSeq = 2
        $0.liveCount = frame.liveCount
      }
      // It says no size: that of event 2 is part of what the session has.
      open.clearViewport()
    }
    // Nobody lets the layout go on, and no time passes.
    #expect(await old.end()?.reason == .sessionExpired)
    gate.open()
    let resumed = try await new.opened()
    #expect(resumed.outcome == .resumed)
    #expect(resumed.session == opened.session)
    #expect(resumed.lastEventSeq == 2)
    let resumedFrame = try await new.frame()
    #expect(resumedFrame.contentSize.width == 300)
  }

  @Test("a frame that takes many steps is built on the engine's threads, and so are the next ones")
  func costlyFrames() async throws {
    let log = QueryLog()
    var layouts = LayoutRegistry()
    layouts.register(name: "costly") { _, _ in CostlyList(log: log) }
    let services = SessionServices.manual(time, layouts)
    var probe = StreamProbe(services)
    _ = try await probe.open { open in
      open.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
      open.layout.custom.name = "costly"
    }
    let first = try await probe.frame()
    #expect(first.liveCount > 0)
    #expect(log.counts.bounded > 0)
    let tried = log.counts.small
    for seq in UInt64(2) ..< 6 {
      probe.send {
        $0.ack.frameSeq = seq - 1
        $0.eventSeq = seq
        $0.resync = .init()
      }
      let frame = try await probe.frame()
      #expect(frame.liveCount == first.liveCount)
    }
    // Nothing was tried in vain.
    #expect(log.counts.small == tried)
  }

  @Test("a large request is decoded and processed in turns, in its order among the others")
  func largeRequests() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    _ = try await probe.open()
    for seq in UInt64(2) ..< 8 {
      let request = Wire.StreamLayoutRequest.with { request in
        request.eventSeq = seq
        // Every other one is large.
        let keys = seq % 2 == 0 ? (0 ..< 3000).map { "item \(seq) \($0)" } : []
        request.update = .inserting(UInt32(max(1, keys.count)), at: 0)
        request.update.operations.operations[0].insertItems.blocks[0].keys = keys
      }
      let bytes: [UInt8] = try request.serializedBytes()
      try probe.send(arriving: bytes)
    }
    for seq in UInt64(2) ..< 8 {
      let result = try await probe.next { response in
        if case .eventResult(let result) = response.message { result } else { nil }
      }
      #expect(result.eventSeq == seq)
      #expect(!result.hasProblem)
    }
  }

  @Test("a server that goes away waits for no client and no layout longer than it may take")
  func drain() async throws {
    var configuration = ServiceConfiguration()
    configuration.timing.shutdown = .seconds(4)
    let services = SessionServices.manual(time, .init(), configuration)
    var probe = StreamProbe(services)
    _ = try await probe.open()
    _ = try await probe.frame()
    probe.writer.stopTaking()
    probe.send {
      $0.eventSeq = 2
      $0.resync = .init()
    }
    await probe.waitForStuckWrite()
    services.drain.begin()
    time.advance(by: .seconds(2))
    #expect(await probe.end()?.reason == .serverDraining)
  }

  @Test("a session at rest says good-bye when the server goes away")
  func goodbye() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    _ = try await probe.open()
    _ = try await probe.frame()
    services.drain.begin()
    let notice = try await probe.next { response in
      if case .notice(let notice) = response.message { notice } else { nil }
    }
    #expect(notice.type == .goingAway)
    #expect(await probe.end()?.reason == .serverDraining)
    #expect(services.sessions.detachedCount == 1)
  }

  @Test("what was sent before the stream closed is processed first")
  func lastWords() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    _ = try await probe.open()
    for seq in 2 ..< 40 {
      probe.send {
        $0.eventSeq = UInt64(seq)
        $0.update = .inserting(1, at: 0)
      }
    }
    probe.closeRequests()
    for seq in 2 ..< 40 {
      let result = try await probe.next { response in
        if case .eventResult(let result) = response.message { result } else { nil }
      }
      #expect(result.eventSeq == UInt64(seq))
      #expect(result.dataVersion == UInt64(seq - 1))
    }
    #expect(await probe.end() == nil)
  }
}

/// Holds those who prepare a layout.
final class LayoutGate: Sendable {
  private let isClosed = Mutex(false)
  private let semaphore = DispatchSemaphore(value: 0)
  private let (visitors, visit) = AsyncStream<Void>.makeStream()

  func close() { isClosed.withLock { $0 = true } }

  func open() {
    isClosed.withLock { $0 = false }
    for _ in 0 ..< 16 { semaphore.signal() }
  }

  /// Returns once somebody is held.
  func waitForVisitor() async {
    var visitors = visitors.makeAsyncIterator()
    _ = await visitors.next()
  }

  func pass() {
    guard isClosed.withLock({ $0 }) else { return }
    visit.yield()
    semaphore.wait()
  }
}

/// A list that is prepared once its gate is open.
private struct GatedList: CollectionLayout {
  let gate: LayoutGate
  let list = ListLayout(rowHeight: 10)

  var kindName: String { "custom:gated" }

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    gate.pass()
    return list.prepare(context)
  }

  static func == (a: Self, b: Self) -> Bool { a.gate === b.gate }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(gate)) }
}

/// How often a layout was queried within the limits of work, and without any.
private final class QueryLog: Sendable {
  private let state = Mutex((small: 0, bounded: 0))

  var counts: (small: Int, bounded: Int) { state.withLock { $0 } }

  func note(isBounded: Bool) {
    state.withLock { counts in
      if isBounded { counts.bounded += 1 } else { counts.small += 1 }
    }
  }
}

/// A list that looks at many items for each query.
private struct CostlyList: CollectionLayout {
  let log: QueryLog
  let list = ListLayout(rowHeight: 10)

  var kindName: String { "custom:costly" }

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    Prepared(list: list.prepare(context), log: log)
  }

  static func == (a: Self, b: Self) -> Bool { a.log === b.log }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(log)) }

  struct Prepared: PreparedLayout {
    let list: any PreparedLayout
    let log: QueryLog

    var context: LayoutContext { list.context }
    var contentSize: Size { list.contentSize }
    var kindNames: [String] { list.kindNames }
    var scrollAxis: ScrollAxis? { list.scrollAxis }
    var byteCount: Int { list.byteCount }

    func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
      log.note(isBounded: buffer.work != nil)
      guard buffer.visit(100_000) else { return }
      list.appendElements(in: rect, viewport: viewport, to: &buffer)
    }

    func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
      list.attributes(of: key, viewport: viewport)
    }
  }
}
