// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutClient
import LayoutProtocol

/// The address of a provider, and how to connect to it.
struct ProviderOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The provider's address.", valueName: "host:port"))
  var provider: ServerAddress

  @Option(
    help: ArgumentHelp("Encrypt; authorities of the provider, in PEM form.", valueName: "file")
  )
  var ca: String?

  @Option(help: ArgumentHelp("A file with the token to send.", valueName: "file"))
  var tokenFile: String?

  @Option(help: "Seconds that one answer may take, 0.1 to 600.", transform: NumberArgument.parse)
  var timeout = 10.0

  func validate() throws {
    guard (0.1 ... 600).contains(timeout) else {
      throw ValidationError("--timeout: 0.1 to 600 are allowed")
    }
  }

  /// Runs `body` with a connection, which is closed afterwards.
  func connect<Result: Sendable>(
    _ body: @escaping @Sendable (ProviderLink) async throws -> Result
  ) async throws -> Result {
    var metadata: Metadata = [:]
    if let tokenFile {
      metadata = ["authorization": "Bearer \(try TokenFile(path: tokenFile).token().value)"]
    }
    if let ca, !FileManager.default.isReadableFile(atPath: ca) {
      throw CommandFault("--ca: \(ca) cannot be read", status: .usage)
    }
    let target: any ResolvableTarget =
      provider.host.contains(":")
      ? .ipv6(address: provider.host, port: provider.port)
      : .dns(host: provider.host, port: provider.port)
    let security: HTTP2ClientTransport.Posix.TransportSecurity =
      ca.map { file in .tls { $0.trustRoots = .certificates([.file(path: file, format: .pem)]) } }
      ?? .plaintext
    let patience = Duration.seconds(timeout)
    do {
      return try await withGRPCClient(
        transport: .http2NIOPosix(target: target, transportSecurity: security)
      ) { [metadata] client in
        try await body(
          ProviderLink(
            connection: client,
            metadata: metadata,
            patience: patience
          )
        )
      }
    } catch let error as RPCError {
      throw Self.fault(error, at: provider) ?? error
    }
  }

  /// What can be done about a provider that does not answer; nil = it answered.
  static func fault(_ error: RPCError, at provider: ServerAddress) -> CommandFault? {
    switch error.code {
    // Only the error's cause tells this, not its message.
    case .unavailable where "\(error)".contains("Connection refused"):
      CommandFault(
        "No provider listens at \(provider). Start it, or name the port that it prints.",
        status: .unavailable
      )
    case .unimplemented:
      CommandFault("What listens at \(provider) is no provider of layouts.")
    default: nil
    }
  }
}

/// A connection to a provider.
struct ProviderLink: Sendable {
  let connection: GRPCClient<HTTP2ClientTransport.Posix>
  let metadata: Metadata
  /// How long one answer may take.
  let patience: Duration

  var client: Wire.LayoutProviderService.Client<HTTP2ClientTransport.Posix> {
    Wire.LayoutProviderService.Client(wrapping: connection)
  }

  var options: CallOptions {
    var options = CallOptions.defaults
    options.timeout = patience
    options.waitForReady = false
    options.maxResponseMessageBytes = 4 << 20
    return options
  }

  /// The provider's descriptions of its layouts.
  func layouts() async throws -> [Wire.ProvidedLayout] {
    try await Deadline.limit(patience) {
      try await client.describeLayouts(
        Wire.DescribeLayoutsRequest(),
        metadata: metadata,
        options: options
      )
    }.layouts
  }
}
