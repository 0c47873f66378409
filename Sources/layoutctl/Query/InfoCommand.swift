// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Prints a server's version, layouts and limits, and the caller's quotas, as JSON.",
    discussion: "layoutctl info"
  )

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let info = try await connection.connect { client in
      try await client.queries.getServerInfo(.init())
    }
    try Terminal.writeLine(info.json())
  }
}
