// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol
internal import LayoutTrust
internal import X509

/// Finds out who calls, before the first message of a call is read.
struct TrustInterceptor: ServerInterceptor {
  /// What the call may do whose handler runs. It is not to be seen in what a handler returns, such as the
  /// producer of a stream.
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
  /// The certificates of the client, its own first; empty = it has none.
  fileprivate var certificates: [Certificate] {
    guard let transport = transportSpecific as? HTTP2ServerTransport.Posix.Context else {
      return []
    }
    if let chain = transport.peerCertificateChain { return Array(chain) }
    return transport.peerCertificate.map { [$0] } ?? []
  }
}

extension MethodDescriptor {
  /// Whether no credentials are needed: load balancers that ask for the health have none.
  var isForEverybody: Bool { service.fullyQualifiedService == "grpc.health.v1.Health" }
}
