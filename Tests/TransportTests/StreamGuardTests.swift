// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Synchronization
import Testing

@testable import LayoutService

@Suite("StreamGuard", .timeLimit(.minutes(1)))
struct StreamGuardTests {
  typealias Payload = HTTP2Frame.FramePayload

  private static let check = "/grpc.health.v1.Health/Check"
  private static let stream = "/collection_layout.v1.LayoutSessionService/StreamLayout"
  private static let importing = "/collection_layout.v1.CollectionService/ImportContents"

  private func channel(
    _ transport: TransportGuard = .sample()
  ) throws -> (EmbeddedChannel, StreamGuard, ConnectionGuard) {
    let connection = ConnectionGuard(transport: transport)
    let call = StreamGuard(connection: connection)
    return (try .connection(call), call, connection)
  }

  private func headers(
    _ path: String = Self.check,
    timeout: String? = nil,
    end: Bool = false
  ) -> Payload {
    var headers: HPACKHeaders = [":path": path]
    if let timeout { headers.add(name: "grpc-timeout", value: timeout) }
    return .headers(.init(headers: headers, endStream: end))
  }

  private func data(_ bytes: [UInt8], end: Bool = false) -> Payload {
    .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: end))
  }

  /// Status and reset of what was sent.
  private func answer(
    _ channel: EmbeddedChannel
  ) throws -> (status: String?, reset: HTTP2ErrorCode?) {
    var (status, reset): (String?, HTTP2ErrorCode?)
    while let payload = try channel.readOutbound(as: Payload.self) {
      switch payload {
      case .headers(let headers): status = headers.headers.first(name: "grpc-status") ?? status
      case .rstStream(let code): reset = code
      default: break
      }
    }
    return (status, reset)
  }

  @Test(
    "timeouts that are none are refused before anybody reads them",
    arguments: ["-1S", "+1S", "S", "", "1", "999999999S", "1.5S", "1s", "١S", "1SS"]
  )
  func badTimeout(value: String) throws {
    let (channel, _, _) = try channel()
    try channel.writeInbound(headers(timeout: value))
    #expect(try channel.readInbound(as: Payload.self) == nil)
    #expect(try answer(channel).status == "3")
    try channel.writeInbound(data([1, 2, 3]))
    #expect(try channel.readInbound(as: Payload.self) == nil)
    _ = try? channel.finish()
  }

  @Test("headers that are not ASCII are refused before anybody compares them")
  func otherText() throws {
    let marks = String(repeating: "\u{301}", count: 4000)
    for headers in [
      [":path": "/a/\(marks)"], [":path": Self.check, "x-a": marks],
      [":path": Self.check, "é": "a"],
    ] as [HPACKHeaders] {
      let (channel, _, _) = try channel()
      try channel.writeInbound(Payload.headers(.init(headers: headers, endStream: false)))
      #expect(try channel.readInbound(as: Payload.self) == nil)
      #expect(try answer(channel).status == "3")
      _ = try? channel.finish()
    }
  }

  @Test(
    "timeouts are told to handlers, and kept from the library",
    arguments: ["1S", "99999999H", "12m", "5u", "6M"]
  )
  func goodTimeout(value: String) throws {
    let (channel, _, _) = try channel()
    var begin = HPACKHeaders([(":path", Self.check), ("grpc-timeout", value)])
    // Not the client's to say.
    begin.add(name: "layout-call-timeout", value: "1n")
    try channel.writeInbound(Payload.headers(.init(headers: begin, endStream: false)))
    guard case .headers(let found) = try channel.readInbound(as: Payload.self) else {
      Issue.record("headers are expected")
      return
    }
    #expect(found.headers["grpc-timeout"].isEmpty)
    #expect(found.headers["layout-call-timeout"] == [value])
    #expect(try answer(channel).status == nil)
    _ = try? channel.finish()
  }

  @Test(
    "a call ends with its deadline, and its work is cancelled",
    arguments: ["100m", "0n", "30S"]
  )
  func deadline(timeout: String) throws {
    let (channel, call, _) = try channel()
    let work = QuiesceRecorder()
    try channel.pipeline.syncOperations.addHandler(work)
    let now = NIODeadline.now()
    try channel.writeInbound(headers(Self.stream, timeout: timeout))
    if timeout == "30S" {
      channel.embeddedEventLoop.advanceTime(by: .seconds(40))
      #expect(try answer(channel).status == nil)
      // Whoever looks after the connection looks more often than once a second.
      call.watchDeadline(at: now + .seconds(28))
      call.watchDeadline(at: now + .milliseconds(29_900))
      call.watchDeadline(at: now + .milliseconds(29_950))
    }
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(timeout == "0n" ? 0 : 80))
    if timeout == "100m" { #expect(try answer(channel).status == nil && work.count == 0) }
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
    #expect(try answer(channel).status == "4" && work.count == 1)
    channel.embeddedEventLoop.advanceTime(by: .seconds(40))
    #expect(try answer(channel).status == nil && work.count == 1)
    _ = try? channel.finish()
  }

  /// How a call's stream ends, and whether its work is then wanted by nobody.
  enum Ending: CaseIterable {
    case reset, deadline, answered

    var isEarly: Bool { self != .answered }
  }

  @Test(
    "the handler of a call whose stream has ended is told, whichever comes first",
    arguments: Ending.allCases,
    [false, true]
  )
  func endings(ending: Ending, isLate: Bool) throws {
    let transport = TransportGuard.sample()
    let (channel, _, _) = try channel(transport)
    var begin = HPACKHeaders([(":path", Self.check), ("grpc-timeout", "100m")])
    // Not the client's to say.
    begin.add(name: CallStreams.header, value: "7")
    try channel.writeInbound(Payload.headers(.init(headers: begin, endStream: false)))
    guard case .headers(let found) = try channel.readInbound(as: Payload.self) else {
      Issue.record("headers are expected")
      return
    }
    #expect(found.headers[CallStreams.header].count == 1)
    #expect(found.headers[CallStreams.header] != ["7"])
    let metadata: Metadata = [
      CallStreams.header: .string(found.headers[CallStreams.header].joined())
    ]
    let handle = ServerContext.RPCCancellationHandle()
    if !isLate { transport.streams.attach(handle, of: metadata) }
    #expect(transport.streams.openCount == 1)
    switch ending {
    case .reset: break
    case .deadline: channel.embeddedEventLoop.advanceTime(by: .milliseconds(200))
    case .answered:
      let end: HPACKHeaders = ["grpc-status": "0"]
      try channel.writeOutbound(Payload.headers(.init(headers: end, endStream: true)))
    }
    _ = try? channel.finish()
    #expect(transport.streams.openCount == 0)
    if isLate { transport.streams.attach(handle, of: metadata) }
    // Whoever begins after the end works for nobody, however that came about.
    #expect(handle.isCancelled == (isLate || ending.isEarly))
    let other = ServerContext.RPCCancellationHandle()
    transport.streams.attach(other, of: [:])
    #expect(!other.isCancelled)
  }

  @Test("an answer written without room is sent before its trailers, which wait for room")
  func answerWithoutRoom() throws {
    let (channel, _, _) = try channel()
    try channel.writeInbound(headers())
    channel.isWritable = false
    // As the library writes it: without a flush.
    channel.write(data([0, 0, 0, 0, 0]), promise: nil)
    #expect(try channel.readOutbound(as: Payload.self) != nil)
    channel.isWritable = true
    channel.write(data([0, 0, 0, 0, 0]), promise: nil)
    #expect(try channel.readOutbound(as: Payload.self) == nil)
    _ = try? channel.finish()
  }

  @Test("a call that has ended has no deadline")
  func deadlineAfterEnd() throws {
    let (channel, _, _) = try channel()
    let work = QuiesceRecorder()
    try channel.pipeline.syncOperations.addHandler(work)
    try channel.writeInbound(headers(Self.stream, timeout: "100m", end: true))
    let end: HPACKHeaders = ["grpc-status": "0"]
    try channel.writeOutbound(Payload.headers(.init(headers: end, endStream: true)))
    #expect(try answer(channel).status == "0")
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try answer(channel).status == nil && work.count == 0)
    _ = try? channel.finish()
  }

  @Test(
    "a call with messages that are not those of its method is invalid",
    arguments: [
      (Self.check, [] as [UInt8], true), (Self.check, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], true),
      (Self.check, [0, 0, 0, 0, 0], false), (Self.check, [0, 0, 0], true),
      (Self.stream, [], false), (Self.stream, [0, 0, 0, 0, 1], true),
      (Self.importing, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], false), ("/no/such", [], false),
    ]
  )
  func messages(path: String, bytes: [UInt8], isInvalid: Bool) throws {
    let (channel, _, _) = try channel()
    try channel.writeInbound(headers(path))
    try channel.writeInbound(data(bytes, end: true))
    #expect(try answer(channel).status == (isInvalid ? "3" : nil))
    _ = try? channel.finish()
    let (brief, _, _) = try self.channel()
    try brief.writeInbound(headers(path, end: true))
    #expect(try answer(brief).status == (path == Self.check ? "3" : nil))
    _ = try? brief.finish()
  }

  @Test("an end that comes with the headers comes after them")
  func endWithHeaders() throws {
    let (channel, _, _) = try channel()
    try channel.writeInbound(headers(Self.stream, end: true))
    guard case .headers(let begin) = try channel.readInbound(as: Payload.self),
      case .data(let end) = try channel.readInbound(as: Payload.self)
    else {
      Issue.record("headers and data are expected")
      return
    }
    #expect(!begin.endStream && end.endStream && end.data.readableBytes == 0)
    _ = try? channel.finish()
  }

  @Test("a message that is too large is refused when it says so")
  func tooLarge() throws {
    let (channel, _, connection) = try channel(.sample(messageBytes: 10))
    try channel.writeInbound(headers())
    try channel.writeInbound(data([0, 0, 0, 0, 10] + Array(repeating: 1, count: 10)))
    #expect(try answer(channel).status == nil)
    try channel.writeInbound(data([0, 0, 0, 0, 11]))
    #expect(try answer(channel).status == "8")
    _ = try? channel.finish()
    #expect(connection.unfinishedBytes == 0)
  }

  @Test("messages that have not arrived whole are bounded, in one connection and in all")
  func unfinished() throws {
    for isOfConnection in [true, false] {
      let transport = TransportGuard.sample(messageBytes: 1000) {
        if isOfConnection {
          $0.unfinishedBytesPerConnection = 150
        } else {
          $0.unfinishedBytes = 150
        }
      }
      let (first, _, connection) = try channel(transport)
      let second = try EmbeddedChannel.connection(
        StreamGuard(
          connection: isOfConnection ? connection : ConnectionGuard(transport: transport)
        )
      )
      let part = [0, 0, 0, 1, 0] + Array(repeating: 1, count: 95) as [UInt8]
      for channel in [first, second] {
        try channel.writeInbound(headers())
        try channel.writeInbound(data(part))
      }
      #expect(try answer(first).status == nil)
      #expect(try answer(second).status == "8")
      _ = try? second.finish()
      // The rest of the first one fits again.
      try first.writeInbound(data(Array(repeating: 1, count: 40)))
      try first.writeInbound(data(Array(repeating: 1, count: 121)))
      #expect(try answer(first).status == nil)
      #expect(connection.unfinishedBytes == 0)
      _ = try? first.finish()
      #expect(transport.unfinished.load(ordering: .relaxed) == 0)
    }
  }

  @Test(
    "a request has to arrive whole in time",
    arguments: [
      (Self.check, [] as [UInt8], true), (Self.check, [0, 0, 0, 0, 0], true),
      (Self.importing, [0, 0, 0, 0, 0], true), (Self.stream, [], true),
      (Self.stream, [0, 0, 0, 0, 0], false), (Self.stream, [0, 0, 0, 0, 0, 0], true),
    ]
  )
  func requestTime(path: String, bytes: [UInt8], isEnded: Bool) throws {
    let (channel, call, _) = try channel()
    try channel.writeInbound(headers(path))
    if !bytes.isEmpty { try channel.writeInbound(data(bytes)) }
    let now = NIODeadline.now()
    call.check(at: now)
    call.check(at: now + .seconds(60))
    #expect(try answer(channel).status == nil)
    call.check(at: now + .seconds(61))
    #expect(try answer(channel).status == (isEnded ? "4" : nil))
    _ = try? channel.finish()
  }

  @Test("the next message of an import begins its time anew")
  func importTime() throws {
    let (channel, call, _) = try channel()
    try channel.writeInbound(headers(Self.importing))
    let now = NIODeadline.now()
    for step in 0 ..< 5 {
      try channel.writeInbound(data([0, 0, 0, 0, 0]))
      call.check(at: now + .seconds(Int64(step) * 50))
    }
    #expect(try answer(channel).status == nil)
    call.check(at: now + .seconds(200 + 61))
    #expect(try answer(channel).status == "4")
    _ = try? channel.finish()
  }

  @Test("an answer that is not read is reset in time, and before where there is no room for it")
  func unread() throws {
    let transport = TransportGuard.sample { $0.unreadBytesPerConnection = 50_000 }
    let holder = WriteHolder()
    let connection = ConnectionGuard(transport: transport)
    let call = StreamGuard(connection: connection)
    let channel = try EmbeddedChannel.connection(holder)
    try channel.pipeline.syncOperations.addHandler(call)
    try channel.writeInbound(headers(Self.stream, end: true))
    let large = data(Array(repeating: 1, count: 20_000))
    channel.pipeline.writeAndFlush(large, promise: nil)
    channel.pipeline.writeAndFlush(large, promise: nil)
    #expect(connection.unreadBytes == 40_000)
    let now = NIODeadline.now()
    call.check(at: now)
    holder.release()
    #expect(connection.unreadBytes == 20_000)
    // That was progress.
    call.check(at: now + .seconds(9))
    call.check(at: now + .seconds(18))
    #expect(try answer(channel).reset == nil)
    call.check(at: now + .seconds(20))
    #expect(holder.resets == [.cancel])
    while holder.release() {}
    #expect(connection.unreadBytes == 0)
    _ = try? channel.finish()
  }

  @Test(
    "small messages, and messages in small pieces, are read more slowly; a session's events are not",
    arguments: [
      // One byte at a time.
      (Self.check, [0, 0, 0, 3, 0], [1], true), (Self.importing, [], [0, 0, 0, 0, 0], true),
      (Self.importing, [], Array(repeating: 0, count: 5000), true),
      (Self.stream, [], Array(repeating: 0, count: 5000), true),
      (Self.stream, [], [0, 0, 0, 0, 0], false),
      (Self.importing, [], [0, 0, 0, 7, 208] + [UInt8](repeating: 0, count: 2000), false),
    ] as [(String, [UInt8], [UInt8], Bool)]
  )
  func small(path: String, first: [UInt8], part: [UInt8], isSlow: Bool) throws {
    let transport = TransportGuard.sample(messageBytes: 10_000) { $0.framesPerSecond = 2000 }
    let connection = ConnectionGuard(transport: transport)
    _ = try EmbeddedChannel.connection(connection)
    let channel = try EmbeddedChannel.connection(StreamGuard(connection: connection))
    try channel.writeInbound(headers(path))
    if !first.isEmpty { try channel.writeInbound(data(first)) }
    for _ in 0 ..< 200 { try channel.writeInbound(data(part)) }
    // Many messages are counted when they are handed on.
    for _ in 0 ..< 1000 where transport.log.counts.isEmpty {
      channel.pipeline.read()
      channel.runRound()
    }
    #expect(transport.log.counts == (isSlow ? ["slowedDown": 1] : [:]))
    _ = try? channel.finish()
  }

  @Test("what the clients of one address do not read takes no room of others")
  func unreadByAddress() throws {
    let transport = TransportGuard.sample {
      $0.unreadBytesPerAddress = 50_000
      $0.unreadBytes = 130_000
    }
    let peers = try (1 ... 2).map { number in
      let address = PeerAddress(try SocketAddress(ipAddress: "10.0.0.\(number)", port: 1))
      return try transport.peers.admit(address, at: .now()).get()
    }
    #expect(transport.addUnread(40_000, of: peers[0]))
    #expect(!transport.addUnread(20_000, of: peers[0]))
    #expect(transport.addUnread(-20_000, of: peers[0]))
    #expect(transport.addUnread(40_000, of: peers[1]))
    #expect(transport.peers[peers[1].address] === peers[1])
    // The limit of all holds besides.
    #expect(!transport.addUnread(60_000, of: nil))
  }

  @Test("however many addresses use up a limit, there is room for another")
  func shares() {
    let transport = TransportGuard.sample {
      $0.unfinishedBytes = 100_000
      $0.unreadBytes = 100_000
    }
    for count in 1 ... 20 {
      let greedy = Peer.sample()
      while transport.addUnfinished(10, of: greedy) == nil {}
      _ = transport.addUnfinished(-10, of: greedy)
      while transport.addUnread(10, of: greedy) {}
      _ = transport.addUnread(-10, of: greedy)
      let (newcomer, bytes) = (Peer.sample(), count > 3 ? 24 : 6000)
      #expect(transport.addUnfinished(bytes, of: newcomer) == nil)
      #expect(transport.addUnread(bytes, of: newcomer))
      _ = transport.addUnfinished(-bytes, of: newcomer)
      _ = transport.addUnread(-bytes, of: newcomer)
    }
    // One alone gets no more than a quarter.
    let other = TransportGuard.sample { $0.unfinishedBytes = 100_000 }
    #expect(other.addUnfinished(25_000, of: .sample()) == nil)
    #expect(other.addUnfinished(25_001, of: .sample()) != nil)
  }

  @Test("what a call was refused for is not counted any more")
  func refusedPiece() throws {
    let transport = TransportGuard.sample { $0.unfinishedBytesPerConnection = 150 }
    let (channel, _, connection) = try channel(transport)
    try channel.writeInbound(headers())
    let part = [0, 0, 0, 3, 0] + Array(repeating: 1, count: 95) as [UInt8]
    try channel.writeInbound(data(part))
    try channel.writeInbound(data(part))
    #expect(try answer(channel).status == "8")
    #expect(connection.unfinishedBytes == 100)
    _ = try? channel.finish()
    #expect(connection.unfinishedBytes == 0)
    #expect(transport.unfinished.load(ordering: .relaxed) == 0)
  }

  @Test("an answer without room is reset at once")
  func noRoom() throws {
    let transport = TransportGuard.sample { $0.unreadBytes = 30_000 }
    let holder = WriteHolder()
    let channel = try EmbeddedChannel.connection(holder)
    try channel.pipeline.syncOperations.addHandler(
      StreamGuard(connection: ConnectionGuard(transport: transport))
    )
    try channel.writeInbound(headers(Self.stream, end: true))
    let large = data(Array(repeating: 1, count: 20_000))
    channel.pipeline.writeAndFlush(large, promise: nil)
    let promise = channel.eventLoop.makePromise(of: Void.self)
    channel.pipeline.writeAndFlush(large, promise: promise)
    #expect(throws: ChannelError.self) { try promise.futureResult.wait() }
    #expect(holder.resets == [.enhanceYourCalm])
    #expect(transport.unread.load(ordering: .relaxed) == 20_000)
    while holder.release() {}
    #expect(transport.unread.load(ordering: .relaxed) == 0)
    _ = try? channel.finish()
  }

  @Test("thousands of messages in one frame are handed on a few at a time, as they are asked for")
  func manyMessages() throws {
    let (channel, _, connection) = try channel()
    let reader = SlowReader()
    try channel.pipeline.syncOperations.addHandler(reader)
    try channel.writeInbound(headers(Self.stream))
    // 3,000 empty messages, then one of 2 bytes.
    let bytes = [UInt8](repeating: 0, count: 15_000) + [0, 0, 0, 0, 2, 7, 8]
    try channel.writeInbound(data(bytes))
    try channel.writeInbound(data([], end: true))
    channel.runRound()
    #expect(reader.bytes.isEmpty && !reader.isEnded)
    #expect(connection.unfinishedBytes >= bytes.count + 40 * HeldFrames.overhead)
    var rounds = 0
    while !reader.isEnded, rounds < 1000 {
      let before = reader.bytes.count
      channel.pipeline.read()
      channel.runRound()
      #expect(reader.bytes.count - before <= 2 * 5 * HeldFrames.fewMessages)
      rounds += 1
    }
    #expect(reader.bytes == bytes && reader.isEnded)
    #expect((30 ... 70).contains(rounds), "\(rounds)")
    #expect(connection.unfinishedBytes == 0)
    _ = try? channel.finish()
  }

  @Test("frames of a byte behind others that wait are put together and count with what they take")
  func tinyFrames() throws {
    let transport = TransportGuard.sample { $0.unfinishedBytesPerConnection = 6000 }
    let connection = ConnectionGuard(transport: transport)
    let channel = try EmbeddedChannel.connection(StreamGuard(connection: connection))
    try channel.pipeline.syncOperations.addHandler(SlowReader())
    try channel.writeInbound(headers(Self.stream))
    try channel.writeInbound(data([UInt8](repeating: 0, count: 500)))
    for _ in 0 ..< 1000 { try channel.writeInbound(data([0])) }
    #expect((1500 ..< 1500 + 20 * HeldFrames.overhead).contains(connection.unfinishedBytes))
    var sent = 0
    while sent < 10_000, try answer(channel).status == nil {
      try channel.writeInbound(data([0]))
      sent += 1
    }
    #expect(sent < 6000)
    #expect(connection.unfinishedBytes < 100)
    _ = try? channel.finish()
  }

  @Test("of a reading with many frames few messages are handed on at once, the rest in order later")
  func manyFrames() throws {
    let (channel, _, connection) = try channel()
    let reader = SlowReader()
    try channel.pipeline.syncOperations.addHandler(reader)
    try channel.writeInbound(headers(Self.stream))
    var bytes: [UInt8] = []
    for number in 0 ..< 1000 {
      let message: [UInt8] = [0, 0, 0, 0, 1, UInt8(number % 256)]
      bytes += message
      channel.pipeline.fireChannelRead(data(message))
    }
    channel.pipeline.fireChannelReadComplete()
    #expect(reader.bytes.count == 6 * HeldFrames.fewMessages)
    var rounds = 0
    while reader.bytes.count < bytes.count, rounds < 100 {
      channel.pipeline.read()
      channel.runRound()
      rounds += 1
    }
    #expect(reader.bytes == bytes && rounds < 40)
    #expect(connection.unfinishedBytes == 0)
    _ = try? channel.finish()
  }

  @Test("messages that wait are dropped with their call")
  func droppedMessages() throws {
    let (channel, _, connection) = try channel()
    let reader = SlowReader()
    try channel.pipeline.syncOperations.addHandler(reader)
    try channel.writeInbound(headers(Self.stream))
    try channel.writeInbound(data([UInt8](repeating: 0, count: 15_000)))
    channel.pipeline.fireChannelInactive()
    channel.pipeline.read()
    channel.runRound()
    #expect(reader.bytes.isEmpty)
    #expect(connection.unfinishedBytes == 0)
    _ = try? channel.finish()
  }

  @Test("a client that goes on after the end of its call is asked to stop")
  func endOfAnswer() throws {
    for clientHasEnded in [false, true] {
      let (channel, call, _) = try channel()
      try channel.writeInbound(headers(Self.stream, end: clientHasEnded))
      let trailers = Payload.headers(.init(headers: ["grpc-status": "0"], endStream: true))
      try channel.writeOutbound(trailers)
      let now = NIODeadline.now()
      call.check(at: now)
      call.check(at: now + .seconds(1))
      let early = try answer(channel)
      #expect(early.status == "0" && early.reset == nil)
      call.check(at: now + .seconds(2))
      #expect(try answer(channel).reset == (clientHasEnded ? nil : .noError))
      _ = try? channel.finish()
    }
  }
}

/// Keeps what is written until it is let go, as HTTP/2 does where there is no window.
private final class WriteHolder: ChannelOutboundHandler {
  typealias OutboundIn = HTTP2Frame.FramePayload

  private var held: [EventLoopPromise<Void>?] = []
  private(set) var resets: [HTTP2ErrorCode] = []

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .data: held.append(promise)
    case .rstStream(let code):
      resets.append(code)
      promise?.succeed()
    default: context.write(data, promise: promise)
    }
  }

  @discardableResult
  func release() -> Bool {
    guard !held.isEmpty else { return false }
    held.removeFirst()?.succeed()
    return true
  }
}

/// Keeps the DATA that arrives, and asks for more only when a test does.
private final class SlowReader: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundIn = HTTP2Frame.FramePayload
  private(set) var bytes: [UInt8] = []
  private(set) var isEnded = false
  private var isAsking = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .data(let part) = unwrapInboundIn(data), case .byteBuffer(let buffer) = part.data
    else { return }
    bytes += Array(buffer.readableBytesView)
    isEnded = part.endStream
  }

  /// `StreamGuard` asks the end of the pipeline after each piece.
  func read(context: ChannelHandlerContext) {
    guard !isAsking else { return }
    isAsking = true
    context.read()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.eventLoop.assumeIsolated().execute { self.isAsking = false }
  }
}

/// Counts how often a call's work is cancelled.
private final class QuiesceRecorder: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  private(set) var count = 0

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { count += 1 }
  }
}
