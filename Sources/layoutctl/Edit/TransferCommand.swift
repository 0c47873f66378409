// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionModel
import LayoutClient
import LayoutProtocol

struct TransferCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Takes items from one collection to another and prints both data versions.",
    discussion: """
      Both collections change, or neither. The items keep the order in which they are named. In an \
      outline all that is below an item goes along. A transfer with a --request-id can be repeated safely.

        layoutctl transfer inbox archive --key m17 --key m18 --after m16
        layoutctl transfer inbox archive --item 0:3 --to 2:0
        layoutctl transfer inbox archive --key m17 --to-section 2
      """
  )

  @Argument(help: "The collection from which the items go, by its identifier.")
  var source: String

  @Argument(help: "The collection into which they come, by its identifier.")
  var destination: String

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp("Take the item with this key; may be repeated.", valueName: "key")
  )
  var keys: [String] = []

  @Option(
    name: .customLong("item"),
    help: ArgumentHelp("Take the item at this place; may be repeated.", valueName: "section:item")
  )
  var items: [ItemPlace] = []

  @Option(
    help: ArgumentHelp("Let the first item come to this place.", valueName: "section:item")
  )
  var to: ItemPlace?

  @Option(help: ArgumentHelp("Put the items at the end of this section.", valueName: "section"))
  var toSection: UInt32?

  @Option(help: ArgumentHelp("Put the items before the item with this key.", valueName: "key"))
  var before: String?

  @Option(help: ArgumentHelp("Put the items after the item with this key.", valueName: "key"))
  var after: String?

  @Option(help: ArgumentHelp("In an outline, put the items below this one.", valueName: "key"))
  var below: String?

  @Option(
    help: ArgumentHelp("The data version that the source has to be at.", valueName: "version")
  )
  var sourceVersion: UInt64?

  @Option(
    help: ArgumentHelp("The data version that the destination has to be at.", valueName: "version")
  )
  var destinationVersion: UInt64?

  @Option(help: ArgumentHelp("Identifies the transfer, for retries.", valueName: "text"))
  var requestId = ""

  @Flag(help: "Ask renderers to animate.")
  var animated = false

  @OptionGroup var connection: ConnectionOptions

  /// All places that are given.
  private var places: [ItemTransfer.Place] {
    let relative: [OutlinePlace?] = [
      before.map { .before($0) }, after.map { .after($0) }, below.map { .lastChild(of: $0) },
    ]
    let paths: [IndexPath?] = [to?.path, toSection.map { IndexPath(section: Int($0)) }]
    return paths.compactMap(\.self).map { .path($0) }
      + relative.compactMap(\.self).map { .relative($0) }
  }

  func validate() throws {
    guard keys.isEmpty != items.isEmpty else { throw ValidationError("Give --key or --item.") }
    guard places.count == 1 else {
      throw ValidationError("Give one of --to, --to-section, --before, --after and --below.")
    }
    if toSection == .max { throw ValidationError("--to-section must be below \(UInt32.max).") }
  }

  func run() async throws {
    guard let place = places.first else { return }
    let transfer = ItemTransfer(
      keys.isEmpty ? .paths(items.map(\.path)) : .keys(keys),
      to: place,
      requestID: requestId,
      expectedSourceVersion: sourceVersion,
      expectedDestinationVersion: destinationVersion,
      isAnimated: animated
    )
    let (source, destination) = (
      CollectionArgument.name(of: source), CollectionArgument.name(of: destination)
    )
    let done = try await connection.connect { client in
      try await client.transfer(transfer, from: source, to: destination)
    }
    try Terminal.writeLine(
      "\(source) v\(done.sourceVersion), \(destination) v\(done.destinationVersion)"
    )
    if done.isDuplicate { Terminal.writeError("layoutctl: this transfer was made before\n") }
  }
}
