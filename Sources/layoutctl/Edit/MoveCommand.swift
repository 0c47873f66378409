// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionModel
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession

struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Moves items as a hand does: picks them up, drags them and drops them.",
    discussion: """
      The first item is the lead: each --over is a place of its centre, one after the other, in content \
      coordinates. The others follow it. --to names the place of the first item after the move, whatever \
      lies there; it comes last. Items of an outline take along what is below them.

        layoutctl move art --item 0:12 --over 160,20
        layoutctl move art --key b --key f --key c --to 2:0
        layoutctl move tree --key notes --over 160,200 --nest
      """
  )

  @OptionGroup var subject: SubjectOptions

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
    help: ArgumentHelp("Drag the centre of the first item here; may be repeated.", valueName: "x,y")
  )
  var over: [Point] = []

  @Option(
    help: ArgumentHelp("Let the first item come to this place.", valueName: "section:item")
  )
  var to: ItemPlace?

  @Flag(help: "In an outline, nest in a row whose middle third is hit.")
  var nest = false

  @Option(help: ArgumentHelp("In an outline, the wanted level.", valueName: "level"))
  var level: Int?

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard keys.isEmpty != items.isEmpty else { throw ValidationError("Give --key or --item.") }
    guard !over.isEmpty || to != nil else { throw ValidationError("Give --over or --to.") }
    if let level, !(0 ... OutlineItem.highestLevel).contains(level) {
      throw ValidationError("--level must be from 0 to \(OutlineItem.highestLevel).")
    }
  }

  /// The steps of the movement, in order, without its end.
  var steps: [InteractiveMovement] {
    let taken: MovementItems = keys.isEmpty ? .paths(items.map(\.path)) : .keys(keys)
    let wish = DropPreference(nests: nest, level: level)
    return [.beginItems(taken)] + over.map { .position($0, wish: wish) }
      + (to.map { [.target($0.path, level: level)] } ?? [])
  }

  func run() async throws {
    let viewing = try subject.viewerConfiguration()
    let steps = steps
    let (before, after) = try await connection.connect { client in
      try await client.view(viewing) { viewer in
        try await viewer.settle()
        let before = await viewer.mirror.dataVersion
        for step in steps {
          try await viewer.perform(.movement(step))
          // Each position is compared with what is on screen.
          try await viewer.settle()
        }
        return (before, try await viewer.perform(.movement(.end)))
      }
    }
    guard !quiet else { return }
    try Terminal.writeLine(after > before ? "v\(after)" : "v\(after), nothing moved")
  }
}

/// The place of an item on the command line.
struct ItemPlace: ExpressibleByArgument, Hashable {
  let path: IndexPath

  /// Parses "0:12".
  init?(argument: String) {
    let numbers = argument.split(separator: ":", omittingEmptySubsequences: false)
      .map { UInt32($0) }
    // Both parts of an index path are below 2³² − 1.
    guard numbers.count == 2, let section = numbers[0], let item = numbers[1], section < .max,
      item < .max
    else { return nil }
    path = IndexPath(section: Int(section), item: Int(item))
  }
}
