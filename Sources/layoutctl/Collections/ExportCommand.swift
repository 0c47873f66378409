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
      Writes CollectionContents in protobuf JSON, which --contents of the other commands reads. Keeps \
      one section at a time in memory. An existing file is replaced only when the export is complete.

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
      try await client.collections.exportContents(request) { response in
        let file = try OutputFile(path: output)
        var writer = ContentsWriter(file)
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

/// Writes the parts of an export as one JSON document, section by section.
private struct ContentsWriter {
  private let file: OutputFile
  private var section: Wire.Section?
  private var sectionCount = 0
  /// The number of items written or waiting to be written.
  private(set) var itemCount = 0

  init(_ file: OutputFile) { self.file = file }

  mutating func take(_ message: Wire.ExportContentsResponse) throws {
    switch message.part {
    case .header:
      var names = Wire.CollectionContents()
      names.cellKindNames = message.cellKindNames
      // The JSON is "{}" or "{...}"; without the closing brace, the sections become another member.
      let head = try names.json().dropLast()
      try file.write(head.count > 1 ? "\(head),\"sections\":[" : "{\"sections\":[")
    case .section(let next):
      try endSection()
      section = next
    case .items(let block):
      itemCount += Int(block.count)
      section?.blocks.append(block)
    case nil: break
    }
  }

  private mutating func endSection() throws {
    guard let ended = section.take() else { return }
    try file.write((sectionCount > 0 ? ",\n" : "\n") + ended.json())
    sectionCount += 1
  }

  mutating func finish() throws {
    try endSection()
    try file.write("]}\n")
  }
}
