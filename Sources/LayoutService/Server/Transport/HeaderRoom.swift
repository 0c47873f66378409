// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Has the HTTP/2 handler read longer headers than calls may have.
///
/// It ends the connection, with all calls of a proxy's clients, where headers exceed its limit, which the gRPC
/// library does not let be chosen. With a greater one it is the call's own guard that refuses the call, alone.
/// The limit counts from when the client acknowledges the setting.
final class HeaderRoom: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// Bytes of the headers of one call, as HTTP/2 counts them.
  static let callBytes = HPACKDecoder.defaultMaxHeaderListSize
  /// Bytes from which on the connection ends: as much as common proxies let pass.
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
