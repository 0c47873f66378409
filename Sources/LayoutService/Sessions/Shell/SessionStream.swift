// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Logging
internal import ResourceAccounting
internal import SwiftProtobuf

/// Serves one call of StreamLayout: reads the requests and hands them to the session.
struct SessionStream: Sendable {
  let services: SessionServices

  static var method: MethodDescriptor {
    CollectionLayout_V1_LayoutSessionService.Method.StreamLayout.descriptor
  }

  /// Serves the call until the session ends. Most streams are suspended here most of the time, so
  /// this keeps little: two references and a task.
  func run(
    _ requests: RPCAsyncSequence<StreamRequest, any Error>,
    _ writer: RPCWriter<EncodedResponse>,
    lane: StreamLane?,
    context: CallContext
  ) async throws {
    let start = ContinuousClock.now
    let shell = try enter(writer, lane, context)
    // Detached, because it would otherwise copy all task-local values, none of which it needs.
    let reader = Task.detached { await read(requests, for: shell, context: context) }
    let end = await withRPCCancellationHandler {
      await shell.waitForEnd()
    } onCancelRPC: {
      shell.cancel()
    }
    reader.cancel()
    shell.lane?.leave()
    let isOpen = await reader.value
    defer { services.sessions.leave(from: context.peer, isOpen: isOpen) }
    let error = leave(shell, after: end, context: context)
    services.metrics.call(Self.method, took: start.duration(to: .now), error: error)
    shell.trace?.end(error)
    if let error { throw error }
  }

  @inline(never)
  private func enter(
    _ writer: RPCWriter<EncodedResponse>,
    _ lane: StreamLane?,
    _ context: CallContext
  ) throws -> SessionShell {
    let trace = StreamTrace(context, tracer: services.tracer)
    do throws(LayoutProblem) {
      if services.drain.isDraining { throw LayoutProblem.serverDraining() }
      try services.sessions.enter(from: context.peer)
    } catch {
      services.metrics.call(Self.method, took: .zero, error: error)
      trace?.end(error)
      throw error
    }
    let shell = SessionShell(
      writer,
      lane: lane,
      access: context.access,
      peer: context.peer,
      trace: trace,
      services: services
    )
    context.access.onDenial { [reference = shell.reference] in reference.value?.end(.failed($0)) }
    lane?.join(shell)
    return shell
  }

  /// Detaches the session for a client that may come back, or drops it if it cannot be resumed.
  ///
  /// - Returns: the error for the client; nil = the call succeeds.
  @inline(never)
  private func leave(
    _ shell: SessionShell,
    after end: SessionEnd,
    context: CallContext
  ) -> (any Error)? {
    let error = end.error(services.configuration.timing, missedDeadline: context.missedDeadline)
    guard let (core, mail) = shell.takeOut() else { return error }
    let reason = (error as? LayoutProblem)?.reason
    let isDropped =
      core.isDiscarded || mail.discards || end.isFinal || reason == .protocolViolation
      || reason == .collectionNotFound || reason == .quota(.memory)
    if isDropped {
      // Its charges are released before the client learns that the session has ended.
      _ = core.detach()
      services.sessions.remove(core.live)
    } else {
      var session = core.detach()
      session.charge(to: context.peer, services.accounts, name: core.live.name)
      services.sessions.detach(core.live, session, of: context.peer)
    }
    let isLate = (error as? RPCError)?.code == .deadlineExceeded
    let word =
      switch (error, reason) {
      case (nil, _): "closed"
      case (let error?, LayoutProblem.Reason.none?): CallStatus.name(of: error)
      case (_, let reason?): reason.rawValue
      case (_, nil): isLate ? "deadline" : "connection lost"
      }
    services.metrics.sessionEnded(word)
    log(core, context: context, end: word)
    if isDropped, core.collection == nil {
      let bytes = core.byteCount
      services.disposal.letGo(of: core, bytes: bytes)
    }
    return error
  }

  // MARK: - Reading

  /// - Returns: whether there was a first request.
  private func read(
    _ requests: RPCAsyncSequence<StreamRequest, any Error>,
    for shell: SessionShell,
    context: CallContext
  ) async -> Bool {
    let reading = StreamReading(services.configuration.limits)
    do {
      for try await request in requests {
        // The stream is suspended here while it rests, so values needed across an `await` would
        // cost memory.
        if let step = begin(request, for: shell, context: context, reading) {
          await shell.run(from: step)
        } else {
          try await receiveSlowly(request, for: shell, context: context, reading)
        }
        shell.lane?.noteTaken()
      }
      shell.endRequests(.finished)
    } catch {
      shell.endRequests(.failed(error))
    }
    return reading.isOpen
  }

  /// Handles a request as far as possible without waiting.
  ///
  /// - Returns: the next step; nil = the request is large or has new credentials, see
  ///   `receiveSlowly`.
  @inline(never)
  private func begin(
    _ request: StreamRequest,
    for shell: SessionShell,
    context: CallContext,
    _ reading: StreamReading
  ) -> SessionStep? {
    if !reading.isOpen {
      reading.isOpen = true
      services.sessions.open(from: context.peer)
      shell.open(context: context) { try await decoded(request, from: context.peer) }
      return .done
    }
    if request.credentials != nil || request.undecodedBytes != nil { return nil }
    return input(of: request, for: shell, rate: &reading.rate).map { shell.take($0) } ?? .done
  }

  /// Handles new credentials, or a large request.
  @inline(never)
  private func receiveSlowly(
    _ request: StreamRequest,
    for shell: SessionShell,
    context: CallContext,
    _ reading: StreamReading
  ) async throws {
    if let renewal = request.credentials {
      let refusal = refusal(of: renewal, &reading.rate)
      var renewals = reading.renewals
      let input = await renewals.take(renewal, context: context, refusal: refusal)
      reading.renewals = renewals
      await shell.receive(input)
    } else if let bytes = request.undecodedBytes {
      var rate = reading.rate
      defer { reading.rate = rate }
      try await receive(bytes, of: request, for: shell, context: context, rate: &rate)
    }
  }

  /// Decodes a large request on an engine thread, when it is the connection's turn. The memory that
  /// it takes is charged to the connection first, until the lease ends.
  ///
  /// - Returns: the request; no lease if it was decoded on arrival.
  /// - Throws: QUOTA_MEMORY, or the decoding error.
  @inline(never)
  private func decoded(
    _ request: StreamRequest,
    from peer: String
  ) async throws -> (request: Wire.StreamLayoutRequest, lease: Lease?) {
    guard let bytes = request.undecodedBytes else { return (request.message, nil) }
    let lease: Lease
    do throws(LimitExceeded) {
      // Not to a session's or call's account: their limits apply to what they keep.
      lease = try services.accounts.connection(from: peer).charge(bytes.count)
    } catch { throw LayoutProblem(error) }
    let account = services.accounts.call(from: peer)
    do {
      // Never refused: a stream waits with one request at a time, and other clients of the same
      // connection must not end it.
      let message = try await services.engine.performUninterrupted(
        for: account,
        isLimited: false
      ) {
        // Safe: the span lives no longer than the array, which the closure holds.
        let size = unsafe BoundedDecoding.decodedByteCount(
          bytes.span.bytes,
          as: Wire.StreamLayoutRequest.self
        )
        do throws(LimitExceeded) { try lease.adjust(to: size) } catch {
          throw LayoutProblem(error)
        }
        return try request.decoded().message
      }
      return (message, lease)
    } catch {
      lease.end()
      throw error
    }
  }

  /// Hands a large request to the session; returns when the stream may be read on.
  ///
  /// - Throws: as `decoded(_:from:)`.
  @inline(never)
  private func receive(
    _ bytes: [UInt8],
    of undecoded: StreamRequest,
    for shell: SessionShell,
    context: CallContext,
    rate: inout TokenBucket
  ) async throws {
    let (request, lease) = try await decoded(undecoded, from: context.peer)
    defer { lease?.end() }
    guard !isOpening(request, for: shell) else { return }
    var event: SessionInput.Event?
    if request.event != nil || request.eventSeq != 0 {
      let refusal = refusal(of: request, &rate)
      let rules = services.rules
      let account = services.accounts.call(from: context.peer)
      event = try await services.engine.performUninterrupted(for: account, isLimited: false) {
        Self.event(of: request, refusal, by: rules)
      }
    }
    let input = SessionInput(
      ack: request.frameAck ?? FrameAck(sequence: 0),
      event: event,
      wireByteCount: request.hasLayout ? bytes.count : 0,
      isLarge: true
    )
    await shell.receive(input)
  }

  /// Whether a request opens the session a second time, which ends the stream.
  private func isOpening(_ request: Wire.StreamLayoutRequest, for shell: SessionShell) -> Bool {
    guard case .open = request.event else { return false }
    shell.endRequests(.failed(LayoutProblem.protocolViolation("The session is open already.")))
    return true
  }

  /// The request as the session takes it; nil = the stream has to end.
  @inline(never)
  private func input(
    of request: StreamRequest,
    for shell: SessionShell,
    rate: inout TokenBucket
  ) -> SessionInput? {
    // Even an empty request shows that the client is alive.
    switch request {
    case .undecoded: return nil
    case .scroll(let step): return SessionInput(step)
    case .message(let message):
      guard !isOpening(message, for: shell) else { return nil }
      return SessionInput(
        ack: message.frameAck ?? FrameAck(sequence: 0),
        event: event(of: message, rate: &rate),
        wireByteCount: message.layoutByteCount
      )
    }
  }

  /// - Returns: nil = the request is a bare acknowledgement.
  private func event(
    of request: Wire.StreamLayoutRequest,
    rate: inout TokenBucket
  ) -> SessionInput.Event? {
    guard request.event != nil || request.eventSeq != 0 else { return nil }
    return Self.event(of: request, refusal(of: request, &rate), by: services.rules)
  }

  /// - Parameter refusal: why the event is refused in any case; nil = it is not.
  private static func event(
    of request: Wire.StreamLayoutRequest,
    _ refusal: LayoutProblem?,
    by rules: ReadingRules
  ) -> SessionInput.Event? {
    let seq = request.eventSeq
    if case .credentials = request.event {
      return .refused(CredentialsRenewals.tooLong(), seq: seq)
    }
    if let refusal { return .refused(refusal, seq: seq) }
    do throws(LayoutProblem) {
      return try request.sessionEvent(by: rules).map { .event($0, seq: seq) }
    } catch { return .refused(error, seq: seq) }
  }

  /// Counts an event against the rate. Viewport changes do not count: only the newest pending one
  /// is processed, so they cost no more than the frames that the client acknowledges.
  ///
  /// - Returns: QUOTA_EVENT_RATE; nil = the event is within the rate.
  private func refusal(
    of request: Wire.StreamLayoutRequest,
    _ rate: inout TokenBucket
  ) -> LayoutProblem? {
    if case .viewport = request.event { return nil }
    guard let wait = rate.admit(at: services.clock.now) else { return nil }
    return .quotaExceeded(
      .eventRate,
      limit: UInt64(clamping: services.configuration.limits.eventsPerSecond),
      retryDelay: wait
    )
  }

  private func log(_ core: SessionCore, context: CallContext, end: String) {
    let counts = core.counts
    services.logger.info(
      "session ended",
      metadata: [
        "session": "\(core.live.name)", "peer": "\(context.peer)", "end": "\(end)",
        "events": "\(counts.events)", "refused": "\(counts.refusedEvents)",
        "frames": "\(counts.frames)", "keyframes": "\(counts.keyframes)",
        "elements": "\(counts.elements)",
      ]
    )
  }
}

/// What the reader of a stream keeps between requests.
private final class StreamReading {
  var rate: TokenBucket
  var renewals = CredentialsRenewals()
  /// Whether the first request has come.
  var isOpen = false

  init(_ limits: ServerLimits) { rate = TokenBucket(limits) }
}

extension SessionEnd {
  /// The error for the client; nil = the call succeeds.
  ///
  /// - Parameter missedDeadline: the error of a call whose deadline has passed; nil = it has not.
  fileprivate func error(_ timing: ServiceTiming, missedDeadline: RPCError?) -> (any Error)? {
    switch self {
    case .closed: missedDeadline
    case .cancelled:
      missedDeadline ?? RPCError(code: .cancelled, message: "The client has cancelled the call.")
    case .notOpenedInTime: LayoutProblem.openTimeout(after: timing.open)
    case .endedBeforeOpening:
      LayoutProblem.protocolViolation("The stream ended before it opened a session.")
    case .unread: LayoutProblem.slowClient(unreadFor: timing.write)
    case .serverDraining: LayoutProblem.serverDraining()
    case .superseded: LayoutProblem.superseded
    case .endedByOperator(let reason): LayoutProblem.endedByOperator(reason)
    case .failed(let error): error
    }
  }
}

extension Wire.StreamLayoutRequest {
  /// The encoded size of a layout in the request; 0 = there is none.
  ///
  /// Only for small requests, because this encodes the request again.
  fileprivate var layoutByteCount: Int {
    hasLayout ? (try? serializedBytes() as [UInt8])?.count ?? 0 : 0
  }

  fileprivate var hasLayout: Bool {
    switch event {
    case .layout, .transition: true
    default: false
    }
  }
}

extension LayoutProblem {
  /// The end of a session by an operator.
  ///
  /// - Parameter reason: for the client; "" = none is given.
  fileprivate static func endedByOperator(_ reason: String) -> LayoutProblem {
    var problem = LayoutProblem.sessionExpired("")
    problem.message = "An operator ended the session\(reason.isEmpty ? "." : ": \(reason)")"
    return problem
  }

  /// The end of a stream whose session was resumed on another stream.
  static var superseded: LayoutProblem {
    var problem = LayoutProblem.sessionExpired("")
    problem.message = "The session was resumed on another stream."
    return problem
  }
}
