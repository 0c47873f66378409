// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// Hands on the frames of a WebSocket a few at a time, as fast as the handlers behind take them.
///
/// One read may bring ten thousand frames. Handed on at once, they would wait for the call in
/// memory, and delay all other connections of the event loop. It stands in front of all handlers
/// that look at frames.
///
/// Frames also count for the client's address, like those of HTTP/2: a client with too many is read
/// more slowly.
final class WebSocketPace: ChannelDuplexHandler, TakesTurns {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = Never

  /// How many frames are handed on at once.
  static let mostFrames = 16

  private let transport: TransportGuard
  private let turns: CallTurns
  private let address: PeerAddress
  /// The client's address; nil = it is no longer known.
  private let peer: Peer?
  /// The frames of this connection.
  private var frames: TokenBucket
  private var context: ChannelHandlerContext?
  private var scanner = WebSocketScanner()
  private var held = ByteBuffer()
  /// Whether the handlers behind want more.
  private var isWanted = false
  /// Whether the connection waits for its turn.
  private var isWaiting = false
  /// Whether nothing is handed on until the frames so far are within the limit.
  private var isPaused = false
  /// Whether nothing is handed on any more.
  private var isOver = false
  private var isHandingOn = false
  /// After `end()`: how many more frames are searched for the client's closing frame. Then reading
  /// stops.
  private var framesToLast = 256
  /// The bytes held, as they are counted among those of incomplete messages.
  private var counted = 0

  init(transport: TransportGuard, turns: CallTurns, address: PeerAddress) {
    self.transport = transport
    self.turns = turns
    self.address = address
    peer = transport.peers[address]
    frames = TokenBucket(perSecond: transport.limits.framesPerSecond)
  }

  /// Whether only a part of the newest frame was handed on.
  var isInFrame: Bool { scanner.isInFrame }

  /// From now on only looks for the client's closing frame, which ends the connection.
  func end() {
    isOver = true
    discard()
  }

  /// Drops what is held, and looks for the client's closing frame in it, for a limited number of
  /// frames.
  private func discard() {
    let hadClosed = scanner.hasSeenClosing
    let before = scanner.frames
    _ = scanner.length(of: held.readableBytesView, frames: framesToLast)
    framesToLast -= scanner.frames - before
    held = ByteBuffer()
    count()
    // A closing frame from before was answered already. The server's own is flushed first.
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
    guard !count(), counted > 0 else { return }
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

  /// Hands on what is held while turns allow it, or reads on.
  private func proceed() {
    // The handlers behind ask for more inside the loop.
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

  /// Counts frames for the client's address, and pauses if there are too many.
  private func note(_ count: Int, _ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    _ = frames.take(count, at: now)
    let load = frames.load(at: now)
    let wait = peer?.withUse { $0.wait(after: count, load: load, at: now) }
    guard let wait, wait > .zero, !isPaused else { return }
    isPaused = true
    transport.log.count(.slowedDown)
    context.eventLoop.assumeIsolated().scheduleTask(in: min(wait, .seconds(1))) { [weak self] in
      self?.isPaused = false
      self?.proceed()
    }
  }

  /// - Returns: whether there is room for what is held.
  @discardableResult private func count() -> Bool {
    let change = held.readableBytes - counted
    guard change != 0 else { return true }
    counted += change
    return transport.addUnfinished(change, of: peer) == nil
  }
}
