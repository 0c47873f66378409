// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct DescribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Prints the description of a collection as JSON.",
    discussion: "layoutctl describe art"
  )

  @Argument(help: "The collection, by its identifier.", completion: .collections)
  var collection: String

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let found = try await connection.connect { client in
      var request = Wire.GetCollectionRequest()
      request.name = CollectionArgument.name(of: collection)
      return try await client.collections.getCollection(request).collection
    }
    try Terminal.writeLine(found.json())
  }
}
