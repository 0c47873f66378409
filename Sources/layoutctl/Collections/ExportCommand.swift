// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import GRPCCore
import LayoutClient
import LayoutProtocol
import SwiftProtobuf

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the contents of a collection as JSON.",
    discussion: """
      Writes CollectionContents in protobuf JSON, which --contents of the other commands reads, part by \
      part as they come. An existing file is replaced only when the export is complete: the sections \
      and items have been counted, and their values are allowed.

        layoutctl export art --output art.json
        layoutctl query --contents art.json --layout list
      """
  )

  @Argument(help: "The collection, by its identifier.", completion: .collections)
  var collection: String

  @Option(help: ArgumentHelp("Where to write; \"-\" = standard output.", valueName: "file"))
  var output = "-"

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    var request = Wire.ExportContentsRequest()
    request.name = CollectionArgument.name(of: collection)
    let output = output
    try await connection.connect { [request] client in
      let total = try await Self.itemCount(of: request.name, client)
      // A path that cannot be written to is found before the server is asked.
      let file = try OutputFile(path: output)
      try await client.collections.exportContents(request) { response in
        var writer = ContentsWriter { try file.write($0) }
        var progress = ProgressLine("export", total: output == "-" ? nil : total)
        defer { progress.clear() }
        for try await part in response.messages {
          try writer.take(part)
          progress.show(done: writer.itemCount, note: "\(writer.itemCount.grouped) items")
        }
        try writer.finish()
        try file.finish()
      }
    }
  }

  private static func itemCount(of name: String, _ client: LayoutClient) async throws -> Int {
    var request = Wire.GetCollectionRequest()
    request.name = name
    return Int(clamping: try await client.collections.getCollection(request).collection.itemCount)
  }
}
