// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Commits an update batch and prints the new data version.",
    discussion: """
      The batch is protobuf JSON of UpdateBatch. With a requestId it is safe to repeat; with an \
      expectedDataVersion it is refused once others have changed the collection.

        echo '{"operations":{"operations":[{"deleteItems":{"itemCount":1}}]},"animated":true}' |
          layoutctl apply art -
      """
  )

  @Argument(help: "The collection, by its identifier.")
  var collection: String

  @Argument(help: "The file that holds the batch; \"-\" = standard input.")
  var batch: String

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    var request = Wire.ApplyUpdatesRequest()
    request.name = CollectionArgument.name(of: collection)
    request.batch = try Wire.UpdateBatch(json: TextFile.read(batch), of: batch)
    let response = try await connection.connect { [request] client in
      try await client.collections.applyUpdates(request)
    }
    try Terminal.writeLine("\(response.dataVersion)")
    if response.duplicate { Terminal.writeError("layoutctl: this batch had been applied before\n") }
  }
}
