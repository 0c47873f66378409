// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CollectionModel
import LayoutClient
public import LayoutGeometry
import LayoutProtocol

struct ScrubCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scrub",
    abstract: "Draws where items lie along the content, and tells what is where.",
    discussion: """
        layoutctl scrub art
        layoutctl scrub art --layout waterfall --buckets 50
        layoutctl scrub art --at 0.5 --at 0.9
        layoutctl scrub art --section 3 --section key:letters-q
      """
  )

  @OptionGroup var subject: SubjectOptions

  @Option(
    help: ArgumentHelp(
      "Into how many parts the content is cut, each of which is a line; 0 = draw none. The default is 24, and "
        + "0 with --at or --section.",
      valueName: "count"
    )
  )
  var buckets: UInt32?

  @Option(
    help: ArgumentHelp(
      "Tell what is at this part of the way that the content can be scrolled, 0 to 1. May be repeated.",
      valueName: "fraction"
    ),
    transform: NumberArgument.parse
  )
  var at: [Double] = []

  @Option(
    help: ArgumentHelp(
      "Tell where this section starts, by its index or as key:KEY. May be repeated.",
      valueName: "section"
    )
  )
  var section: [SectionArgument] = []

  @Option(
    help: ArgumentHelp(
      "The axis of the scroll bar, vertical or horizontal; by default the one along which the layout scrolls.",
      valueName: "axis"
    )
  )
  var axis: ScrollAxis?

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    var request = CollectionLayout_V1_GetScrollMapRequest()
    request.target = try subject.target()
    if let axis { request.axis = Wire.ScrollDirection(axis) }
    request.fractions = at
    request.bucketCount = buckets ?? (at.isEmpty && section.isEmpty ? 24 : 0)
    for argument in section {
      switch argument {
      case .index(let index): request.sections.append(index)
      case .key(let key): request.sectionKeys.append(key)
      }
    }
    let map = try await connection.connect { [request] client in
      try await client.queries.getScrollMap(request)
    }
    if !map.places.isEmpty || !map.sections.isEmpty {
      try Terminal.writeLine(Self.table(of: map.places + map.sections).text)
    }
    if !map.buckets.isEmpty {
      try Terminal.writeLine(DensityStrip(map).table.text)
    }
    var line = "\n\(map.axis == .horizontal ? "horizontal" : "vertical")"
    line += ", \(DensityStrip.extent(of: map).text()) points"
    if !map.buckets.isEmpty { line += ", \(DensityStrip(map).itemCount.grouped) items" }
    if !map.inOrder { line += ", in no order" }
    try Terminal.writeLine(line + ", version \(map.dataVersion)")
  }

  private static func table(of places: [CollectionLayout_V1_ScrollMapPlace]) -> TextTable {
    var table = TextTable([
      .init("fraction", .right), .init("position", .right), .init("offset"), .init("section"),
      .init("item"),
    ])
    for place in places {
      let item = "\(place.item.section):\(place.item.item)"
      table.append([
        place.fraction.text(places: 4), place.position.text(),
        "\(place.contentOffset.x.text()),\(place.contentOffset.y.text())",
        place.hasSection ? "\(place.section) \(place.sectionKey)" : "",
        place.hasItem ? "\(item) \(place.itemKey)" : "",
      ])
    }
    return table
  }
}

/// A section on the command line.
enum SectionArgument: ExpressibleByArgument, Hashable {
  case index(UInt32)
  case key(String)

  /// Parses "3", "key:letters-q" and any other text as a key.
  init?(argument: String) {
    let prefix = "key:"
    if argument.hasPrefix(prefix) {
      self = .key(String(argument.dropFirst(prefix.count)))
    } else if let index = UInt32(argument) {
      self = .index(index)
    } else {
      self = .key(argument)
    }
  }
}

extension ScrollAxis: ExpressibleByArgument {
  /// Parses "vertical" or "horizontal".
  public init?(argument: String) {
    switch argument {
    case "vertical": self = .vertical
    case "horizontal": self = .horizontal
    default: return nil
    }
  }

  /// What can be given.
  public static var allValueStrings: [String] { ["vertical", "horizontal"] }
}

/// The parts of the content as lines with bars, whose lengths show how many items the parts have.
struct DensityStrip {
  private let map: CollectionLayout_V1_GetScrollMapResponse

  init(_ map: CollectionLayout_V1_GetScrollMapResponse) { self.map = map }

  /// The extent of the content along the axis of a map, in points.
  static func extent(of map: CollectionLayout_V1_GetScrollMapResponse) -> Double {
    map.axis == .horizontal ? map.contentSize.width : map.contentSize.height
  }

  /// The items of all parts together, as far as an `Int` can count them: a server may answer with
  /// any numbers.
  var itemCount: Int { map.buckets.reduce(0) { $0.addingClamped(Int(clamping: $1.itemCount)) } }

  private static let columns = 40.0

  /// A bar for a fraction of the largest part, drawn in eighths of a column.
  static func bar(_ part: Double) -> String {
    guard part > 0 else { return "" }
    // At most 40 columns, so the conversion cannot trap.
    let eighths = max(1, Int((min(part, 1) * columns * 8).rounded()))
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  var table: TextTable {
    var table = TextTable([
      .init("position", .right), .init("items", .right), .init(""), .init("section"),
    ])
    let most = map.buckets.reduce(1) { max($0, $1.itemCount) }
    let step = Self.extent(of: map) / Double(max(1, map.buckets.count))
    for (index, bucket) in map.buckets.enumerated() {
      table.append([
        (Double(index) * step).text(places: 0), Int(clamping: bucket.itemCount).grouped,
        Self.bar(Double(bucket.itemCount) / Double(most)),
        bucket.hasSection ? "\(bucket.section) \(bucket.sectionKey)" : "",
      ])
    }
    return table
  }
}
