// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// Lets requests for WebSockets pass. Answers all others with the reason, and closes the
/// connection.
final class WebSocketRequestGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case expecting
    case passing
    /// The bytes that follow belong to the WebSocket.
    case passed
    case refused
  }

  private let origins: Set<String>
  private var state = State.expecting

  init(origins: Set<String>) { self.origins = origins }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .passed: context.fireChannelRead(data)
    case .refused: break
    case .passing:
      if case .end = unwrapInboundIn(data) { state = .passed }
      context.fireChannelRead(data)
      if state == .passed { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    case .expecting:
      guard case .head(let head) = unwrapInboundIn(data) else { return }
      do throws(WebSocketRequest.Refusal) {
        _ = try WebSocketRequest(head, origins: origins)
        state = .passing
        context.fireChannelRead(data)
      } catch {
        state = .refused
        answer(error, isHead: head.method == .HEAD, context: context)
      }
    }
  }

  private func answer(
    _ refusal: WebSocketRequest.Refusal,
    isHead: Bool,
    context: ChannelHandlerContext
  ) {
    var body = context.channel.allocator.buffer(capacity: refusal.reason.utf8.count + 1)
    body.writeString(refusal.reason + "\n")
    var headers: HTTPHeaders = [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(body.readableBytes)",
      "Connection": "close", "X-Content-Type-Options": "nosniff",
    ]
    if refusal.status == .upgradeRequired { headers.add(name: "Upgrade", value: "websocket") }
    let response = HTTPResponseHead(version: .http1_1, status: refusal.status, headers: headers)
    context.write(wrapOutboundOut(.head(response)), promise: nil)
    if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}
