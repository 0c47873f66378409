// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import Logging

/// Serves one call of StreamLayout: reads the requests and hands them to the session.
struct SessionStream: Sendable {
  let services: SessionServices

  /// Most streams rest here most of the time, so it keeps little: two references and a task.
  func run(
    _ requests: RPCAsyncSequence<StreamRequest, any Error>,
    _ writer: RPCWriter<EncodedResponse>,
    context: CallContext
  ) async throws {
    let runner = try enter(writer)
    defer { services.sessions.leave() }
    // Detached, for it needs nothing of what is bound to this task, all of which would be copied.
    let reader = Task.detached { await read(requests, for: runner, context: context) }
    let failure = await withRPCCancellationHandler {
      await runner.waitForEnd()
    } onCancelRPC: {
      runner.cancel()
    }
    reader.cancel()
    await reader.value
    await runner.waitForWorker()
    settle(runner, after: failure, context: context)
    if let failure { throw failure }
  }

  @inline(never)
  private func enter(_ writer: RPCWriter<EncodedResponse>) throws -> SessionRunner {
    if services.drain.isDraining { throw LayoutProblem.serverDraining() }
    try services.sessions.enter()
    return SessionRunner(writer, services: services)
  }

  /// Keeps the session for a client that may come back, unless it is of no use to it.
  @inline(never)
  private func settle(
    _ runner: SessionRunner,
    after error: (any Error)?,
    context: CallContext
  ) {
    guard let driver = runner.leave() else { return }
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
    _ requests: RPCAsyncSequence<StreamRequest, any Error>,
    for runner: SessionRunner,
    context: CallContext
  ) async {
    var rate = EventRate(services.configuration.limits)
    var isOpen = false
    do {
      for try await request in requests {
        if isOpen {
          let (ack, input) = parts(of: request, for: runner, rate: &rate)
          await runner.receive(ack, input)
        } else {
          isOpen = true
          runner.open(request.message, context: context)
        }
      }
      runner.finishReading(.finished)
    } catch {
      runner.finishReading(.failed(error))
    }
  }

  /// The acknowledgement and the event of a request.
  @inline(never)
  private func parts(
    of request: StreamRequest,
    for runner: SessionRunner,
    rate: inout EventRate
  ) -> (FrameAck, SessionInbox.Input?) {
    // Even an empty request is a sign of life.
    switch request {
    case .scroll(let step):
      let input = step.viewport.map {
        SessionInbox.Input.event(.viewport($0), seq: step.eventSequence)
      }
      return (step.ack ?? FrameAck(sequence: 0), input)
    case .message(let message):
      return (
        message.frameAck ?? FrameAck(sequence: 0), input(of: message, for: runner, rate: &rate)
      )
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
