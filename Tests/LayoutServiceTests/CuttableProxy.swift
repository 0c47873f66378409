// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// A TCP proxy on loopback whose connections can be cut, and whose target can move.
final class CuttableProxy: Sendable {
  private struct State {
    var target: Int
    var connections: [ObjectIdentifier: any Channel] = [:]
    var accepted = 0
  }

  private let state: Mutex<State>
  private let listener: Mutex<(any Channel)?> = Mutex(nil)

  init(target: Int) { state = Mutex(State(target: target)) }

  /// Connections that were ever made.
  var acceptedCount: Int { state.withLock { $0.accepted } }

  /// - Returns: the port.
  func start() async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { [self] child in
        child.closeFuture.whenComplete { _ in
          self.state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(child)) }
        }
        return child.eventLoop.makeCompletedFuture {
          try child.pipeline.syncOperations.addHandler(Front { self.accept($0) })
        }
      }
      .bind(host: "127.0.0.1", port: 0)
      .get()
    listener.withLock { $0 = channel }
    return channel.localAddress?.port ?? 0
  }

  private func accept(_ child: any Channel) {
    let target = state.withLock { state in
      state.connections[ObjectIdentifier(child)] = child
      state.accepted += 1
      return state.target
    }
    ClientBootstrap(group: child.eventLoop)
      .channelInitializer { peer in
        peer.eventLoop.makeCompletedFuture {
          try peer.pipeline.syncOperations.addHandler(Relay(to: child))
        }
      }
      .connect(host: "127.0.0.1", port: target)
      .flatMap { peer in
        child.eventLoop.makeCompletedFuture {
          try child.pipeline.syncOperations.addHandler(Relay(to: peer))
        }
        .flatMap { child.setOption(.autoRead, value: true) }
        // Cut meanwhile.
        .flatMapErrorThrowing {
          peer.close(promise: nil)
          throw $0
        }
      }
      .whenFailure { _ in child.close(promise: nil) }
  }

  func move(to target: Int) { state.withLock { $0.target = target } }

  /// Cuts all connections.
  func cut() {
    for channel in state.withLock({ Array($0.connections.values) }) {
      channel.close(promise: nil)
    }
  }

  func stop() async throws {
    cut()
    try await listener.withLock { $0 }?.close()
  }
}

/// Tells when a connection can be written to: what is written before that is lost.
private final class Front: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let isActive: @Sendable (any Channel) -> Void

  init(_ isActive: @escaping @Sendable (any Channel) -> Void) { self.isActive = isActive }

  func channelActive(context: ChannelHandlerContext) {
    isActive(context.channel)
    context.fireChannelActive()
  }
}

/// Passes on everything that one side of a connection says.
private final class Relay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let peer: any Channel

  init(to peer: any Channel) { self.peer = peer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    peer.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    peer.close(promise: nil)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
