// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOSSL

extension ConnectionGuard {
  /// The cost of breaking the protocol, in resets.
  private static let violation = 50

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let bytes = unwrapOutboundIn(data)
    switch outbound.next(bytes) {
    case .frame(let header):
      guard let header else { break }
      requests.sent(header)
      _ = countWaiting()
      if let rest = creditLeft(of: header, bytes) {
        guard rest > 0 else {
          promise?.succeed()
          return
        }
        let credit = ByteBuffer(widening: 0, by: rest, allocator: context.channel.allocator)
        return context.write(wrapOutboundOut(credit), promise: promise)
      }
    case .violation(let goodbye):
      peer?.withUse { _ = $0.resets.take(Self.violation, at: .now()) }
      transport.log.count(.brokeProtocol)
      return context.write(wrapOutboundOut(goodbye), promise: promise)
    case .replaced(let farewell):
      return context.write(wrapOutboundOut(farewell), promise: promise)
    }
    context.write(data, promise: promise)
  }

  /// Whether an error that the HTTP/2 handler reports ended only one call, by RST_STREAM, so that
  /// the connection goes on.
  var endedOneCallOnly: Bool { isReceiving && scanner.isGreeted && !outbound.hasReportedError }

  /// Ends the connection with ENHANCE_YOUR_CALM.
  func closeForAbuse(_ reason: String, event: TransportLog.Event) {
    guard let context, !isOver else { return }
    isOver = true
    transport.log.note(event, reason: reason, address: context.channel.remoteAddress)
    peer?.withUse { _ = $0.resets.take(Self.violation, at: .now()) }
    let bytes = ByteBuffer(
      goingAwayWith: 11,
      reason: reason,
      lastStream: outbound.lastStream,
      allocator: context.channel.allocator
    )
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    context.close(promise: nil)
  }

  /// Ends the connection, whatever it waits for.
  func close() {
    isOver = true
    guard let context else { return }
    // TLS would first wait for the client's close message.
    let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
    (tls ?? context).close(promise: nil)
  }
}
