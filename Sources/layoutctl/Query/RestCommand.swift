// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CollectionLayouts
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession

struct RestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rest",
    abstract: "Prints where scrolling comes to rest after the finger lifts.",
    discussion: """
        layoutctl rest art --offset 0,300 --velocity 0,900
        layoutctl rest art --proposed 0,1234
        layoutctl rest art --section 2 --section-offset 2:150 --velocity 900,0
      """
  )

  @OptionGroup var subject: SubjectOptions

  @Option(
    help: ArgumentHelp(
      "The change of the offset, in points a second. Write --velocity=-900,0 for numbers below 0.",
      valueName: "x,y"
    )
  )
  var velocity = Point.zero

  @Option(
    help: ArgumentHelp(
      "Where scrolling would end by itself; by default where --velocity leads.",
      valueName: "x,y"
    )
  )
  var proposed: Point?

  @Option(help: "How fast scrolling gets slower: normal or fast.")
  var deceleration = DecelerationRate.normal

  @Option(
    help: ArgumentHelp(
      "The section that scrolls orthogonally; offsets and velocity are its own.",
      valueName: "index"
    )
  )
  var section: UInt32?

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    var request = CollectionLayout_V1_ComputeScrollTargetRequest()
    request.target = try subject.target()
    request.request = Wire.ScrollTargetRequest(
      .release(
        proposedOffset: proposed,
        velocity: velocity,
        section: section.map { Int($0) },
        deceleration: deceleration
      )
    )
    let response = try await connection.connect { [request] client in
      try await client.queries.computeScrollTarget(request)
    }
    var reader = FieldReader()
    let offset = reader.point(response.contentOffset, "content_offset")
    let key = response.hasKey ? reader.elementKey(response.key, "key") : nil
    try reader.finish()
    var line = "offset \(offset.text)"
    if let key { line += ", at \(key.category.name) \(key.indexPath.text)" }
    if response.hasSectionOffset { line += ", section \(response.sectionOffset.offset.text())" }
    try Terminal.writeLine(line + ", version \(response.dataVersion)")
  }
}

extension DecelerationRate: ExpressibleByArgument {
  /// Parses "normal" or "fast".
  public init?(argument: String) {
    switch argument {
    case "normal": self = .normal
    case "fast": self = .fast
    default: return nil
    }
  }

  /// What can be given.
  public static var allValueStrings: [String] { ["normal", "fast"] }

  /// The rate in the form in which it is given.
  public var defaultValueDescription: String { self == .normal ? "normal" : "fast" }
}
