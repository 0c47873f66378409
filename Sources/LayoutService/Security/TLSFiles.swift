// SPDX-License-Identifier: Apache-2.0

/// The files of a server that speaks TLS, in PEM form. They are reloaded when they change.
public struct TLSFiles: Hashable, Sendable {
  /// The server's certificate, then those of the chain to its authority.
  public var certificate: String
  /// The private key of the server's certificate.
  public var key: String
  /// How often the files are checked for changes.
  public var interval: Duration

  /// Creates the names of the files.
  public init(certificate: String, key: String, interval: Duration = .milliseconds(500)) {
    self.certificate = certificate
    self.key = key
    self.interval = interval
  }
}
