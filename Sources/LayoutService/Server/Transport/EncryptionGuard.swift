// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Answers clients that send plain text to a server that speaks TLS, who would otherwise only see
/// their connection close. It stands in front of the TLS handler, and leaves the pipeline when the
/// first byte has come.
final class EncryptionGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The first byte of every TLS client.
  private static let handshakeRecord: UInt8 = 22
  private static let explanation = "this server speaks TLS only"
  /// INADEQUATE_SECURITY (RFC 9113 §7).
  private static let inadequateSecurity: UInt32 = 12
  /// The first bytes of an HTTP/2 client's "PRI * HTTP/2.0".
  private static let greeting = Array("PRI".utf8)

  private let log: TransportLog
  private var isOver = false

  init(log: TransportLog) { self.log = log }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let bytes = unwrapInboundIn(data)
    guard let first = bytes.readableBytesView.first else { return }
    guard first != Self.handshakeRecord else {
      context.fireChannelRead(data)
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
      return
    }
    isOver = true
    log.note(
      .notEncrypted,
      reason: Self.explanation,
      address: context.channel.remoteAddress
    )
    context.writeAndFlush(wrapOutboundOut(answer(to: bytes, context)), promise: nil)
    context.close(promise: nil)
  }

  private func answer(to bytes: ByteBuffer, _ context: ChannelHandlerContext) -> ByteBuffer {
    let allocator = context.channel.allocator
    guard bytes.readableBytesView.starts(with: Self.greeting) else {
      return allocator.buffer(
        string: "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\n"
          + "content-length: \(Self.explanation.utf8.count)\r\n\r\n\(Self.explanation)"
      )
    }
    // A server has to begin with SETTINGS, which are empty here.
    var answer = allocator.buffer(bytes: [0, 0, 0, 4, 0, 0, 0, 0, 0])
    answer.writeImmutableBuffer(
      ByteBuffer(
        goingAwayWith: Self.inadequateSecurity,
        reason: Self.explanation,
        allocator: allocator
      )
    )
    return answer
  }
}

/// Logs why handshakes fail. It stands behind the TLS handler, and leaves the pipeline when the
/// first byte has come through.
final class HandshakeWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let log: TransportLog

  init(log: TransportLog) { self.log = log }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The gRPC library closes such a connection and says nothing.
    if case .handshakeCompleted(nil) = event as? TLSUserEvent {
      log.note(
        .failedHandshake,
        reason: "the client does not ask for h2 with ALPN",
        address: context.channel.remoteAddress
      )
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case NIOSSLError.handshakeFailed(let reason) = error {
      log.note(
        .failedHandshake,
        reason: Self.name(in: "\(reason)"),
        address: context.channel.remoteAddress
      )
    }
    context.fireErrorCaught(error)
  }

  /// BoringSSL's name of the error: in "…:OPENSSL_internal:HTTP_REQUEST at …" the name before "at".
  private static func name(in text: String) -> String {
    guard let prefix = text.firstRange(of: "OPENSSL_internal:") else { return "no handshake" }
    return String(text[prefix.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }
}
