// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import CollectionModel
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf

struct GalleryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gallery",
    abstract: "Draws every kind of layout with generated data.",
    discussion: """
      Writes an SVG for each picture into the directory, a PNG as well if rsvg-convert is installed \
      (Debian: librsvg2-bin), the LayoutTarget that it shows as JSON, and a README.md that shows all \
      pictures with their layouts. Nothing is stored on the server.

        layoutctl gallery pictures
        layoutctl gallery pictures --only carousel
      """
  )

  @Argument(help: "The directory; created if it does not exist.")
  var directory: String

  @Option(
    help: ArgumentHelp("Draw only pictures whose names begin with this.", valueName: "prefix")
  )
  var only: String?

  @Flag(help: "Write only SVG, even if rsvg-convert is installed.")
  var noPNG = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let groups = PictureGroup.all.map { group in
      PictureGroup(
        title: group.title,
        pictures: group.pictures.filter { picture in only.map(picture.name.hasPrefix) ?? true }
      )
    }.filter { !$0.pictures.isEmpty }
    guard !groups.isEmpty else {
      let names = PictureGroup.all.flatMap(\.pictures).map(\.name).joined(separator: ", ")
      throw CommandFault("no picture begins with \"\(only ?? "")\"; there are \(names)")
    }
    try TextFile.makeDirectory(directory)
    var rasterizer = noPNG ? nil : Rasterizer()
    var count = 0
    for picture in groups.flatMap(\.pictures) {
      let svg = try await connection.connect { try await Self.svg(of: picture, client: $0) }
      let path = "\(directory)/\(picture.name)"
      try TextFile.write(svg, to: path + ".svg")
      if let tool = rasterizer, try !tool.convert(path + ".svg", to: path + ".png") {
        rasterizer = nil
      }
      if picture.session == nil {
        try TextFile.write(try picture.target().jsonString() + "\n", to: path + ".json")
      }
      count += 1
    }
    try TextFile.write(
      Self.index(of: groups, hasPNG: rasterizer != nil),
      to: "\(directory)/README.md"
    )
    try Terminal.writeLine(
      "\(directory): \(count) pictures\(rasterizer == nil ? "" : ", also as PNG")"
    )
  }

  private static func svg(of picture: Picture, client: LayoutClient) async throws -> String {
    var viewport = Rect(origin: picture.offset, size: picture.viewport)
    let set: ElementSet
    var arrows: [Arrow] = []
    var marks: [Mark] = []
    do {
      if let session = picture.session {
        let offset: Point
        (set, offset, marks) = try await session.elements(of: picture, client: client)
        viewport = Rect(origin: offset, size: picture.viewport)
      } else {
        set = try await ElementSet.query(
          picture.target(),
          rect: picture.showsViewport ? viewport : nil,
          client: client
        )
      }
      for item in picture.focusedItems {
        arrows += try await Self.arrows(from: item, in: picture, set, client: client)
      }
    } catch let problem as LayoutProblem {
      throw CommandFault("picture \(picture.name): \(CommandFault(problem))")
    }
    return LayoutDrawing(
      title: picture.title,
      elements: set.elements,
      contentSize: set.contentSize,
      area: picture.showsViewport
        ? viewport : Rect(origin: .zero, size: set.contentSize).union(viewport),
      viewport: viewport,
      arrows: arrows,
      marks: marks,
      maxPixels: 900
    ).svg
  }

  /// From an item to each item that an arrow key leads to.
  private static func arrows(
    from item: IndexPath,
    in picture: Picture,
    _ set: ElementSet,
    client: LayoutClient
  ) async throws -> [Arrow] {
    func frame(_ path: IndexPath) -> Rect? {
      set.elements.first { $0.key.category == .cell && $0.key.indexPath == path }?.attributes
        .boundingBox
    }
    var request = CollectionLayout_V1_FindNeighborRequest()
    request.target = try picture.target()
    request.request.key = Wire.ElementKey(ElementKey(category: .cell, kind: "", indexPath: item))
    var arrows: [Arrow] = []
    for step in [CollectionLayout_V1_NeighborStep.up, .down, .left, .right] {
      request.request.step = step
      let response = try await client.queries.findNeighbor(request)
      guard response.hasElement, let start = frame(item) else { continue }
      var reader = FieldReader()
      let path = reader.elementKey(response.element.key).indexPath
      try reader.finish()
      if let end = frame(path) { arrows.append(Arrow(from: start, to: end)) }
    }
    return arrows
  }

  static func index(of groups: [PictureGroup], hasPNG: Bool) -> String {
    var lines = [
      "# Gallery", "",
      "Every kind of layout, drawn by `layoutctl gallery` from generated data. Numbers are index "
        + "paths; the dashed outline is the viewport. The file beside a picture has all that made it, "
        + "as the `target` of QueryElements.",
    ]
    for group in groups {
      lines += ["", "## \(group.title)"]
      for picture in group.pictures {
        let file = "\(picture.name).\(hasPNG ? "png" : "svg")"
        lines += [
          "", "### \(picture.title)", "", "![\(picture.title)](\(file))", "", "```json",
          picture.layout, "```",
        ]
        if picture.session == nil {
          lines += ["", "[Contents, layout and viewport](\(picture.name).json)"]
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
