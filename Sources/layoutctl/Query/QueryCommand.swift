// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import LayoutGeometry
import LayoutProtocol

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Prints the elements in a rect and their attributes.",
    discussion: """
      Elements are in order of section, item, category and kind. Each is printed with its frame in \
      content coordinates and, unless they have their default value, transform, alpha and z-index.

        layoutctl query art --rect 0,0,1024,768
        layoutctl query art --layout waterfall --viewport 390x844 --format json
        layoutctl query --contents items.json --layout '{"carousel":{"style":"STYLE_ROTARY"}}'
      """
  )

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
  }

  @OptionGroup var subject: SubjectOptions

  @Option(
    help: ArgumentHelp(
      "The rect in content coordinates; by default the visible rect.",
      valueName: "x,y,w,h"
    )
  )
  var rect: Rect?

  @Flag(help: "Print the elements of the whole content.")
  var all = false

  @Option(help: "The output format: table prints aligned columns, json one JSON object per line.")
  var format = Format.table

  @Option(help: ArgumentHelp("Fail if there are more elements than this.", valueName: "count"))
  var maxElements = 100_000

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard maxElements > 0 else { throw ValidationError("--max-elements must be above 0.") }
    guard !all || rect == nil else { throw ValidationError("Give --rect or --all, not both.") }
  }

  func run() async throws {
    let target = try subject.target()
    let wanted = all ? nil : rect ?? Rect(origin: subject.offset, size: subject.viewport)
    let set = try await connection.connect { client in
      try await ElementSet.query(target, rect: wanted, limit: maxElements, client: client)
    }
    switch format {
    case .table:
      try Terminal.writeLine(Self.table(of: set.elements).text)
      try Terminal.writeLine(
        "\n\(set.elements.count.grouped) elements, content \(set.contentSize.text), "
          + "version \(set.dataVersion)"
      )
    case .json:
      for element in set.elements {
        var message = Wire.ElementAttributes(
          key: element.key,
          attributes: element.attributes,
          itemKey: element.itemKey,
          sectionKey: element.sectionKey,
          itemData: element.itemData
        )
        if let outline = Wire.OutlinePosition(element.outline) { message.outline = outline }
        try Terminal.writeLine(try message.json())
      }
    }
  }

  static func table(of elements: [ShownElement]) -> TextTable {
    var table = TextTable([
      .init("PATH"), .init("CATEGORY"), .init("KIND"), .init("X", .right), .init("Y", .right),
      .init("WIDTH", .right), .init("HEIGHT", .right), .init("Z", .right), .init("ALPHA", .right),
      .init("KEY"), .init("MORE"),
    ])
    for element in elements {
      let attributes = element.attributes
      var more: [String] = []
      if attributes.isHidden { more.append("hidden") }
      if element.outline.level > 0 { more.append("level \(element.outline.level)") }
      if let isExpanded = element.outline.isExpanded {
        more.append(isExpanded ? "expanded" : "collapsed")
      }
      switch attributes.transform {
      case .identity: break
      case .affine(let a, let b, let c, let d, let tx, let ty):
        let numbers = [a, b, c, d, tx, ty].map { $0.text(places: 3) }
        more.append("matrix(\(numbers.joined(separator: ", ")))")
      case .projective(let matrix):
        let numbers = matrix.values.map { $0.text(places: 3) }
        more.append("matrix3d(\(numbers.joined(separator: ", ")))")
      }
      if attributes.custom != nil { more.append("custom") }
      if !element.itemData.isEmpty { more.append("data \(element.itemData.prefix(60))") }
      table.append([
        element.key.indexPath.text, element.key.category.name, element.key.kind,
        attributes.frame.x.text(), attributes.frame.y.text(), attributes.frame.width.text(),
        attributes.frame.height.text(), String(attributes.zIndex), attributes.alpha.text(),
        element.name, more.joined(separator: " "),
      ])
    }
    return table
  }
}
