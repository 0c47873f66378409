// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import Foundation
internal import GRPCCore
public import LayoutClient
internal import LayoutProtocol

/// The options that all commands share.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The context, instead of the current one.", valueName: "name"),
    completion: .contexts
  )
  var context: String?

  @Option(
    help: ArgumentHelp(
      "The server's address, or several with commas: a lost connection goes on with the next; "
        + "127.0.0.1:50051 by default.",
      valueName: "host:port"
    )
  )
  var server: ServerList?

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

  /// How long a server may be silent once connected.
  private static let patience = Duration.seconds(10)

  func connect<Result: Sendable>(
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    let settings = try settings
    settings.warn()
    try settings.checkFiles()
    var security = settings.security
    let tokens = settings.checkedTokens
    if let tokens {
      try await tokens.prepare()
      security.tokens = tokens
    }
    do {
      return try await LayoutClient.connect(to: settings.servers.addresses, security: security) {
        client in
        try await client.waitForAnswer(within: Self.patience)
        do { return try await body(client) } catch {
          throw await NameSuggestion.improved(error, client: client)
        }
      }
    } catch let error as RPCError {
      throw Self.fault(in: error.message, error.code, settings) ?? error
    } catch let error as RuntimeError where error.message.contains("SSL context") {
      throw settings.unusableFiles
    } catch let problem as LayoutProblem {
      // A call that was not made for want of a token says so in the words of the library.
      if problem.code == .unavailable, problem.message.hasPrefix("no token: "),
        let fault = await tokens?.fault
      {
        throw fault
      }
      throw Self.fault(in: problem.message, problem.code, settings) ?? problem
    }
  }

  /// Why there is no connection, and what can be done about it; nil = there is one, or the reason
  /// is unknown.
  static func fault(
    in message: String,
    _ code: RPCError.Code,
    _ settings: ConnectionSettings
  ) -> CommandFault? {
    guard code == .unavailable else { return nil }
    let servers = "\(settings.servers)"
    let more = " `layoutctl doctor` says more."
    func fault(_ text: String) -> CommandFault { CommandFault(text, status: .unavailable) }
    if message.contains("Connection refused") {
      return fault(
        "No server listens at \(servers). Start one with `layout-server`, or name another with --server."
      )
    }
    if case .none = settings.security.encryption {
      guard message.contains("no subchannel") || message.contains("connection preface") else {
        return nil
      }
      return fault(
        "What listens at \(servers) does not answer in plain text; with TLS use --tls." + more
      )
    }
    if message.contains("failedToValidateHostname") {
      return fault("The certificate of the server at \(servers) is for another name." + more)
    }
    if message.contains("CERTIFICATE_VERIFY_FAILED") {
      return fault(
        "The certificate of the server at \(servers) is not trusted; name its authority with --tls-ca."
          + more
      )
    }
    guard message.contains("handshakeFailed") || message.contains("NIOSSL") else { return nil }
    return fault("The server at \(servers) and this command cannot agree on TLS." + more)
  }

  /// The settings from the options, then from environment variables, then from the context.
  var settings: ConnectionSettings {
    get throws { try settings(ProcessInfo.processInfo.environment) }
  }

  func settings(_ variables: [String: String]) throws -> ConnectionSettings {
    var options = ConnectionSettings.Options()
    options.context = context
    options.server = server
    options.tls = tls
    options.tlsCa = tlsCa
    options.tlsCertificate = tlsCertificate
    options.tlsKey = tlsKey
    options.tokenFile = tokenFile
    return try ConnectionSettings(options, variables: variables)
  }
}

extension ServerAddress: ExpressibleByArgument {
  /// Parses "HOST:PORT".
  public init?(argument: String) { self.init(argument) }

  /// The address in the form in which it is given: "127.0.0.1:50051".
  public var defaultValueDescription: String { description }
}
