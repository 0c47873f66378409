// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the collections of a server.",
    discussion: "layoutctl list --server 127.0.0.1:50051"
  )

  @OptionGroup var connection: ConnectionOptions

  @Flag(help: "Also print the kinds of the default layouts, which takes longer.")
  var layouts = false

  func run() async throws {
    let view: Wire.CollectionView = layouts ? .full : .basic
    let collections = try await connection.connect { client in
      var all: [Wire.Collection] = []
      var request = Wire.ListCollectionsRequest()
      request.view = view
      var pages = Pages()
      while true {
        request.pageToken = pages.token
        let page = try await client.collections.listCollections(request)
        all += page.collections
        let count = page.collections.count
        guard try pages.turn(to: page.nextPageToken, entries: count) else { return all }
      }
    }
    var columns: [TextTable.Column] = [
      .init("COLLECTION"), .init("ITEMS", .right), .init("SECTIONS", .right),
      .init("VERSION", .right), .init("NAME"),
    ]
    if layouts { columns.append(.init("LAYOUT")) }
    var table = TextTable(columns)
    for collection in collections {
      var row = [
        CollectionArgument.identifier(of: collection.name),
        Int(clamping: collection.itemCount).grouped,
        Int(collection.sectionCount).grouped,
        String(collection.dataVersion),
        collection.displayName,
      ]
      if layouts {
        row.append(collection.hasDefaultLayout ? collection.defaultLayout.kindName : "-")
      }
      table.append(row)
    }
    try Terminal.writeLine(table.text)
  }
}

extension Wire.LayoutSpec {
  /// The field name of the layout's kind in LayoutSpec; "" = none.
  var kindName: String {
    switch kind {
    case .flow: "flow"
    case .list: "list"
    case .grid: "grid"
    case .waterfall: "waterfall"
    case .gridLanes: "grid_lanes"
    case .table: "table"
    case .compositional: "compositional"
    case .line: "line"
    case .circle: "circle"
    case .carousel: "carousel"
    case .stack: "stack"
    case .spatial: "spatial"
    case .sections: "sections"
    case .responsive: "responsive"
    case .custom(let layout): "custom:\(layout.name)"
    case nil: ""
    }
  }
}
