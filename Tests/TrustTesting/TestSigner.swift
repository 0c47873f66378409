// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
public import Foundation

/// Signs JSON Web Tokens without the library that verifies them.
public struct TestSigner: Sendable {
  private enum Key: Sendable {
    case secret(SymmetricKey)
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
  }

  public let id: String
  public let algorithm: String
  private let key: Key

  /// - Parameter algorithm: HS256, RS256, ES256 or EdDSA.
  public init(_ algorithm: String, id: String = "key") throws {
    self.algorithm = algorithm
    self.id = id
    switch algorithm {
    case "HS256": key = .secret(SymmetricKey(size: .bits256))
    case "RS256": key = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    case "ES256": key = .p256(P256.Signing.PrivateKey())
    default: key = .ed25519(Curve25519.Signing.PrivateKey())
    }
  }

  /// The key as a member of a key set.
  public func jwk(naming isNamed: Bool = true) throws -> [String: String] {
    var jwk: [String: String] = [:]
    if isNamed {
      jwk["kid"] = id
      jwk["alg"] = algorithm
    }
    switch key {
    case .secret(let secret):
      jwk["kty"] = "oct"
      jwk["k"] = secret.withUnsafeBytes { Data($0) }.base64URL
    case .rsa(let key):
      let parts = try key.publicKey.getKeyPrimitives()
      jwk["kty"] = "RSA"
      jwk["n"] = Data(parts.modulus).base64URL
      jwk["e"] = Data(parts.publicExponent).base64URL
    case .p256(let key):
      let point = key.publicKey.rawRepresentation
      jwk["kty"] = "EC"
      jwk["crv"] = "P-256"
      jwk["x"] = point.prefix(32).base64URL
      jwk["y"] = point.suffix(32).base64URL
    case .ed25519(let key):
      jwk["kty"] = "OKP"
      jwk["crv"] = "Ed25519"
      jwk["x"] = key.publicKey.rawRepresentation.base64URL
    }
    return jwk
  }

  /// A key set.
  public static func keySet(_ signers: [TestSigner], naming isNamed: Bool = true) throws -> Data {
    let keys = try signers.map { try $0.jwk(naming: isNamed) }
    return try JSONEncoder().encode(["keys": keys])
  }

  /// A signed token.
  ///
  /// - Parameters:
  ///   - claims: a JSON object.
  ///   - header: a JSON object; nil = the algorithm and the name of the key.
  public func token(_ claims: String, header: String? = nil) throws -> String {
    let header = header ?? #"{"alg":"\#(algorithm)","kid":"\#(id)","typ":"JWT"}"#
    let text = "\(Data(header.utf8).base64URL).\(Data(claims.utf8).base64URL)"
    let bytes = Data(text.utf8)
    let signature: Data
    switch key {
    case .secret(let secret):
      signature = Data(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
    case .rsa(let key):
      signature = try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        .rawRepresentation
    case .p256(let key): signature = try key.signature(for: bytes).rawRepresentation
    case .ed25519(let key): signature = try key.signature(for: bytes)
    }
    return "\(text).\(signature.base64URL)"
  }

  /// A token of a subject.
  public func token(
    subject: String,
    lasting: TimeInterval = 600,
    from now: Date = Date(),
    _ claims: String = ""
  ) throws -> String {
    let end = Int(now.timeIntervalSince1970 + lasting)
    return try token(#"{"sub":"\#(subject)","exp":\#(end)\#(claims)}"#)
  }
}

extension Data {
  /// As in RFC 7515.
  public var base64URL: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
