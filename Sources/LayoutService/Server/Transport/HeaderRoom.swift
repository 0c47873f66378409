// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Makes the HTTP/2 handler accept longer headers than calls may have.
///
/// The handler ends the connection, with all calls of a proxy's clients, when headers exceed its
/// limit, which the gRPC library does not expose. With a higher limit the call's own guard refuses
/// only that call. The limit applies from when the client acknowledges the setting.
final class HeaderRoom: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// The most bytes of the headers of one call, as HTTP/2 counts them.
  static let callBytes = HPACKDecoder.defaultMaxHeaderListSize
  /// Headers of more bytes end the connection; common proxies forward as many.
  private static let connectionBytes = 64 << 10

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { widen(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    widen(context)
    context.fireChannelActive()
  }

  private func widen(_ context: ChannelHandlerContext) {
    let setting = HTTP2Setting(parameter: .maxHeaderListSize, value: Self.connectionBytes)
    let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings([setting])))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }
}
