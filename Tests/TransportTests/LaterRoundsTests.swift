// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import LayoutService

@Suite("What connections leave for later rounds", .timeLimit(.minutes(1)))
struct LaterRoundsTests {
  @Test("they come in turn, and what they add comes in the next round")
  func order() {
    let loop = EmbeddedEventLoop()
    let later = LaterRounds(loop)
    var log: [String] = []
    for name in ["a", "b"] {
      later.add {
        log.append(name)
        later.add { log.append(name + name) }
      }
    }
    // What the loop runs before it looks at its connections.
    loop.run()
    #expect(log == [])
    loop.advanceTime(by: .microseconds(20))
    #expect(log == ["a", "b"])
    loop.run()
    #expect(log == ["a", "b"])
    loop.advanceTime(by: .microseconds(20))
    #expect(log == ["a", "b", "aa", "bb"])
  }

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

  @Test("however many wait, the loop looks at its connections in between", arguments: [1, 8])
  func connections(count: Int) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let echo = Echo()
    let channel = try await DatagramBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(echo)
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let loop = channel.eventLoop
    let rounds = 20
    let seen: [Int] = try await withCheckedThrowingContinuation { done in
      loop.execute {
        let later = LaterRounds(loop)
        var (left, seen) = (count * rounds, [Int]())
        // As connections whose clients send more than fits into a round.
        func read() {
          let end = NIODeadline.now() + .microseconds(1100)
          while NIODeadline.now() < end {}
          seen.append(echo.count.load(ordering: .relaxed))
          left -= 1
          if left == 0 { return done.resume(returning: seen) }
          if left >= count { later.add(read) }
        }
        for _ in 0 ..< count { later.add(read) }
      }
    }
    // Each takes all time of its round, so there is a look after each.
    #expect(Set(seen).count > seen.count * 3 / 4, "\(seen)")
    try await channel.close()
    try await group.shutdownGracefully()
  }
}
