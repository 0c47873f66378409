// SPDX-License-Identifier: Apache-2.0

package import GRPCCore
package import GRPCNIOTransportHTTP2Posix
package import LayoutProtocol

/// A connection to a layout server.
///
/// ```swift
/// try await LayoutClient.connect(to: .standard) { client in
///   try await client.view(.init(collection: "collections/artworks", size: size)) { viewer in
///     try await viewer.scroll(to: Point(x: 0, y: 5_000))
///     print(await viewer.mirror.elements.count)
///   }
/// }
/// ```
public struct LayoutClient: Sendable {
  package typealias Transport = HTTP2ClientTransport.Posix

  package let grpc: GRPCClient<Transport>

  package init(grpc: GRPCClient<Transport>) { self.grpc = grpc }

  /// Connects, runs `body`, and closes the connection when it returns or throws.
  ///
  /// - Throws: what `body` throws; calls that the server refuses throw `LayoutProblem`.
  public static func connect<Result: Sendable>(
    to address: ServerAddress,
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    try await withGRPCClient(transport: transport(to: address)) { grpc in
      do {
        return try await body(LayoutClient(grpc: grpc))
      } catch let error as RPCError {
        throw LayoutProblem(error)
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
