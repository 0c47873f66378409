// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Requests for WebSockets", .timeLimit(.minutes(1)))
struct WebSocketRequestTests {
  private func head(
    _ uri: String = "/v1/LayoutQueryService/GetServerInfo",
    _ more: [(String, String)] = [],
    without: String? = nil
  ) -> HTTPRequestHead {
    var headers: HTTPHeaders = [
      "Host": "127.0.0.1:8080", "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Protocol": "collection-layout.v1, bearer.abc.def",
    ]
    for (name, value) in more { headers.replaceOrAdd(name: name, value: value) }
    if let without { headers.remove(name: without) }
    return HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)
  }

  private func status(_ head: HTTPRequestHead, origins: Set<String> = []) -> UInt? {
    do throws(WebSocketRequest.Refusal) {
      _ = try WebSocketRequest(head, origins: origins)
      return nil
    } catch { return error.status.code }
  }

  @Test("name a method, a token and a collection")
  func parts() throws {
    let request = try WebSocketRequest(
      head("/v1/LayoutSessionService/StreamLayout?collection=collections%2Fart%20works"),
      origins: []
    )
    #expect(
      request.method.fullyQualifiedMethod
        == "collection_layout.v1.LayoutSessionService/StreamLayout"
    )
    #expect(Array(request.metadata[stringValues: "authorization"]) == ["Bearer abc.def"])
    #expect(
      Array(request.metadata[stringValues: "x-layout-collection"]) == ["collections/art works"]
    )
    let health = try WebSocketRequest(
      head("/v1/grpc.health.v1.Health/Check"),
      origins: []
    )
    #expect(health.method.fullyQualifiedMethod == "grpc.health.v1.Health/Check")
  }

  @Test(
    "of another path are not found",
    arguments: [
      "/", "", "/v1", "/v1/A", "/v1/A/", "/v1//B", "/v2/A/B", "/v1/A/B/C", "v1/A/B", "?",
    ]
  )
  func paths(path: String) { #expect(status(head(path)) == 404) }

  @Test("that are none, or of another kind, are refused")
  func kinds() {
    for name in ["Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Key"] {
      #expect(status(head(without: name)) == 426)
    }
    #expect(status(head(without: "Sec-WebSocket-Protocol")) == 400)
    #expect(status(head("/v1/A/B", [("Sec-WebSocket-Version", "12")])) == 426)
    for key in ["", "AAAA", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
      #expect(status(head("/v1/A/B", [("Sec-WebSocket-Key", key)])) == 400)
    }
    let marks = String(repeating: "\u{301}", count: 1000)
    #expect(status(head("/v1/A/\(marks)")) == 400)
    #expect(status(head("/v1/A/B", [("X", marks)])) == 400)
    var old = head("/v1/A/B")
    old.version = .http1_0
    #expect(status(old) == 426)
    #expect(status(head("/v1/A/B", [("Sec-WebSocket-Protocol", "collection-layout.v2")])) == 400)
  }

  @Test("of pages need an origin that may connect")
  func origins() {
    func origin(
      _ origin: String,
      host: String = "127.0.0.1:8080",
      _ allowed: Set<String> = []
    ) -> UInt? {
      status(head("/v1/A/B", [("Origin", origin), ("Host", host)]), origins: allowed)
    }
    #expect(origin("http://127.0.0.1:8080") == nil)
    #expect(origin("https://127.0.0.1:8080") == nil)
    #expect(origin("http://[::1]:8080", host: "[::1]:8080") == nil)
    #expect(origin("http://localhost:8080", host: "localhost:8080") == nil)
    #expect(origin("http://127.0.0.1:81") == 403)
    #expect(origin("null") == 403)
    #expect(origin("") == 403)
    // A name may lead anywhere.
    #expect(origin("http://a.example", host: "a.example") == 403)
    #expect(origin("http://a.example", host: "a.example", ["http://a.example"]) == nil)
    #expect(origin("http://b.example", ["http://a.example"]) == 403)
    #expect(origin("http://b.example", ["*"]) == nil)
  }
}

@Suite("Hosts of requests", .timeLimit(.minutes(1)))
struct HostHeaderTests {
  @Test(
    "are addresses or localhost, perhaps with a port",
    arguments: [
      "127.0.0.1", "127.0.0.1:80", "10.1.2.3:65535", "[::1]", "[::1]:8080", "[fe80::1:2]:1",
      "localhost", "localhost:9464", "LocalHost:1",
    ]
  )
  func addresses(host: String) { #expect(HostHeader.isAddress(host)) }

  @Test(
    "are nothing else: other names may lead anywhere",
    arguments: [
      "", ":", ":80", "evil.com", "evil.com:80", "localhost.evil.com", "localhost:evil.com",
      "localhost:80.evil.com", "localhost:80:80", "localhost:", "localhost:65536", "localhost:-1",
      "localhost:+1", "localhost:٣", "localhost ", "localhost@evil.com", "127.0.0.1.evil.com",
      "127.0.0.1:evil.com", "127.1", "2130706433", "0x7f.1", "1.2.3.4.5", "::1", "[::1", "[]",
      "[::1].evil.com", "[::1]evil.com", "[::1]:evil.com", "[::1]:", "[127.0.0.1]", "[evil.com]",
      "[::1]]", "[[::1]]", "127.0.0.1,evil.com",
    ]
  )
  func others(host: String) { #expect(!HostHeader.isAddress(host)) }
}

@Suite("Ends of WebSockets", .timeLimit(.minutes(1)))
struct WebSocketEndingTests {
  @Test("well is 1000, without words")
  func well() {
    let ending = WebSocketEnding(Status(code: .ok, message: ""), [:])
    #expect((ending.code, ending.reason, ending.problem) == (1000, "", nil))
  }

  @Test("badly is 4000 and the code of the status, with all details as JSON")
  func details() throws {
    let problem = LayoutProblem(
      code: .resourceExhausted,
      reason: .quota(.memory),
      message: "Too much.",
      metadata: ["limit": "5"],
      retryDelay: .milliseconds(1500)
    )
    let ending = WebSocketEnding(
      Status(code: .resourceExhausted, message: problem.message),
      problem.rpcErrorMetadata
    )
    #expect(ending.code == 4008 && ending.reason == "QUOTA_MEMORY: Too much.")
    let json = try #require(ending.problem)
    let written = try CollectionLayout_V1_Problem(jsonString: json)
    #expect(written.code == 8 && written.reason == "QUOTA_MEMORY" && written.message == "Too much.")
    #expect(
      written.metadata["limit"] == "5" && written.metadata["retryDelayMilliseconds"] == "1500"
    )
  }

  @Test(
    "with a reason that fits into a frame and is whole letters",
    arguments: [10, 122, 123, 124, 400]
  )
  func long(count: Int) {
    let message = String(repeating: "é", count: count)
    let ending = WebSocketEnding(Status(code: .unknown, message: message), [:])
    #expect(ending.reason == String(repeating: "é", count: min(count, 61)))
    let payload = ending.payload(ByteBufferAllocator())
    #expect(payload.readableBytes == 2 + ending.reason.utf8.count && payload.readableBytes <= 125)
    #expect(payload.getInteger(at: payload.readerIndex, as: UInt16.self) == 4002)
  }
}

@Suite("Frames of WebSockets", .timeLimit(.minutes(1)))
struct WebSocketFrameGuardTests {
  /// - Parameter decodes: whether bytes come in, and not frames.
  private func channel(
    decodes: Bool = false,
    _ change: (inout TransportLimits) -> Void = { _ in }
  ) throws -> EmbeddedChannel {
    let transport = TransportGuard.sample(change)
    let channel = EmbeddedChannel()
    let pace = WebSocketPace(
      transport: transport,
      turns: transport.turns(on: channel.embeddedEventLoop),
      address: PeerAddress(nil)
    )
    let bytes = WebSocketByteGuard(transport: transport, pace: pace, peer: nil)
    if decodes {
      try channel.pipeline.syncOperations.addHandlers([
        pace, bytes, ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1000)),
      ])
    }
    try channel.pipeline.syncOperations.addHandler(
      WebSocketFrameGuard(transport: transport, bytes: bytes, pace: pace, peer: nil)
    )
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  private func frame(
    _ opcode: WebSocketOpcode,
    _ bytes: [UInt8] = [],
    masked: Bool = true
  ) -> WebSocketFrame {
    WebSocketFrame(
      fin: true,
      opcode: opcode,
      maskKey: masked ? [0, 0, 0, 0] : nil,
      data: ByteBuffer(bytes: bytes)
    )
  }

  private func closing(_ channel: EmbeddedChannel) throws -> (code: UInt16?, reason: String)? {
    while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
      guard frame.opcode == .connectionClose else { continue }
      var payload = frame.data
      return (payload.readInteger(as: UInt16.self), String(buffer: payload))
    }
    return nil
  }

  @Test("of messages pass, PINGs are answered, and PONGs mean nothing")
  func kinds() throws {
    let channel = try channel()
    try channel.writeInbound(frame(.binary, [1]))
    try channel.writeInbound(frame(.pong, [2]))
    try channel.writeInbound(frame(.ping, [3]))
    #expect(try channel.readInbound(as: WebSocketFrame.self)?.opcode == .binary)
    #expect(try channel.readInbound(as: WebSocketFrame.self) == nil)
    let answer = try #require(try channel.readOutbound(as: WebSocketFrame.self))
    #expect(answer.opcode == .pong && Array(answer.data.readableBytesView) == [3])
    _ = try channel.finish()
  }

  @Test("that are PINGs are answered once the client reads, and then only the newest")
  func unread() throws {
    let channel = try channel()
    channel.isWritable = false
    for number in 0 ..< 100 { try channel.writeInbound(frame(.ping, [UInt8(number)])) }
    #expect(try channel.readOutbound(as: WebSocketFrame.self) == nil)
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    let answer = try #require(try channel.readOutbound(as: WebSocketFrame.self))
    #expect(answer.opcode == .pong && Array(answer.data.readableBytesView) == [99])
    #expect(try channel.readOutbound(as: WebSocketFrame.self) == nil)
    _ = try channel.finish()
  }

  /// A frame of a client, masked with zeros.
  private func bytes(_ opcode: UInt8, fin: Bool = true, _ payload: [UInt8] = [1]) -> ByteBuffer {
    ByteBuffer(
      bytes: [fin ? 0x80 | opcode : opcode, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    )
  }

  @Test("that are PINGs end no wait for a message, and begin none")
  func deadlines() throws {
    // A message every now and then, and PINGs all the time.
    let alive = try channel(decodes: true) { $0.request = .seconds(2) }
    let loop = alive.embeddedEventLoop
    try alive.writeInbound(bytes(2))
    for _ in 0 ..< 20 {
      let ping = bytes(9)
      for part in [ping.getSlice(at: 0, length: 3), ping.getSlice(at: 3, length: 4)] {
        try alive.writeInbound(try #require(part))
      }
      loop.advanceTime(by: .seconds(1))
    }
    #expect(alive.isActive)
    // The first message does not come.
    let silent = try channel(decodes: true) { $0.request = .seconds(2) }
    for _ in 0 ..< 3 {
      try silent.writeInbound(bytes(9))
      silent.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    #expect(!silent.isActive)
    // The rest of a message does not come.
    try alive.writeInbound(bytes(2, fin: false))
    for _ in 0 ..< 3 {
      try alive.writeInbound(bytes(9))
      loop.advanceTime(by: .seconds(1))
    }
    #expect(!alive.isActive)
    // Fragments of one message after the other: each has its time.
    let busy = try channel(decodes: true) { $0.request = .seconds(2) }
    try busy.writeInbound(bytes(2, fin: false))
    for _ in 0 ..< 10 {
      busy.embeddedEventLoop.advanceTime(by: .milliseconds(1500))
      var both = bytes(0)
      both.writeImmutableBuffer(bytes(2, fin: false))
      try busy.writeInbound(both)
    }
    #expect(busy.isActive)
    _ = try busy.finish()
  }

  @Test("that begin behind a whole message have their time too, and count")
  func partial() throws {
    let channel = try channel(decodes: true) { $0.request = .seconds(2) }
    var both = bytes(2)
    both.writeImmutableBuffer(bytes(2, [UInt8](repeating: 1, count: 100)))
    try channel.writeInbound(both.getSlice(at: 0, length: 50))
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(2))
    #expect(!channel.isActive)
  }

  @Test("that are whole have room, whatever the clients of other addresses have not sent whole")
  func neighbours() throws {
    let transport = TransportGuard.sample { $0.unfinishedBytes = 1000 }
    for _ in 0 ..< 3 {
      let greedy = Peer.sample()
      while transport.addUnfinished(10, of: greedy) == nil {}
      _ = transport.addUnfinished(-10, of: greedy)
    }
    let (channel, peer) = (EmbeddedChannel(), Peer.sample())
    let pace = WebSocketPace(
      transport: transport,
      turns: transport.turns(on: channel.embeddedEventLoop),
      address: peer.address
    )
    let bytes = WebSocketByteGuard(transport: transport, pace: pace, peer: peer)
    try channel.pipeline.syncOperations.addHandlers([pace, bytes])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.writeInbound(self.bytes(2, [UInt8](repeating: 1, count: 100)))
    #expect(channel.isActive)
    try channel.writeInbound(self.bytes(2, [UInt8](repeating: 1, count: 125)))
    #expect(!channel.isActive)
  }

  @Test("that are not masked, or too many, end the connection")
  func refused() throws {
    let unmasked = try channel()
    try unmasked.writeInbound(frame(.binary, masked: false))
    #expect(try closing(unmasked)?.code == 1002)
    #expect(try unmasked.readInbound(as: WebSocketFrame.self) == nil)
    let pinging = try channel { $0.pings = 3 }
    for _ in 0 ..< 5 { try pinging.writeInbound(frame(.ping)) }
    #expect(try closing(pinging)?.code == 1008)
    let flooding = try channel { $0.framesPerSecond = 50 }
    for _ in 0 ..< 30 { try flooding.writeInbound(frame(.pong)) }
    #expect(try closing(flooding)?.reason == "too many frames")
    for channel in [unmasked, pinging, flooding] {
      channel.embeddedEventLoop.advanceTime(by: .seconds(3))
      #expect(!channel.isActive)
    }
  }

  @Test("with reserved bits, or of reserved kinds, end the connection")
  func reserved() throws {
    for number in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] {
      let channel = try channel()
      let opcode = try #require(WebSocketOpcode(encodedWebSocketOpcode: number))
      try channel.writeInbound(frame(opcode))
      #expect(try closing(channel)?.code == 1002)
      #expect(try channel.readInbound(as: WebSocketFrame.self) == nil)
    }
    for bit in 0 ..< 3 {
      let channel = try channel()
      var frame = frame(.binary, [1])
      (frame.rsv1, frame.rsv2, frame.rsv3) = (bit == 0, bit == 1, bit == 2)
      try channel.writeInbound(frame)
      #expect(try closing(channel)?.code == 1002)
    }
  }

  @Test("that wait for the client to read are counted until the connection has taken them")
  func waiting() throws {
    let transport = TransportGuard.sample { _ in }
    let channel = EmbeddedChannel()
    let writes = HeldWrites()
    let pace = WebSocketPace(
      transport: transport,
      turns: transport.turns(on: channel.embeddedEventLoop),
      address: PeerAddress(nil)
    )
    try channel.pipeline.syncOperations.addHandlers([
      writes,
      WebSocketFrameGuard(
        transport: transport,
        bytes: WebSocketByteGuard(transport: transport, pace: pace, peer: nil),
        pace: pace,
        peer: nil
      ),
    ])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    for _ in 0 ..< 3 { channel.pipeline.write(frame(.binary, [1, 2]), promise: nil) }
    #expect(transport.unread.load(ordering: .relaxed) == 6)
    channel.embeddedEventLoop.advanceTime(by: transport.write - .seconds(1))
    writes.releaseOne()
    #expect(transport.unread.load(ordering: .relaxed) == 4)
    // Some progress: the others have their time.
    channel.embeddedEventLoop.advanceTime(by: transport.write - .seconds(1))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(2))
    #expect(!channel.isActive)
    writes.releaseOne()
    writes.releaseOne()
    #expect(transport.unread.load(ordering: .relaxed) == 0)
  }

  @Test("keep nothing in memory of a connection that has ended")
  func end() throws {
    let transport = TransportGuard.sample { _ in }
    let channel = EmbeddedChannel()
    let writes = HeldWrites()
    weak var kept: WebSocketFrameGuard?
    do {
      let pace = WebSocketPace(
        transport: transport,
        turns: transport.turns(on: channel.embeddedEventLoop),
        address: PeerAddress(nil)
      )
      let frames = WebSocketFrameGuard(
        transport: transport,
        bytes: WebSocketByteGuard(transport: transport, pace: pace, peer: nil),
        pace: pace,
        peer: nil
      )
      kept = frames
      try channel.pipeline.syncOperations.addHandlers([writes, frames])
    }
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    channel.pipeline.write(frame(.binary, [1, 2]), promise: nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(kept != nil)
    writes.releaseOne()
    channel.close(promise: nil)
    channel.embeddedEventLoop.run()
    #expect(kept == nil)
  }

  @Test("that close are answered with their code, and nothing follows")
  func close() throws {
    let channel = try channel()
    try channel.writeInbound(frame(.connectionClose, [3, 232, 65]))
    let answer = try #require(try closing(channel))
    #expect(answer.code == 1000 && answer.reason == "")
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
    let silent = try self.channel()
    try silent.writeInbound(frame(.connectionClose, []))
    #expect(try closing(silent)?.code == nil)
    // Half a code, codes that may not be sent, and a reason that is no text.
    for (payload, code) in [
      ([3], 1002), ([3, 231], 1002), ([3, 237], 1002), ([3, 232, 255], 1007),
    ] as [([UInt8], UInt16)] {
      let odd = try self.channel()
      try odd.writeInbound(frame(.connectionClose, payload))
      #expect(try closing(odd)?.code == code)
    }
  }
}

/// Keeps what is written until it is told.
private final class HeldWrites: ChannelOutboundHandler {
  typealias OutboundIn = WebSocketFrame

  private var promises: [EventLoopPromise<Void>?] = []

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    promises.append(promise)
  }

  func releaseOne() { promises.removeFirst()?.succeed() }
}

@Suite("The pace of WebSockets", .timeLimit(.minutes(1)))
struct WebSocketPaceTests {
  /// Stands where the call does: takes some frames, and then no more before it is asked to.
  private final class Taker: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Never

    private(set) var frames: [[UInt8]] = []
    private(set) var most = 0
    private var count = 0
    private var isAsked = false
    var takes = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      frames.append(Array(unwrapInboundIn(data).unmaskedData.readableBytesView))
      count += 1
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      most = max(most, count)
      count = 0
    }

    func read(context: ChannelHandlerContext) {
      isAsked = !takes
      if takes { context.read() }
    }

    func goOn(_ channel: EmbeddedChannel) {
      takes = true
      if isAsked { channel.read() }
    }
  }

  private final class Pipeline {
    let channel = EmbeddedChannel()
    let taker = Taker()
    let transport: TransportGuard
    let pace: WebSocketPace
    private(set) var peer: Peer?

    /// - Parameter address: the client's; nil = it is not known.
    init(
      _ address: SocketAddress? = nil,
      _ change: (inout TransportLimits) -> Void = { _ in }
    ) throws {
      transport = .sample(change)
      if let address { peer = try transport.peers.admit(PeerAddress(address), at: .now()).get() }
      pace = WebSocketPace(
        transport: transport,
        turns: transport.turns(on: channel.embeddedEventLoop),
        address: PeerAddress(address)
      )
      try channel.pipeline.syncOperations.addHandlers([
        pace, ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1 << 20)), taker,
      ])
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func send(_ bytes: ByteBuffer) throws {
      try channel.writeInbound(bytes)
      channel.read()
    }
  }

  private func bytes(of payload: [UInt8], _ random: inout SplitMix64) -> ByteBuffer {
    let mask = random.chance(90)
    var bytes = ByteBuffer(bytes: [0x82])
    let flag: UInt8 = mask ? 0x80 : 0
    // Lengths may be written longer than they need be, to this decoder.
    if payload.count < 126 {
      bytes.writeInteger(flag | UInt8(payload.count))
    } else if payload.count < 65_536 {
      bytes.writeBytes([flag | 126])
      bytes.writeInteger(UInt16(payload.count))
    } else {
      bytes.writeBytes([flag | 127])
      bytes.writeInteger(UInt64(payload.count))
    }
    if mask { bytes.writeBytes([0, 0, 0, 0]) }
    bytes.writeBytes(payload)
    return bytes
  }

  @Test(
    "hands on all frames in their order, few at a time, however they arrive",
    arguments: 0 ..< 8
  )
  func frames(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var payloads: [[UInt8]] = []
    var all = ByteBuffer()
    for _ in 0 ..< 1000 {
      let count = random.chance(98) ? random.int(0 ... 10) : random.int(0 ... 70_000)
      payloads.append([UInt8](repeating: UInt8(random.int(0 ... 255)), count: count))
      var frame = bytes(of: payloads[payloads.count - 1], &random)
      all.writeBuffer(&frame)
    }
    let pipeline = try Pipeline()
    while all.readableBytes > 0 {
      let most = random.chance(50) ? 65_536 : 20
      let count = min(all.readableBytes, random.int(1 ... most))
      guard let part = all.readSlice(length: count) else { break }
      try pipeline.send(part)
      if random.chance(10) { pipeline.channel.embeddedEventLoop.run() }
    }
    pipeline.channel.embeddedEventLoop.run()
    #expect(pipeline.taker.frames == payloads)
    #expect(pipeline.taker.most <= WebSocketPace.mostFrames)
    #expect(pipeline.transport.unfinished.load(ordering: .relaxed) == 0)
  }

  @Test("keeps what nobody takes, counts it, and goes on when somebody does")
  func room() throws {
    var random = SplitMix64(seed: 9)
    let pipeline = try Pipeline()
    pipeline.taker.takes = false
    var all = ByteBuffer()
    for number in 0 ..< 1000 {
      var frame = bytes(of: [UInt8(number % 256)], &random)
      all.writeBuffer(&frame)
    }
    try pipeline.send(all)
    pipeline.channel.embeddedEventLoop.run()
    #expect(pipeline.taker.frames.count == WebSocketPace.mostFrames)
    #expect(pipeline.transport.unfinished.load(ordering: .relaxed) > 900)
    pipeline.taker.goOn(pipeline.channel)
    pipeline.channel.embeddedEventLoop.run()
    #expect(pipeline.taker.frames.count == 1000)
    #expect(pipeline.transport.unfinished.load(ordering: .relaxed) == 0)
  }

  @Test("lets others have their turn between")
  func turns() throws {
    let pipeline = try Pipeline()
    var random = SplitMix64(seed: 9)
    var all = ByteBuffer()
    for _ in 0 ..< 1000 {
      var frame = bytes(of: [], &random)
      all.writeBuffer(&frame)
    }
    try pipeline.send(all)
    // Without the loop's help no more than a turn's share, and what was handed on at once.
    let share = WebSocketPace.mostFrames * (CallTurns.callCount + 1)
    #expect(pipeline.taker.frames.count <= share)
    // What is left of a connection that ends costs nothing.
    pipeline.channel.close(promise: nil)
    pipeline.channel.embeddedEventLoop.run()
    #expect(pipeline.taker.frames.count <= share + WebSocketPace.mostFrames)
    #expect(pipeline.transport.unfinished.load(ordering: .relaxed) == 0)
  }

  @Test("slows down who sends too many frames from one address")
  func address() throws {
    let limit = 1000
    let pipeline = try Pipeline(SocketAddress(ipAddress: "10.0.0.1", port: 1)) {
      $0.framesPerSecond = limit
    }
    var random = SplitMix64(seed: 9)
    var all = ByteBuffer()
    for _ in 0 ..< 20 * limit {
      var frame = bytes(of: [], &random)
      all.writeBuffer(&frame)
    }
    try pipeline.send(all)
    pipeline.channel.embeddedEventLoop.run()
    let count = pipeline.taker.frames.count
    #expect(count < 6 * limit)
    #expect(pipeline.transport.log.counts["slowedDown"] == 1)
    pipeline.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(pipeline.taker.frames.count > count && pipeline.taker.frames.count < 20 * limit)
  }

  @Test("looks for nothing but the client's last frame once it is over")
  func end() throws {
    let pipeline = try Pipeline()
    var random = SplitMix64(seed: 9)
    pipeline.pace.end()
    var all = ByteBuffer()
    for _ in 0 ..< 100 {
      var frame = bytes(of: [UInt8](repeating: 8, count: 200), &random)
      all.writeBuffer(&frame)
    }
    try pipeline.send(all)
    pipeline.channel.embeddedEventLoop.run()
    #expect(pipeline.taker.frames.isEmpty && pipeline.channel.isActive)
    for part in [[0x88, 0x82, 0, 0], [0, 0, 3, 232]] as [[UInt8]] {
      try pipeline.send(ByteBuffer(bytes: part))
    }
    pipeline.channel.embeddedEventLoop.run()
    #expect(!pipeline.channel.isActive)
  }

  @Test("does not look for the last frame behind hundreds of others")
  func endWithoutLast() throws {
    let pipeline = try Pipeline()
    pipeline.pace.end()
    // Hundreds of empty frames, then the last one.
    let frames: [UInt8] = (0 ..< 600).map { $0 % 2 == 0 ? 0x8A : 0 }
    try pipeline.send(ByteBuffer(bytes: frames + [0x88, 0]))
    try pipeline.send(ByteBuffer(bytes: [0x88, 0]))
    pipeline.channel.embeddedEventLoop.run()
    #expect(pipeline.taker.frames.isEmpty && pipeline.channel.isActive)
    #expect(pipeline.transport.unfinished.load(ordering: .relaxed) == 0)
  }
}
