// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol
import NIOHTTP1

extension ProviderCommand {
  struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has a server ask a provider for a layout, until the server ends.",
      discussion: """
        layoutctl provider register spiral 127.0.0.1:50061

        It replaces the provider that the layout had. Files are on the server's machine. What is to outlast \
        the server belongs into its configuration (--layout-provider).
        """
    )

    @Argument(help: "The name of the layout.")
    var layout: String

    @Argument(help: ArgumentHelp("The provider's address.", valueName: "host:port"))
    var provider: ServerAddress

    @Option(
      help: ArgumentHelp(
        "Encrypt; authorities of the provider on the server's machine, in PEM form.",
        valueName: "file"
      )
    )
    var ca: String?

    @Option(
      help: ArgumentHelp(
        "A file on the server's machine with the token to send.",
        valueName: "file"
      )
    )
    var tokenFile: String?

    @OptionGroup var admin: AdminOptions

    func run() async throws {
      var request = Wire.LayoutProviderAddress()
      request.address = "\(provider)"
      request.authoritiesFile = ca ?? ""
      request.tokenFile = tokenFile ?? ""
      let status: Wire.LayoutProviderStatus = try await admin.client.send(
        .PUT,
        "/v1/layout-providers/\(layout)",
        request
      )
      try Terminal.writeLine("\(status.layout) is placed by \(status.address)".printable)
    }
  }

  struct Unregister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has a server refuse a layout of a provider, until the server ends."
    )

    @Argument(help: "The name of the layout.")
    var layout: String

    @OptionGroup var admin: AdminOptions

    func run() async throws {
      let status: Wire.LayoutProviderStatus = try await admin.client.send(
        .DELETE,
        "/v1/layout-providers/\(layout)",
        Wire.LayoutProviderAddress()
      )
      try Terminal.writeLine(
        "\(status.layout) is no longer placed by \(status.address)".printable
      )
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the providers of a server, and whether they are there."
    )

    @OptionGroup var admin: AdminOptions

    func run() async throws {
      let found: Wire.ListLayoutProvidersResponse = try await admin.client.get(
        "/v1/layout-providers"
      )
      try Terminal.writeLine(Self.table(of: found.layoutProviders).text)
    }

    static func table(of providers: [Wire.LayoutProviderStatus]) -> TextTable {
      var table = TextTable([
        .init("LAYOUT"), .init("PROVIDER"), .init("ANSWERS", .right), .init("UPDATES", .right),
        .init("FAULTS", .right), .init("STATE"),
      ])
      for provider in providers {
        table.append([
          provider.layout, provider.address, Int(clamping: provider.answers).grouped,
          Int(clamping: provider.updates).grouped, Int(clamping: provider.faults).grouped,
          provider.healthy ? "healthy" : provider.problem.isEmpty ? "not asked" : provider.problem,
        ])
      }
      return table
    }
  }
}
