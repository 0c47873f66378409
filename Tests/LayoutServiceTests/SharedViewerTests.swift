// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import ServerTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutClient

/// Viewers that several tasks use, and viewers whose tasks are cancelled, against a played server.
@Suite("Viewers in several tasks", .timeLimit(.minutes(1)))
struct SharedViewerTests {
  private typealias Requests = RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>.AsyncIterator
  private typealias Responses = RPCWriter<Wire.StreamLayoutResponse>

  /// What a server does with its streams.
  private struct Play: Sendable {
    /// Throws what refuses the stream with this number.
    var refuse: @Sendable (_ stream: Int) throws -> Void = { _ in }
    /// Sent before the first frame.
    var greeting: [Wire.StreamLayoutResponse] = []
    /// Goes on after the first frame.
    var goOn: @Sendable (Int, inout Requests, Responses) async throws -> Void
  }

  /// What a server has met.
  private final class Log: Sendable {
    private let counts = Mutex((streams: 0, discarded: 0))

    var streams: Int { counts.withLock { $0.streams } }
    var discarded: Int { counts.withLock { $0.discarded } }

    func open() -> Int {
      counts.withLock {
        $0.streams += 1
        return $0.streams
      }
    }

    func note(_ request: Wire.StreamLayoutRequest) {
      guard case .close(let close) = request.event, close.discard else { return }
      counts.withLock { $0.discarded += 1 }
    }
  }

  private static func answer(_ play: Play, _ log: Log) -> ScriptedServer.Answer {
    ScriptedServer.Answer(
      to: CollectionLayout_V1_LayoutSessionService.Method.StreamLayout.descriptor
    ) {
      (
        sequence: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
        writer: RPCWriter<Wire.StreamLayoutResponse>
      ) in
      var requests = sequence.makeAsyncIterator()
      let number = log.open()
      guard let opening = try await requests.next()?.open else { return }
      try play.refuse(number)
      let isResume = if case .resume = opening.source { true } else { false }
      try await writer.write(
        .with {
          $0.opened.session = "sessions/\(number)"
          $0.opened.outcome = isResume ? .reset : .created
          $0.opened.resumeToken = .init([UInt8(truncatingIfNeeded: number)])
        }
      )
      for message in play.greeting { try await writer.write(message) }
      try await writer.write(.frame(1))
      try await play.goOn(number, &requests, writer)
      while let request = try await requests.next() {
        log.note(request)
        if case .close = request.event { return }
        if case .sync = request.event { try await writer.write(.applied(request.eventSeq)) }
      }
    }
  }

  private static let configuration = ViewerConfiguration(
    source: .collection("collections/a"),
    viewport: ViewportChange(size: Size(width: 100, height: 200))
  )

  private static let update = SessionEvent.update(UpdateBatch([]))

  /// Views a server.
  private func view(
    _ play: Play,
    _ body: @Sendable @escaping (LayoutViewer, Log) async throws -> Void
  ) async throws {
    let log = Log()
    try await ScriptedServer.run([Self.answer(play, log)]) { port in
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
        try await client.view(Self.configuration) { try await body($0, log) }
      }
    }
  }

  @Test("one task is told of all frames while another one waits for the answers to its events")
  func twoTasks() async throws {
    let play = Play { _, requests, writer in
      for frame in 2 ... 41 as ClosedRange<UInt64> {
        guard let event = try await requests.nextUpdate() else { return }
        try await writer.write(.frame(frame, after: frame - 1))
        try await writer.write(.applied(event, version: frame))
      }
    }
    try await view(play) { viewer, log in
      async let frames = {
        var frames: [UInt64] = []
        while frames.count < 40, let arrival = try await viewer.next() {
          if case .frame(let change) = arrival { frames.append(change.frame) }
        }
        return frames
      }()
      for version in 2 ... 41 as ClosedRange<UInt64> {
        #expect(try await viewer.perform(Self.update) == version)
      }
      let seen = try await frames
      #expect(seen == Array(2 ... 41))
      #expect(log.streams == 1)
    }
  }

  @Test("a call that is cancelled takes no message from the others, and does not end the stream")
  func cancelledCall() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let play = Play { _, requests, writer in
      guard let event = try await requests.nextUpdate() else { return }
      arrived.finish()
      for await _ in permits {}
      try await writer.write(.frame(2, after: 1))
      try await writer.write(.applied(event))
    }
    try await view(play) { viewer, log in
      let cancelled = Task { try await viewer.perform(Self.update) }
      // When the update has arrived, its sender waits.
      for await _ in arrivals {}
      async let other = viewer.next()
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      permit.finish()
      guard case .frame(let change)? = try await other, change.frame == 2 else {
        Issue.record("the frame is not told")
        return
      }
      // Nobody else waits for it.
      guard case .eventApplied? = try await viewer.next() else {
        Issue.record("the answer is not told")
        return
      }
      try await viewer.settle()
      #expect(log.streams == 1)
    }
  }

  @Test("the session of a viewer that is cancelled is closed")
  func cancelledViewer() async throws {
    let log = Log()
    let (starts, started) = AsyncStream.makeStream(of: Void.self)
    try await ScriptedServer.run([Self.answer(Play { _, _, _ in }, log)]) { port in
      let client = Task {
        try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
          try await client.view(Self.configuration) { viewer in
            started.finish()
            while try await viewer.next() != nil {}
          }
        }
      }
      for await _ in starts {}
      client.cancel()
      await #expect(throws: (any Error).self) { try await client.value }
      #expect(log.discarded == 1)
    }
  }

  @Test("a session of which no frame can be applied is closed")
  func unusableFrames() async throws {
    let log = Log()
    let play = Play { _, _, writer in
      for frame in 2 ... 6 as ClosedRange<UInt64> {
        var wrong = Wire.StreamLayoutResponse.frame(frame)
        wrong.frame.liveCount = 9
        try await writer.write(wrong)
      }
    }
    try await ScriptedServer.run([Self.answer(play, log)]) { port in
      let problem = await #expect(throws: LayoutProblem.self) {
        try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
          try await client.view(Self.configuration) { viewer in
            while try await viewer.next() != nil {}
          }
        }
      }
      #expect(problem?.code == .dataLoss)
      #expect(log.discarded == 1)
    }
  }

  @Test("notices from before the first frame are told, but not any number of them")
  func earlyNotices() async throws {
    let notices = (0 ..< 100).map { number in
      Wire.StreamLayoutResponse.with { $0.notice.problem.message = "notice \(number)" }
    }
    try await view(Play(greeting: notices) { _, _, _ in }) { viewer, _ in
      let arrivals = try await viewer.settle()
      #expect(arrivals.count == 16)
      guard case .notice("notice 0")? = arrivals.first else {
        Issue.record("\(String(describing: arrivals.first)) is told")
        return
      }
    }
  }

  @Test("a session that is refused for a while is opened after the wait that the server names")
  func refusedOpening() async throws {
    let full = LayoutProblem.quotaExceeded(.sessions, limit: 1, retryDelay: .milliseconds(700))
    let play = Play(refuse: { if $0 == 1 { throw RPCError(full) } }, goOn: { _, _, _ in })
    let start = ContinuousClock.now
    try await view(play) { _, log in
      #expect(log.streams == 2)
      #expect(start.duration(to: .now) >= .milliseconds(700))
    }
  }

  @Test("an event that made sense only in a lost session is refused in the name of that session")
  func lostSession() async throws {
    let play = Play { number, requests, _ in
      guard number == 1 else { return }
      while let request = try await requests.next() {
        if case .measurements = request.event {
          throw RPCError(LayoutProblem.sessionExpired("sessions/1"))
        }
      }
    }
    try await view(play) { viewer, log in
      let report = MeasurementReport(observedFrame: 1, slots: [], sizes: [])
      let problem = await #expect(throws: LayoutProblem.self) {
        try await viewer.perform(.measurements(report))
      }
      #expect(problem?.message.contains("sessions/1") == true)
      #expect(await viewer.session == "sessions/2")
      #expect(log.streams == 2)
    }
  }

  @Test("a viewport change, which has no answer, is not waited for")
  func viewportAnswer() async throws {
    try await view(Play { _, _, _ in }) { viewer, _ in
      let problem = await #expect(throws: LayoutProblem.self) {
        try await viewer.perform(.viewport(ViewportChange(size: Size(width: 90, height: 200))))
      }
      #expect(problem?.message == "viewport changes have no answer to wait for")
      #expect(await viewer.viewport().size.width == 100)
    }
  }

  /// A viewer whose stream has broken, and a sequence that ends once it connects again.
  private static func disconnectedViewer() async -> (LayoutViewer, AsyncStream<Void>) {
    let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
    let viewer = LayoutViewer(
      .init(),
      offset: .zero,
      unitsPerPoint: 64,
      connect: { _ in attempt.finish() }
    )
    await viewer.loseStream()
    return (viewer, attempts)
  }

  @Test("an event of a cancelled call that was not sent is not sent later")
  func withdrawn() async throws {
    let (viewer, attempts) = await Self.disconnectedViewer()
    let call = Task { try await viewer.perform(Self.update) }
    // The call has sent its event and waits for the stream.
    for await _ in attempts {}
    #expect(await viewer.pending[1]?.update != nil)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(await viewer.pending[1] == nil)
  }

  @Test("an attempt to reconnect goes on although the call that waits for it is cancelled")
  func begunAttempt() async throws {
    let (viewer, attempts) = await Self.disconnectedViewer()
    let call = Task { try await viewer.perform(Self.update) }
    while await viewer.pending[1] == nil {}
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    for await _ in attempts {}
    await viewer.close()
    #expect(await viewer.reading == nil)
  }

  @Test("what arrived while a call that was cancelled waited for the answer to a sync is told")
  func cancelledSettling() async throws {
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let play = Play { _, _, writer in
      try await writer.write(.frame(2, after: 1))
      for await _ in permits {}
    }
    try await view(play) { viewer, _ in
      let call = Task { try await viewer.settle() }
      while await viewer.mirror.frameSequence < 2 {}
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      permit.finish()
      guard case .frame(let change)? = try await viewer.next(), change.frame == 2 else {
        Issue.record("the frame is not told")
        return
      }
    }
  }

  @Test("a file with a certificate that cannot be read for a while does not end a viewer or a call")
  func unreadableFile() async throws {
    struct Unreadable: Error {}
    let play = Play { number, _, _ in
      if number == 1 { throw RPCError(code: .unavailable, message: "away") }
    }
    let log = Log()
    try await ScriptedServer.run([Self.answer(play, log)]) { port in
      let transports = Mutex(0)
      let connections = try Connections { _ in
        let number = transports.withLock {
          $0 += 1
          return $0
        }
        if number == 2 { throw Unreadable() }
        return try HTTP2ClientTransport.Posix(
          target: .ipv4(address: "127.0.0.1", port: port),
          transportSecurity: .plaintext
        )
      }
      let serving = Task { await connections.serve() }
      let client = LayoutClient(connections: connections, tokens: nil)
      try await client.view(Self.configuration) { viewer in
        var outcome: LayoutViewer.Continuation?
        while outcome == nil {
          if case .reconnected(let found) = try await viewer.next() { outcome = found }
        }
      }
      #expect(log.streams == 2)
      #expect(transports.withLock { $0 } == 3)
      transports.withLock { $0 = 1 }
      let calls = Mutex(0)
      try await client.retrying { _ in
        let number = calls.withLock {
          $0 += 1
          return $0
        }
        if number < 3 { throw RPCError(code: .unavailable, message: "away") }
      }
      #expect(calls.withLock { $0 } == 3)
      connections.close()
      await serving.value
    }
  }
}

extension LayoutViewer {
  /// As after the end of a stream.
  fileprivate func loseStream() {
    isOnline = true
    take(.with { $0.session = "sessions/a" })
    breakOff("as a test wants")
  }
}

extension RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>.AsyncIterator {
  /// The number of the next update; nil = the stream has ended.
  fileprivate mutating func nextUpdate() async throws -> UInt64? {
    while let request = try await next() {
      if case .update = request.event { return request.eventSeq }
    }
    return nil
  }
}

extension Wire.StreamLayoutResponse {
  /// An empty frame.
  fileprivate static func frame(_ sequence: UInt64, after base: UInt64 = 0) -> Self {
    .with {
      $0.frame.frameSeq = sequence
      $0.frame.baseFrameSeq = base
      $0.frame.elements = .init()
    }
  }

  fileprivate static func applied(_ event: UInt64, version: UInt64 = 0) -> Self {
    .with { $0.eventResult = .with { ($0.eventSeq, $0.dataVersion) = (event, version) } }
  }
}
