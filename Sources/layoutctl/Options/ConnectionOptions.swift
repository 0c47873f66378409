// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import Foundation
internal import GRPCCore
public import LayoutClient
internal import LayoutProtocol

/// The options that all commands share.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The context, instead of the current one.", valueName: "name"))
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

  /// How long a server may be silent after the connection.
  private static let patience = Duration.seconds(10)

  func connect<Result: Sendable>(
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    let settings = try settings
    settings.warn()
    do {
      return try await LayoutClient.connect(
        to: settings.servers.addresses,
        security: settings.security
      ) {
        client in
        try await client.waitForAnswer(within: Self.patience)
        do { return try await body(client) } catch {
          throw await NameSuggestion.improved(error, client: client)
        }
      }
    } catch let error as RPCError where Self.isRefused(error.message, error.code) {
      throw Self.noServer(at: settings.servers)
    } catch let problem as LayoutProblem where Self.isRefused(problem.message, problem.code) {
      throw Self.noServer(at: settings.servers)
    }
  }

  /// Whether nobody listens at the address.
  private static func isRefused(_ message: String, _ code: RPCError.Code) -> Bool {
    code == .unavailable && message.contains("Connection refused")
  }

  private static func noServer(at addresses: ServerList) -> CommandFault {
    CommandFault(
      "No server listens at \(addresses). Start one with `layout-server`, or name another with --server.",
      status: .unavailable
    )
  }

  /// What the options say, then the variables of the environment, then the context.
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
