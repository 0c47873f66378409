// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LayoutService

@Suite("CallTurns", .timeLimit(.minutes(1)))
struct CallTurnsTests {
  private static let turn = CallTurns.callCount
  private static let call = Frames.frame(type: 1)

  /// Calls in frames, with other frames around them.
  private func calls(_ count: Int) -> [UInt8] {
    (0 ..< count).flatMap { _ in Self.call + Frames.frame(type: 0, [1, 2]) }
  }

  private func beginCount(_ channel: EmbeddedChannel) throws -> Int {
    try channel.passed().count / calls(1).count
  }

  private func connect(
    _ transport: TransportGuard,
    _ address: String = "127.0.0.1",
    on loop: EmbeddedEventLoop
  ) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: ConnectionGuard(transport: transport), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
    try channel.writeInbound(ByteBuffer(bytes: Frames.greeting))
    _ = try channel.passed()
    return channel
  }

  @Test("calls beyond those of a turn wait for the next, and what follows them waits too")
  func waiting() throws {
    let (loop, turns) = (EmbeddedEventLoop(), ManualTurns())
    let transport = TransportGuard.sample(turn: turns.turn)
    let channel = try connect(transport, on: loop)
    try channel.writeInbound(ByteBuffer(bytes: calls(3 * Self.turn - 1) + Frames.ping(1)))
    #expect(try beginCount(channel) == Self.turn)
    #expect(try channel.sent() == [])
    turns.next()
    #expect(try beginCount(channel) == Self.turn)
    #expect(try channel.sent() == [])
    turns.next()
    #expect(try beginCount(channel) == Self.turn - 1)
    #expect(try channel.sent() == Frames.ping(1, isAnswer: true))
    #expect(turns.count == 0 && transport.unfinished.load(ordering: .relaxed) == 0)
    _ = try channel.finish()
  }

  @Test("addresses take turns, however many connections one has")
  func addresses() throws {
    let (loop, turns) = (EmbeddedEventLoop(), ManualTurns())
    let transport = TransportGuard.sample(turn: turns.turn)
    let greedy = try (0 ..< 20).map { _ in try connect(transport, on: loop) }
    for channel in greedy { try channel.writeInbound(ByteBuffer(bytes: calls(50))) }
    let neighbour = try connect(transport, "127.0.0.2", on: loop)
    try neighbour.writeInbound(ByteBuffer(bytes: calls(1)))
    #expect(try beginCount(neighbour) == 0)
    turns.next()
    turns.next()
    #expect(try beginCount(neighbour) == 1)
    for _ in 0 ..< 20 { turns.next() }
    // The connections of one address take turns as well.
    for channel in greedy { #expect(try beginCount(channel) >= Self.turn - 1) }
    for channel in greedy + [neighbour] { try channel.close().wait() }
  }

  @Test("calls that wait cost nothing once their connection has gone")
  func gone() throws {
    let (loop, turns) = (EmbeddedEventLoop(), ManualTurns())
    let transport = TransportGuard.sample(turn: turns.turn)
    let channel = try connect(transport, on: loop)
    try channel.writeInbound(ByteBuffer(bytes: calls(50)))
    #expect(transport.unfinished.load(ordering: .relaxed) > 0)
    try channel.close().wait()
    loop.run()
    #expect(transport.unfinished.load(ordering: .relaxed) == 0)
    turns.next()
    #expect(turns.count == 0)
    #expect(try beginCount(channel) == Self.turn)
  }

  @Test("what waits because of the frames before it waits for no turn, and others may begin")
  func manyFrames() throws {
    let (loop, turns) = (EmbeddedEventLoop(), ManualTurns())
    let transport = TransportGuard.sample({ $0.framesPerSecond = 1000 }, turn: turns.turn)
    let channel = try connect(transport, on: loop)
    try channel.writeInbound(ByteBuffer(bytes: Self.call))
    _ = try channel.passed()
    let padding = Frames.frame(type: 0, flags: 8, [2, 0, 0])
    let settings = Frames.frame(type: 4, stream: 0, [UInt8](repeating: 0, count: 20 * 6))
    let many = Array(repeating: padding, count: 185).flatMap(\.self)
    try channel.writeInbound(ByteBuffer(bytes: many + settings))
    #expect(try channel.passed() == [])
    let neighbour = try connect(transport, "127.0.0.2", on: loop)
    try neighbour.writeInbound(ByteBuffer(bytes: calls(1)))
    #expect(try beginCount(neighbour) == 1)
    loop.advanceTime(by: .microseconds(20))
    #expect(try channel.passed() == settings)
    for channel in [channel, neighbour] { try channel.close().wait() }
  }

  @Test("a connection that waits though there is room gets its turn")
  func room() throws {
    let (loop, turns) = (EmbeddedEventLoop(), ManualTurns())
    let callTurns = CallTurns(loop: loop, turn: turns.turn)
    let waiter = Waiter()
    callTurns.wait(waiter, of: PeerAddress(nil))
    #expect(!callTurns.begin() && waiter.count == 0)
    turns.next()
    #expect(callTurns.begin() && waiter.count == 1 && turns.count == 0)
  }

  private final class Waiter: TakesTurns {
    private(set) var count = 0
    func takeTurn() { count += 1 }
  }

  @Test("nothing is read of a connection that waits, and what waits is bounded")
  func bounds() throws {
    let (loop, turns) = (EmbeddedEventLoop(), ManualTurns())
    let transport = TransportGuard.sample(
      { $0.unfinishedBytesPerConnection = 10_000 },
      turn: turns.turn
    )
    let channel = try connect(transport, on: loop)
    try channel.writeInbound(ByteBuffer(bytes: calls(400)))
    #expect(channel.isActive)
    try channel.writeInbound(ByteBuffer(bytes: calls(400)))
    #expect(!channel.isActive)
    #expect(transport.log.counts == ["calmed": 1])
  }
}

/// Turns that come when the test says so.
private final class ManualTurns: Sendable {
  private let bodies = Mutex<[@Sendable () -> Void]>([])

  var count: Int { bodies.withLock { $0.count } }
  var turn: CallTurns.Turn { { _, body in self.bodies.withLock { $0.append(body) } } }

  func next() {
    let body = bodies.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    body?()
  }
}
