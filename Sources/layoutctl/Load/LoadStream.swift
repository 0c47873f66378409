// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession

/// Runs one stream of a load test. It sends the events of its script at the scheduled times and
/// processes messages of the server independently of that.
actor LoadStream {
  struct Plan: Sendable {
    var number: Int
    var behaviour: LoadBehaviour
    var seed: UInt64
    var opensAt: Duration
    /// When the script ends.
    var endsAt: Duration
    var isVerified: Bool
    var editsPerSecond: Double
    var speed: Double
  }

  private let plan: Plan
  private let clock: LoadClock
  private let shard: LoadShard
  private let log: CommitLog
  private var session: LoadSession
  private var seen = SeenVersions()
  private var isOpen = false
  private var isEnding = false

  private static let checkInterval = Duration.seconds(2)
  private static let checkAttempts = 20

  init(_ plan: Plan, subject: LoadSubject, clock: LoadClock, shard: LoadShard, log: CommitLog) {
    self.plan = plan
    self.clock = clock
    self.shard = shard
    self.log = log
    session = LoadSession(subject, seed: plan.seed)
  }

  /// Runs the stream to its end. An error is counted and ends only this stream.
  func run(_ client: LayoutClient) async {
    var error: String?
    do {
      try await clock.sleep(until: plan.opensAt)
      try await stream(client)
      if !isEnding { error = "STREAM_ENDED" }
    } catch let failure as RPCError {
      error = LoadSession.name(of: LayoutProblem(failure))
    } catch is CancellationError {
      error = nil
    } catch let problem as LayoutProblem {
      error = LoadSession.name(of: problem)
    } catch let failure {
      error = "\(type(of: failure))"
    }
    // Errors caused by the cancellation of the run are not the server's.
    if Task.isCancelled { error = nil }
    let late = seen.take(nil, at: clock.now, by: plan.number, from: log)
    let (waits, wasOpen, now) = (session.pending.unanswered, isOpen, clock.now)
    shard.update { [error] statistics in
      for observation in late { statistics.take(observation, at: now) }
      statistics.ended(waits: waits, at: now)
      statistics.streamEnded(error: error, wasOpen: wasOpen)
    }
  }

  private func stream(_ client: LayoutClient) async throws {
    var metadata = Metadata()
    metadata.addString(session.subject.collection, forKey: "x-layout-collection")
    // The stream is unbounded: the schedule determines what is sent, and an open-loop test must not
    // wait for the server.
    let (requests, outbox) = AsyncStream.makeStream(of: Wire.StreamLayoutRequest.self)
    defer { outbox.finish() }
    let (clock, shard) = (clock, shard)
    outbox.yield(session.open(at: clock.now))
    let sending = RequestTask()
    try await client.grpc.bidirectionalStreaming(
      request: StreamingClientRequest(metadata: metadata) { writer in
        try await sending.run {
          for await request in requests { try await writer.write(request) }
        }
      },
      descriptor: CollectionLayout_V1_LayoutSessionService.Method.StreamLayout.descriptor,
      serializer: CountingRequestSerializer { count in
        let now = clock.now
        shard.update { $0.sent(bytes: count, at: now) }
      },
      deserializer: SizedResponseDeserializer(),
      options: .defaults
    ) { response in
      try await sending.endAfter {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await self.act(client, outbox) }
          if self.plan.isVerified { group.addTask { try await self.verifyMeanwhile(client) } }
          for try await response in response.messages {
            if let answer = await self.take(response) { outbox.yield(answer) }
          }
          outbox.finish()
          group.cancelAll()
        }
      }
    }
  }

  // MARK: - Sending

  private func act(
    _ client: LayoutClient,
    _ outbox: AsyncStream<Wire.StreamLayoutRequest>.Continuation
  ) async throws {
    var script = LoadScript(
      plan.behaviour,
      seed: plan.seed,
      editsPerSecond: plan.editsPerSecond,
      speed: plan.speed
    )
    while let step = script.next() {
      let time = plan.opensAt + step.time
      guard time < plan.endsAt else { break }
      try await clock.sleep(until: time)
      guard let request = session.perform(step.action, meantAt: time) else { continue }
      outbox.yield(request)
      let now = clock.now
      shard.update { $0.sent(at: now, meantAt: time, isEdit: step.action == .edit) }
    }
    try await clock.sleep(until: plan.endsAt)
    if plan.isVerified { try await verifyAtEnd(client) }
    isEnding = true
    outbox.yield(session.close())
    outbox.finish()
  }

  // MARK: - Receiving

  private func take(_ response: SizedResponse) -> Wire.StreamLayoutRequest? {
    let now = clock.now
    var observations: [LoadSession.Observation] = []
    let answer = session.take(response.message, at: now) { observations.append($0) }
    for observation in observations {
      switch observation {
      case .opened: isOpen = true
      case .committed(let version, let since):
        log.record(version: version, CommitLog.Entry(stream: plan.number, since: since))
      case .versions(let versions):
        observations += seen.take(versions, at: now, by: plan.number, from: log)
      default: break
      }
    }
    let isFrame = if case .frame = response.message.message { true } else { false }
    shard.update { [observations] statistics in
      statistics.received(bytes: response.byteCount, isFrame: isFrame, at: now)
      for observation in observations { statistics.take(observation, at: now) }
    }
    return answer
  }

  // MARK: - Verifying

  /// Verifies the elements periodically. While edits arrive, a check is conclusive only if none is
  /// committed between the frame and the query.
  private func verifyMeanwhile(_ client: LayoutClient) async throws {
    var next = plan.opensAt + Self.checkInterval
    while next < plan.endsAt {
      try await clock.sleep(until: next)
      let verdict = await check(client)
      let differences = verdict.flatMap { $0.isConclusive ? $0.differences : nil }
      shard.update { $0.checked(differences) }
      next = max(next + Self.checkInterval, clock.now)
    }
  }

  /// Verifies the elements after all scripts have ended, when no edits interfere.
  private func verifyAtEnd(_ client: LayoutClient) async throws {
    var last: Verdict?
    for _ in 0 ..< Self.checkAttempts {
      try await clock.sleep(until: clock.now + .milliseconds(100))
      last = await check(client) ?? last
      if let last, last.isConclusive, last.differences.isEmpty { break }
    }
    let differences = last.flatMap { $0.isConclusive ? $0.differences : nil }
    shard.update { $0.checked(differences) }
  }

  private struct Verdict {
    /// Whether the mirror did not change during the query and has the data version of the answer.
    var isConclusive: Bool
    var differences: [String]
  }

  /// Compares the elements with the answer of QueryElements. A failed query is counted as an error
  /// and does not end the stream.
  ///
  /// - Returns: nil if nothing could be compared.
  private func check(_ client: LayoutClient) async -> Verdict? {
    guard let question = session.question else { return nil }
    do {
      return try await verdict(on: question, client)
    } catch let error as RPCError {
      let name = LoadSession.name(of: LayoutProblem(error))
      if !Task.isCancelled { shard.update { $0.take(.error("QueryElements: \(name)"), at: .zero) } }
    } catch {
      // The collection has more pages than can be read between two edits.
    }
    return nil
  }

  private func verdict(
    on question: (target: Wire.LayoutTarget, rect: Rect),
    _ client: LayoutClient
  ) async throws -> Verdict {
    let mirror = session.mirror
    let (offset, viewport) = (session.offset, session.viewport)
    let expected = try await ElementSet.query(question.target, rect: question.rect, client: client)
    let isUnchanged =
      session.mirror.frameSequence == mirror.frameSequence
      && session.offset == offset && session.viewport == viewport
    var differences = MirrorComparison(
      encoding: session.subject.encoding,
      unitsPerPoint: mirror.unitsPerPoint
    ).differences(mirrored: mirror.elements.values, expected: expected.elements)
    if differences.isEmpty, expected.contentSize != mirror.contentSize {
      differences = ["content \(mirror.contentSize.text) instead of \(expected.contentSize.text)"]
    }
    return Verdict(
      isConclusive: isUnchanged && expected.dataVersion == mirror.dataVersion,
      differences: differences.map {
        "stream \(plan.number), frame \(mirror.frameSequence), version \(mirror.dataVersion): \($0)"
      }
    )
  }
}
