// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// A connection that sends bytes as they are, and collects what comes back.
struct RawExchange: Sendable {
  private let channel: any Channel
  private let collector: Collector

  /// - Parameter address: "127.0.0.1:9464".
  init(to address: String) async throws {
    let port = Int(address.split(separator: ":").last ?? "") ?? 0
    let collector = Collector()
    channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelInitializer { $0.pipeline.addHandler(collector) }
      .connect(host: "127.0.0.1", port: port)
      .get()
    self.collector = collector
  }

  func send(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

  /// All that came until the server closed the connection.
  func untilClosed() async throws -> String {
    try await channel.closeFuture.get()
    return try await channel.eventLoop.submit { [collector] in collector.text }.get()
  }

  func close() { channel.close(promise: nil) }

  /// What a server answers to a request, which is the last one of its connection.
  static func answer(of address: String, to request: String) async throws -> String {
    let exchange = try await RawExchange(to: address)
    exchange.send(request)
    return try await exchange.untilClosed()
  }

  /// Used by one event loop alone.
  private final class Collector: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    var text = ""

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
