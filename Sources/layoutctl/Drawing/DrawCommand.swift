// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutGeometry
import LayoutProtocol

struct DrawCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draw",
    abstract: "Draws a layout as a picture, SVG or PNG.",
    discussion: """
      Draws the visible part by default, another part with --rect, and the whole content with --whole. \
      A dashed outline shows the viewport. 3D transforms, alpha and z-order are drawn as a renderer \
      would draw them; hidden elements are left out. A file whose name ends in .png is written as PNG, \
      without labels and legend.

        layoutctl draw art --viewport 1024x768 --output art.svg
        layoutctl draw art --layout waterfall --whole --output waterfall.svg
        layoutctl draw art --layout list --keys --output list.svg
        layoutctl draw art --layout carousel --offset 800,0 --output carousel.svg
      """
  )

  @OptionGroup var subject: SubjectOptions

  @Option(help: ArgumentHelp("The part to draw, in content coordinates.", valueName: "x,y,w,h"))
  var rect: Rect?

  @Flag(help: "Draw the whole content.")
  var whole = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write the picture; \"-\" = standard output.",
      valueName: "file.svg|file.png"
    )
  )
  var output = "-"

  @Option(
    help: ArgumentHelp("The largest length of the picture's longer side.", valueName: "pixels"),
    transform: NumberArgument.parse
  )
  var maxPixels = 1400.0

  @Option(help: ArgumentHelp("Fail if there are more elements than this.", valueName: "count"))
  var maxElements = 50_000

  @Flag(help: "Label elements with the keys of items and sections.")
  var keys = false

  @Option(help: ArgumentHelp("The title below the picture.", valueName: "text"))
  var title: String?

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard !whole || rect == nil else { throw ValidationError("Give --rect or --whole, not both.") }
    guard !output.lowercased().hasSuffix(".png") || (!keys && title == nil) else {
      throw ValidationError("--keys and --title go with SVG: a PNG has no labels.")
    }
    guard maxPixels >= 16, maxPixels <= 20_000 else {
      throw ValidationError("--max-pixels must be from 16 to 20000.")
    }
    guard maxElements > 0 else { throw ValidationError("--max-elements must be above 0.") }
  }

  func run() async throws {
    let target = try subject.target()
    let viewport = Rect(origin: subject.offset, size: subject.viewport)
    let wanted = whole ? nil : rect ?? viewport
    let set = try await connection.connect { client in
      try await ElementSet.query(target, rect: wanted, limit: maxElements, client: client)
    }
    let area = wanted ?? Rect(origin: .zero, size: set.contentSize).union(viewport)
    if output.lowercased().hasSuffix(".png") {
      try writePNG(set, area: area)
      try Terminal.writeLine("\(output): \(set.elements.count.counted("element"))")
      return
    }
    let drawing = LayoutDrawing(
      title: title
        ?? [subject.title, target.layout.kindName].filter { !$0.isEmpty }
        .joined(separator: ", "),
      elements: set.elements,
      contentSize: set.contentSize,
      area: area,
      viewport: viewport,
      showsKeys: keys,
      maxPixels: maxPixels
    )
    try TextFile.write(drawing.svg, to: output)
    if output != "-" {
      try Terminal.writeLine("\(output): \(set.elements.count.counted("element"))")
    }
  }

  private func writePNG(_ set: ElementSet, area: Rect) throws {
    let scale = min(1, maxPixels / max(area.width, area.height, 1))
    let raster = ElementPainter(area: area, scale: scale).raster(
      of: set.elements,
      contentSize: set.contentSize,
      outline: true
    )
    let file = try OutputFile(path: output)
    try file.write(PNGImage(raster).bytes)
    try file.finish()
  }
}
