// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import LayoutService

@Suite("FlushMerger", .timeLimit(.minutes(1)))
struct FlushMergerTests {
  @Test("what is written in one turn of the event loop is flushed once, at its end")
  func oneTurn() throws {
    let (channel, flushes) = try connection()
    for byte in 0 ..< 5 as Range<UInt8> { write(byte, to: channel) }
    #expect(try channel.sent() == [])
    channel.embeddedEventLoop.run()
    #expect(try channel.sent() == [0, 1, 2, 3, 4])
    #expect(flushes.count == 1)
    write(5, to: channel)
    channel.embeddedEventLoop.run()
    #expect(try channel.sent() == [5])
    #expect(flushes.count == 2)
    _ = try channel.finish()
  }

  @Test("what was not flushed is not sent")
  func withoutFlush() throws {
    let (channel, flushes) = try connection()
    channel.write(ByteBuffer(bytes: [1]), promise: nil)
    channel.embeddedEventLoop.run()
    #expect(try channel.sent() == [])
    #expect(flushes.count == 0)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test("what was written before the connection closes goes out first")
  func close() throws {
    let (channel, flushes) = try connection()
    write(1, to: channel)
    channel.close(promise: nil)
    #expect(try channel.sent() == [1])
    #expect(flushes.count == 1)
    channel.embeddedEventLoop.run()
    #expect(flushes.count == 1)
  }

  private func write(_ byte: UInt8, to channel: EmbeddedChannel) {
    channel.writeAndFlush(ByteBuffer(bytes: [byte]), promise: nil)
  }

  private func connection() throws -> (EmbeddedChannel, FlushCounter) {
    let channel = try EmbeddedChannel.connection(FlushMerger())
    let counter = FlushCounter()
    try channel.pipeline.syncOperations.addHandler(counter, position: .first)
    return (channel, counter)
  }
}

private final class FlushCounter: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  private(set) var count = 0

  func flush(context: ChannelHandlerContext) {
    count += 1
    context.flush()
  }
}
