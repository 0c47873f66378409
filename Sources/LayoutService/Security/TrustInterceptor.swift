// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol
internal import LayoutTrust
internal import X509

/// Authenticates the caller before the first message of a call is read.
struct TrustInterceptor: ServerInterceptor {
  /// The rights of the call in whose handler the task runs. Not set in what a handler returns, such
  /// as the producer of a stream.
  @TaskLocal static var access: Access?

  let trust: Trust

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>,
    context: ServerContext,
    next:
      @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
      -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    guard !context.descriptor.isForEverybody else { return try await next(request, context) }
    let access: Access
    do throws(AuthenticationFailure) {
      access = try await trust.access(
        for: Credentials(
          authorization: Array(request.metadata[stringValues: "authorization"]),
          certificates: context.certificates
        ),
        method: context.descriptor.fullyQualifiedMethod,
        peer: context.remotePeer,
        address: PeerHost.host(of: context.remotePeer)
      )
    } catch { throw LayoutProblem(error) }
    return try await Self.$access.withValue(access) { try await next(request, context) }
  }
}

extension ServerContext {
  /// The client's certificates, its own first; empty = it has none.
  fileprivate var certificates: [Certificate] {
    guard let transport = transportSpecific as? HTTP2ServerTransport.Posix.Context else {
      return []
    }
    if let chain = transport.peerCertificateChain { return Array(chain) }
    return transport.peerCertificate.map { [$0] } ?? []
  }
}

extension MethodDescriptor {
  /// Whether the method needs no credentials: load balancers that check health have none.
  var isForEverybody: Bool { service.fullyQualifiedService == "grpc.health.v1.Health" }
}
