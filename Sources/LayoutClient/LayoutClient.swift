// SPDX-License-Identifier: Apache-2.0

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
/// Calls that the server refuses throw `LayoutProblem`. All calls may be made at the same time.
public struct LayoutClient: Sendable {
  package typealias Transport = HTTP2ClientTransport.Posix

  let connections: Connections

  /// The connection in use.
  package var grpc: GRPCClient<Transport> { connections.current.grpc }

  /// Connects, runs `body`, and closes the connection when it returns or throws.
  ///
  /// - Throws: what `body` throws; calls that the server refuses throw `LayoutProblem`.
  public static func connect<Result: Sendable>(
    to address: ServerAddress,
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    let connections = try Connections { try transport(to: address) }
    // Cancelled and waited for where `body` throws.
    async let serving: Void = connections.serve()
    do {
      let result = try await body(LayoutClient(connections: connections))
      connections.close()
      await serving
      return result
    } catch let error as RPCError {
      throw LayoutProblem(error)
    }
  }

  /// Makes a call again and again while the server cannot be reached, each time over a new
  /// connection. For calls that may be made twice.
  ///
  /// - Parameter waiting: told before each wait.
  /// - Throws: what `call` throws, except that the server is away; `CancellationError`.
  package func retrying<Result: Sendable>(
    _ call: @Sendable (LayoutClient) async throws -> Result,
    waiting: @Sendable (LayoutProblem, Duration) throws -> Void = { _, _ in }
  ) async throws -> Result {
    var backoff = Backoff()
    while true {
      let generation = connections.current.generation
      do { return try await call(self) } catch let error as RPCError {
        guard error.isPassing else { throw error }
        let wait = backoff.next()
        try waiting(LayoutProblem(error), wait)
        try await Task.sleep(for: wait)
        _ = try connections.connection(after: generation)
      }
    }
  }

  private static func transport(to address: ServerAddress) throws -> Transport {
    let target: any ResolvableTarget =
      if address.host.contains(":") {
        .ipv6(address: address.host, port: address.port)
      } else if address.host.allSatisfy({ $0.isNumber || $0 == "." }) {
        .ipv4(address: address.host, port: address.port)
      } else {
        .dns(host: address.host, port: address.port)
      }
    return try HTTP2ClientTransport.Posix(target: target, transportSecurity: .plaintext)
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
