// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import Foundation
internal import JWTKit
internal import Synchronization

/// Which signed tokens are accepted.
public struct SignedTokenRules: Hashable, Sendable {
  /// What the claim `iss` has to be; nil = anything.
  public var issuer: String?
  /// What the claim `aud` has to be or contain; nil = anything.
  public var audience: String?
  /// By how much the clocks of the issuer and of this machine may differ.
  public var leeway: Duration

  /// Rules.
  public init(issuer: String? = nil, audience: String? = nil, leeway: Duration = .seconds(30)) {
    self.issuer = issuer
    self.audience = audience
    self.leeway = leeway
  }
}

/// Verifies JSON Web Tokens (RFC 7519) with one set of keys. Findings are remembered, so a caller
/// with many calls costs one signature check, and so does a wrong token.
final class SignedTokens: Sendable {
  /// How many good tokens are remembered, and how many bytes of their claims.
  private static let remembered = (count: 32_768, bytes: 64 << 20)
  /// How many wrong tokens are remembered.
  private static let rememberedRefusals = 8192

  /// A token with a valid signature and the required claims. Its times are checked at each use.
  private struct Good: Sendable {
    var identity: Identity
    /// When it begins to be valid; nil = it has no such time.
    var begin: Date?
    /// The key that it names, and the one that verified it.
    var keyID: String?
    var key: TokenKeys.Key
  }

  private struct Memory {
    var good = RecentFindings<Good>(count: remembered.count, bytes: remembered.bytes)
    /// Tokens that are wrong at any time.
    var refused = RecentFindings<TokenFault>(count: rememberedRefusals)
    var checks = 0
  }

  private let keys: TokenKeys
  private let rules: SignedTokenRules
  private let memory: Mutex<Memory>

  /// - Parameter former: what the keys replace. Tokens verified by keys of both are not verified
  ///   again.
  init(keys: TokenKeys, rules: SignedTokenRules, after former: SignedTokens? = nil) {
    self.keys = keys
    self.rules = rules
    var memory = Memory()
    if let former, former.rules == rules {
      memory.good = former.memory.withLock { $0.good }
      memory.good.keep { keys.has($0.key, for: $0.keyID) }
    }
    self.memory = Mutex(memory)
  }

  /// The number of signatures checked so far.
  var checkCount: Int { memory.withLock { $0.checks } }

  /// The identity of a token. Its times are those of the token, widened by the leeway.
  ///
  /// - Parameter limit: counts wrong tokens of an address; nil = the signature is checked in any
  ///   case.
  /// - Parameter address: where the token comes from.
  /// - Throws: `.invalidToken`, `.expired`, `.tooManyFailures`
  func identity(
    of token: String,
    at now: Date,
    within limit: CheckLimit? = nil,
    from address: String = ""
  ) async throws(AuthenticationFailure) -> Identity {
    guard token.utf8.count <= Trust.longestToken else { throw .invalidToken(.tooLong) }
    let digest = SHA256.hash(data: Array(token.utf8))
    if let found = remembered(digest) { return try found.identity(at: now) }
    guard let limit else { return try await verify(token, digest).identity(at: now) }
    try await limit.enter(address, at: now)
    // Another call may have come with the same token.
    if let found = remembered(digest) {
      limit.leave(address, hasFailed: false, at: now)
      return try found.identity(at: now)
    }
    let found = await verify(token, digest)
    limit.leave(address, hasFailed: found.isRefused, at: now)
    return try found.identity(at: now)
  }

  /// What is known of a token.
  private enum Finding {
    case good(Good)
    case refused(TokenFault)

    var isRefused: Bool { if case .refused = self { true } else { false } }

    func identity(at now: Date) throws(AuthenticationFailure) -> Identity {
      switch self {
      case .refused(let fault): throw .invalidToken(fault)
      case .good(let good):
        if let begin = good.begin, now < begin { throw .invalidToken(.notYetValid) }
        guard let expiry = good.identity.expiry, now < expiry else { throw .expired }
        return good.identity
      }
    }
  }

  private func remembered(_ digest: SHA256Digest) -> Finding? {
    memory.withLock { memory in
      if let good = memory.good.value(of: digest) { return .good(good) }
      return memory.refused.value(of: digest).map { .refused($0) }
    }
  }

  private func verify(_ token: String, _ digest: SHA256Digest) async -> Finding {
    let good: Good
    do throws(TokenFault) { good = try await verified(token) } catch {
      memory.withLock { $0.refused.insert(error, of: digest) }
      return .refused(error)
    }
    // Each text has its own memory; the dictionary and the lists take about as much again.
    let bytes = good.identity.claims.reduce(0) { sum, claim in
      sum + 64 + claim.key.utf8.count + claim.value.reduce(0) { $0 + 32 + $1.utf8.count }
    }
    memory.withLock { $0.good.insert(good, of: digest, bytes: bytes) }
    return .good(good)
  }

  /// Whether a header is nearly all ASCII: comparing other texts can take long, and a header is
  /// read before its signature is checked.
  private static func isPlain(_ header: Data) -> Bool {
    let escape = UInt8(ascii: "\\")
    return header.reduce(0) { $0 + ($1 >= 0x80 || $1 == escape ? 1 : 0) } <= 64
  }

  private func verified(_ token: String) async throws(TokenFault) -> Good {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    // A token has one form. Otherwise anybody could make any number of others out of a good one,
    // each of which would be remembered.
    guard parts.count == 3, !parts[2].isEmpty, parts.allSatisfy({ Data.isBase64URL($0) }),
      let header = Data(base64URL: String(parts[0]))
    else { throw .form }
    guard Self.isPlain(header),
      let fields = try? JSONDecoder().decode(TokenHeader.self, from: header),
      // A critical extension has to be understood (RFC 7515, 4.1.11), and the server understands
      // none.
      !fields.hasCriticalExtensions
    else { throw .header }
    let candidates = keys.candidates(id: fields.kid, algorithm: fields.alg)
    guard !candidates.isEmpty else { throw .noKey }
    for key in candidates {
      memory.withLock { $0.checks += 1 }
      // Why another key does not verify it does not matter.
      guard let claims = try? await key.verifier.verify(token, as: TokenClaims.self) else {
        continue
      }
      return try good(claims, keyID: fields.kid, key)
    }
    throw .signature
  }

  private func good(
    _ claims: TokenClaims,
    keyID: String?,
    _ key: TokenKeys.Key
  ) throws(TokenFault) -> Good {
    let leeway = rules.leeway / .seconds(1)
    guard let subject = claims.subject, !subject.isEmpty else { throw .noSubject }
    // A token without an expiry could not be revoked.
    guard let expiry = claims.expiry else { throw .noExpiry }
    if let issuer = rules.issuer, claims.issuer != issuer { throw .issuer }
    if let audience = rules.audience, claims.values["aud"]?.contains(audience) != true {
      throw .audience
    }
    return Good(
      identity: Identity(
        .signedToken(subject: subject),
        claims: claims.values,
        expiry: expiry.addingTimeInterval(leeway)
      ),
      begin: claims.notBefore?.addingTimeInterval(-leeway),
      keyID: keyID,
      key: key
    )
  }
}

/// The parts of a token's header that are read before its signature is checked.
private struct TokenHeader: Decodable {
  var alg: String
  var kid: String?
  var hasCriticalExtensions: Bool

  private enum CodingKeys: String, CodingKey { case alg, kid, crit }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    alg = try container.decode(String.self, forKey: .alg)
    kid = try container.decodeIfPresent(String.self, forKey: .kid)
    hasCriticalExtensions = container.contains(.crit)
  }
}

/// The claims of a token: texts, numbers, booleans, and lists of these.
private struct TokenClaims: JWTPayload {
  var values: [String: [String]] = [:]
  /// One text (RFC 7519, 4.1); nil = absent, or of another form.
  var issuer: String?
  var subject: String?
  var expiry: Date?
  var notBefore: Date?

  /// Times beyond the year 9999 are taken for that.
  private static let latest = 253_402_300_799.0

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    for key in container.allKeys {
      // A claim of another form is skipped: no rule can be about it.
      guard let value = try? container.decode(ClaimValue.self, forKey: key) else { continue }
      values[key.stringValue] = value.texts
      switch key.stringValue {
      case "iss": issuer = value.text
      case "sub": subject = value.text
      case "exp": expiry = Self.date(value)
      case "nbf": notBefore = Self.date(value)
      default: break
      }
    }
    // A time that is present but unreadable does not count as absent.
    for name in ["exp", "nbf"] where container.contains(AnyKey(stringValue: name)) {
      guard (name == "exp" ? expiry : notBefore) != nil else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "\(name) is no time")
        )
      }
    }
  }

  private static func date(_ value: ClaimValue) -> Date? {
    guard let seconds = value.number, seconds.isFinite, seconds >= 0 else { return nil }
    return Date(timeIntervalSince1970: min(seconds, latest))
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: [], debugDescription: "claims are only read")
    )
  }

  /// The caller checks the times, with the leeway.
  func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// The value of a claim.
private struct ClaimValue: Decodable {
  var texts: [String]
  /// nil = the value is not one text.
  var text: String?
  var number: Double?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let list = try? container.decode([String].self) {
      texts = list
    } else if let text = try? container.decode(String.self) {
      texts = [text]
      self.text = text
    } else if let flag = try? container.decode(Bool.self) {
      texts = [flag ? "true" : "false"]
    } else {
      let number = try container.decode(Double.self)
      self.number = number
      texts = [Int64(exactly: number).map { String($0) } ?? "\(number)"]
    }
  }
}
