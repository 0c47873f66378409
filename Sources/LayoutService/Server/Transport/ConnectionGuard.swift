// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Keeps one connection within its limits. It stands in front of the HTTP/2 handler and sees all
/// bytes in both directions.
///
/// It answers PINGs itself, since the HTTP/2 handler accepts only a few hundred and some clients
/// measure bandwidth with a PING per round trip. It slows down reading when there are too many
/// frames, makes calls wait for their turn, closes the connection when too many calls are reset,
/// and knows the connection's calls.
final class ConnectionGuard: ChannelDuplexHandler, TakesTurns {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The cost of a frame that makes the server work: HEADERS, RST_STREAM and GOAWAY. Others cost 1.
  private static let expensiveFrameCost = 10
  /// The bytes of one setting. A setting may affect every open call, as the initial window does.
  private static let settingLength = 6
  /// The most settings in one frame. About ten are in use.
  private static let mostSettings = 64
  /// The most frames handed on at once. The cost of some is known only afterwards
  /// (`countPieces(_:)`).
  private static let mostFrames = 256
  /// DATA of fewer bytes counts as a frame if its call is too far behind to get it.
  private static let smallFrame = 1024
  /// How many messages taken past the HTTP/2 handler count as a frame.
  private static let messagesPerUnit = 8
  /// How many bytes may be owed to a window of the client.
  private static let mostOwed = 8192
  /// After this many resets of its own, a connection closes when its address exceeds its limit.
  private static let manyResets = 20

  let transport: TransportGuard
  var limits: TransportLimits { transport.limits }
  private(set) var context: ChannelHandlerContext?
  private(set) var peer: Peer?
  /// `peer` after the connection has ended, while pending writes fail.
  private(set) var formerPeer: Peer?
  /// The client's address as gRPC writes it.
  private var peerName = ""

  var scanner = FrameScanner()
  var outbound = OutboundFrames()
  var requests = OpenRequests()
  /// Whether calls took messages past the HTTP/2 handler, and whether it got something, in this
  /// reading.
  private var (hasTaken, handedOn) = (false, false)
  /// Bytes of messages taken past the HTTP/2 handler that the client's window of the connection
  /// does not have back.
  private var owedBytes = 0
  /// Messages taken past the HTTP/2 handler, of which some count as a frame.
  private var takenMessages = 0
  /// Bytes of DATA that waited for their calls. The client's window of the connection has them
  /// back already, and the HTTP/2 handler gives them back once more.
  var prepaidBytes = 0
  /// The bytes that wait for their calls, as they are counted among the unfinished ones.
  var waitingBytes = 0
  /// Whether bytes that wait for a call are handed on in a later round.
  var isCatchingUp = false
  /// Whether they are handed on before the next frame.
  var isDue = false
  private var pings: TokenBucket
  private var frames: TokenBucket
  private var resetCount = 0
  /// The newest call.
  private var newestStream: UInt32 = 0
  /// The newest call that began before the server's GOAWAY.
  private var lastStream: UInt32 = 0

  /// What held-back frames wait for.
  private enum Hold {
    /// A turn to begin the next call.
    case turn
    /// The end of the pause.
    case pause
    /// The client to read what it was answered.
    case room
    /// The next round of the event loop. Calls process what was handed on only at the end of a
    /// reading; only then is its cost known.
    case round
  }

  private var turns: CallTurns?
  /// The lanes of the connection's layout streams; nil = the connection is not open.
  private(set) var lanes: LaneLoop?
  /// nil = nothing is held back. Otherwise nothing is read.
  private var hold: Hold?
  /// The bytes held back, as they are counted among the unfinished ones.
  private var heldBytes = 0
  /// Whether reading is paused until the frames so far are within the limit.
  private(set) var isPaused = false
  private var wantsToRead = false
  /// Whether the guard has ended the connection. What still arrives is ignored: closing reads once
  /// more if the client is gone.
  var isOver = false
  /// Whether bytes are being handed on, so that errors are caused by them.
  var isReceiving = false

  var calls: [StreamGuard] = []
  /// The number of calls ever begun.
  var callCount = 0
  var silence = Stillness()
  var isAskedToGo = false
  var unfinishedBytes = 0
  var unreadBytes = 0
  private var unreadFrames = UnreadFrames()

  init(transport: TransportGuard) {
    self.transport = transport
    pings = TokenBucket(
      tokens: transport.limits.pings,
      period: TimeAmount(transport.limits.pingPeriod)
    )
    frames = TokenBucket(perSecond: transport.limits.framesPerSecond)
  }

  // MARK: Beginning and end

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    (turns, lanes) = transport.added(self, on: context.eventLoop)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    transport.removed(self, from: context.eventLoop)
    if let peer { transport.peers.release(peer) }
    formerPeer = peer
    peer = nil
    _ = addUnfinished(-heldBytes)
    heldBytes = 0
    requests.dropBacklogs()
    _ = countWaiting()
    (turns, lanes) = (nil, nil)
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    peerName = context.channel.remoteAddress.peerName
    transport.opened(peerName, on: context.eventLoop)
    context.fireChannelActive()
    switch transport.peers.admit(PeerAddress(context.channel.remoteAddress), at: .now()) {
    case .success(let peer): self.peer = peer
    case .failure(let refusal): closeForAbuse(refusal.rawValue, event: .refusedConnection)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    transport.closed(peerName)
    countGivenUp()
    context.fireChannelInactive()
    // A connection that ends during a read gets no such event of its own, and the HTTP/2 handler
    // would then keep the calls of the last read forever.
    context.fireChannelReadComplete()
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    scanner.append(unwrapInboundIn(data))
    guard hold == nil else { return noteHeldBytes() }
    handOn(context: context)
  }

  /// Hands on what has arrived, up to the first call that has to wait for its turn, or to the limit
  /// of frames.
  private func handOn(context: ChannelHandlerContext) {
    var round = Round()
    var isAnswered = false
    isReceiving = true
    defer { isReceiving = false }
    while let piece = scanner.next({ verdict(on: $0, isWhole: $1, in: &round) }) {
      switch piece {
      case .bytes(let bytes):
        // Before the HTTP/2 handler sees them, so that clients who exceed their limit cost nothing.
        if round.units > 0 { count(round.units, resets: round.resets, context: context) }
        (round.units, round.resets) = (0, 0)
        guard isOpen else { return }
        handOn(bytes, context: context)
      case .frame(let header, let frame):
        if handOn(frame, header, in: &round, context: context) { isAnswered = true }
      case .ping(let payload):
        guard pings.take(1, at: .now()) else {
          return closeForAbuse("too many PINGs", event: .calmed)
        }
        let answer = ByteBuffer(answeringPing: payload, allocator: context.channel.allocator)
        context.write(wrapOutboundOut(answer), promise: nil)
        noteControlFrame(context)
        isAnswered = true
      }
      guard isOpen else { return }
      if round.isFull || isClogged { break }
    }
    if round.units > 0 { count(round.units, resets: round.resets, context: context) }
    _ = countWaiting()
    noteRead()
    guard isOpen else { return }
    if isAnswered { context.flush() }
    guard !round.hasTooManySettings else {
      return closeForAbuse("too many SETTINGS", event: .calmed)
    }
    giveBack(round, context: context)
    if scanner.isHolding || round.isFull || isClogged {
      holdBack(until: round.lacksTurn ? .turn : .round)
    }
  }

  /// Whether bytes may still be handed on.
  var isOpen: Bool { !isOver && context?.channel.isActive == true }

  func handOn(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
    handedOn = true
    context.fireChannelRead(wrapInboundOut(bytes))
  }

  /// Gives a frame of DATA to its call directly, lets its contents wait, or hands it on.
  ///
  /// - Returns: whether something was written.
  private func handOn(
    _ frame: ByteBuffer,
    _ header: FrameHeader,
    in round: inout Round,
    context: ChannelHandlerContext
  ) -> Bool {
    if header.isPlainData, take(frame, header) {
      hasTaken = true
      takenMessages += 1
      if takenMessages % Self.messagesPerUnit == 0 { round.units += 1 }
      return payBack(header.stream, header.length, header.length, context: context)
    }
    let contents = frame.contents(of: header)
    if let contents, contents.readableBytes == 0, !header.endsStream, !isIdle(header) {
      // Only padding, which the HTTP/2 handler counts as empty DATA.
      round.units += 1
      hasTaken = true
      return payBack(header.stream, header.length, header.length, context: context)
    }
    if let contents, requests.mustWait(header) {
      if header.length < Self.smallFrame { round.units += 1 }
      hasTaken = true
      keep(contents, of: header.stream, context: context)
      // The HTTP/2 handler never sees the padding.
      let padding = header.length - contents.readableBytes
      return payBack(header.stream, padding, header.length, context: context)
    }
    if let waiting = requests.takeBacklog(of: header.stream) {
      handOnWaiting(waiting, context: context)
      guard isOpen else { return false }
    }
    _ = requests.received(header, contents: contents?.readableBytes)
    handOn(frame, context: context)
    return false
  }

  /// The handlers behind need not know of a reading of which they got nothing.
  func channelReadComplete(context: ChannelHandlerContext) {
    let isForCalls = hasTaken && !handedOn
    (hasTaken, handedOn) = (false, false)
    if !isForCalls { context.fireChannelReadComplete() }
  }

  /// What is known of the frames that are handed on in one round of the event loop.
  private struct Round {
    var frames = 0
    /// The cost of the frames that are handed on next.
    var units = 0
    var resets = 0
    var droppedFrames = 0
    /// The payload bytes of dropped DATA frames.
    var droppedBytes = 0
    var hasTooManySettings = false
    /// Whether the frame that was held back last begins a call that has to wait for its turn.
    var lacksTurn = false

    /// Whether sessions have taken all the time that they may take of the loop's round.
    var isOutOfTime = false

    var isFull: Bool { frames >= ConnectionGuard.mostFrames || isOutOfTime }
  }

  private func verdict(
    on header: FrameHeader,
    isWhole: Bool,
    in round: inout Round
  ) -> FrameScanner.Verdict {
    let price = price(of: header)
    round.lacksTurn = false
    // So that a single read does not hand on any number of frames, whatever they cost.
    guard !isPaused, !isClogged, !round.isFull,
      round.units == 0 || round.units + price <= framesAtOnce
    else { return .hold }
    // The HTTP/2 handler would end the connection at the second empty DATA, and at 200 PRIORITY.
    let isEmpty = header.isEmptyData && !isIdle(header)
    guard !isOfRefusedCall(header), !isEmpty, !header.isPriority else {
      round.droppedFrames += 1
      if header.kind == .data { round.droppedBytes += header.length }
      return .drop
    }
    let isWanted = requests.isWanted(header)
    if let waiting = takeWaiting(before: header, isWanted: isWanted) { return .insert(waiting) }
    switch header.kind {
    case .settings where header.length > Self.mostSettings * Self.settingLength:
      round.hasTooManySettings = true
      return .hold
    case .headers:
      guard mayBegin else {
        round.lacksTurn = true
        return .hold
      }
      newestStream = max(newestStream, header.stream)
      if !outbound.hasSaidGoodbye { lastStream = max(lastStream, header.stream) }
    default: break
    }
    let isForLane = header.isPlainData && isWhole && requests.taker(of: header.stream) != nil
    if isForLane, let lanes, !lanes.hasTime {
      // The long way would take longer.
      round.isOutOfTime = true
      return .hold
    }
    round.frames += 1
    round.units += price
    if isForLane || isWanted { return .take }
    if requests.received(header) {
      // The HTTP/2 handler would count it as a reset, of which it allows few.
      return .replace(ByteBuffer(ending: header.stream))
    }
    if header.kind == .reset { round.resets += 1 }
    return .pass
  }

  /// Whether a frame belongs to no call that has begun. The HTTP/2 handler then ends the connection
  /// (RFC 9113 §5.1).
  private func isIdle(_ header: FrameHeader) -> Bool {
    header.stream == 0 || header.stream > newestStream
  }

  /// Whether a frame belongs to a call that crossed the server's GOAWAY. The HTTP/2 handler refuses
  /// such a call with RST_STREAM at its HEADERS, which it must see because they change the header
  /// table. It would treat other frames of the call as a connection error, and end all other calls.
  private func isOfRefusedCall(_ header: FrameHeader) -> Bool {
    guard outbound.hasSaidGoodbye, header.stream > lastStream else { return false }
    return [.data, .reset, .windowUpdate].contains(header.kind)
  }

  /// Counts dropped frames, and returns their payload bytes to the client's window of the
  /// connection, since the HTTP/2 handler does not know of them.
  private func giveBack(_ round: Round, context: ChannelHandlerContext) {
    guard round.droppedFrames > 0 else { return }
    count(round.droppedFrames, resets: 0, context: context)
    guard round.droppedBytes > 0, !isOver else { return }
    widen(0, by: round.droppedBytes, context: context)
    context.flush()
  }

  private func widen(_ stream: UInt32, by bytes: Int, context: ChannelHandlerContext) {
    guard bytes > 0 else { return }
    let credit = ByteBuffer(widening: stream, by: bytes, allocator: context.channel.allocator)
    context.write(wrapOutboundOut(credit), promise: nil)
    noteControlFrame(context)
  }

  // MARK: Messages past the HTTP/2 handler

  /// Lets a call take whole messages past the HTTP/2 handler, which takes longer over a small
  /// message than most sessions do; nil = no longer.
  func setTaker(_ taker: (any TakesMessages)?, of stream: UInt32) {
    requests.setTaker(taker, of: stream)
  }

  /// Gives a frame of DATA to its call directly.
  ///
  /// - Returns: false = the HTTP/2 handler has to get it.
  private func take(_ frame: ByteBuffer, _ header: FrameHeader) -> Bool {
    // Asked again: what was handed on in between may have ended the call.
    if let taker = requests.taker(of: header.stream),
      let data = frame.getSlice(
        at: frame.readerIndex + FrameHeader.byteCount,
        length: header.length
      ),
      taker.take(data)
    {
      return true
    }
    return false
  }

  /// Gives bytes that the HTTP/2 handler does not get back to the client's windows now and then.
  ///
  /// - Returns: whether something was written.
  private func payBack(
    _ stream: UInt32,
    _ bytes: Int,
    _ bytesOfConnection: Int,
    context: ChannelHandlerContext
  ) -> Bool {
    let most = min(Self.mostOwed, limits.windowBytes / 4)
    let ofCall = bytes > 0 ? requests.took(bytes, of: stream, most: most) : 0
    owedBytes += bytesOfConnection
    let ofConnection = owedBytes > most ? owedBytes : 0
    owedBytes -= ofConnection
    widen(stream, by: ofCall, context: context)
    widen(0, by: ofConnection, context: context)
    return ofCall + ofConnection > 0
  }

  /// Holds back the remaining frames.
  private func holdBack(until next: Hold) {
    if isPaused {
      hold = .pause
    } else if isClogged {
      hold = .room
    } else if next == .round, let context {
      hold = .round
      transport.later(on: context.eventLoop).add {
        if self.hold == .round { self.continueReading() }
      }
    } else if let turns, let peer {
      hold = .turn
      turns.wait(self, of: peer.address)
    }
    noteHeldBytes()
  }

  /// The cost of a frame.
  private func price(of header: FrameHeader) -> Int {
    switch header.kind {
    // DATA is charged by its contents: see `countPieces(_:)`.
    case .data: 0
    case .settings: 1 + header.length / Self.settingLength * max(1, calls.count)
    case .headers, .reset, .goAway: Self.expensiveFrameCost
    default: 1
    }
  }

  private var framesAtOnce: Int { TokenBucket.burst(perSecond: limits.framesPerSecond) }

  private var mayBegin: Bool { turns?.begin() ?? true }

  /// Lets the waiting calls begin.
  func takeTurn() {
    guard hold == .turn else { return }
    continueReading()
  }

  /// Hands on what was held back.
  private func continueReading() {
    guard !isClogged else {
      hold = .room
      return
    }
    hold = nil
    guard let context, context.channel.isActive else { return }
    handOn(context: context)
    guard self.context != nil, context.channel.isActive else { return }
    if hold == nil { noteHeldBytes() }
    (hasTaken, handedOn) = (false, false)
    context.fireChannelReadComplete()
    readOn()
  }

  /// Counts the bytes held back as unfinished: at most what one read brings.
  private func noteHeldBytes() {
    let count = hold == nil ? 0 : scanner.byteCount
    let change = count - heldBytes
    heldBytes = count
    guard change != 0, addUnfinished(change) != nil, change > 0 else { return }
    closeForAbuse("too many bytes wait", event: .calmed)
  }

  /// Counts frames, and slows the connection down, or ends it, if there are too many.
  private func count(_ units: Int, resets: Int, context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    resetCount += resets
    let isWithin = frames.take(units, at: now)
    let load = frames.load(at: now)
    let (peerWait, resetsTooOften) =
      peer?.withUse { use in
        let wait = use.wait(after: units, load: load, at: now)
        let isWithin = resets == 0 || use.resets.take(resets, at: now)
        return (wait, !isWithin)
      } ?? (.zero, false)
    if resetsTooOften, resetCount >= Self.manyResets {
      return closeForAbuse(PeerTable.Refusal.resetsTooOften.rawValue, event: .calmed)
    }
    let wait = max(isWithin ? .zero : frames.wait(at: now), peerWait)
    if wait > .zero { pause(for: wait, context: context) }
  }

  /// Counts small messages and small pieces of messages among the frames, because they make much
  /// work with few bytes.
  ///
  /// - Parameter units: their cost.
  func countPieces(_ units: Int) {
    guard units > 0, let context, !isOver else { return }
    count(units, resets: 0, context: context)
  }

  private func pause(for time: TimeAmount, context: ChannelHandlerContext) {
    guard !isPaused else { return }
    isPaused = true
    transport.log.count(.slowedDown)
    context.eventLoop.assumeIsolated().scheduleTask(in: min(time, .seconds(1))) {
      self.isPaused = false
      self.noteRead()
      for call in self.calls { call.handOnLater() }
      if self.hold == .pause { self.continueReading() } else { self.readOn() }
    }
  }

  private func readOn() {
    guard wantsToRead, !isPaused, !isClogged, hold == nil, let context else { return }
    wantsToRead = false
    context.read()
  }

  func read(context: ChannelHandlerContext) {
    guard !isPaused, !isClogged, hold == nil else {
      wantsToRead = true
      return
    }
    context.read()
  }

  // MARK: Sending

  /// Whether nothing is read until the client reads.
  private var isClogged: Bool { unreadFrames.areTooMany }

  /// Counts a control frame that the guard has written. The HTTP/2 handler counts its own.
  private func noteControlFrame(_ context: ChannelHandlerContext) {
    unreadFrames.wrote(isWritable: context.channel.isWritable)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    let wasClogged = isClogged
    // Before the event goes on: what waits behind may fill the connection again at once.
    if context.channel.isWritable { unreadFrames = UnreadFrames() }
    context.fireChannelWritabilityChanged()
    guard wasClogged, !isClogged else { return }
    // Not within the write or the reading that made room.
    transport.later(on: context.eventLoop).add {
      if self.hold == .room { self.continueReading() } else { self.readOn() }
    }
  }
}
