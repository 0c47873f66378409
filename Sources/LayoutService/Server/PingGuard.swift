// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Answers PINGs in front of the HTTP/2 handler, which would close the connection after a few
/// hundred: some clients measure bandwidth by a PING for each round trip.
///
/// It has a budget of its own, much larger, beyond which the connection closes. Acknowledgements of
/// the server's own PINGs pass.
final class PingGuard: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let prefaceBytes = 24
  private static let headerBytes = 9
  private static let pingBytes = 17
  private static let pingType: UInt8 = 6
  private static let acknowledgement: UInt8 = 1

  private let budget: Int
  private let period: TimeAmount
  private var used = 0
  private var periodStart = NIODeadline.now()
  /// An incomplete frame header or PING.
  private var pending = ByteBuffer()
  /// Bytes that are not looked at: the client's preface, then the rest of the current frame.
  private var passing = prefaceBytes

  init(budget: Int, period: TimeAmount) {
    self.budget = budget
    self.period = period
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var input = unwrapInboundIn(data)
    if pending.readableBytes > 0 {
      pending.writeBuffer(&input)
      swap(&pending, &input)
      pending.clear()
    }
    let whole = input
    var start = input.readerIndex
    var isAnswered = false
    while input.readableBytes > 0 {
      if passing > 0 {
        let count = min(passing, input.readableBytes)
        input.moveReaderIndex(forwardBy: count)
        passing -= count
        continue
      }
      let index = input.readerIndex
      guard let word: UInt32 = input.getInteger(at: index),
        let type: UInt8 = input.getInteger(at: index + 3),
        let flags: UInt8 = input.getInteger(at: index + 4),
        input.readableBytes >= Self.headerBytes
      else { break }
      let length = Int(word >> 8)
      guard type == Self.pingType, length == 8, flags & Self.acknowledgement == 0 else {
        passing = Self.headerBytes + length
        continue
      }
      guard let payload = input.getSlice(at: index + Self.headerBytes, length: 8) else { break }
      guard takeFromBudget() else {
        context.close(promise: nil)
        return
      }
      forward(whole, from: start, to: index, context: context)
      var answer = context.channel.allocator.buffer(capacity: Self.pingBytes)
      answer.writeInteger(UInt32(8) << 8 | UInt32(Self.pingType))
      answer.writeInteger(Self.acknowledgement)
      answer.writeInteger(UInt32(0))
      answer.writeImmutableBuffer(payload)
      context.write(wrapOutboundOut(answer), promise: nil)
      isAnswered = true
      input.moveReaderIndex(forwardBy: Self.pingBytes)
      start = input.readerIndex
    }
    forward(whole, from: start, to: input.readerIndex, context: context)
    pending = input
    if isAnswered { context.flush() }
  }

  private func forward(
    _ buffer: ByteBuffer,
    from start: Int,
    to end: Int,
    context: ChannelHandlerContext
  ) {
    guard end > start, let part = buffer.getSlice(at: start, length: end - start) else { return }
    context.fireChannelRead(wrapInboundOut(part))
  }

  private func takeFromBudget() -> Bool {
    let now = NIODeadline.now()
    if now - periodStart >= period {
      periodStart = now
      used = 0
    }
    used += 1
    return used <= budget
  }
}
