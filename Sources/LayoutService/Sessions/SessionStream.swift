// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import Logging

/// Serves one call of StreamLayout: reads the requests and hands them to the session.
struct SessionStream: Sendable {
  let services: SessionServices

  func run(
    _ requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
    _ writer: RPCWriter<EncodedResponse>,
    context: CallContext
  ) async throws {
    if services.drain.isDraining { throw LayoutProblem.serverDraining() }
    try await services.sessions.withStream {
      let runner = SessionRunner(writer, services: services)
      let observer = services.drain.observe { [weak runner] in runner?.drain() }
      defer { services.drain.remove(observer) }
      try await withRPCCancellationHandler {
        try await serve(requests, by: runner, context: context)
      } onCancelRPC: {
        runner.cancel()
      }
    }
  }

  private func serve(
    _ requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
    by runner: SessionRunner,
    context: CallContext
  ) async throws {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await read(requests, for: runner, context: context) }
        defer { group.cancelAll() }
        try await runner.waitForEnd()
      }
    } catch {
      await settle(runner, after: error, context: context)
      throw error
    }
    await settle(runner, after: nil, context: context)
  }

  /// Keeps the session for a client that may come back, unless it is of no use to it.
  private func settle(
    _ runner: SessionRunner,
    after error: (any Error)?,
    context: CallContext
  ) async {
    guard let driver = await runner.leave() else { return }
    let reason = (error as? LayoutProblem)?.reason
    if driver.isDiscarded || reason == .protocolViolation || reason == .collectionNotFound {
      services.sessions.remove(driver.live)
    } else {
      services.sessions.detach(driver.live, driver.detached)
    }
    let end = error == nil ? "closed" : reason?.rawValue ?? "connection lost"
    log(driver, context: context, end: end)
  }

  // MARK: - Reading

  private func read(
    _ requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
    for runner: SessionRunner,
    context: CallContext
  ) async {
    let limits = services.configuration.limits
    var rate = EventRate(perSecond: limits.eventsPerSecond, burst: limits.eventBurst)
    var isOpen = false
    do {
      for try await request in requests {
        if isOpen {
          // Even an empty request is a sign of life.
          let ack = request.frameAck ?? FrameAck(sequence: 0)
          await runner.receive(ack, input(of: request, for: runner, rate: &rate))
        } else {
          isOpen = true
          runner.open(request, context: context)
        }
      }
      runner.finishReading(.finished)
    } catch {
      runner.finishReading(.failed(error))
    }
  }

  /// nil = the request is a bare acknowledgement, or one that is not to be.
  private func input(
    of request: Wire.StreamLayoutRequest,
    for runner: SessionRunner,
    rate: inout EventRate
  ) -> SessionInbox.Input? {
    guard request.event != nil || request.eventSeq != 0 else { return nil }
    let seq = request.eventSeq
    if case .open = request.event {
      runner.finishReading(
        .failed(LayoutProblem.protocolViolation("The session is open already."))
      )
      return nil
    }
    do throws(LayoutProblem) {
      try checkRate(of: request, &rate, runner)
      return try request.sessionEvent(by: services.rules).map { .event($0, seq: seq) }
    } catch {
      return .refused(error, seq: seq)
    }
  }

  /// Changes of the viewport do not count: of those that wait only the newest is worked on, so they
  /// cost no more than the frames that the client acknowledges.
  private func checkRate(
    of request: Wire.StreamLayoutRequest,
    _ rate: inout EventRate,
    _ runner: SessionRunner
  ) throws(LayoutProblem) {
    if case .viewport = request.event { return }
    guard let wait = rate.take(now: .now) else { return }
    runner.noteRateLimit()
    throw .quotaExceeded(
      .eventRate,
      limit: UInt64(clamping: services.configuration.limits.eventsPerSecond),
      retryDelay: wait
    )
  }

  private func log(_ driver: SessionDriver, context: CallContext, end: String) {
    let counts = driver.counts
    services.logger.info(
      "session ended",
      metadata: [
        "session": "\(driver.live.name)", "peer": "\(context.peer)", "end": "\(end)",
        "events": "\(counts.events)", "refused": "\(counts.refusedEvents)",
        "frames": "\(counts.frames)", "keyframes": "\(counts.keyframes)",
        "elements": "\(counts.elements)",
      ]
    )
  }
}

extension LayoutProblem {
  /// The end of a stream whose session another stream goes on with.
  static var superseded: LayoutProblem {
    var problem = LayoutProblem.sessionExpired("")
    problem.message = "The session was resumed on another stream."
    return problem
  }
}
