// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Limits the number of connections, and pauses when the process is out of file descriptors. It
/// stands behind the gate in the pipeline of the listening socket.
final class AcceptGuard: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  /// How long no connections are accepted after descriptors ran out.
  private static let pause = TimeAmount.seconds(1)

  /// Errors after which accepting again at once would fail again. Others concern one connection.
  private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

  private let transport: TransportGuard
  private var isPaused = false
  /// Whether the shortage has been logged and has not ended since.
  private var isShort = false

  init(transport: TransportGuard) { self.transport = transport }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isShort = false
    guard transport.connectionCount < transport.limits.connections else {
      let channel = unwrapInboundIn(data)
      transport.log.note(.refusedConnection, reason: "too many connections")
      channel.close(promise: nil)
      return
    }
    context.fireChannelRead(data)
  }

  /// NIO pauses reading, but leaves the socket registered, so that the event loop would spin: a
  /// whole core while the shortage lasts.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    defer { context.fireErrorCaught(error) }
    guard let error = error as? IOError, Self.shortages.contains(error.errnoCode), !isPaused else {
      return
    }
    isPaused = true
    if isShort {
      transport.log.count(.outOfDescriptors)
    } else {
      transport.log.note(.outOfDescriptors, reason: "\(error)")
    }
    isShort = true
    let options = context.channel.syncOptions
    try? options?.setOption(.autoRead, value: false)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
      self.isPaused = false
      try? options?.setOption(.autoRead, value: true)
    }
  }
}
