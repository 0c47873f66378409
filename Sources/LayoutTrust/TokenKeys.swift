// SPDX-License-Identifier: Apache-2.0

internal import Crypto
public import Foundation
internal import JWTKit

/// The keys of a JSON Web Key Set (RFC 7517) that verify signed tokens.
///
/// Each key gets its own collection of the JWT library. In a shared one, the library would take the
/// first key for a token that names an unknown key, and would remember a token's algorithm for a
/// key without one.
public struct TokenKeys: Sendable {
  /// The algorithms that are accepted.
  public static let algorithms = ["HS256", "RS256", "ES256", "EdDSA"]

  /// The most keys that are tried for one token. If there are more of an algorithm, tokens have to
  /// name their key.
  static let mostCandidates = 4

  struct Key: Sendable {
    var id: String?
    var algorithm: String
    /// A digest of the key itself, which recognises it in another set.
    var mark: SHA256Digest
    var verifier: JWTKeyCollection
  }

  let keys: [Key]

  /// Reads a key set. Keys that are not for signatures, or for other algorithms, are skipped.
  ///
  /// - Throws: `TrustError` if it is not a key set, a key is damaged or too short, or no key is
  ///   left.
  public init(jwks: Data) async throws(TrustError) {
    let file: KeySet
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do { file = try decoder.decode(KeySet.self, from: jwks) } catch let error as DecodingError {
      throw TrustError(error.sentence)
    } catch { throw TrustError("\(error)") }
    var keys: [Key] = []
    for (index, key) in file.keys.enumerated() {
      guard key.isForSignatures, let algorithm = key.algorithm,
        Self.algorithms.contains(algorithm)
      else { continue }
      let verifier = JWTKeyCollection()
      do { try await verifier.add(key, algorithm) } catch let error as TrustError {
        throw TrustError("keys[\(index)]: \(error)")
      } catch {
        throw TrustError("keys[\(index)]: the key cannot be read")
      }
      keys.append(Key(id: key.id, algorithm: algorithm, mark: key.mark, verifier: verifier))
    }
    guard !keys.isEmpty else {
      throw TrustError(
        "there is no key for signatures with \(Self.algorithms.joined(separator: ", "))"
      )
    }
    self.keys = keys
  }

  /// The keys that may have signed a token, at most `mostCandidates`: first those with its key ID,
  /// then those without one.
  ///
  /// - Parameter id: the ID that the token names; nil = none.
  func candidates(id: String?, algorithm: String) -> [Key] {
    let fitting = keys.filter { $0.algorithm == algorithm }
    guard let id else { return Array(fitting.prefix(Self.mostCandidates)) }
    let named = fitting.filter { $0.id == id } + fitting.filter { $0.id == nil }
    return Array(named.prefix(Self.mostCandidates))
  }

  /// Whether a key is among those that may have signed a token.
  ///
  /// - Parameter id: the ID that the token names; nil = none.
  func has(_ key: Key, for id: String?) -> Bool {
    candidates(id: id, algorithm: key.algorithm).contains { $0.mark == key.mark }
  }
}

/// A key set as JSON, with the members that are needed here.
private struct KeySet: Decodable {
  struct Key: Decodable {
    var kty: String
    var kid: String?
    var alg: String?
    var use: String?
    /// `key_ops`
    var keyOps: [String]?
    var crv: String?
    /// Of symmetric keys.
    var k: String?
    var n: String?
    var e: String?
    var x: String?
    var y: String?

    var id: String? { kid }
    var isForSignatures: Bool {
      (use == nil || use == "sig")
        && keyOps.map { $0.contains("verify") || $0.contains("sign") } != false
    }

    /// The digest of what verifies signatures.
    var mark: SHA256Digest {
      let parts = [kty, crv, k, n, e, x, y].map { "\($0?.utf8.count ?? 0):\($0 ?? "")" }
      return SHA256.hash(data: Array(parts.joined().utf8))
    }

    /// A key without an algorithm has the usual one of its kind.
    var algorithm: String? {
      if let alg { return alg }
      switch (kty, crv) {
      case ("oct", _): return "HS256"
      case ("RSA", _): return "RS256"
      case ("EC", "P-256"): return "ES256"
      case ("OKP", "Ed25519"): return "EdDSA"
      default: return nil
      }
    }
  }

  var keys: [Key]
}

extension JWTKeyCollection {
  /// Hash functions take keys of any length; one below that of the digest is a mistake (RFC 7518,
  /// 3.2).
  private static let leastSecretBytes = 32

  /// Adds a public or symmetric key. Of a key pair only the public part is used.
  fileprivate func add(_ key: KeySet.Key, _ algorithm: String) throws {
    switch (key.kty, algorithm) {
    case ("oct", "HS256"):
      guard let secret = key.k.flatMap({ Data(base64URL: $0) }) else {
        throw TrustError("k: a key in base64url is needed")
      }
      guard secret.count >= Self.leastSecretBytes else {
        throw TrustError(
          "k: the key has \(secret.count) bytes; at least \(Self.leastSecretBytes) are needed"
        )
      }
      add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    case ("RSA", "RS256"):
      guard let modulus = key.n, let exponent = key.e else {
        throw TrustError("n and e are needed")
      }
      add(
        rsa: try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent),
        digestAlgorithm: .sha256
      )
    case ("EC", "ES256"):
      guard key.crv == "P-256" else {
        throw TrustError(
          "crv: \(key.crv.map { "\"\($0)\"" } ?? "none") found; ES256 needs \"P-256\""
        )
      }
      guard let x = key.x, let y = key.y else { throw TrustError("x and y are needed") }
      add(ecdsa: try ES256PublicKey(parameters: (x, y)))
    case ("OKP", "EdDSA"):
      guard key.crv == "Ed25519" else {
        throw TrustError(
          "crv: \(key.crv.map { "\"\($0)\"" } ?? "none") found; EdDSA needs \"Ed25519\""
        )
      }
      guard let x = key.x else { throw TrustError("x is needed") }
      add(eddsa: try EdDSA.PublicKey(x: x, curve: .ed25519))
    default:
      throw TrustError("a key of kind \(key.kty) is not for \(algorithm)")
    }
  }
}

extension Data {
  /// Whether a text is what `Data` would be encoded as in RFC 7515: only the characters of base 64
  /// for URLs, no padding, and no bits behind the last byte.
  static func isBase64URL(_ text: Substring) -> Bool {
    func value(_ character: UInt8) -> UInt8? {
      switch character {
      case UInt8(ascii: "A") ... UInt8(ascii: "Z"): character - UInt8(ascii: "A")
      case UInt8(ascii: "a") ... UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0") ... UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
      case UInt8(ascii: "-"): 62
      case UInt8(ascii: "_"): 63
      default: nil
      }
    }
    guard text.utf8.allSatisfy({ value($0) != nil }) else { return false }
    let last = text.utf8.last.flatMap(value) ?? 0
    switch text.utf8.count % 4 {
    case 0: return true
    case 2: return last & 0xF == 0
    case 3: return last & 0x3 == 0
    default: return false
    }
  }

  /// Base 64 as in RFC 7515: "-" and "_", without padding.
  init?(base64URL text: String) {
    var base64 = text.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    self.init(base64Encoded: base64)
  }
}
