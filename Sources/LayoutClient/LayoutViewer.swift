// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
public import LayoutGeometry
public import LayoutProtocol
public import LayoutSession
internal import SwiftProtobuf

/// One open session: keeps a mirror of the elements, acknowledges frames, answers heartbeats, and
/// comes back with a new stream where one breaks.
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
    /// The stream broke and another one stands; what had not been applied was sent again.
    case reconnected(Continuation)
  }

  /// What is left of the session after the stream broke.
  public enum Continuation: Hashable, Sendable {
    case resumed
    /// A keyframe follows.
    case resumedWithKeyframe
    /// Another session on the same collection: measurements and moves by hand are gone.
    case reset
  }

  public private(set) var mirror: ElementMirror
  /// Where the viewport is, with all adjustments of frames so far.
  public private(set) var offset: Point
  /// "sessions/{session}"
  public private(set) var session = ""
  /// The newest event that was sent.
  public internal(set) var lastEvent: UInt64 = 0

  /// What a new stream is opened with.
  var opening: Wire.OpenSession
  let connect: @Sendable (ViewerLink) -> Void
  var link: ViewerLink
  var inbox: Inbox?
  /// Whether events may go out now; else they wait for the new stream.
  var isOnline = false
  var isClosing = false
  var pending = PendingEvents()
  /// What arrived without being read.
  var arrivals: [Arrival] = []
  var resumeToken: [UInt8] = []
  /// What is to stand where it stood in the session before, until its first frame is here.
  var anchor: ScreenAnchor?
  var backoff = Backoff()
  /// As the server wishes; nil = as the backoff says.
  var reconnectDelay: Duration?

  struct Inbox {
    var iterator: ViewerLink.Responses.AsyncIterator
  }

  /// - Parameter connect: runs the call of a link.
  init(
    _ opening: Wire.OpenSession,
    offset: Point,
    unitsPerPoint: Int,
    connect: @escaping @Sendable (ViewerLink) -> Void
  ) {
    mirror = ElementMirror(unitsPerPoint: unitsPerPoint)
    self.offset = offset
    self.opening = opening
    self.connect = connect
    link = ViewerLink()
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
    note(&request)
    pending.append(request)
    if isOnline { link.send(request) }
    return lastEvent
  }

  /// Keeps what a new stream has to be opened with, and makes sure that an update that is sent twice
  /// is applied once.
  private func note(_ request: inout Wire.StreamLayoutRequest) {
    switch request.event {
    case .viewport(let change): opening.viewport = opening.viewport.merged(with: change)
    case .layout(let change): opening.layout = change.layout
    case .options(let options): opening.options = options
    case .close: isClosing = true
    case .update(let batch) where batch.requestID.isEmpty:
      request.update.requestID =
        String(UInt64.random(in: .min ... .max), radix: 36) + "-"
        + String(UInt64.random(in: .min ... .max), radix: 36)
    default: break
    }
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

  /// Waits for what comes next and takes it in; nil = the session was closed.
  ///
  /// A stream that breaks is replaced, however long that takes.
  /// - Throws: `RPCError` where the server ends the session with a status.
  public func next() async throws -> Arrival? {
    while true {
      if !arrivals.isEmpty { return arrivals.removeFirst() }
      do {
        guard let response = try await read() else { return nil }
        if let arrival = take(response) { return arrival }
      } catch let error as RPCError where !isClosing && session != "" && error.isPassing {
        return .reconnected(try await reconnect())
      }
    }
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
    let first = probe()
    try await read(untilAnswerTo: first, orStateAt: first, into: &arrivals, body)
    // Whatever was held back leaves with the next one at the latest, before the answer to a third.
    for _ in 0 ..< 2 where mirror.appliedEvent < first {
      let next = probe()
      try await read(untilAnswerTo: next, orStateAt: first, into: &arrivals, body)
    }
    return arrivals
  }

  /// An event that changes nothing and is answered.
  private func probe() -> UInt64 {
    var request = Wire.StreamLayoutRequest()
    request.options = opening.options
    return send(request)
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

  private func take(_ response: Wire.StreamLayoutResponse) -> Arrival? {
    switch response.message {
    case .opened(let opened):
      take(opened)
      return nil
    case .frame(let frame): return take(frame)
    case .eventResult(let result):
      guard pending.answered(result.eventSeq, isRefusal: result.hasProblem) else { return nil }
      return result.hasProblem
        ? .eventRefused(sequence: result.eventSeq, problem: LayoutProblem(result.problem))
        : .eventApplied(
          sequence: result.eventSeq,
          dataVersion: result.dataVersion,
          isDuplicate: result.duplicate
        )
    case .scrollTarget(let target):
      guard pending.answered(target.eventSeq, isRefusal: false) else { return nil }
      return .scrollTarget(
        sequence: target.eventSeq,
        offset: Point(x: target.contentOffset.x, y: target.contentOffset.y)
      )
    case .heartbeat(let heartbeat):
      if !heartbeat.resumeToken.isEmpty { resumeToken = Array(heartbeat.resumeToken) }
      pending.applied(heartbeat.appliedEventSeq)
      if mirror.agrees(with: heartbeat) {
        acknowledge()
      } else {
        send(.resync)
      }
      return .heartbeat
    case .notice(let notice):
      guard notice.type == .goingAway else { return .notice(notice.problem.message) }
      let delay = notice.reconnectDelay
      reconnectDelay = .seconds(min(max(delay.seconds, 0), 60)) + .nanoseconds(max(0, delay.nanos))
      return .goingAway
    case nil: return nil
    }
  }

  func take(_ opened: Wire.SessionOpened) {
    link.opens()
    let isNew = opened.session != session
    session = opened.session
    resumeToken = Array(opened.resumeToken)
    let units = Int(clamping: opened.unitsPerPoint)
    if isNew || (units > 0 && units != mirror.unitsPerPoint) {
      mirror = ElementMirror(unitsPerPoint: units > 0 ? units : mirror.unitsPerPoint)
    } else {
      mirror.forgetParts()
    }
    pending.applied(opened.lastEventSeq)
  }

  private func take(_ frame: Wire.LayoutFrame) -> Arrival? {
    do {
      guard var change = try mirror.apply(frame) else { return nil }
      pending.applied(frame.appliedEventSeq)
      offset = offset + change.offsetAdjustment
      acknowledge()
      if let displacement = anchor?.displacement(in: mirror), displacement != .zero {
        change.offsetAdjustment = change.offsetAdjustment + displacement
        scroll(to: offset + displacement)
      }
      anchor = nil
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
    if isOnline { link.send(request) }
  }
}
