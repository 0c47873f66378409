// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import Synchronization

/// The connection in use, and those before it until their calls have ended.
///
/// A connection that broke is replaced rather than repaired: the transport's own way back waits by a
/// schedule of its own, and a call made while the server is going away may wait for ever.
final class Connections: Sendable {
  typealias Transport = LayoutClient.Transport

  struct Connection: Sendable {
    let grpc: GRPCClient<Transport>
    let generation: Int
  }

  /// How long calls may go on after `close()`. A connection to a server that never spoke would wait
  /// for it without end.
  private static let closingTime = Duration.seconds(1)

  private let state: Mutex<Connection>
  private let transport: @Sendable () throws -> Transport
  private let toRun: AsyncStream<GRPCClient<Transport>>
  private let run: AsyncStream<GRPCClient<Transport>>.Continuation
  private let closing: AsyncStream<Void>
  private let closed: AsyncStream<Void>.Continuation

  init(_ transport: @escaping @Sendable () throws -> Transport) throws {
    self.transport = transport
    (toRun, run) = AsyncStream.makeStream()
    (closing, closed) = AsyncStream.makeStream()
    let first = Connection(grpc: GRPCClient(transport: try transport()), generation: 0)
    state = Mutex(first)
    run.yield(first.grpc)
  }

  var current: Connection { state.withLock { $0 } }

  /// The connection in use, which is another than that of `generation`.
  func connection(after generation: Int) throws -> Connection {
    let (connection, old) = try state.withLock { state in
      guard state.generation <= generation else { return (state, nil as Connection?) }
      let old = state
      state = Connection(
        grpc: GRPCClient(transport: try transport()),
        generation: generation + 1
      )
      return (state, old)
    }
    if let old {
      run.yield(connection.grpc)
      old.grpc.beginGracefulShutdown()
    }
    return connection
  }

  /// Runs all connections until `close()` and a little longer, for the calls under way.
  func serve() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.runAll() }
      group.addTask { [closing] in
        for await _ in closing {}
        try? await Task.sleep(for: Self.closingTime)
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func runAll() async {
    await withDiscardingTaskGroup { group in
      for await grpc in toRun {
        // What goes wrong with a connection, its calls say.
        group.addTask { try? await grpc.runConnections() }
      }
    }
  }

  /// No new calls; `serve()` returns when those under way have ended.
  func close() {
    run.finish()
    closed.finish()
    current.grpc.beginGracefulShutdown()
  }
}
