// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
package import NIOHTTP1
internal import NIOWebSocket

extension WebSocketTransport {
  /// Makes WebSockets of connections that another port accepted, for pages of that port and
  /// programs other than browsers. They count like those of a port of their own.
  ///
  /// If a request is refused, the pipeline gets `WebSocketRequest.Refusal` as an error, and then
  /// the request.
  var upgrader: any HTTPServerProtocolUpgrader & Sendable {
    CheckedUpgrader(
      upgrader: NIOWebSocketServerUpgrader(
        maxFrameSize: min(transport.messageBytes, Int(UInt32.max)),
        shouldUpgrade: { channel, _ in
          channel.eventLoop.makeSucceededFuture([
            "Sec-WebSocket-Protocol": WebSocketRequest.subprotocol
          ])
        },
        upgradePipelineHandler: { channel, head in self.adopt(channel, head) }
      )
    )
  }

  private func adopt(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<Void> {
    let client: Client
    do throws(PeerTable.Refusal) { client = try admit(channel) } catch {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(error)
    }
    return channel.closeWhenPeerIsDead(after: transport.limits.deadPeer).flatMapThrowing {
      let request = try WebSocketRequest(head, origins: [])
      let webSocket = try self.addHandlers(to: channel, of: client.peer)
      self.take(Upgrade(channel: webSocket, request: request, client: client))
    }
  }
}

/// Checks requests first, so that refusals are `WebSocketRequest`'s and not the library's.
private struct CheckedUpgrader: HTTPServerProtocolUpgrader, Sendable {
  let upgrader: NIOWebSocketServerUpgrader

  var supportedProtocol: String { upgrader.supportedProtocol }
  var requiredUpgradeHeaders: [String] { upgrader.requiredUpgradeHeaders }

  func buildUpgradeResponse(
    channel: any Channel,
    upgradeRequest: HTTPRequestHead,
    initialResponseHeaders: HTTPHeaders
  ) -> EventLoopFuture<HTTPHeaders> {
    do throws(WebSocketRequest.Refusal) {
      // As for other requests of such a port.
      guard HostHeader.isLocal(upgradeRequest.headers["host"]) else {
        throw WebSocketRequest.Refusal(
          status: .forbidden,
          reason: "the request must name an address or localhost as its host"
        )
      }
      _ = try WebSocketRequest(upgradeRequest, origins: [])
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    return upgrader.buildUpgradeResponse(
      channel: channel,
      upgradeRequest: upgradeRequest,
      initialResponseHeaders: initialResponseHeaders
    )
  }

  func upgrade(
    context: ChannelHandlerContext,
    upgradeRequest: HTTPRequestHead
  ) -> EventLoopFuture<Void> {
    upgrader.upgrade(context: context, upgradeRequest: upgradeRequest)
  }
}

extension LayoutServer {
  /// Lets a port of the same program accept WebSockets, each of which is one call with the rights
  /// of its credentials, as on the server's own web port. Only for the first request of a
  /// connection.
  package var webSocketUpgrader: any HTTPServerProtocolUpgrader & Sendable {
    shared.transport.upgrader
  }
}
