// SPDX-License-Identifier: Apache-2.0

package import NIOCore
internal import NIOPosix
internal import Synchronization

/// Turns new connections away before a server's listener closes: NIO drops a connection that
/// reaches a listener afterwards, and traps on that.
package final class ListenerGate: Sendable {
  private let isOpen = Atomic(true)
  private let refused: @Sendable () -> Void

  /// An open gate.
  ///
  /// - Parameter refused: called for each connection that is turned away, on an event loop.
  package init(refused: @escaping @Sendable () -> Void = {}) { self.refused = refused }

  /// Guards a listening socket.
  ///
  /// - Parameter channel: its listening channel, to whose pipeline nothing has been added that
  ///   accepts connections.
  package func guardListener(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(Handler(gate: self), position: .first)
    }
  }

  /// Closes new connections as they come. Returns once those that came before are with the gRPC
  /// library.
  package func close() async {
    isOpen.store(false, ordering: .releasing)
    // A connection goes from the listener's event loop to its own and back, before it is handed
    // over.
    for _ in 0 ..< Self.hopsOfConnections {
      for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
        try? await loop.submit {}.get()
      }
    }
  }

  private static let hopsOfConnections = 4

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let gate: ListenerGate

    init(gate: ListenerGate) { self.gate = gate }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if gate.isOpen.load(ordering: .acquiring) { return context.fireChannelRead(data) }
      gate.refused()
      unwrapInboundIn(data).close(promise: nil)
    }
  }
}
