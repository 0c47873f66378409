// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Foundation
import SwiftASN1
public import X509

/// A certificate and its key, in PEM form.
public struct TestCertificate: Sendable {
  public var certificate: Certificate
  public var pem: String
  public var key: String
}

/// An authority that issues certificates.
public struct TestAuthority: Sendable {
  public let certificate: Certificate
  private let key: Certificate.PrivateKey

  /// What a certificate is for.
  public enum Usage: Sendable {
    case server
    case client
    case unstated
  }

  /// - Parameter version: certificates of version 1 have no extensions.
  public init(_ name: String = "authority", version: Certificate.Version = .v3) throws {
    key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let subject = try DistinguishedName { CommonName(name) }
    certificate = try Certificate(
      version: version,
      serialNumber: .init(),
      publicKey: key.publicKey,
      notValidBefore: Date(timeIntervalSinceNow: -3600),
      notValidAfter: Date(timeIntervalSinceNow: 86_400),
      issuer: subject,
      subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        if version == .v3 {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
          Critical(KeyUsage(keyCertSign: true))
        }
      },
      issuerPrivateKey: key
    )
  }

  public var pem: String { get throws { try certificate.serializeAsPEM().pemString } }

  public func issue(
    _ names: [GeneralName],
    for usage: Usage = .client,
    from begin: TimeInterval = -3600,
    to end: TimeInterval = 3600
  ) throws -> TestCertificate {
    let own = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let issued = try Certificate(
      version: .v3,
      serialNumber: .init(),
      publicKey: own.publicKey,
      notValidBefore: Date(timeIntervalSinceNow: begin),
      notValidAfter: Date(timeIntervalSinceNow: end),
      issuer: certificate.subject,
      subject: try DistinguishedName { CommonName("leaf") },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        Critical(BasicConstraints.notCertificateAuthority)
        if !names.isEmpty { SubjectAlternativeNames(names) }
        switch usage {
        case .server: try ExtendedKeyUsage([.serverAuth])
        case .client: try ExtendedKeyUsage([.clientAuth])
        case .unstated: Certificate.Extensions()
        }
      },
      issuerPrivateKey: key
    )
    return TestCertificate(
      certificate: issued,
      pem: try issued.serializeAsPEM().pemString,
      key: try own.serializeAsPEM().pemString
    )
  }
}
