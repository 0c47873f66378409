// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import LayoutClient

/// What all commands share.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The server to talk to.", valueName: "host:port"))
  var server = ServerAddress.standard

  func connect<Result: Sendable>(
    _ body: @Sendable (LayoutClient) async throws -> Result
  ) async throws -> Result {
    try await LayoutClient.connect(to: server, body)
  }
}

extension ServerAddress: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
  public var defaultValueDescription: String { description }
}
