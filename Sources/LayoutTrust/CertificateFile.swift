// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1
internal import X509

/// Certificates in files.
enum CertificateFile {
  /// All certificates of a text in PEM form; anything else in it is skipped.
  static func certificates(pem: String) throws -> [Certificate] {
    try PEMDocument.parseMultiple(pemString: pem)
      .filter { $0.discriminator == Certificate.defaultPEMDiscriminator }
      .map { try Certificate(pemDocument: $0) }
  }
}
