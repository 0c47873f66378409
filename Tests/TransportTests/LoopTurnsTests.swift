// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Turns on an event loop", .timeLimit(.minutes(1)))
struct LoopTurnsTests {
  /// Sends a packet to itself, over and over.
  private final class Echo: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    let count = Atomic(0)

    func channelActive(context: ChannelHandlerContext) {
      guard let address = context.localAddress else { return }
      let packet = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(string: "x"))
      context.writeAndFlush(NIOAny(packet), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      count.add(1, ordering: .relaxed)
      context.writeAndFlush(data, promise: nil)
    }
  }

  @Test("turns that start each other let the loop look at its connections, and none is lost")
  func turns() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let echo = Echo()
    let channel = try await DatagramBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(echo)
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let turns = LoopTurns(channel.eventLoop)
    let seen = Mutex<Set<Int>>([])
    let count = Atomic(0)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func turn() {
        let end = NIODeadline.now() + .microseconds(200)
        while NIODeadline.now() < end {}
        _ = seen.withLock { $0.insert(echo.count.load(ordering: .relaxed)) }
        guard count.add(1, ordering: .relaxed).newValue < 40 else { return done.resume() }
        turns.start { turn() }
      }
      turns.start { turn() }
    }
    // It looks about once in each millisecond, which is five turns.
    #expect(seen.withLock { $0.count } >= 4)
    try await channel.close()
    try await group.shutdownGracefully()
  }

  @Test("turns start from any thread")
  func threads() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let turns = LoopTurns(group.next())
    await withTaskGroup { tasks in
      for _ in 0 ..< 50 {
        tasks.addTask {
          await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            turns.start { turns.start { done.resume() } }
          }
        }
      }
    }
    try await group.shutdownGracefully()
  }
}
