// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Commits an update batch and prints the new data version.",
    discussion: """
      The batch is an UpdateBatch in protobuf JSON. A batch with a requestId can be retried safely. A \
      batch with an expectedDataVersion is refused if the collection has changed since that version.

        echo '{"operations":{"operations":[{"deleteItems":{"itemCount":1}}]},"animated":true}' |
          layoutctl apply art -
      """
  )

  @Argument(help: "The collection, by its identifier.", completion: .collections)
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
    if response.duplicate { Terminal.writeError("layoutctl: this batch was applied before\n") }
  }
}
