// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// Hands on what a WebSocket brings a few frames at a time, as those behind take them.
///
/// One reading may have ten thousand frames. If all were handed on at once, they would wait for the call in memory,
/// and all other connections of the event loop for them. It stands in front of everything that looks at frames.
///
/// Frames also count for the client's address, as those of HTTP/2 do: who has too many of them is read more slowly.
final class WebSocketPace: ChannelDuplexHandler, TakesTurns {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = Never

  /// That are handed on at once.
  static let mostFrames = 16

  private let transport: TransportGuard
  private let turns: CallTurns
  private let address: PeerAddress
  /// The client's address; nil = it is not known any more.
  private let peer: Peer?
  /// Those of the connection.
  private var frames: TokenBucket
  private var context: ChannelHandlerContext?
  private var scanner = WebSocketScanner()
  private var held = ByteBuffer()
  /// Whether those behind want more.
  private var isWanted = false
  /// Whether it waits for its turn.
  private var isWaiting = false
  /// Whether nothing is handed on until the frames so far are within the limit.
  private var isPaused = false
  /// Whether nothing is handed on any more.
  private var isOver = false
  private var isHandingOn = false
  /// Among how many frames the last one is looked for once nothing is handed on. Then nothing is read either.
  private var framesToLast = 256
  /// Held bytes that are counted as those of unfinished messages.
  private var counted = 0

  init(transport: TransportGuard, turns: CallTurns, address: PeerAddress) {
    self.transport = transport
    self.turns = turns
    self.address = address
    peer = transport.peers[address]
    frames = TokenBucket(perSecond: transport.limits.framesPerSecond)
  }

  /// Looks for nothing but the client's last frame from now on, which ends the connection.
  func end() {
    isOver = true
    discard()
  }

  /// Drops what is held, and looks for the client's last frame in it, which comes soon or is not waited for.
  private func discard() {
    let hadClosed = scanner.hasSeenClosing
    let before = scanner.frames
    _ = scanner.length(of: held.readableBytesView, frames: framesToLast)
    framesToLast -= scanner.frames - before
    held = ByteBuffer()
    count()
    // One from before was answered. The server's own last frame is still to be flushed.
    guard !hadClosed, scanner.hasSeenClosing, let channel = context?.channel else { return }
    channel.eventLoop.execute { channel.close(promise: nil) }
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    held = ByteBuffer()
    count()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    guard !isOver else {
      held = bytes
      return discard()
    }
    if held.readableBytes == 0 {
      held = bytes
      handOn(context)
    } else {
      held.writeBuffer(&bytes)
    }
    count()
    let total = transport.unfinished.load(ordering: .relaxed)
    guard counted > 0, total > transport.limits.unfinishedBytes else { return }
    transport.log.note(
      .calmed,
      reason: "too many bytes wait",
      address: context.channel.remoteAddress
    )
    context.close(promise: nil)
  }

  func read(context: ChannelHandlerContext) {
    isWanted = true
    proceed()
  }

  func takeTurn() {
    isWaiting = false
    proceed()
  }

  /// Hands on what is held, as long as there are turns for it, or reads on.
  private func proceed() {
    // Those behind ask for more within the loop.
    guard !isHandingOn else { return }
    isHandingOn = true
    defer { isHandingOn = false }
    while isWanted, !isWaiting, !isPaused, held.readableBytes > 0, let context {
      guard turns.begin() else {
        isWaiting = true
        return turns.wait(self, of: address)
      }
      isWanted = false
      handOn(context)
      count()
      guard self.context != nil, context.channel.isActive else { return }
      context.fireChannelReadComplete()
      context.channel.read()
    }
    guard isWanted, !isPaused, held.readableBytes == 0, framesToLast > 0, let context else {
      return
    }
    isWanted = false
    context.read()
  }

  private func handOn(_ context: ChannelHandlerContext) {
    let before = scanner.frames
    let length = scanner.length(of: held.readableBytesView, frames: Self.mostFrames)
    guard let bytes = held.readSlice(length: length) else { return }
    if held.readableBytes == 0 { held = ByteBuffer() }
    note(scanner.frames - before, context)
    context.fireChannelRead(wrapInboundOut(bytes))
  }

  /// Counts frames for the client's address, and pauses where it has too many.
  private func note(_ count: Int, _ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    _ = frames.take(count, at: now)
    let load = frames.load(at: now)
    let wait = peer?.withUse { use in
      _ = use.frames.take(count, at: now)
      // Those who need less than their share do not pay for others of their address.
      return load > use.freeLoad ? use.frames.wait(at: now) : .zero
    }
    guard let wait, wait > .zero, !isPaused else { return }
    isPaused = true
    transport.log.count(.slowedDown)
    context.eventLoop.assumeIsolated().scheduleTask(in: min(wait, .seconds(1))) { [weak self] in
      self?.isPaused = false
      self?.proceed()
    }
  }

  private func count() {
    transport.unfinished.add(held.readableBytes - counted, ordering: .relaxed)
    counted = held.readableBytes
  }
}
