// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import GRPCCore
package import GRPCNIOTransportHTTP2Posix
package import LayoutProtocol

/// A connection to a layout server.
///
/// ```swift
/// try await LayoutClient.connect(to: .standard) { client in
///   let art = try await client.createCollection(
///     "artworks",
///     defaultLayout: LayoutConfiguration(FlowLayout())
///   )
///   try await client.importContents(into: art.name) { writer in
///     try await writer.addSection(key: "all")
///     try await writer.addItems(ItemBlock(count: 10_000, widths: [120], heights: [80]))
///   }
///   let configuration = ViewerConfiguration(
///     source: .collection(art.name),
///     viewport: ViewportChange(size: Size(width: 1024, height: 768))
///   )
///   try await client.view(configuration) { viewer in
///     try await viewer.scroll(to: Point(x: 0, y: 5_000))
///     print(await viewer.mirror.elements.count)
///   }
/// }
/// ```
///
/// A call that the server refuses throws `LayoutProblem`. Calls can be made concurrently.
public struct LayoutClient: Sendable {
  package typealias Transport = HTTP2ClientTransport.Posix

  let connections: Connections
  let tokens: TokenSource?

  /// The current connection.
  package var grpc: GRPCClient<Transport> { connections.current.grpc }

  /// Connects, runs `body`, and closes the connection when it returns or throws.
  ///
  /// - Parameter security: how the connection is encrypted, and what proves who the client is.
  /// - Throws: what `body` throws. An `RPCError` is converted to a `LayoutProblem`.
  public static func connect<Result: Sendable>(
    to address: ServerAddress,
    security: ClientSecurity = .none,
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    try await connect(to: [address], security: security, body)
  }

  /// The same with several servers that share their collections: whenever a connection breaks, the
  /// next one goes to the next address at once.
  ///
  /// - Parameter addresses: in the order of the attempts; empty = the default address.
  public static func connect<Result: Sendable>(
    to addresses: [ServerAddress],
    security: ClientSecurity = .none,
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    let tokens = security.tokens.map { TokenSource($0) }
    return try await connect(to: addresses, security, tokens, body)
  }

  /// Connects once more, with the tokens of this client: these are asked for once for all.
  package func connectAgain<Result: Sendable>(
    to addresses: [ServerAddress],
    security: ClientSecurity,
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    try await Self.connect(to: addresses, security, tokens, body)
  }

  private static func connect<Result: Sendable>(
    to addresses: [ServerAddress],
    _ security: ClientSecurity,
    _ tokens: TokenSource?,
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    let addresses = addresses.isEmpty ? [.standard] : addresses
    let connections = try Connections(
      addresses: addresses.count,
      interceptors: tokens.map { [TokenInterceptor(source: $0)] } ?? []
    ) { try transport(to: addresses[$0], security) }
    // Not a child task: if the calls and the connections were cancelled at once, a call that begins
    // to wait for a connection would wait forever. Closing the connections ends such waits.
    let serving = Task { await connections.serve() }
    return try await withTaskCancellationHandler {
      do {
        let result = try await body(LayoutClient(connections: connections, tokens: tokens))
        connections.close()
        await serving.value
        return result
      } catch {
        connections.close()
        serving.cancel()
        await serving.value
        throw (error as? RPCError).map { LayoutProblem($0) } ?? error
      }
    } onCancel: {
      connections.close()
    }
  }

  /// Makes a call, and retries it over a new connection as long as the server cannot be reached.
  /// Use this only for idempotent calls.
  ///
  /// - Parameter waiting: called before each wait with the error and the delay.
  /// - Throws: what `call` throws, unless a retry may help; `CancellationError`.
  package func retrying<Result: Sendable>(
    _ call: @Sendable (LayoutClient) async throws -> Result,
    waiting: @Sendable (LayoutProblem, Duration) throws -> Void = { _, _ in }
  ) async throws -> Result {
    var backoff = Backoff(addresses: connections.addressCount)
    while true {
      let generation = connections.current.generation
      do { return try await call(self) } catch let error as RPCError {
        guard error.isPassing else { throw error }
        let wait = backoff.next(asked: error.retryDelay)
        try waiting(LayoutProblem(error), wait)
        try await Task.sleep(for: wait)
        do { _ = try connections.connection(after: generation) } catch let error as RPCError {
          // Without a new connection, the call fails over the old one, and there is another wait.
          guard error.isPassing, error.code == .unavailable else { throw error }
        }
      }
    }
  }

  private static func transport(
    to address: ServerAddress,
    _ security: ClientSecurity
  ) throws -> Transport {
    try HTTP2ClientTransport.Posix(
      target: target(address),
      transportSecurity: security.transport,
      config: transportConfiguration
    )
  }

  /// What resolves an address. The transport takes only valid IP addresses as such. Whatever else
  /// looks like one is left to the resolver of names, which knows zones too ("fe80::1%eth0").
  static func target(_ address: ServerAddress) -> any ResolvableTarget {
    if isAddress(address.host, AF_INET6) {
      .ipv6(address: address.host, port: address.port)
    } else if isAddress(address.host, AF_INET) {
      .ipv4(address: address.host, port: address.port)
    } else {
      .dns(host: address.host, port: address.port)
    }
  }

  private static func isAddress(_ host: String, _ family: Int32) -> Bool {
    // Large enough for an address of either family.
    var address = in6_addr()
    return unsafe inet_pton(family, host, &address) == 1
  }

  /// With PINGs while there are calls. Without them it takes many minutes until a call notices that
  /// the server's machine is gone: only viewers expect heartbeats.
  static let transportConfiguration = HTTP2ClientTransport.Posix.Config.defaults {
    $0.connection.keepalive = .init(
      time: .seconds(20),
      timeout: .seconds(10),
      allowWithoutCalls: false
    )
  }

  package var collections: CollectionLayout_V1_CollectionService.Client<Transport> {
    .init(wrapping: grpc)
  }

  package var queries: CollectionLayout_V1_LayoutQueryService.Client<Transport> {
    .init(wrapping: grpc)
  }

  package var sessions: CollectionLayout_V1_LayoutSessionService.Client<Transport> {
    .init(wrapping: grpc)
  }
}
