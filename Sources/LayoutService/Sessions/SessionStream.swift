// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import Logging

/// Serves one call of StreamLayout: a task that reads, one that writes, and one that sees to it that
/// neither waits for ever.
struct SessionStream: Sendable {
  let services: SessionServices

  func run(
    _ requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
    _ writer: RPCWriter<EncodedResponse>,
    context: CallContext
  ) async throws {
    if services.drain.isDraining { throw LayoutProblem.serverDraining() }
    try await services.sessions.withStream {
      let limits = services.configuration.limits
      let mailbox = SessionMailbox(capacity: limits.waitingEvents)
      let observer = services.drain.observe { mailbox.wake.set() }
      defer { services.drain.remove(observer) }
      try await withRPCCancellationHandler {
        try await serve(requests, SessionWriter(writer), mailbox: mailbox, context: context)
      } onCancelRPC: {
        mailbox.cancel()
      }
    }
  }

  private func serve(
    _ requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
    _ writer: SessionWriter,
    mailbox: SessionMailbox,
    context: CallContext
  ) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        await read(requests, into: mailbox)
        return false
      }
      group.addTask {
        try await drive(mailbox, writer, context: context)
        return true
      }
      group.addTask {
        let limit = services.configuration.timing.write
        await writer.waitForStall(of: limit)
        if Task.isCancelled { return false }
        throw LayoutProblem.slowClient(unacknowledgedFor: limit)
      }
      group.addTask {
        while !mailbox.superseded.isCancelled {
          if Task.isCancelled { return false }
          await mailbox.superseded.wait()
        }
        throw LayoutProblem.superseded
      }
      defer { group.cancelAll() }
      while let isEnd = try await group.next(), !isEnd {}
    }
  }

  // MARK: - Reading

  private func read(
    _ requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
    into mailbox: SessionMailbox
  ) async {
    let limits = services.configuration.limits
    var rate = EventRate(perSecond: limits.eventsPerSecond, burst: limits.eventBurst)
    var isOpen = false
    do {
      for try await request in requests {
        if isOpen {
          await post(request, to: mailbox, rate: &rate)
        } else {
          isOpen = true
          mailbox.open(request)
        }
      }
      mailbox.finish(.finished)
    } catch {
      mailbox.finish(.failed(error))
    }
  }

  private func post(
    _ request: Wire.StreamLayoutRequest,
    to mailbox: SessionMailbox,
    rate: inout EventRate
  ) async {
    // Even an empty request is a sign of life.
    await mailbox.post(request.frameAck ?? FrameAck(sequence: 0))
    guard request.event != nil || request.eventSeq != 0 else { return }
    let seq = request.eventSeq
    if case .open = request.event {
      mailbox.finish(
        .failed(LayoutProblem.protocolViolation("The session is open already."))
      )
      return
    }
    do throws(LayoutProblem) {
      try checkRate(of: request, &rate, mailbox)
      guard let event = try request.sessionEvent(by: services.rules) else { return }
      await mailbox.post(.event(event, seq: seq))
    } catch {
      await mailbox.post(.refused(error, seq: seq))
    }
  }

  /// Changes of the viewport do not count: of those that wait only the newest is worked on, so they
  /// cost no more than the frames that the client acknowledges.
  private func checkRate(
    of request: Wire.StreamLayoutRequest,
    _ rate: inout EventRate,
    _ mailbox: SessionMailbox
  ) throws(LayoutProblem) {
    if case .viewport = request.event { return }
    guard let wait = rate.take(now: .now) else { return }
    mailbox.noteRateLimit()
    throw .quotaExceeded(
      .eventRate,
      limit: UInt64(clamping: services.configuration.limits.eventsPerSecond),
      retryDelay: wait
    )
  }

  // MARK: - Writing

  private func drive(
    _ mailbox: SessionMailbox,
    _ writer: SessionWriter,
    context: CallContext
  ) async throws {
    guard let request = try await firstRequest(mailbox) else { return }
    let opened = try await SessionOpener(services: services, supersede: mailbox.supersede)
      .open(request, context: context)
    let live = opened.live
    let collection = opened.collection
    let subscription = collection?.subscribe { signal in
      switch signal {
      case .changed: mailbox.collectionChanged()
      case .deleted: mailbox.collectionDeleted()
      }
    }
    defer { if let subscription { collection?.unsubscribe(subscription) } }

    var driver = SessionDriver(opened, services: services, mailbox: mailbox, writer: writer)
    do {
      try await driver.run()
      settle(driver, after: nil)
      log(live, context: context, counts: driver.counts, end: "closed")
    } catch {
      let reason = (error as? LayoutProblem)?.reason
      settle(driver, after: reason)
      log(live, context: context, counts: driver.counts, end: reason?.rawValue ?? "connection lost")
      throw error
    }
  }

  /// Keeps the session for a client that may come back, unless it is of no use to it.
  private func settle(_ driver: SessionDriver, after reason: LayoutProblem.Reason?) {
    if driver.isDiscarded || reason == .protocolViolation || reason == .collectionNotFound {
      services.sessions.remove(driver.live)
    } else {
      services.sessions.detach(driver.live, driver.detached)
    }
  }

  /// - Returns: nil where the client went away without a word.
  private func firstRequest(
    _ mailbox: SessionMailbox
  ) async throws -> Wire.StreamLayoutRequest? {
    let limit = services.configuration.timing.open
    let deadline = ContinuousClock.now + limit
    while true {
      let (request, end, isCancelled) = mailbox.takeOpening()
      if let request { return request }
      if services.drain.isDraining { throw LayoutProblem.serverDraining() }
      if case .failed(let error) = end { throw error }
      if isCancelled || Task.isCancelled { return nil }
      if end != nil {
        throw LayoutProblem.protocolViolation("The stream ended before it opened a session.")
      }
      if ContinuousClock.now >= deadline { throw LayoutProblem.openTimeout(after: limit) }
      await mailbox.wake.wait(until: deadline)
    }
  }

  private func log(
    _ session: LiveSession,
    context: CallContext,
    counts: SessionCounts,
    end: String
  ) {
    services.logger.info(
      "session ended",
      metadata: [
        "session": "\(session.name)", "peer": "\(context.peer)", "end": "\(end)",
        "events": "\(counts.events)", "refused": "\(counts.refusedEvents)",
        "frames": "\(counts.frames)", "keyframes": "\(counts.keyframes)",
        "elements": "\(counts.elements)",
      ]
    )
  }
}

extension LayoutProblem {
  /// The end of a stream whose session another stream goes on with.
  fileprivate static var superseded: LayoutProblem {
    var problem = LayoutProblem.sessionExpired("")
    problem.message = "The session was resumed on another stream."
    return problem
  }
}
