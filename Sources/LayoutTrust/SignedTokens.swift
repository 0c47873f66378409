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

/// Verifies JSON Web Tokens (RFC 7519) with one set of keys. Tokens that were found good are remembered, so
/// that a caller who makes many calls costs one signature.
final class SignedTokens: Sendable {
  /// The longest token, in bytes.
  static let longestToken = 16_384
  /// How many good tokens are remembered.
  static let remembered = 4096

  private let keys: TokenKeys
  private let rules: SignedTokenRules
  private let known = Mutex<[[UInt8]: Identity]>([:])

  init(keys: TokenKeys, rules: SignedTokenRules) {
    self.keys = keys
    self.rules = rules
  }

  /// Whose token it is. Its times are those of the token, widened by the leeway.
  ///
  /// - Throws: `.invalid`, `.expired`
  func identity(of token: String, at now: Date) async throws(AuthenticationFailure) -> Identity {
    let digest = Array(SHA256.hash(data: Array(token.utf8)))
    if let identity = known.withLock({ $0[digest] }) {
      guard let expiry = identity.expiry, now < expiry else { throw .expired }
      return identity
    }
    let claims = try await verifiedClaims(of: token)
    let identity = try identity(claims, at: now)
    known.withLock { known in
      // Which of them go does not matter: they are verified again.
      if known.count >= Self.remembered { known.removeAll() }
      known[digest] = identity
    }
    return identity
  }

  private func verifiedClaims(
    of token: String
  ) async throws(AuthenticationFailure) -> TokenClaims {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard token.utf8.count <= Self.longestToken, parts.count == 3, !parts[2].isEmpty,
      let header = Data(base64URL: String(parts[0])),
      let fields = try? JSONDecoder().decode(TokenHeader.self, from: header),
      // An extension that has to be understood (RFC 7515, 4.1.11): none is.
      !fields.hasCriticalExtensions
    else { throw .invalid }
    for key in keys.candidates(id: fields.kid, algorithm: fields.alg) {
      // Why another key does not verify it does not matter.
      if let claims = try? await key.verifier.verify(token, as: TokenClaims.self) { return claims }
    }
    throw .invalid
  }

  private func identity(
    _ claims: TokenClaims,
    at now: Date
  ) throws(AuthenticationFailure) -> Identity {
    let leeway = rules.leeway / .seconds(1)
    // One without an end could not be taken back.
    guard let subject = claims.values["sub"]?.first, !subject.isEmpty,
      let expiry = claims.expiry
    else { throw .invalid }
    if let issuer = rules.issuer, claims.values["iss"] != [issuer] { throw .invalid }
    if let audience = rules.audience, claims.values["aud"]?.contains(audience) != true {
      throw .invalid
    }
    if let notBefore = claims.notBefore, now < notBefore.addingTimeInterval(-leeway) {
      throw .invalid
    }
    let end = expiry.addingTimeInterval(leeway)
    guard now < end else { throw .expired }
    return Identity(.signedToken(subject: subject), claims: claims.values, expiry: end)
  }
}

/// The parts of a token's header that are looked at before its signature.
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

/// The claims of a token: texts, numbers, booleans, and lists of such.
private struct TokenClaims: JWTPayload {
  var values: [String: [String]] = [:]
  var expiry: Date?
  var notBefore: Date?

  /// Times beyond the year 9999 are taken for that.
  private static let latest = 253_402_300_799.0

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    for key in container.allKeys {
      // A claim of another form is passed over: no rule can be about it.
      guard let value = try? container.decode(ClaimValue.self, forKey: key) else { continue }
      values[key.stringValue] = value.texts
      switch key.stringValue {
      case "exp": expiry = Self.date(value)
      case "nbf": notBefore = Self.date(value)
      default: break
      }
    }
    // One that is there and cannot be read does not count as absent.
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

  /// The times are checked with the leeway, by whoever asked for the claims.
  func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// The value of a claim.
private struct ClaimValue: Decodable {
  var texts: [String]
  var number: Double?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let list = try? container.decode([String].self) {
      texts = list
    } else if let text = try? container.decode(String.self) {
      texts = [text]
    } else if let flag = try? container.decode(Bool.self) {
      texts = [flag ? "true" : "false"]
    } else {
      let number = try container.decode(Double.self)
      self.number = number
      texts = [Int64(exactly: number).map { String($0) } ?? "\(number)"]
    }
  }
}
