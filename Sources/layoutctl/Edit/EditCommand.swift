// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionModel
import GRPCCore
import LayoutClient
import LayoutProtocol

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Commits random edits to a collection, as a source of changes to watch.",
    discussion: """
      Inserts, deletes, moves, reloads and reconfigures a few items at a time. Items that it \
      inserts, reloads or reconfigures have no data. The same seed and \
      contents give the same edits. If another client edits too, the command reads the contents again \
      and continues. If the server goes away, the command waits until it is back.

        layoutctl edit art --rate 5 --count 100 --seed 7 &
        layoutctl edit art --near 0:120
        layoutctl watch art --duration 20s --verify
      """
  )

  @Argument(help: "The collection, by its identifier.", completion: .collections)
  var collection: String

  @Option(
    help: ArgumentHelp(
      "Batches per second; 0 = as fast as they are committed.",
      valueName: "number"
    )
  )
  var rate = 2.0

  @Option(help: ArgumentHelp("Stop after this many batches; 0 = never.", valueName: "count"))
  var count = 0

  @Option(help: ArgumentHelp("The seed of the random numbers.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Edit only items of this one's section, at most 20 places away, where somebody looks.",
      valueName: "section:item"
    )
  )
  var near: ItemPlace?

  @Flag(help: "Ask renderers to animate.")
  var animated = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  @OptionGroup var connection: ConnectionOptions

  /// How long to wait for the answer to one batch before the server is considered away.
  private static let patience = Duration.seconds(10)

  func validate() throws {
    guard rate >= 0, rate <= 10_000 else {
      throw ValidationError("--rate must be from 0 to 10000.")
    }
    guard count >= 0 else { throw ValidationError("--count must not be negative.") }
  }

  func run() async throws {
    let name = CollectionArgument.name(of: collection)
    try await connection.connect { client in
      // New keys must also differ from those of earlier runs.
      let prefix = "edit-" + String(UInt64.random(in: .min ... .max), radix: 36)
      var contents = try await Self.contents(of: name, client: client)
      var attempt = 0
      var committed = 0
      let start = ContinuousClock.now
      while count == 0 || committed < count {
        var edits = RandomEdits(
          sections: contents.sections,
          seed: seed &+ UInt64(attempt),
          keyPrefix: "\(prefix)-\(attempt)",
          near: near?.path
        )
        attempt += 1
        var version = contents.version
        while count == 0 || committed < count {
          guard let edit = edits.next() else {
            throw CommandFault(
              near.map { "\(name) has no section \($0.path.section) to edit" }
                ?? "\(name) has no sections to edit"
            )
          }
          var request = Wire.ApplyUpdatesRequest()
          request.name = name
          // A batch that is retried after its answer was lost is not applied twice.
          request.batch.requestID = "\(prefix)-\(attempt)-\(committed)"
          request.batch.expectedDataVersion = version
          request.batch.operations.operations = [edit.operation]
          request.batch.animated = animated
          do {
            version = try await commit(request, client)
          } catch let error as RPCError
            where LayoutProblem(error).reason == .versionConflict
          {
            break
          }
          committed += 1
          if !quiet { try Terminal.writeLine("v\(version) \(edit.summary)") }
          if rate > 0 {
            try await Task.sleep(until: start + .seconds(Double(committed) / rate))
          }
        }
        if count > 0, committed == count { return }
        contents = try await client.retrying { try await Self.contents(of: name, client: $0) }
      }
    }
  }

  /// Commits a batch, and retries while the server is away.
  ///
  /// - Returns: the data version that the batch led to.
  private func commit(
    _ request: Wire.ApplyUpdatesRequest,
    _ client: LayoutClient
  ) async throws -> UInt64 {
    try await client.retrying(
      {
        var options = CallOptions.defaults
        options.timeout = Self.patience
        return try await $0.collections.applyUpdates(request, options: options).dataVersion
      },
      waiting: { [quiet] _, wait in
        guard !quiet else { return }
        let seconds = (wait / .seconds(1)).text()
        try Terminal.writeLine("    the server is away; trying again in \(seconds) s")
      }
    )
  }

  private static func contents(
    of name: String,
    client: LayoutClient
  ) async throws -> (sections: [RandomEdits.SectionModel], version: UInt64) {
    var request = Wire.ExportContentsRequest()
    request.name = name
    return try await client.collections.exportContents(request) { response in
      var sections: [RandomEdits.SectionModel] = []
      var version: UInt64 = 0
      for try await message in response.messages {
        switch message.part {
        case .header(let collection): version = collection.dataVersion
        case .section:
          sections.append(.init(count: 0, sample: ImportedItem()))
        case .items(let block):
          guard let last = sections.indices.last else { continue }
          if sections[last].count == 0 { sections[last].sample = ImportedItem(firstOf: block) }
          sections[last].count += Int(block.count)
        case nil: break
        }
      }
      return (sections, version)
    }
  }
}

extension ImportedItem {
  fileprivate init(firstOf block: Wire.ItemBlock) {
    self.init(
      width: block.widths.first,
      height: block.heights.first,
      x: block.xs.first,
      y: block.ys.first,
      key: block.keys.first
    )
  }
}
