// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// Counts the bytes of incomplete messages. It stands in front of the frame decoder, which keeps a
/// frame until it is complete.
final class WebSocketByteGuard: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let transport: TransportGuard
  private let pace: WebSocketPace
  /// The client's address; nil = it is no longer known.
  private let peer: Peer?
  /// Complete frames, and how many of them ended a message.
  private var (frames, messages) = (0, 0)
  private var isInsideMessage = false
  private var unfinished = 0
  private var deadline: Scheduled<Void>?

  init(transport: TransportGuard, pace: WebSocketPace, peer: Peer?) {
    self.transport = transport
    self.pace = pace
    self.peer = peer
  }

  /// Notes a complete frame.
  func took(_ frame: WebSocketFrame) {
    frames += 1
    switch frame.opcode {
    case .binary, .text, .continuation:
      isInsideMessage = !frame.fin
      if frame.fin { messages += 1 }
    default: break
    }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    expectMessage(context: context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
    _ = setUnfinished(0)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let count = unwrapInboundIn(data).readableBytes
    let (framesBefore, messagesBefore) = (frames, messages)
    let hasRoom = setUnfinished(unfinished + count)
    guard hasRoom, unfinished <= transport.limits.unfinishedBytesPerConnection else {
      transport.log.note(
        .calmed,
        reason: "too many bytes wait",
        address: context.channel.remoteAddress
      )
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
    if frames != framesBefore, !isInsideMessage {
      // Only the rest of this read can belong to the next message. A PING does not end the wait for
      // the first message.
      _ = setUnfinished(pace.isInFrame ? count : 0)
      if messages > 0 { stopWaiting() }
      if pace.isInFrame, deadline == nil { expectMessage(context: context) }
      return
    }
    if messages != messagesBefore {
      _ = setUnfinished(count)
      stopWaiting()
    }
    if deadline == nil { expectMessage(context: context) }
  }

  private func stopWaiting() {
    deadline?.cancel()
    deadline = nil
  }

  /// - Returns: whether there is room for them, as far as others are concerned.
  private func setUnfinished(_ count: Int) -> Bool {
    let change = count - unfinished
    unfinished = count
    return transport.addUnfinished(change, of: peer) == nil
  }

  /// Closes the connection unless a message arrives in time: the first, or the rest of one that has
  /// begun.
  private func expectMessage(context: ChannelHandlerContext) {
    let (channel, log) = (context.channel, transport.log)
    deadline = context.eventLoop.scheduleTask(in: TimeAmount(transport.limits.request)) {
      log.note(.unfinished, reason: "no message arrived", address: channel.remoteAddress)
      channel.close(promise: nil)
    }
  }
}

/// Answers control frames, limits the number of frames, and counts written ones until the client
/// reads. It stands behind the decoder, and hands on only the frames of messages.
final class WebSocketFrameGuard: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// How long after the server's closing frame the connection ends, if the client does not answer.
  private static let farewell = TimeAmount.seconds(2)

  private let transport: TransportGuard
  private let bytes: WebSocketByteGuard
  private let pace: WebSocketPace
  /// The client's address; nil = it is no longer known.
  private let peer: Peer?
  private var pings: TokenBucket
  private var frames: TokenBucket
  private var isClosing = false
  /// The payload of the newest unanswered PING; nil = there is none.
  private var waitingPong: ByteBuffer?
  /// Frames that the connection has not taken yet.
  private var waitingFrames = 0
  /// When the connection last took a frame, or the first of those that wait was written.
  private var lastWrite = NIODeadline.uptimeNanoseconds(0)
  /// The timer that checks how long frames have waited; nil = none is set.
  private var watching: Scheduled<Void>?

  init(transport: TransportGuard, bytes: WebSocketByteGuard, pace: WebSocketPace, peer: Peer?) {
    self.transport = transport
    self.bytes = bytes
    self.pace = pace
    self.peer = peer
    pings = TokenBucket(
      tokens: transport.limits.pings,
      period: TimeAmount(transport.limits.pingPeriod)
    )
    frames = TokenBucket(perSecond: transport.limits.framesPerSecond)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    // The timer would keep the connection in memory until then.
    watching?.cancel()
    watching = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard frame.maskKey != nil else {
      return close(.protocolError, "frames of a client are masked", context: context)
    }
    guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return close(.protocolError, "reserved bits are 0", context: context)
    }
    guard frames.take(1, at: .now()) else {
      return close(.policyViolation, "too many frames", context: context)
    }
    bytes.took(frame)
    switch frame.opcode {
    case .connectionClose: answerClosing(frame, context: context)
    case .ping:
      guard pings.take(1, at: .now()) else {
        return close(.policyViolation, "too many pings", context: context)
      }
      waitingPong = frame.unmaskedData
      answerPing(context: context)
    case .binary, .text, .continuation:
      if !isClosing { context.fireChannelRead(data) }
    case .pong: break
    default: close(.protocolError, "frames of this kind are reserved", context: context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    answerPing(context: context)
    context.fireChannelWritabilityChanged()
  }

  /// Answers the newest PING when the client reads, so that answers do not pile up (RFC 6455
  /// §5.5.3).
  private func answerPing(context: ChannelHandlerContext) {
    guard context.channel.isWritable, !isClosing, let data = waitingPong.take() else { return }
    let pong = WebSocketFrame(fin: true, opcode: .pong, data: data)
    context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let frame = unwrapOutboundIn(data)
    guard !isClosing else {
      promise?.succeed()
      return
    }
    context.write(data, promise: counted(frame, promise, context))
    if frame.opcode == .connectionClose { awaitEnd(context: context) }
  }

  /// Counts a frame until the connection has taken it.
  private func counted(
    _ frame: WebSocketFrame,
    _ promise: EventLoopPromise<Void>?,
    _ context: ChannelHandlerContext
  ) -> EventLoopPromise<Void> {
    let promise = promise ?? context.eventLoop.makePromise()
    let count = frame.length
    _ = transport.addUnread(count, of: peer)
    let loop = context.eventLoop
    if waitingFrames == 0 { lastWrite = loop.now }
    waitingFrames += 1
    promise.futureResult.assumeIsolated().whenComplete { [self] _ in
      _ = transport.addUnread(-count, of: peer)
      waitingFrames -= 1
      lastWrite = loop.now
    }
    watch(context)
    return promise
  }

  /// Closes the connection of a client that does not read.
  private func watch(_ context: ChannelHandlerContext) {
    guard watching == nil else { return }
    let (channel, deadline) = (context.channel, lastWrite + transport.write)
    watching = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
      watching = nil
      guard waitingFrames > 0, channel.isActive else { return }
      guard context.eventLoop.now - lastWrite >= transport.write else { return watch(context) }
      transport.log.count(.unread)
      channel.close(promise: nil)
    }
  }

  /// Answers the client's closing frame with the same code, and ends the connection.
  private func answerClosing(_ frame: WebSocketFrame, context: ChannelHandlerContext) {
    guard !isClosing else { return context.close(promise: nil) }
    var payload = frame.unmaskedData
    guard payload.readableBytes == 0 || Self.mayClose(with: payload) else {
      close(.protocolError, "the closing frame has no code, or a wrong one", context: context)
      return
    }
    guard String(validating: payload.readableBytesView.dropFirst(2), as: UTF8.self) != nil else {
      close(.dataInconsistentWithMessage, "the reason for closing is UTF-8", context: context)
      return
    }
    awaitEnd(context: context)
    let code = payload.readSlice(length: min(2, payload.readableBytes)) ?? ByteBuffer()
    let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: code)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
  }

  /// Whether a closing frame begins with a code that may be sent (RFC 6455, 7.4).
  private static func mayClose(with payload: ByteBuffer) -> Bool {
    guard let code: UInt16 = payload.getInteger(at: payload.readerIndex) else { return false }
    switch code {
    case 1000 ... 1003, 1007 ... 1014, 3000 ... 4999: return true
    default: return false
    }
  }

  private func close(
    _ code: WebSocketErrorCode,
    _ reason: String,
    context: ChannelHandlerContext
  ) {
    guard !isClosing else { return }
    transport.log.note(.calmed, reason: reason, address: context.channel.remoteAddress)
    var payload = context.channel.allocator.buffer(capacity: 2 + reason.utf8.count)
    payload.write(webSocketErrorCode: code)
    payload.writeString(reason)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: payload)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    awaitEnd(context: context)
  }

  private func awaitEnd(context: ChannelHandlerContext) {
    isClosing = true
    pace.end()
    let channel = context.channel
    context.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
  }
}
