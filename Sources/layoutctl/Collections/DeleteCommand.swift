// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes a collection and ends its sessions.",
    discussion: "layoutctl delete art"
  )

  @Argument(help: "The collection, by its identifier.", completion: .collections)
  var collection: String

  @Option(
    help: ArgumentHelp("Delete only if the collection still has this etag.", valueName: "etag")
  )
  var etag: String?

  @Flag(help: "Succeed if there is no such collection.")
  var allowMissing = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await connection.connect { client in
      var request = Wire.DeleteCollectionRequest()
      request.name = CollectionArgument.name(of: collection)
      request.allowMissing = allowMissing
      if let etag { request.etag = etag }
      _ = try await client.collections.deleteCollection(request)
    }
  }
}
