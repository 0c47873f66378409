// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import Crypto
internal import LayoutProtocol

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Signs resume tokens and verifies its own (HMAC-SHA256, RFC 2104).
struct ResumeTokenSigner: Sendable {
  private let key: SymmetricKey
  private let lifetime: Int64
  private let now: @Sendable () -> CollectionTime

  /// - Parameters:
  ///   - secret: the configured secret; "" = the store's is used.
  ///   - storeSecret: `CollectionStorage.secret`.
  ///   - lifetime: how long a token is valid, at least a second.
  init(
    secret: String,
    storeSecret: [UInt8],
    lifetime: Duration,
    now: @escaping @Sendable () -> CollectionTime = { .now }
  ) {
    // Hashed with a purpose, so that the store's secret can be used for other purposes too.
    let bytes =
      secret.isEmpty ? Array("resume tokens\u{0}".utf8) + storeSecret : Array(secret.utf8)
    key = SymmetricKey(data: SHA256.hash(data: bytes))
    self.lifetime = max(1, lifetime.components.seconds)
    self.now = now
  }

  func sign(_ token: ResumeToken) -> [UInt8] {
    var token = token
    token.expiry = now().seconds.addingReportingOverflow(lifetime).partialValue
    let bytes = token.bytes
    return bytes + HMAC<SHA256>.authenticationCode(for: bytes, using: key)
  }

  /// - Throws: RESUME_TOKEN_INVALID if it was not signed with this key, SESSION_EXPIRED if it is
  ///   too old.
  func verify(_ signed: [UInt8]) throws(LayoutProblem) -> ResumeToken {
    guard !signed.isEmpty, signed.count <= ResumeToken.byteLimit,
      signed.count > SHA256.byteCount
    else { throw .resumeTokenInvalid("\(signed.count) bytes found, which are no token") }
    let bytes = Array(signed.dropLast(SHA256.byteCount))
    let code = Array(signed.suffix(SHA256.byteCount))
    guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key),
      let token = ResumeToken(bytes: bytes)
    else { throw .resumeTokenInvalid("it was not issued by this server") }
    guard token.expiry > now().seconds else { throw .sessionExpired(token.session) }
    return token
  }
}
