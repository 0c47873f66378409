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
      contents give the same edits. If another client edits too, the command makes its edits wherever \
      their places still are; if these are gone, it reads the contents again, less often each time. If \
      the server goes away, the command waits until it is back.

        layoutctl edit art --rate 5 --count 100 --seed 7 &
        layoutctl edit art --near 0:120
        layoutctl watch art --duration 20s --verify
      """
  )

  @Argument(help: "The collection, by its identifier.", completion: .collections)
  var collection: String

  @Option(
    help: ArgumentHelp(
      "Batches per second, 0.001 to 10,000; 0 = as fast as they are committed.",
      valueName: "number"
    ),
    transform: NumberArgument.parse
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

  /// The allowed batches per second. Slower ones would wait for longer than a `Duration` can be.
  private static let rates = 0.001 ... 10_000

  func validate() throws {
    guard rate == 0 || Self.rates.contains(rate) else {
      throw ValidationError("--rate must be 0, or from 0.001 to 10000.")
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
      var backoff = Backoff()
      let start = ContinuousClock.now
      while count == 0 || committed < count {
        var edits = RandomEdits(
          sections: contents.sections,
          seed: seed &+ UInt64(attempt),
          keyPrefix: "\(prefix)-\(attempt)",
          near: near?.path
        )
        attempt += 1
        var version: UInt64? = contents.version
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
          request.batch.operations.operations = [edit.operation]
          request.batch.animated = animated
          guard let reached = try await commit(request, at: &version, client) else { break }
          committed += 1
          backoff = Backoff()
          if !quiet { try Terminal.writeLine("v\(reached) \(edit.summary)") }
          if rate > 0 {
            try await Task.sleep(until: start + .seconds(Double(committed) / rate))
          }
        }
        if count > 0, committed == count { return }
        // Others edit faster than the contents can be read, so that reading at once helps nobody.
        try await Task.sleep(for: backoff.next())
        contents = try await client.retrying { try await Self.contents(of: name, client: $0) }
      }
    }
  }

  /// Commits a batch at a version, or at whatever version there is if others have edited since.
  ///
  /// - Parameter version: that of the known contents, and after this that of the batch; nil = any.
  /// - Returns: the data version that the batch led to; nil if its places are gone.
  private func commit(
    _ request: Wire.ApplyUpdatesRequest,
    at version: inout UInt64?,
    _ client: LayoutClient
  ) async throws -> UInt64? {
    var request = request
    if let expected = version {
      request.batch.expectedDataVersion = expected
      do {
        let reached = try await commit(request, client)
        version = reached
        return reached
      } catch let error as RPCError where LayoutProblem(error).reason == .versionConflict {
        // Most edits of others leave the places of this one. Reading the contents again for each
        // would make a busy collection busier, and would be too late again.
        version = nil
        request.batch.clearExpectedDataVersion()
      }
    }
    do { return try await commit(request, client) } catch let error as RPCError
      where Self.reasonsOfOldPlaces.contains(LayoutProblem(error).reason)
    { return nil }
  }

  /// Why a batch is refused whose places others have removed or put elsewhere.
  private static let reasonsOfOldPlaces: Set<LayoutProblem.Reason> = [
    .versionConflict, .indexOutOfRange, .batchInconsistent,
  ]

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
      var check = ExportCheck()
      for try await message in response.messages {
        try check.take(message)
        switch message.part {
        case .section:
          sections.append(.init(count: 0, sample: ImportedItem()))
        case .items(let block):
          guard let last = sections.indices.last else { continue }
          if sections[last].count == 0 { sections[last].sample = ImportedItem(firstOf: block) }
          sections[last].count += Int(block.count)
        case .header, nil: break
        }
      }
      return (sections, try check.finish().dataVersion)
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
