// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// Refuses callers without the right token.
struct TokenCheck: ServerInterceptor {
  /// The token that callers must present.
  let token: String

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>,
    context: ServerContext,
    next:
      @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
      -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    let shown = request.metadata[stringValues: "authorization"]
    guard shown.contains(where: { Self.isSame($0, "Bearer \(token)") }) else {
      throw RPCError(code: .unauthenticated, message: "the token is missing or wrong")
    }
    return try await next(request, context)
  }

  /// Compares in constant time.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    guard first.utf8.count == second.utf8.count else { return false }
    return zip(first.utf8, second.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
