// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct SampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Fills a collection with generated items for experiments.",
    discussion: """
      Items measure from 60×80 to 200×160 points, in whole points. The same --seed gives the same \
      items. If the collection does not exist, it is created; otherwise its contents are replaced as \
      one update.

        layoutctl sample pictures
        layoutctl sample big --items 10000000 --sections 100 --default-layout waterfall
        layoutctl sample places --map --items 1000000 --default-layout map.json
      """
  )

  @Argument(
    help: ArgumentHelp(
      "The collection to fill: a-z, 0-9, '.', '_' and '-', at most 63 characters.",
      valueName: "collection"
    )
  )
  var collection: String

  @Option(help: ArgumentHelp("The number of items, 1 to 10,000,000.", valueName: "count"))
  var items = 10_000

  @Option(
    help: ArgumentHelp(
      "The number of sections, 1 to 100,000, at most as many as items.",
      valueName: "count"
    )
  )
  var sections = 1

  @Flag(help: "Give items keys: \"item 0\", \"item 1\" and so on.")
  var keys = false

  @Flag(
    help: ArgumentHelp(
      "Give items a longitude and a latitude around some hundred places of the world instead of a size, for "
        + "spatial layouts with a projection."
    )
  )
  var map = false

  @Option(
    help: ArgumentHelp(
      "The layout for viewers that do not name one. The default for a new collection is flow. "
        + "\(LayoutArgument.help)",
      valueName: "layout"
    )
  )
  var defaultLayout: LayoutArgument?

  @Option(help: ArgumentHelp("The display name of the collection.", valueName: "text"))
  var displayName: String?

  @Option(help: ArgumentHelp("The seed of the generator.", valueName: "number"))
  var seed: UInt64 = 1

  @OptionGroup var sharing: SharingOptions
  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard (1 ... 10_000_000).contains(items) else {
      throw ValidationError("--items: \(items) found, 1 to 10,000,000 allowed.")
    }
    guard (1 ... min(100_000, items)).contains(sections) else {
      throw ValidationError(
        "--sections: \(sections) found, 1 to \(min(100_000, items).grouped) allowed."
      )
    }
  }

  func run() async throws {
    let target = TargetCollection(
      name: CollectionArgument.name(of: collection),
      displayName: displayName,
      layout: try defaultLayout?.spec(of: "--default-layout"),
      sharesMeasurements: sharing.shareMeasurements
    )
    let contents = GeneratedContents(
      items: items,
      sections: sections,
      hasKeys: keys,
      isMap: map,
      seed: seed
    )
    let start = ContinuousClock.now
    let filled = try await connection.connect { client in
      try await target.fill(client: client) { try await contents.send(to: $0, client: client) }
    }
    try Terminal.writeLine(filled.summary(since: start))
  }
}
