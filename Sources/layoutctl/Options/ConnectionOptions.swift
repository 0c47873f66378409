// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import Foundation
public import LayoutClient

/// The options that all commands share.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The server's address.", valueName: "host:port"))
  var server = ServerAddress.standard

  @Flag(help: "Encrypt with TLS; the server's certificate has to be trusted by the system.")
  var tls = false

  @Option(help: ArgumentHelp("Encrypt; authorities of the server, in PEM form.", valueName: "file"))
  var tlsCa: String?

  @Option(help: ArgumentHelp("The client's certificate, in PEM form.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("Its private key, in PEM form.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp("A file with the token to send; it may be renewed.", valueName: "file")
  )
  var tokenFile: String?

  func connect<Result: Sendable>(
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    let variables = ProcessInfo.processInfo.environment
    return try await LayoutClient.connect(
      to: server,
      security: try security(variables),
      body
    )
  }

  /// The options, or the variables of the environment where those are not given.
  ///
  /// - Throws: `ValidationError` for a certificate without a key, or either without TLS.
  func security(_ variables: [String: String]) throws -> ClientSecurity {
    func value(_ option: String?, _ name: String) -> String? {
      let found = option ?? variables["LAYOUTCTL_\(name)"]
      return found.flatMap { $0.isEmpty ? nil : $0 }
    }
    let authorities = value(tlsCa, "TLS_CA")
    let usesTLS = tls || authorities != nil || variables["LAYOUTCTL_TLS"] == "true"
    let (certificate, key) = (
      value(tlsCertificate, "TLS_CERTIFICATE"), value(tlsKey, "TLS_KEY")
    )
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--tls-certificate and --tls-key need each other")
    }
    guard usesTLS || certificate == nil else {
      throw ValidationError("--tls-certificate needs --tls or --tls-ca")
    }
    var security = ClientSecurity()
    if usesTLS { security.encryption = .tls(authorities: authorities) }
    if let certificate, let key {
      security.certificate = .init(certificate: certificate, key: key)
    }
    if let path = value(tokenFile, "TOKEN_FILE") {
      security.tokens = TokenFile(path: path)
    } else if let token = value(nil, "TOKEN") {
      security.tokens = FixedToken(token)
    }
    return security
  }
}

extension ServerAddress: ExpressibleByArgument {
  /// Parses "HOST:PORT".
  public init?(argument: String) { self.init(argument) }

  /// The address in the form in which it is given: "127.0.0.1:50051".
  public var defaultValueDescription: String { description }
}
