// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import Synchronization

/// The current connection, and earlier connections until their calls have ended.
///
/// A broken connection is replaced by a new one, to the next address. The transport could reconnect
/// by itself, but it does so on its own schedule, and a call that is made while the server is going
/// away may wait forever.
final class Connections: Sendable {
  typealias Transport = LayoutClient.Transport

  struct Connection: Sendable {
    let grpc: GRPCClient<Transport>
    let generation: Int
  }

  /// How long calls may continue after `close()`. Without this limit, closing a connection to a
  /// server that has never answered would wait forever.
  private static let closingTime = Duration.seconds(1)

  private struct State {
    var current: Connection
    var isClosed = false
  }

  private let state: Mutex<State>
  /// The number of addresses.
  let addressCount: Int
  private let transport: @Sendable (_ address: Int) throws -> Transport
  private let interceptors: [any ClientInterceptor]
  private let toRun: AsyncStream<GRPCClient<Transport>>
  private let run: AsyncStream<GRPCClient<Transport>>.Continuation
  private let closing: AsyncStream<Void>
  private let closed: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - addresses: the number of addresses, at least 1.
  ///   - transport: makes a new transport to the address with a number below `addresses`.
  init(
    addresses: Int = 1,
    interceptors: [any ClientInterceptor] = [],
    _ transport: @escaping @Sendable (_ address: Int) throws -> Transport
  ) throws {
    addressCount = max(1, addresses)
    self.transport = transport
    self.interceptors = interceptors
    (toRun, run) = AsyncStream.makeStream()
    (closing, closed) = AsyncStream.makeStream()
    let first = Connection(
      grpc: GRPCClient(transport: try transport(0), interceptors: interceptors),
      generation: 0
    )
    state = Mutex(State(current: first))
    run.yield(first.grpc)
  }

  var current: Connection { state.withLock { $0.current } }

  /// The current connection. If that is still the one of `generation`, it is replaced by a new one
  /// first.
  ///
  /// - Throws: `RPCError`: CANCELLED after `close()`, when nobody would run a new connection;
  ///   UNAVAILABLE if the transport cannot be made, for example while a file with a certificate is
  ///   being replaced. A later attempt may succeed.
  func connection(after generation: Int) throws -> Connection {
    let (connection, old) = try state.withLock { state in
      guard state.current.generation <= generation else {
        return (state.current, nil as Connection?)
      }
      guard !state.isClosed else {
        throw RPCError(code: .cancelled, message: "the client is closed")
      }
      let old = state.current
      state.current = try makeConnection(generation + 1)
      return (state.current, old)
    }
    if let old {
      run.yield(connection.grpc)
      old.grpc.beginGracefulShutdown()
    }
    return connection
  }

  private func makeConnection(_ generation: Int) throws(RPCError) -> Connection {
    do {
      let made = try transport(generation % addressCount)
      return Connection(
        grpc: GRPCClient(transport: made, interceptors: interceptors),
        generation: generation
      )
    } catch {
      throw RPCError(code: .unavailable, message: "no connection: \(error)", cause: error)
    }
  }

  /// Runs all connections until `close()`, and then until calls in flight have ended, for at most
  /// another second.
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
        // The calls of a broken connection report the error.
        group.addTask { try? await grpc.runConnections() }
      }
    }
  }

  /// Refuses new calls; `serve()` returns when calls in flight have ended.
  func close() {
    let last = state.withLock { state in
      state.isClosed = true
      return state.current
    }
    run.finish()
    closed.finish()
    last.grpc.beginGracefulShutdown()
  }
}
