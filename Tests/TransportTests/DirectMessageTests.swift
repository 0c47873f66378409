// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import LayoutSession
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Messages that pass the HTTP/2 handler", .timeLimit(.minutes(1)))
struct DirectMessageTests {
  // MARK: - Which do

  /// A call that takes what it is given.
  private final class Call: TakesMessages {
    var readBytes = 0
    var takes = true
    func refuseUnfinished(limit: Int) {}
    var taken: [[UInt8]] = []

    func take(_ data: ByteBuffer) -> Bool {
      if takes { taken.append(Array(data.readableBytesView)) }
      return takes
    }
  }

  private static let begin = Frames.frame(type: 1, flags: 4, [0x88])

  private func connection() throws -> (EmbeddedChannel, ConnectionGuard, Call) {
    let connection = ConnectionGuard(transport: .sample())
    let channel = try EmbeddedChannel.connection(connection)
    try channel.receive(Frames.greeting + Self.begin)
    let call = Call()
    connection.setTaker(call, of: 1)
    _ = try channel.passed()
    return (channel, connection, call)
  }

  @Test("plain DATA that arrives whole goes to its call, in its place among the others")
  func plain() throws {
    let (channel, _, call) = try connection()
    let ping = Frames.ping(1)
    let update = Frames.frame(type: 8, [0, 0, 0, 9])
    try channel.receive(
      Frames.frame(type: 0, [1]) + update + Frames.frame(type: 0, [2]) + ping
        + Frames.frame(type: 0, [3]) + update
    )
    #expect(call.taken == [[1], [2], [3]])
    #expect(try channel.passed() == update + update)
    _ = try? channel.finish()
  }

  @Test("DATA in pieces, padded, with the end, or of other calls does not")
  func others() throws {
    let (channel, _, call) = try connection()
    let whole = Frames.frame(type: 0, [1, 2, 3])
    try channel.receive(Array(whole.prefix(5)))
    try channel.receive(Array(whole.dropFirst(5)))
    #expect(try channel.passed() == whole)
    // The call has not got that yet.
    try channel.receive(whole)
    #expect(try channel.passed() == whole && call.taken.isEmpty)
    call.readBytes = 6
    try channel.receive(Array(whole.prefix(10)))
    try channel.receive(Array(whole.dropFirst(10)))
    #expect(try channel.passed() == whole)
    call.readBytes = 9
    try channel.receive(whole)
    #expect(call.taken == [[1, 2, 3]])
    let padded = Frames.frame(type: 0, flags: 8, [1, 7, 0])
    let other = Frames.frame(type: 0, stream: 3, [5])
    let end = Frames.frame(type: 0, flags: 1, [6])
    try channel.receive(padded)
    call.readBytes = 12
    try channel.receive(other + end + whole)
    #expect(try channel.passed() == padded + other + end + whole && call.taken.count == 1)
    _ = try? channel.finish()
  }

  @Test("what a call does not take goes on, and so does everything behind it")
  func refused() throws {
    let (channel, connection, call) = try connection()
    call.takes = false
    let frames = Frames.frame(type: 0, [1]) + Frames.frame(type: 0, [2])
    try channel.receive(frames)
    #expect(try channel.passed() == frames)
    call.takes = true
    try channel.receive(frames)
    #expect(try channel.passed() == frames && call.taken.isEmpty)
    call.readBytes = 4
    try channel.receive(frames)
    #expect(call.taken == [[1], [2]])
    connection.setTaker(nil, of: 1)
    try channel.receive(frames)
    #expect(try channel.passed() == frames)
    _ = try? channel.finish()
  }

  @Test("nothing goes to a call that was reset, by either side")
  func reset() throws {
    let frame = Frames.frame(type: 0, [1])
    let reset = Frames.frame(type: 3, [0, 0, 0, 8])
    for isByClient in [true, false] {
      let (channel, _, call) = try connection()
      if isByClient {
        try channel.receive(reset)
      } else {
        try channel.writeOutbound(ByteBuffer(bytes: reset))
      }
      _ = try channel.passed()
      try channel.receive(frame)
      #expect(try channel.passed() == frame && call.taken.isEmpty)
      _ = try? channel.finish()
    }
  }

  @Test("the client's windows get back what was taken")
  func windows() throws {
    let (channel, connection, call) = try connection()
    let other = Call()
    try channel.receive(Frames.frame(type: 1, flags: 4, stream: 3, [0x88]))
    connection.setTaker(other, of: 3)
    var owed: [UInt32: Int] = [0: 0, 1: 0, 3: 0]
    for round in 0 ..< 100 {
      let stream: UInt8 = round % 3 == 0 ? 3 : 1
      let data = [UInt8](repeating: 1, count: 1000)
      try channel.receive(Frames.frame(type: 0, stream: stream, data))
      owed[0, default: 0] += 1000
      owed[UInt32(stream), default: 0] += 1000
      var updates = ByteBuffer(bytes: try channel.sent())
      while let header = FrameHeader(updates), header.kind == .windowUpdate {
        updates.moveReaderIndex(forwardBy: FrameHeader.byteCount)
        owed[header.stream, default: 0] -= Int(updates.readInteger(as: UInt32.self) ?? 0)
      }
      #expect(owed.values.allSatisfy { (0 ... 9000).contains($0) })
    }
    #expect(call.taken.count == 66 && other.taken.count == 34)
    _ = try? channel.finish()
  }

  @Test("a session without room gets one message more; the next wait in the call")
  func room() throws {
    let world = try World()
    try world.send(World.framed(LayoutStream.acknowledgement(1)))
    world.catchUp(rounds: 2)
    try world.send(World.framed(LayoutStream.acknowledgement(2)))
    #expect(world.log == [1, 2] && world.passed < world.sentBytes)
    world.session.hasRoom.store(false, ordering: .relaxed)
    for frame in 3 ... 100 as ClosedRange<UInt64> {
      try world.send(World.framed(LayoutStream.acknowledgement(frame)))
      world.run()
    }
    #expect(world.log == [1, 2, 3])
    world.session.hasRoom.store(true, ordering: .relaxed)
    world.catchUp(rounds: 200)
    #expect(world.log == Array(1 ... 100))
  }

  // MARK: - Order

  @Test(
    "messages keep their order, whichever way they take and however they arrive",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func order(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try World()
    var asked: UInt64 = 0
    for _ in 0 ..< 400 {
      switch random.below(4) {
      case 0:
        var frames: [UInt8] = []
        for _ in 0 ..< random.int(1 ... 3) {
          let messages = (0 ..< (random.chance(80) ? 1 : 2)).flatMap { _ in
            asked += 1
            return LayoutStream.acknowledgement(asked)
          }
          frames += World.framed(messages, &random)
        }
        try world.send(frames, &random)
      case 1:
        world.catchUp(rounds: random.chance(30) ? 30 : 0)
        for _ in 0 ..< random.below(8) { world.libraryTakes() }
      case 2: world.libraryReads()
      default: world.run()
      }
    }
    world.catchUp(rounds: 2000)
    #expect(world.log == Array(1 ... asked))
    #expect(world.passed < world.sentBytes - 200, "some took the short way")
    _ = try? world.channel.finish()
  }
}

/// A connection with one layout stream, whose client, library and session are the test's.
private final class World {
  /// The messages that the session got, one way or the other.
  final class Log: Sendable {
    private let frames = Mutex<[UInt64]>([])
    var all: [UInt64] { frames.withLock { $0 } }
    func add(_ frame: UInt64) { frames.withLock { $0.append(frame) } }
  }

  final class Session: LaneSession {
    let hasRoom = Atomic(true)
    private let log: Log
    init(_ log: Log) { self.log = log }

    func receive(_ step: ScrollStep) -> Bool {
      log.add(step.ack?.sequence ?? 0)
      return hasRoom.load(ordering: .relaxed)
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

  /// The end of a stream's pipeline.
  private final class Library: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    let transport: TransportGuard
    let session: Session
    var lane: StreamLane?
    /// The stream, which reads only when it is told.
    var channel: (any Channel)?
    var bytes: [UInt8] = []

    init(_ transport: TransportGuard, _ session: Session) {
      self.transport = transport
      self.session = session
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .headers(let found):
        lane = LayoutStream.lane(transport, found.headers)
        lane?.join(session)
      case .data(let data):
        if case .byteBuffer(let buffer) = data.data { bytes += Array(buffer.readableBytesView) }
      default: break
      }
    }

    /// The next message; nil = there is none.
    func next() -> UInt64? {
      guard let message = LayoutStream.takeMessage(&bytes) else { return nil }
      return try? CollectionLayout_V1_StreamLayoutRequest(serializedBytes: message).ack.frameSeq
    }
  }

  let channel: EmbeddedChannel
  private let counter = Counter()
  private let library: Library
  private let received = Log()
  let session: Session
  private(set) var sentBytes = 0

  var log: [UInt64] { received.all }
  /// The bytes that HTTP/2 got.
  var passed: Int { counter.count }

  init() throws {
    let transport = TransportGuard.sample()
    let connection = ConnectionGuard(transport: transport)
    channel = try .connection(connection)
    session = Session(received)
    library = Library(transport, session)
    try channel.pipeline.syncOperations.addHandler(counter)
    try channel.addHTTP2(behind: connection) { [library] stream in
      library.channel = stream
      return library
    }
    var block = ByteBuffer()
    var encoder = HPACKEncoder(allocator: .init())
    try encoder.encode(headers: LayoutStream.headers, to: &block)
    let begin = Frames.frame(type: 1, flags: 4, Array(block.readableBytesView))
    var settings = Frames.frame(type: 4)
    settings[8] = 0
    try channel.receive(Frames.greeting + settings + begin)
    library.channel?.read()
    run()
    try #require(library.lane != nil)
    sentBytes = counter.count
  }

  static func framed(_ message: [UInt8]) -> [UInt8] { Frames.frame(type: 0, message) }

  /// DATA with some messages, in one frame or two.
  static func framed(_ messages: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    guard random.chance(15) else { return framed(messages) }
    let place = random.int(1 ... messages.count - 1)
    return Frames.frame(type: 0, Array(messages.prefix(place)))
      + Frames.frame(type: 0, Array(messages.dropFirst(place)))
  }

  func send(_ bytes: [UInt8]) throws {
    sentBytes += bytes.count
    try channel.writeInbound(ByteBuffer(bytes: bytes))
  }

  /// Sends bytes, in two pieces now and then.
  func send(_ bytes: [UInt8], _ random: inout SplitMix64) throws {
    let place = random.chance(70) ? bytes.count : random.below(bytes.count)
    try send(Array(bytes.prefix(place)))
    guard place < bytes.count else { return }
    if random.chance(50) { run() }
    try send(Array(bytes.dropFirst(place)))
  }

  /// Hands one message that the library has to the session.
  func libraryTakes() {
    guard let frame = library.next() else { return }
    received.add(frame)
    library.lane?.noteTaken()
  }

  func libraryReads() { library.channel?.read() }

  func run() { channel.runRound() }

  /// Gives the session what is left, a message at a time.
  func catchUp(rounds: Int) {
    for _ in 0 ..< rounds {
      libraryReads()
      run()
      libraryTakes()
    }
  }
}
