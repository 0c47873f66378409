// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import LayoutClient

/// The options that all commands share.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The server's address.", valueName: "host:port"))
  var server = ServerAddress.standard

  func connect<Result: Sendable>(
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    try await LayoutClient.connect(to: server, body)
  }
}

extension ServerAddress: ExpressibleByArgument {
  /// Parses "HOST:PORT".
  public init?(argument: String) { self.init(argument) }

  /// The address in the form in which it is given: "127.0.0.1:50051".
  public var defaultValueDescription: String { description }
}
