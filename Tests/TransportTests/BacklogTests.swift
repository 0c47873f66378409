// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("DATA for calls that are behind", .timeLimit(.minutes(1)))
struct BacklogTests {
  /// An empty message in a frame of its own.
  private static func tiny(_ stream: UInt8) -> [UInt8] {
    Frames.frame(type: 0, stream: stream, [0, 0, 0, 0, 0])
  }

  @Test(
    "each call gets what was sent, in order, however it is framed and whenever it reads",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func order(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try World(streams: [1, 3, 5, 7])
    for call in world.calls.values { call.unsent = Self.messages(30_000, &random) }
    var hasWaited = false
    for step in 0 ..< 3000 {
      for (stream, call) in world.calls.sorted(by: { $0.key < $1.key }) {
        // Some read nothing for a while.
        let isSlow = stream > 3 && step < 200
        if !isSlow, random.chance(stream == 1 ? 90 : 20) { call.channel?.read() }
        if !call.isDone { try world.sendSome(call, &random) }
      }
      world.channel.runRound()
      hasWaited = hasWaited || world.connection.requests.waitingBytes > 0
      if step == 260, random.chance(40), let call = world.calls[7], !call.isDone {
        try world.reset(call)
      }
      if world.isComplete { break }
    }
    #expect(hasWaited)
    #expect(world.channel.isActive)
    for call in world.calls.values where !call.wasReset {
      #expect(call.isEnded && call.received == call.sent)
    }
    for call in world.calls.values where call.wasReset {
      #expect(call.sent.starts(with: call.received))
    }
    #expect(world.connection.requests.waitingBytes == 0)
    #expect(world.connection.unfinishedBytes == 0)
    // The client had them back, but never more than it had at first.
    #expect(world.mostWindow == World.window)
    #expect(world.window >= World.window / 2 - 10_000)
    _ = try? world.channel.finish()
  }

  private static func messages(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let length = random.chance(60) ? 0 : random.below(60)
      bytes += [0, 0, 0, 0, UInt8(length)]
      bytes += (0 ..< length).map { _ in UInt8(random.below(256)) }
    }
    return bytes
  }

  @Test("the frames of a call that reads nothing take their contents")
  func tinyFrames() throws {
    for flags in [0, 8, 64] as [UInt8] {
      let world = try World(streams: [1])
      let before = world.passed
      let frame =
        flags == 8
        ? Frames.frame(type: 0, flags: 8, [0, 0, 0, 0, 0, 0])
        : Frames.frame(type: 0, flags: flags, [0, 0, 0, 0, 0])
      for _ in 0 ..< 100 {
        try world.send(Array(repeating: frame, count: 100).flatMap(\.self))
      }
      let bytes = world.passed - before + world.connection.requests.waitingBytes
      // So that the HTTP/2 handler got few frames.
      #expect((50_000 ..< 50_000 + 60 * FrameHeader.byteCount).contains(bytes), "\(bytes)")
      world.readAll()
      #expect(world.calls[1]?.received == [UInt8](repeating: 0, count: 50_000))
      _ = try? world.channel.finish()
    }
  }

  @Test("nor does a frame cost more that comes a byte at a time")
  func pieces() throws {
    let world = try World(streams: [1])
    let frames = Array(repeating: Self.tiny(1), count: 200).flatMap(\.self)
    let before = world.passed
    for byte in frames { try world.send([byte]) }
    let bytes = world.passed - before + world.connection.requests.waitingBytes
    #expect((1000 ..< 1000 + 60 * FrameHeader.byteCount).contains(bytes), "\(bytes)")
    world.readAll()
    #expect(world.calls[1]?.received == [UInt8](repeating: 0, count: 1000))
    _ = try? world.channel.finish()
  }

  @Test("what waits comes between frames, also if each reading ends within one")
  func amongLargeFrames() throws {
    let world = try World(streams: [1, 3])
    try world.send(Array(repeating: Self.tiny(1), count: 100).flatMap(\.self))
    let large = Frames.frame(type: 0, stream: 3, [0, 0, 0, 3, 200] + [UInt8](1 ... 200))
    try world.send(Array(large.prefix(100)))
    #expect(world.connection.requests.waitingBytes > 100)
    world.readAll()
    #expect(world.connection.requests.waitingBytes > 100)
    for _ in 0 ..< 3 {
      try world.send(Array(large.dropFirst(100) + large.prefix(100)))
      world.readAll()
    }
    #expect(world.calls[1]?.received == [UInt8](repeating: 0, count: 500))
    try world.send(Array(large.dropFirst(100)))
    world.readAll()
    #expect(world.calls[3]?.received.count == 4 * 205)
    _ = try? world.channel.finish()
  }

  @Test("what waits goes with its call and counts until then; beyond the limit the call is refused")
  func limits() throws {
    let world = try World(streams: [1, 3]) { $0.unfinishedBytesPerConnection = 5000 }
    for _ in 0 ..< 5 { try world.send(Array(repeating: Self.tiny(1), count: 100).flatMap(\.self)) }
    let waiting = world.connection.requests.waitingBytes
    #expect(waiting > 2000 && world.connection.unfinishedBytes == waiting)
    try world.send(Frames.frame(type: 3, stream: 1, [0, 0, 0, 8]))
    #expect(world.connection.unfinishedBytes == 0)
    for _ in 0 ..< 15 { try world.send(Array(repeating: Self.tiny(3), count: 100).flatMap(\.self)) }
    #expect(world.transport.log.counts["unfinished"] ?? 0 > 0)
    #expect(world.channel.isActive)
    _ = try? world.channel.finish()
    #expect(world.transport.unfinished.load(ordering: .relaxed) == 0)
  }

  @Test("small frames that wait are counted as frames, and messages taken directly eight to one")
  func prices() throws {
    let world = try World(streams: [1]) { $0.framesPerSecond = 1000 }
    try world.send(Array(repeating: Self.tiny(1), count: 100).flatMap(\.self))
    #expect(world.transport.log.counts.isEmpty)
    for _ in 0 ..< 30 { try world.send(Array(repeating: Self.tiny(1), count: 100).flatMap(\.self)) }
    #expect(world.transport.log.counts["slowedDown"] ?? 0 > 0)
    _ = try? world.channel.finish()

    let transport = TransportGuard.sample { $0.framesPerSecond = 1000 }
    let connection = ConnectionGuard(transport: transport)
    let channel = try EmbeddedChannel.connection(connection)
    try channel.receive(Frames.greeting + Frames.frame(type: 1, flags: 4, [0x88]))
    let call = Taker()
    connection.setTaker(call, of: 1)
    try channel.receive(Array(repeating: Self.tiny(1), count: 800).flatMap(\.self))
    #expect(call.count == 800 && transport.log.counts.isEmpty)
    for _ in 0 ..< 50 {
      try channel.receive(Array(repeating: Self.tiny(1), count: 400).flatMap(\.self))
    }
    #expect(transport.log.counts["slowedDown"] ?? 0 > 0 && call.count < 20_000)
    _ = try? channel.finish()
  }

  @Test("a padded frame does not end the direct way")
  func padding() throws {
    let connection = ConnectionGuard(transport: .sample())
    let channel = try EmbeddedChannel.connection(connection)
    try channel.receive(Frames.greeting + Frames.frame(type: 1, flags: 4, [0x88]))
    let call = Taker()
    connection.setReader(call, of: 1)
    connection.setTaker(call, of: 1)
    try channel.receive(Frames.frame(type: 0, flags: 8, [2, 7, 0, 0]))
    call.readBytes = 1
    try channel.receive(Self.tiny(1))
    #expect(call.count == 1)
    _ = try? channel.finish()
  }

  @Test("frames of nothing but padding change nothing, count, and give their bytes back")
  func onlyPadding() throws {
    let transport = TransportGuard.sample { $0.framesPerSecond = 1000 }
    let connection = ConnectionGuard(transport: transport)
    let channel = try EmbeddedChannel.connection(connection)
    try channel.receive(Frames.greeting + Frames.frame(type: 1, flags: 4, [0x88]))
    try channel.receive(Frames.frame(type: 1, flags: 4, stream: 3, [0x88]))
    _ = try channel.passed()
    let calls = [Taker(), Taker()]
    connection.setReader(calls[0], of: 1)
    connection.setReader(calls[1], of: 3)
    let padding = Frames.frame(type: 0, flags: 8, [255] + [UInt8](repeating: 0, count: 255))
    let last = Frames.frame(type: 0, flags: 9, stream: 3, [0])
    try channel.receive(Array(repeating: padding, count: 100).flatMap(\.self) + last)
    #expect(try channel.passed() == last)
    var credit = [0, 0]
    var sent = try channel.sent()[...]
    while !sent.isEmpty {
      let update = sent.prefix(13)
      sent = sent.dropFirst(13)
      #expect(update.prefix(4) == [0, 0, 4, 8])
      credit[Int(update[update.startIndex + 8])] += update.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    }
    // All but what is owed, of 100 frames of 256 bytes.
    #expect(credit[0] == credit[1] && (25_600 - 8192 ... 25_600).contains(credit[0]))
    #expect(transport.log.counts.isEmpty)
    for _ in 0 ..< 30 {
      try channel.receive(Array(repeating: padding, count: 100).flatMap(\.self))
    }
    #expect(transport.log.counts["slowedDown"] ?? 0 > 0 && channel.isActive)
    _ = try? channel.finish()
  }

  @Test("nor do frames of nothing but padding that come together with the beginning of the call")
  func onlyPaddingAtOnce() throws {
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    let begin = Frames.greeting + Frames.frame(type: 1, flags: 4, [0x88])
    let padding = Frames.frame(type: 0, flags: 8, [2, 0, 0])
    let end = Frames.frame(type: 0, flags: 1, [1])
    try channel.receive(begin + padding + padding + end)
    #expect(try channel.passed() == begin + end)
    _ = try? channel.finish()
  }

  /// A call that takes everything.
  private final class Taker: TakesMessages {
    var readBytes = 0
    var count = 0
    func refuseUnfinished(limit: Int) {}
    func take(_ data: ByteBuffer) -> Bool {
      count += 1
      return true
    }
  }
}

/// A connection whose client keeps to flow control, with calls that read when they are told.
private final class World {
  /// What a client may send at first, for each call and together.
  static let window = 65_535

  final class Call: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    let stream: UInt8
    var channel: (any Channel)?
    var unsent: [UInt8] = []
    var sent: [UInt8] = []
    var received: [UInt8] = []
    var window = World.window
    var (isDone, isEnded, wasReset) = (false, false, false)

    init(_ stream: UInt8) { self.stream = stream }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .data(let data) = unwrapInboundIn(data), case .byteBuffer(let bytes) = data.data
      else { return }
      received += Array(bytes.readableBytesView)
      if data.endStream { isEnded = true }
    }
  }

  /// Counts the bytes that HTTP/2 gets.
  private final class Counter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      count += unwrapInboundIn(data).readableBytes
      context.fireChannelRead(data)
    }
  }

  let transport: TransportGuard
  let connection: ConnectionGuard
  let channel: EmbeddedChannel
  let calls: [UInt8: Call]
  private let counter = Counter()
  private(set) var window = World.window
  private(set) var mostWindow = World.window
  /// Bytes that have not been sent, of frames that have been begun.
  private var rest: [UInt8] = []

  var passed: Int { counter.count }

  init(streams: [UInt8], _ change: (inout TransportLimits) -> Void = { _ in }) throws {
    transport = .sample {
      $0.framesPerSecond = 50_000_000
      change(&$0)
    }
    connection = ConnectionGuard(transport: transport)
    channel = try .connection(connection)
    calls = Dictionary(uniqueKeysWithValues: streams.map { ($0, Call($0)) })
    let queue = Queue(streams.compactMap { [calls] in calls[$0] })
    try channel.pipeline.syncOperations.addHandler(counter)
    try channel.addHTTP2(behind: connection) { stream in
      let call = queue.calls.removeFirst()
      call.channel = stream
      return call
    }
    var settings = Frames.frame(type: 4)
    settings[8] = 0
    try send(Frames.greeting + settings)
    var encoder = HPACKEncoder(allocator: .init())
    for stream in streams {
      var block = ByteBuffer()
      try encoder.encode(headers: LayoutStream.headers, to: &block)
      try send(Frames.frame(type: 1, flags: 4, stream: stream, Array(block.readableBytesView)))
      calls[stream]?.channel?.read()
      channel.runRound()
    }
  }

  private final class Queue {
    var calls: [Call]
    init(_ calls: [Call]) { self.calls = calls }
  }

  /// Whether each call has got everything.
  var isComplete: Bool { calls.values.allSatisfy { $0.wasReset || $0.isEnded } }

  func send(_ bytes: [UInt8]) throws {
    try channel.receive(bytes)
    try takeCredit()
  }

  /// Sends some frames of a call, as far as its windows allow, in pieces now and then.
  func sendSome(_ call: Call, _ random: inout SplitMix64) throws {
    var bytes: [UInt8] = []
    let most = [8, 30, 300, 3000][random.below(4)]
    for _ in 0 ..< random.int(1 ... 40) {
      let padding = random.chance(10) ? random.below(9) : nil
      let room = min(call.window, window) - (padding.map { $0 + 1 } ?? 0)
      let count = min(call.unsent.count, random.int(1 ... most), room)
      guard count > 0 else { break }
      let part = Array(call.unsent.prefix(count))
      call.unsent.removeFirst(count)
      call.sent += part
      call.isDone = call.unsent.isEmpty
      let payload =
        padding.map { [UInt8($0)] + part + [UInt8](repeating: 0, count: $0) } ?? part
      let flags: UInt8 = (padding == nil ? 0 : 8) + (call.isDone ? 1 : 0)
      bytes += Frames.frame(type: 0, flags: flags, stream: call.stream, payload)
      call.window -= payload.count
      window -= payload.count
      if call.isDone { break }
    }
    // The end of the last frame may come with what is sent next.
    bytes = rest + bytes
    let place = random.chance(60) ? bytes.count : random.below(bytes.count + 1)
    rest = Array(bytes.dropFirst(place))
    try channel.writeInbound(ByteBuffer(bytes: bytes.prefix(place)))
    if random.chance(30) { channel.runRound() }
    if random.chance(70) || calls.values.allSatisfy(\.isDone) {
      try channel.writeInbound(ByteBuffer(bytes: rest))
      rest = []
    }
    try takeCredit()
  }

  func reset(_ call: Call) throws {
    (call.isDone, call.wasReset) = (true, true)
    let bytes = rest + Frames.frame(type: 3, stream: call.stream, [0, 0, 0, 8])
    rest = []
    try channel.writeInbound(ByteBuffer(bytes: bytes))
    try takeCredit()
  }

  func readAll() {
    for _ in 0 ..< 2000 {
      for call in calls.values { call.channel?.read() }
      channel.runRound()
    }
  }

  /// Adds what the server allows to the windows.
  private func takeCredit() throws {
    var frames = ByteBuffer(bytes: try channel.sent())
    while let header = FrameHeader(frames) {
      frames.moveReaderIndex(forwardBy: FrameHeader.byteCount)
      guard let payload = frames.readSlice(length: header.length) else { return }
      guard header.kind == .windowUpdate else { continue }
      let credit = Int(payload.getInteger(at: payload.readerIndex, as: UInt32.self) ?? 0)
      if header.stream == 0 {
        window += credit
        mostWindow = max(mostWindow, window)
      } else {
        calls[UInt8(clamping: header.stream)]?.window += credit
      }
    }
  }
}
