// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol
import SwiftProtobuf

/// Plays the steps of a session case over one stream.
struct SessionRunner<Transport: ClientTransport> {
  let client: GRPCClient<Transport>
  let tolerance: Tolerance
  let body: JSON

  func run() async throws {
    let collections = CollectionLayout_V1_CollectionService.Client(wrapping: client)
    var open: CollectionLayout_V1_OpenSession = try (body["open"] ?? body).message()
    if let contents = body["collection"] {
      open.collection = try await collections.createCollection(
        .with { $0.contents = try contents.message() }
      ).collection.name
    }
    if !open.options.hasHeartbeatInterval { open.options.heartbeatInterval.seconds = 5 }
    if !open.hasCapabilities {
      open.capabilities = .with {
        $0.encodings = [.messages]
        $0.animations = true
        $0.itemKeys = true
      }
    }
    let (requests, outbox) = AsyncStream.makeStream(
      of: CollectionLayout_V1_StreamLayoutRequest.self
    )
    let opening = open
    let stub = CollectionLayout_V1_LayoutSessionService.Client(wrapping: client)
    let sending = RequestTask()
    try await stub.streamLayout(
      requestProducer: { writer in
        try await sending.run {
          for await request in requests { try await writer.write(request) }
        }
      },
      onResponse: { response in
        defer { outbox.finish() }
        try await sending.endAfter {
          let inbox = Inbox()
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
              do {
                for try await message in response.messages { await inbox.put(message) }
                await inbox.close(nil)
              } catch {
                await inbox.close(error)
              }
            }
            var play = SessionPlay(
              runner: self,
              inbox: inbox,
              send: { outbox.yield($0) },
              open: opening
            )
            do {
              try await play.run(body)
            } catch {
              group.cancelAll()
              throw error
            }
            group.cancelAll()
          }
        }
      }
    )
    if body["collection"] != nil {
      _ = try await collections.deleteCollection(.with { $0.name = open.collection })
    }
  }
}

/// Responses that have not been read yet.
actor Inbox {
  private var messages: [CollectionLayout_V1_StreamLayoutResponse] = []
  private var ending: Result<Void, any Error>?
  private var waiter: CheckedContinuation<Void, Never>?

  func put(_ message: CollectionLayout_V1_StreamLayoutResponse) {
    messages.append(message)
    wake()
  }

  func close(_ error: (any Error)?) {
    ending = error.map { .failure($0) } ?? .success(())
    wake()
  }

  /// The next response; nil once the stream has ended well or the task is cancelled.
  func next() async throws -> CollectionLayout_V1_StreamLayoutResponse? {
    if messages.isEmpty, ending == nil, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter = $0 }
      } onCancel: {
        Task { await wake() }
      }
    }
    if !messages.isEmpty { return messages.removeFirst() }
    try ending?.get()
    return nil
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }
}

/// The state of one play: what the client holds, and what the running step has seen.
private struct SessionPlay<Transport: ClientTransport> {
  let runner: SessionRunner<Transport>
  let inbox: Inbox
  let send: (CollectionLayout_V1_StreamLayoutRequest) -> Void
  let open: CollectionLayout_V1_OpenSession

  var mirror = SessionMirror()
  var eventSeq: UInt64 = 0
  var session = ""
  var offset = CollectionLayout_V1_Point()
  var viewportSize = CollectionLayout_V1_Size()
  var seen = SeenInStep()

  init(
    runner: SessionRunner<Transport>,
    inbox: Inbox,
    send: @escaping (CollectionLayout_V1_StreamLayoutRequest) -> Void,
    open: CollectionLayout_V1_OpenSession
  ) {
    self.runner = runner
    self.inbox = inbox
    self.send = send
    self.open = open
  }

  mutating func run(_ body: JSON) async throws {
    offset = open.viewport.contentOffset
    viewportSize = open.viewport.size
    let opening = open
    try await begin { $0.open = opening }
    try await settle(body["expect"], label: "open") { $0.mirror.frameCount > 0 }
    for (number, step) in (body["steps"]?.list ?? []).enumerated() {
      do {
        try await play(step)
      } catch let mismatch as Mismatch {
        throw Mismatch("step \(number): \(mismatch)")
      }
    }
    send(
      .with {
        $0.eventSeq = eventSeq + 1
        $0.close = .with { $0.discard = true }
      }
    )
  }

  private mutating func begin(
    _ fill: (inout CollectionLayout_V1_StreamLayoutRequest) throws -> Void
  ) async throws {
    eventSeq += 1
    seen = SeenInStep(
      event: eventSeq,
      slots: mirror.slotsByName,
      dataVersion: mirror.dataVersion
    )
    var request = CollectionLayout_V1_StreamLayoutRequest()
    request.eventSeq = eventSeq
    try fill(&request)
    send(request)
  }

  private mutating func play(_ step: JSON) async throws {
    let expect = step["expect"]
    if let event = step["event"] {
      try await playEvent(event, step, expect)
    } else if let measured = step["measure"] {
      let report = try mirror.measurements(measured.list)
      let frame = mirror.frameSeq
      try await begin {
        $0.measurements = report
        $0.measurements.observedFrameSeq = frame
      }
      try await settle(expect, label: "measure") { $0.seen.isAnswered }
    } else if let target = step["scrollTo"] {
      let element: CollectionLayout_V1_ScrollToElement = try target.message()
      try await begin { $0.scrollTarget.element = element }
      try await settle(nil, label: "scroll target") { $0.seen.scrollTarget != nil }
      let wanted = seen.scrollTarget?.contentOffset ?? offset
      try await move(to: wanted, expect)
    } else if step.has("query") {
      try await playQuery(expect ?? JSON(value: [String: Any]()))
    } else if let batch = step["apply"] {
      seen = SeenInStep(event: 0, slots: mirror.slotsByName, dataVersion: mirror.dataVersion)
      let collections = CollectionLayout_V1_CollectionService.Client(wrapping: runner.client)
      let name = open.collection
      let update: CollectionLayout_V1_UpdateBatch = try batch.message()
      let answer = try await collections.applyUpdates(
        .with {
          $0.name = name
          $0.batch = update
        }
      )
      try await settle(expect, label: "apply") { $0.mirror.dataVersion >= answer.dataVersion }
    } else {
      throw Mismatch("a step of an unknown kind: \(step.keys)")
    }
  }

  /// Asks for all elements of the session. Its newest content size is the query's too, so the frame
  /// that tells it is waited for.
  private mutating func playQuery(_ expect: JSON) async throws {
    let cases = CaseRunner(client: runner.client, tolerance: runner.tolerance)
    let name = session
    if expect["contentSize"] != nil {
      seen = SeenInStep(event: 0, slots: mirror.slotsByName, dataVersion: mirror.dataVersion)
      try await settle(expect.only("contentSize"), label: "query") { _ in true }
    }
    try ElementExpectations(tolerance: runner.tolerance).check(
      expect,
      elements: try await cases.allElements(.with { $0.session = name }),
      contentSize: mirror.contentSize
    )
  }

  private mutating func playEvent(_ event: JSON, _ step: JSON, _ expect: JSON?) async throws {
    var request: CollectionLayout_V1_StreamLayoutRequest = try event.message()
    if step["expectCurrentVersion"]?.bool == true {
      request.update.expectedDataVersion = mirror.dataVersion
    }
    let isViewport = event["viewport"] != nil
    if isViewport {
      if request.viewport.hasContentOffset { offset = request.viewport.contentOffset }
      if request.viewport.hasSize { viewportSize = request.viewport.size }
      request.viewport.observedFrameSeq = mirror.frameSeq
    }
    let fixed = request
    try await begin {
      let seq = $0.eventSeq
      $0 = fixed
      $0.eventSeq = seq
    }
    try await settle(expect, label: "event") {
      isViewport || $0.seen.isAnswered || $0.seen.scrollTarget != nil
    }
  }

  private mutating func move(to wanted: CollectionLayout_V1_Point, _ expect: JSON?) async throws {
    offset = wanted
    let frame = mirror.frameSeq
    try await begin {
      $0.viewport = .with {
        $0.contentOffset = wanted
        $0.observedFrameSeq = frame
      }
    }
    try await settle(expect, label: "scroll") { _ in true }
  }

  /// Reads until the event is answered and the expectation holds.
  ///
  /// - Throws: what does not hold, once the server has nothing more to say or the task is
  ///   cancelled.
  private mutating func settle(
    _ expect: JSON?,
    label: String,
    answered: (SessionPlay) -> Bool
  ) async throws {
    var failure = Mismatch("\(label): not answered")
    while true {
      if answered(self) {
        do {
          try check(expect)
          return
        } catch let mismatch as Mismatch {
          failure = mismatch
        }
      }
      guard seen.heartbeats < 3, let response = try await inbox.next() else { throw failure }
      try take(response)
    }
  }

  private mutating func take(_ response: CollectionLayout_V1_StreamLayoutResponse) throws {
    if case .heartbeat = response.message { seen.heartbeats += 1 } else { seen.heartbeats = 0 }
    switch response.message {
    case .opened(let opened):
      session = opened.session
      mirror.dataVersion = opened.dataVersion
    case .frame(let frame):
      guard try mirror.apply(frame) else { return }
      let adjustment = mirror.lastAdjustment
      offset.x += adjustment.x
      offset.y += adjustment.y
      seen.note(frame, mirror: mirror)
      send(.with { $0.ack.frameSeq = frame.frameSeq })
    case .eventResult(let result):
      if result.eventSeq == seen.event { seen.result = result }
    case .scrollTarget(let target):
      if target.eventSeq == seen.event { seen.scrollTarget = target }
    case .heartbeat:
      send(.with { $0.ack.frameSeq = mirror.frameSeq })
    case .notice, .prefetch, .visibility, .none: break
    }
  }

  private func check(_ expect: JSON?) throws {
    let wanted = expect ?? JSON(value: [String: Any]())
    try checkResult(wanted)
    try ElementExpectations(tolerance: runner.tolerance).check(
      wanted,
      elements: mirror.elements,
      contentSize: mirror.contentSize
    )
    try seen.check(wanted, mirror: mirror, tolerance: runner.tolerance)
    for expected in wanted["centered"]?.list ?? [] {
      let found = try ElementExpectations(tolerance: runner.tolerance)
        .find(expected, in: mirror.elements)
      let center = [offset.x + viewportSize.width / 2, offset.y + viewportSize.height / 2]
      guard closeEnough(found.center, center, runner.tolerance.length) else {
        throw Mismatch("\(found.name) is at \(found.center), expected the middle \(center)")
      }
    }
  }

  private func checkResult(_ expect: JSON) throws {
    let problem = seen.result.flatMap { $0.hasProblem ? $0.problem : nil }
    if let expected = expect["problem"] {
      guard let problem else { throw Mismatch("was not refused") }
      try checkProblem(expected, code: Int(problem.code), reason: problem.reason)
    } else if let problem {
      throw Mismatch("refused: \(problem.reason) \(problem.message)")
    }
    if let expected = expect["duplicate"]?.bool, expected != seen.result?.duplicate ?? false {
      throw Mismatch("duplicate: expected \(expected)")
    }
  }
}
