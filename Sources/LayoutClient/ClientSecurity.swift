// SPDX-License-Identifier: Apache-2.0

internal import GRPCNIOTransportHTTP2Posix

/// How a client encrypts its connection and authenticates itself.
public struct ClientSecurity: Sendable {
  /// How the connection is encrypted.
  public enum Encryption: Sendable {
    /// Not at all.
    case none
    /// With TLS. The server's certificate must be issued by these authorities, in PEM form; nil =
    /// by those that the system trusts.
    case tls(authorities: String?)
  }

  /// The client's own certificate.
  public struct Certificate: Hashable, Sendable {
    /// A PEM file with the certificate, then those of the chain to its authority.
    public var certificate: String
    /// A PEM file with its private key.
    public var key: String

    /// Creates the names of the files. Connections made after the files change use the new ones.
    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// How the connection is encrypted.
  public var encryption: Encryption
  /// The client's own certificate; nil = it has none. Only with TLS.
  public var certificate: Certificate?
  /// Provides tokens; nil = none are sent.
  public var tokens: (any TokenProvider)?

  /// Neither encryption nor credentials.
  public static let none = ClientSecurity()

  /// Creates settings for encryption and credentials.
  public init(
    encryption: Encryption = .none,
    certificate: Certificate? = nil,
    tokens: (any TokenProvider)? = nil
  ) {
    self.encryption = encryption
    self.certificate = certificate
    self.tokens = tokens
  }

  var transport: HTTP2ClientTransport.Posix.TransportSecurity {
    guard case .tls(let authorities) = encryption else { return .plaintext }
    let roots: TLSConfig.TrustRootsSource =
      authorities.map { .certificates([.file(path: $0, format: .pem)]) } ?? .systemDefault
    guard let certificate else { return .tls { $0.trustRoots = roots } }
    return .mTLS(
      certificateChain: [.file(path: certificate.certificate, format: .pem)],
      privateKey: .file(path: certificate.key, format: .pem)
    ) { $0.trustRoots = roots }
  }
}
