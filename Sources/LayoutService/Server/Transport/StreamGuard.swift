// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Keeps one call within its limits. It stands between HTTP/2 and the gRPC library.
///
/// It refuses headers on which the library would trap, messages that announce too many bytes, and
/// requests that do not arrive; it ends calls whose answers are not read. It hands on many small
/// messages a few at a time, as fast as they are read. It is one end of a layout stream's lane.
final class StreamGuard: ChannelDuplexHandler, TakesMessages {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = HTTP2Frame.FramePayload
  typealias OutboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  /// Writes of at least this many bytes are followed until they are sent; smaller ones fit into
  /// what HTTP/2 buffers of a stream anyway. The connection counts the ends of calls.
  private static let followedBytes = 8192

  /// How long a client may take to end its side of a call that is over.
  private static let afterEnd = TimeAmount.seconds(1)

  private let connection: ConnectionGuard
  private let begin = NIODeadline.now()
  /// The index of the call among those of its connection.
  var position = -1
  private var context: ChannelHandlerContext?

  private var meter: MessageMeter
  /// Bytes of unfinished messages that are not counted, as they were dropped when the call was
  /// refused because of them.
  private var refusedBytes = 0
  private var shape = CallShape.conversation
  private var hasBegun = false
  /// By which the call's handler finds its stream; nil = nothing was handed on.
  private var number: UInt64?
  /// nil = this is no layout stream.
  private var lane: StreamLane?
  /// How many messages went through the lane.
  private var laneCount = 0
  /// The number of the HTTP/2 stream; nil = the call is not part of a connection.
  private var stream: UInt32?
  /// The bytes of DATA that HTTP/2 handed on.
  private(set) var readBytes = 0
  /// Whether the lane, and the handlers behind, got something in this reading.
  private var (tookLane, handedOn) = (false, false)
  /// How many messages were handed on in this reading.
  private var messagesInReading = 0
  private var clientHasEnded = false
  private var hasSentHeaders = false
  /// Whether the end of the answer was written, though perhaps not sent.
  private var isEnding = false
  /// Whether the guard has ended the call: nothing passes any more.
  private var isOver = false
  /// Whether the end of the answer was sent.
  private var hasSentEnd = false
  private var unreadBytes = 0
  private var sentWrites = 0
  /// When the client gives up; nil = never, or a timer is set.
  private var deadline: NIODeadline?

  /// What waits to be handed on.
  private var held = HeldFrames()
  /// Whether the handlers behind want more.
  private var isWanted = false
  /// Whether something is handed on in the next round of the event loop.
  private var isScheduled = false

  private var request = Stillness()
  private var answer = Stillness()
  private var rest = Stillness()

  init(connection: ConnectionGuard) {
    self.connection = connection
    meter = MessageMeter(limit: connection.transport.messageBytes)
  }

  // MARK: Beginning and end

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connection.began(self)
    // Only streams of a connection have a number.
    guard context.channel.parent != nil,
      let id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID),
      let number = UInt32(exactly: Int(id))
    else { return }
    stream = number
    connection.setReader(self, of: number)
  }

  func channelInactive(context: ChannelHandlerContext) {
    // The call is over, and nobody needs what has not been read.
    drop()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    drop()
    lane?.noteEnd()
    _ = connection.addUnfinished(refusedBytes - meter.unfinishedBytes)
    connection.ended(self)
    if let stream {
      connection.setTaker(nil, of: stream)
      connection.setReader(nil, of: stream)
    }
    if let number { connection.transport.streams.end(number, isComplete: isEnding && !isOver) }
    self.context = nil
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let payload = unwrapInboundIn(data)
    if case .data(let part) = payload { readBytes += part.data.readableBytes }
    guard !isOver else { return }
    switch payload {
    case .headers(let headers): receive(headers, context: context)
    case .data(let part): receive(part, data, context: context)
    default: handOn(payload, context: context)
    }
  }

  private func receive(
    _ part: HTTP2Frame.FramePayload.Data,
    _ data: NIOAny,
    context: ChannelHandlerContext
  ) {
    if part.endStream { clientHasEnded = true }
    let isInMessage = meter.unfinishedBytes > 0
    guard case .byteBuffer(let bytes) = part.data, let (messages, units) = receive(bytes) else {
      return
    }
    if let problem = problemOfRequest { return refuse(problem) }
    // One reading can bring many frames with few messages each.
    guard held.isEmpty, messagesInReading + messages <= HeldFrames.fewMessages else {
      return hold { $0.append(bytes, isLast: part.endStream, messages: messages, units: units) }
    }
    let isOne = messages == 1 && !isInMessage && meter.unfinishedBytes == 0
    if isOne, !part.endStream, takeLane(bytes) { return connection.countPieces(units) }
    connection.countPieces(units + messages)
    messagesInReading += messages
    handedOn = true
    context.fireChannelRead(data)
  }

  /// The handlers behind need not know of a reading of which the lane has taken everything.
  func channelReadComplete(context: ChannelHandlerContext) {
    let isForLane = tookLane && !handedOn
    (tookLane, handedOn, messagesInReading) = (false, false, 0)
    if !isForLane { context.fireChannelReadComplete() }
    connection.noteRead()
  }

  /// Hands one whole message to the session.
  ///
  /// - Returns: false = it has to take the long way.
  private func takeLane(_ message: ByteBuffer) -> Bool {
    let before = meter.messageCount - laneCount - 1
    guard let lane, lane.take(message, after: before) else { return false }
    laneCount += 1
    tookLane = true
    return true
  }

  /// Hands one whole message to the session that comes past the HTTP/2 handler.
  func take(_ data: ByteBuffer) -> Bool {
    // A full lane sends the next message the long way, where it waits, and asks again after that.
    guard !isOver, !clientHasEnded, held.isEmpty, let lane, !lane.isFull, meter.isNext(data),
      lane.take(data, after: meter.messageCount - laneCount)
    else { return false }
    meter.noteWhole()
    laneCount += 1
    return true
  }

  /// Hands on a frame without DATA, behind what waits.
  private func handOn(_ payload: HTTP2Frame.FramePayload, context: ChannelHandlerContext) {
    guard held.isEmpty else { return hold { $0.append(payload) } }
    handedOn = true
    context.fireChannelRead(wrapInboundOut(payload))
  }

  func refuseUnfinished(limit: Int) {
    guard !isOver else { return }
    connection.transport.log.count(.unfinished)
    refuse(.tooMuchUnfinished(limit: limit))
  }

  /// Adds frames to those that wait. What they take counts as unfinished.
  private func hold(_ append: (inout HeldFrames) -> Void) {
    let before = held.byteCount
    append(&held)
    guard let limit = connection.addUnfinished(held.byteCount - before) else { return }
    refuseUnfinished(limit: limit)
  }

  func read(context: ChannelHandlerContext) {
    guard !held.isEmpty else { return context.read() }
    isWanted = true
    handOnLater()
  }

  /// Hands on what waits in the next round, so that other connections have their turn before. Call
  /// this when the connection's pause is over.
  func handOnLater() {
    guard isWanted, !isScheduled, !held.isEmpty, !connection.isPaused, let context else { return }
    isScheduled = true
    connection.transport.later(on: context.eventLoop).add {
      self.isScheduled = false
      self.handOnHeld()
    }
  }

  private func handOnHeld() {
    guard isWanted, !connection.isPaused, let context else { return }
    let before = held.byteCount
    guard let piece = held.next() else { return }
    isWanted = false
    _ = connection.addUnfinished(held.byteCount - before)
    connection.countPieces(piece.units)
    context.fireChannelRead(wrapInboundOut(piece.payload))
    context.fireChannelReadComplete()
    guard self.context != nil, context.channel.isActive else { return }
    // From the end of the pipeline, whose handler says whether it has room.
    context.channel.read()
  }

  /// Drops what waits.
  private func drop() {
    guard !held.isEmpty else { return }
    _ = connection.addUnfinished(-held.byteCount)
    held.removeAll()
  }

  private func receive(
    _ frame: HTTP2Frame.FramePayload.Headers,
    context: ChannelHandlerContext
  ) {
    if frame.endStream { clientHasEnded = true }
    guard !hasBegun else { return handOn(.headers(frame), context: context) }
    hasBegun = true
    if let problem = RequestHeaders.problem(frame.headers, limit: HeaderRoom.callBytes) {
      return refuse(problem)
    }
    if let path = frame.headers.first(name: ":path") {
      shape = connection.transport.calls[path]
      if path == Self.lanePath, let lanes = connection.lanes {
        lane = StreamLane(self, on: lanes)
        // HTTP/2 compares the length with what it hands on.
        if let stream, !frame.headers.contains(name: "content-length") {
          connection.setTaker(self, of: stream)
        }
      }
    }
    var begin = frame
    if let timeout = CallTimeout.take(from: &begin.headers) { setDeadline(after: timeout) }
    number = connection.transport.streams.begin(&begin.headers, lane: lane)
    guard frame.endStream else { return context.fireChannelRead(wrapInboundOut(.headers(begin))) }
    if let problem = problemOfRequest { return refuse(problem) }
    // The library misses an end that comes with the headers, and the call would never end.
    begin.endStream = false
    context.fireChannelRead(wrapInboundOut(.headers(begin)))
    let end = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
    context.fireChannelRead(wrapInboundOut(.data(end)))
  }

  private static let lanePath = "/\(SessionStream.method.fullyQualifiedMethod)"

  /// What is wrong with the messages so far; the library would report an internal error.
  private var problemOfRequest: LayoutProblem? {
    if clientHasEnded, meter.unfinishedBytes > 0 { return .callInvalid("ends within a message") }
    guard shape == .single else { return nil }
    if meter.messageCount > 1 { return .callInvalid("has more than one message") }
    return clientHasEnded && meter.messageCount == 0 ? .callInvalid("has no message") : nil
  }

  /// DATA of fewer bytes has a cost if it leaves a message unfinished, and so have smaller
  /// messages.
  private static let smallPiece = 1024
  /// The cost of a piece of a message, in frames: both the event loop and the call process it.
  private static let pieceUnits = 5
  /// The cost of a conversation's message that comes together with others, besides that of each
  /// message that takes the long way.
  private static let messageUnits = 2

  /// - Returns: how many messages end in the bytes, and their cost; nil = the call was refused.
  private func receive(_ bytes: ByteBuffer) -> (messages: Int, units: Int)? {
    let (before, messagesBefore) = (meter.unfinishedBytes, meter.messageCount)
    do { try meter.read(bytes) } catch {
      _ = connection.addUnfinished(meter.unfinishedBytes - before)
      switch error {
      case .tooLarge(let found):
        refuse(.messageTooLarge(found: found, limit: connection.transport.messageBytes))
      case .compressed(let flag):
        refuse(
          .callInvalid(
            "has a compressed message (its first byte is \(flag)), though its grpc-encoding is identity"
          )
        )
      }
      return nil
    }
    let messages = meter.messageCount - messagesBefore
    let cost = (messages, units(of: bytes.readableBytes, messages))
    let change = meter.unfinishedBytes - before
    guard change != 0, let limit = connection.addUnfinished(change), change > 0 else { return cost }
    _ = connection.addUnfinished(-change)
    refusedBytes = change
    refuseUnfinished(limit: limit)
    return nil
  }

  /// The cost of DATA, in frames.
  ///
  /// - Parameter messages: how many messages end in it.
  private func units(of bytes: Int, _ messages: Int) -> Int {
    let pieces = meter.unfinishedBytes > 0 && bytes < Self.smallPiece ? Self.pieceUnits : 0
    let large = bytes / Self.smallPiece
    switch shape {
    case .single: return pieces
    case .messages: return pieces + max(0, messages - large) * Self.pieceUnits
    case .conversation: return pieces + max(0, messages - large - 1) * Self.messageUnits
    }
  }

  // MARK: Sending

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isOver else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .headers(let headers):
      hasSentHeaders = true
      guard headers.endStream else { return context.write(data, promise: promise) }
      isEnding = true
      context.write(data, promise: clientHasEnded ? promise : watchEnd(promise, context))
    case .data(let part):
      lane?.noteWritten(part.data.readableBytes)
      write(part, data, promise, context: context)
      // The library flushes a single answer with the trailers, which it writes once there is room.
      // If the connection has no room now, the answer itself would keep the call from having any.
      if self.context != nil, !context.channel.isWritable { context.flush() }
    default: context.write(data, promise: promise)
    }
  }

  /// Writes and flushes whole messages of the lane.
  func write(_ messages: ByteBuffer) {
    guard !isOver, !isEnding, let context else { return }
    let part = HTTP2Frame.FramePayload.Data(data: .byteBuffer(messages))
    write(part, wrapOutboundOut(.data(part)), nil, context: context)
    context.flush()
  }

  private func write(
    _ part: HTTP2Frame.FramePayload.Data,
    _ data: NIOAny,
    _ promise: EventLoopPromise<Void>?,
    context: ChannelHandlerContext
  ) {
    let count = part.data.readableBytes
    guard count >= Self.followedBytes else { return context.write(data, promise: promise) }
    follow(count, data, promise, context: context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    lane?.noteWritable(context.channel.isWritable)
    context.fireChannelWritabilityChanged()
  }

  /// Notes when the end of the answer was sent.
  private func watchEnd(
    _ promise: EventLoopPromise<Void>?,
    _ context: ChannelHandlerContext
  ) -> EventLoopPromise<Void> {
    let promise = promise ?? context.eventLoop.makePromise()
    promise.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.hasSentEnd = true }
    return promise
  }

  private func follow(
    _ count: Int,
    _ data: NIOAny,
    _ promise: EventLoopPromise<Void>?,
    context: ChannelHandlerContext
  ) {
    let promise = promise ?? context.eventLoop.makePromise()
    unreadBytes += count
    let hasRoom = connection.addUnread(count)
    promise.futureResult.assumeIsolated().whenComplete { [connection] _ in
      _ = connection.addUnread(-count)
      self.unreadBytes -= count
      self.sentWrites += 1
    }
    guard hasRoom else {
      connection.transport.log.note(
        .unread,
        reason: "too many bytes of answers wait to be read",
        // Not the context's, which traps on the channel of a stream.
        address: context.channel.remoteAddress
      )
      promise.fail(ChannelError.ioOnClosedChannel)
      return reset(.enhanceYourCalm)
    }
    context.write(data, promise: promise)
  }

  /// Ends the call with a status.
  private func refuse(_ problem: LayoutProblem) {
    guard !isOver, let context else { return }
    guard !isEnding else { return reset(.noError) }
    let headers = HPACKHeaders(problem, followHeaders: hasSentHeaders)
    (isOver, isEnding) = (true, true)
    stopHandingOn()
    context.writeAndFlush(
      wrapOutboundOut(.headers(.init(headers: headers, endStream: true))),
      promise: watchEnd(nil, context)
    )
  }

  /// Drops what waits. What the client still sends is read and ignored.
  private func stopHandingOn() {
    drop()
    if isWanted, let context, context.channel.isActive { context.read() }
    isWanted = false
  }

  /// Ends the call at once.
  private func reset(_ error: HTTP2ErrorCode) {
    (isOver, hasSentEnd) = (true, false)
    stopHandingOn()
    guard let context, context.channel.isActive else { return }
    context.writeAndFlush(wrapOutboundOut(.rstStream(error)), promise: nil)
  }

  // MARK: Time

  /// Whether the call began within `limit` and its answer has not ended, in case it ends now.
  func isGivenUp(within limit: TimeAmount, at now: NIODeadline) -> Bool {
    !isEnding && now - begin < limit
  }

  /// A timer is set only for deadlines this near, because it stays until then even if the call ends
  /// earlier.
  private static let nearDeadline = TimeAmount.seconds(1)
  /// Longer timeouts are treated as this one.
  private static let longestTimeout = Duration.seconds(365 * 24 * 60 * 60)

  private func setDeadline(after timeout: Duration) {
    let now = NIODeadline.now()
    deadline = now + TimeAmount(min(timeout, Self.longestTimeout))
    watchDeadline(at: now)
  }

  /// Sets a timer if the deadline is near. Call this more often than once per `nearDeadline`.
  func watchDeadline(at now: NIODeadline) {
    guard let deadline, let context, deadline - now <= Self.nearDeadline else { return }
    self.deadline = nil
    context.eventLoop.assumeIsolated().scheduleTask(in: max(.zero, deadline - now)) { [weak self] in
      self?.missDeadline()
    }
  }

  private func missDeadline() {
    guard !isEnding, let context else { return }
    refuse(.deadlineExceeded())
    // On this event the gRPC library cancels the call's work.
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  /// Ends the call if it has waited too long for its client.
  ///
  /// - Parameter now: a time that stands still while the server does not look.
  func check(at now: NIODeadline) {
    watchDeadline(at: .now())
    let transport = connection.transport
    if request.lasts(
      longer: TimeAmount(transport.limits.request),
      progress: isWaitingForRequest ? meter.messageCount : nil,
      at: now
    ) {
      transport.log.count(.unfinished)
      refuse(.requestTimeout(after: transport.limits.request))
    }
    if answer.lasts(
      longer: transport.write,
      progress: isEnding || unreadBytes > 0 ? sentWrites : nil,
      at: now
    ) {
      transport.log.count(.unread)
      reset(.cancel)
    }
    // The client has all of the answer (RFC 9113 §8.1). It is not reset at once: what it sent
    // before it knew is still in flight, and HTTP/2 allows that only for a call that has not been
    // reset.
    if rest.lasts(longer: Self.afterEnd, progress: hasSentEnd && !clientHasEnded ? 0 : nil, at: now)
    {
      reset(.noError)
    }
  }

  private var isWaitingForRequest: Bool {
    guard !clientHasEnded, !isOver else { return false }
    switch shape {
    case .single, .messages: return true
    case .conversation: return meter.messageCount == 0 || meter.unfinishedBytes > 0
    }
  }
}

extension LayoutProblem {
  /// The request did not arrive completely in time.
  fileprivate static func requestTimeout(after limit: Duration) -> LayoutProblem {
    LayoutProblem(
      code: .deadlineExceeded,
      reason: .openTimeout,
      message: "The request did not arrive whole within \(limit)."
    )
  }

  /// The client's deadline has passed.
  fileprivate static func deadlineExceeded() -> LayoutProblem {
    LayoutProblem(code: .deadlineExceeded, reason: .none, message: "The deadline has passed.")
  }

  /// The messages do not fit the method.
  fileprivate static func callInvalid(_ fault: String) -> LayoutProblem {
    LayoutProblem(code: .invalidArgument, reason: .none, message: "The call \(fault).")
  }

  /// Too many bytes of incomplete messages.
  fileprivate static func tooMuchUnfinished(limit: Int) -> LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .quota(.memory),
      message: "Messages that have not arrived whole have more than \(limit) bytes together.",
      metadata: ["limit": String(limit)],
      retryDelay: .seconds(1)
    )
  }
}

/// How long something has made no progress, as seen by periodic checks.
struct Stillness: Hashable, Sendable {
  private var progress = 0
  private var since: NIODeadline?

  /// - Parameter progress: a number that grows; nil = nothing is being waited for.
  mutating func lasts(longer limit: TimeAmount, progress: Int?, at now: NIODeadline) -> Bool {
    guard let progress else {
      since = nil
      return false
    }
    guard let since, self.progress == progress else {
      self.progress = progress
      self.since = now
      return false
    }
    return now - since > limit
  }
}
