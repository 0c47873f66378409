// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CollectionLayouts
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession

struct NeighborCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "neighbor",
    abstract: "Prints the item that a key press leads to, and where to scroll to show it.",
    discussion: """
        layoutctl neighbor down art --from 0:12
        layoutctl neighbor page-down art --from key:a17 --viewport 390x844
        layoutctl neighbor right art --point 100,50
        layoutctl neighbor last --contents items.json --layout waterfall
      """
  )

  @Argument(help: "Where the step leads.")
  var step: NeighborStep

  @OptionGroup var subject: SubjectOptions

  @Option(
    help: ArgumentHelp(
      "The item where the step begins, by its SECTION:ITEM or its key. key:KEY is an item even if KEY "
        + "looks like something else.",
      valueName: "item"
    )
  )
  var from: StartArgument?

  @Option(
    help: ArgumentHelp(
      "The point where the step begins, in content coordinates.",
      valueName: "x,y"
    )
  )
  var point: Point?

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard from == nil || point == nil else {
      throw ValidationError("Give --from or --point, not both.")
    }
    _ = try origin()
  }

  func run() async throws {
    var request = CollectionLayout_V1_FindNeighborRequest()
    request.target = try subject.target()
    request.request = Wire.NeighborRequest(try origin(), step, .nearest)
    let response = try await connection.connect { [request] client in
      try await client.queries.findNeighbor(request)
    }
    guard response.hasElement else {
      try Terminal.writeLine("nothing")
      return
    }
    var reader = FieldReader()
    let element = ShownElement(response.element, &reader)
    let offset = reader.point(response.contentOffset, "content_offset")
    try reader.finish()
    try Terminal.writeLine(QueryCommand.table(of: [element]).text)
    var line = "\noffset \(offset.text)"
    if response.hasSectionOffset { line += ", section \(response.sectionOffset.offset.text())" }
    try Terminal.writeLine(line + ", version \(response.dataVersion)")
  }

  private func origin() throws -> ScrollRequest.Origin {
    if let point { return .point(point) }
    switch from?.start {
    case .element(let key, _): return .element(key)
    case .item(let key, _, _): return .item(key: key)
    case .edge, .fraction:
      throw ValidationError("--from needs an item by its SECTION:ITEM or key, such as key:end.")
    case nil:
      guard step == .first || step == .last else {
        throw ValidationError("This step needs --from or --point.")
      }
      return .nowhere
    }
  }
}

extension NeighborStep: ExpressibleByArgument {
  /// Parses "up", "page-down" and the like.
  public init?(argument: String) {
    guard let step = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = step
  }

  /// What can be given.
  public static var allValueStrings: [String] { allCases.map(\.name) }

  private var name: String {
    switch self {
    case .up: "up"
    case .down: "down"
    case .left: "left"
    case .right: "right"
    case .next: "next"
    case .previous: "previous"
    case .pageUp: "page-up"
    case .pageDown: "page-down"
    case .first: "first"
    case .last: "last"
    }
  }
}
