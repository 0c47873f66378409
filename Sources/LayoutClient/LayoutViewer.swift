// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
public import LayoutGeometry
public import LayoutProtocol
public import LayoutSession

/// One open session: keeps a mirror of the elements, acknowledges frames, answers heartbeats.
///
/// Reads only while `next()` is awaited: what the server has sent until then waits in the
/// transport, and the server merges what happens meanwhile.
public actor LayoutViewer {
  /// What came from the server.
  public enum Arrival: Sendable {
    case frame(MirroredChange)
    /// A frame that does not fit what is here; a keyframe follows.
    case frameRejected(sequence: UInt64, fault: MirrorFault)
    case eventRefused(sequence: UInt64, problem: LayoutProblem)
    case eventApplied(sequence: UInt64, dataVersion: UInt64, isDuplicate: Bool)
    case scrollTarget(sequence: UInt64, offset: Point)
    case heartbeat
    case goingAway
    case notice(String)
  }

  public private(set) var mirror: ElementMirror
  /// Where the viewport is, with all adjustments of frames so far.
  public private(set) var offset: Point
  /// "sessions/{session}"
  public private(set) var session = ""
  /// The newest event that was sent.
  public private(set) var lastEvent: UInt64 = 0

  private let options: SessionOptions
  private let outbox: AsyncStream<Wire.StreamLayoutRequest>.Continuation
  private var inbox: Inbox

  private struct Inbox {
    var iterator: RPCAsyncSequence<Wire.StreamLayoutResponse, any Error>.AsyncIterator
  }

  init(
    offset: Point,
    unitsPerPoint: Int,
    options: SessionOptions,
    outbox: AsyncStream<Wire.StreamLayoutRequest>.Continuation,
    messages: RPCAsyncSequence<Wire.StreamLayoutResponse, any Error>
  ) {
    mirror = ElementMirror(unitsPerPoint: unitsPerPoint)
    self.offset = offset
    self.options = options
    self.outbox = outbox
    inbox = Inbox(iterator: messages.makeAsyncIterator())
  }

  // MARK: - Sending

  /// Sends an event; its fate arrives later.
  ///
  /// - Returns: its number; nil for an event that has no message.
  @discardableResult
  public func send(_ event: SessionEvent) -> UInt64? {
    guard let request = Wire.StreamLayoutRequest(eventSequence: lastEvent + 1, event) else {
      return nil
    }
    return send(request)
  }

  @discardableResult
  package func send(_ request: Wire.StreamLayoutRequest) -> UInt64 {
    lastEvent += 1
    var request = request
    request.eventSeq = lastEvent
    outbox.yield(request)
    return lastEvent
  }

  /// Reports that the viewport is somewhere else now.
  @discardableResult
  public func scroll(to offset: Point, velocity: Point? = nil) -> UInt64? {
    self.offset = offset
    return send(
      .viewport(
        ViewportChange(observedFrame: mirror.frameSequence, offset: offset, velocity: velocity)
      )
    )
  }

  // MARK: - Receiving

  /// Waits for what comes next and takes it in; nil = the stream has ended.
  ///
  /// - Throws: `RPCError` where the server ends the stream with a status.
  public func next() async throws -> Arrival? {
    while let response = try await read() {
      if let arrival = take(response) { return arrival }
    }
    return nil
  }

  /// Reads until the mirror reflects all that was sent before, whatever the server merged.
  ///
  /// There are frames for changes only, so their absence says nothing. But a frame leaves with the
  /// answers to the events that it reflects, unless frames wait to be acknowledged; and when the
  /// first answer is here, all frames before it are. So it takes two events that change nothing.
  /// - Parameter body: is told of each arrival while the mirror is as that arrival left it.
  /// - Returns: what arrived meanwhile, the answers to those two left out.
  /// - Throws: `RPCError` where the server ends the stream; what `body` throws.
  @discardableResult
  public func settle(
    _ body: @Sendable (Arrival) async throws -> Void = { _ in }
  ) async throws -> [Arrival] {
    var arrivals: [Arrival] = []
    let first = send(.options(options)) ?? lastEvent
    try await read(untilAnswerTo: first, orStateAt: first, into: &arrivals, body)
    // Whatever was held back leaves with the next one at the latest, before the answer to a third.
    for _ in 0 ..< 2 where mirror.appliedEvent < first {
      let next = send(.options(options)) ?? lastEvent
      try await read(untilAnswerTo: next, orStateAt: first, into: &arrivals, body)
    }
    return arrivals
  }

  private func read(
    untilAnswerTo event: UInt64,
    orStateAt state: UInt64,
    into arrivals: inout [Arrival],
    _ body: @Sendable (Arrival) async throws -> Void
  ) async throws {
    while let arrival = try await next() {
      switch arrival {
      case .eventApplied(event, _, _), .eventRefused(event, _): return
      default:
        arrivals.append(arrival)
        try await body(arrival)
      }
      if mirror.appliedEvent >= state { return }
    }
    throw RPCError(code: .unavailable, message: "the stream ended before an event was answered")
  }

  /// Sends an event and reads until its fate is known.
  ///
  /// - Throws: `LayoutProblem` where it is refused.
  /// - Returns: the data version after an update.
  @discardableResult
  public func perform(_ event: SessionEvent) async throws -> UInt64 {
    guard let sequence = send(event) else {
      throw LayoutProblem.featureUnsupported("an event without a message")
    }
    while let arrival = try await next() {
      switch arrival {
      case .eventApplied(sequence, let version, _): return version
      case .eventRefused(sequence, let problem): throw problem
      default: continue
      }
    }
    throw RPCError(code: .unavailable, message: "the stream ended before the event was answered")
  }

  func close() {
    send(.close(discard: true))
    outbox.finish()
  }

  private func read() async throws -> Wire.StreamLayoutResponse? {
    // The iterator is moved out while it waits: an actor's state cannot be borrowed meanwhile.
    var current = inbox
    let response = try await current.iterator.next(isolation: self)
    inbox = current
    return response
  }

  private func take(_ response: Wire.StreamLayoutResponse) -> Arrival? {
    switch response.message {
    case .opened(let opened):
      session = opened.session
      let units = Int(clamping: opened.unitsPerPoint)
      if units > 0, units != mirror.unitsPerPoint { mirror = ElementMirror(unitsPerPoint: units) }
      return nil
    case .frame(let frame): return take(frame)
    case .eventResult(let result):
      return result.hasProblem
        ? .eventRefused(sequence: result.eventSeq, problem: LayoutProblem(result.problem))
        : .eventApplied(
          sequence: result.eventSeq,
          dataVersion: result.dataVersion,
          isDuplicate: result.duplicate
        )
    case .scrollTarget(let target):
      return .scrollTarget(
        sequence: target.eventSeq,
        offset: Point(x: target.contentOffset.x, y: target.contentOffset.y)
      )
    case .heartbeat(let heartbeat):
      if mirror.agrees(with: heartbeat) {
        acknowledge()
      } else {
        send(.resync)
      }
      return .heartbeat
    case .notice(let notice):
      return notice.type == .goingAway ? .goingAway : .notice(notice.problem.message)
    case nil: return nil
    }
  }

  private func take(_ frame: Wire.LayoutFrame) -> Arrival? {
    do {
      guard let change = try mirror.apply(frame) else { return nil }
      offset = offset + change.offsetAdjustment
      acknowledge()
      return .frame(change)
    } catch {
      acknowledge(FrameAck(sequence: frame.frameSeq, isRejected: true))
      return .frameRejected(sequence: frame.frameSeq, fault: error)
    }
  }

  private func acknowledge() {
    acknowledge(
      FrameAck(sequence: mirror.frameSequence, stateChecksum: mirror.stateChecksum)
    )
  }

  private func acknowledge(_ ack: FrameAck) {
    var request = Wire.StreamLayoutRequest()
    request.ack = Wire.FrameAck(ack)
    outbox.yield(request)
  }
}

extension LayoutClient {
  /// Opens a session, waits for the first frame, and runs `body` with its viewer.
  ///
  /// - Throws: `LayoutProblem` where the server refuses; what `body` throws.
  public func view<Result: Sendable>(
    _ configuration: ViewerConfiguration,
    _ body: @Sendable @escaping (LayoutViewer) async throws -> Result
  ) async throws -> Result {
    var opening = Wire.StreamLayoutRequest()
    opening.open = try configuration.openSession()
    var metadata = Metadata()
    if let key = configuration.routingKey { metadata.addString(key, forKey: "x-layout-collection") }
    // What a viewer sends is small, and each message answers something: it needs no bound.
    let (requests, outbox) = AsyncStream.makeStream(of: Wire.StreamLayoutRequest.self)
    do {
      return try await sessions.streamLayout(
        metadata: metadata,
        requestProducer: { writer in
          for await request in requests { try await writer.write(request) }
        },
        onResponse: { [opening] response in
          defer { outbox.finish() }
          let viewer = LayoutViewer(
            offset: configuration.viewport.offset ?? .zero,
            unitsPerPoint: configuration.capabilities.unitsPerPoint,
            options: configuration.options,
            outbox: outbox,
            messages: response.messages
          )
          await viewer.send(opening)
          while await viewer.mirror.frameSequence == 0 {
            guard try await viewer.next() != nil else {
              throw RPCError(code: .unavailable, message: "the stream ended before the first frame")
            }
          }
          let result = try await body(viewer)
          await viewer.close()
          return result
        }
      )
    } catch let error as RPCError {
      throw LayoutProblem(error)
    }
  }
}
