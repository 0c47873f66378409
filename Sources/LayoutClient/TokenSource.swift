// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRPCCore

/// Caches a provider's token until shortly before it expires.
actor TokenSource {
  /// A token is renewed this many seconds before it expires, or a fifth of its lifetime if that is
  /// less.
  static let margin = 60.0

  private let provider: any TokenProvider
  private var current: AccessToken?
  private var renewal: Date?
  /// The request in progress, which concurrent calls share.
  private var asking: Task<AccessToken, any Error>?

  init(_ provider: any TokenProvider) { self.provider = provider }

  /// A token that is valid for a while.
  func token() async throws -> AccessToken {
    if let current, renewal.map({ Date() < $0 }) ?? (current.expiry != nil) { return current }
    if let asking { return try await asking.value }
    let task = Task { [provider] in try await provider.token() }
    asking = task
    defer { asking = nil }
    let token = try await task.value
    let now = Date()
    current = token
    renewal = token.expiry.map { expiry in
      let rest = max(0, expiry.timeIntervalSince(now))
      return expiry.addingTimeInterval(-min(Self.margin, rest / 5))
    }
    return token
  }

  /// Notes that the server has refused the token: the next call asks for another one.
  func forget() { current = nil }

  /// When to ask for another token; nil = the current one does not expire.
  var nextRenewal: Date? { renewal }
}

/// The cause of a call that was not made, because the token provider failed.
struct TokenFailure: Error {}

/// Sends the token with each call.
struct TokenInterceptor: ClientInterceptor {
  let source: TokenSource

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingClientRequest<Input>,
    context: ClientContext,
    next: (StreamingClientRequest<Input>, ClientContext) async throws
      -> StreamingClientResponse<Output>
  ) async throws -> StreamingClientResponse<Output> {
    var request = request
    let token: AccessToken
    do { token = try await source.token() } catch {
      // Nothing was refused: the provider may have a token later.
      throw RPCError(code: .unavailable, message: "no token: \(error)", cause: TokenFailure())
    }
    request.metadata.replaceOrAddString("Bearer \(token.value)", forKey: "authorization")
    return try await next(request, context)
  }
}
