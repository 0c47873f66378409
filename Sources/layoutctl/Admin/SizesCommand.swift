// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct SizesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sizes",
    abstract: "Lists what the collections of a server take in memory and on the disk.",
    discussion: """
      layoutctl sizes --admin 127.0.0.1:9464

      The largest on the disk come first. The server reads the sizes from its store, which takes a moment \
      for large collections.
      """
  )

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    let all = try await admin.client.collections().sorted { first, second in
      (first.storedBytes, second.name) > (second.storedBytes, first.name)
    }
    try Terminal.writeLine(Self.table(of: all).text)
  }

  static func table(of collections: [Wire.CollectionStatus]) -> TextTable {
    var table = TextTable([
      .init("COLLECTION"), .init("VERSION", .right), .init("ITEMS", .right),
      .init("MEMORY", .right), .init("SUBSCRIBERS", .right), .init("SNAPSHOT", .right),
      .init("LOG", .right), .init("BATCHES", .right),
    ])
    for collection in collections {
      table.append([
        CollectionArgument.identifier(of: collection.name),
        Int(clamping: collection.dataVersion).grouped, Int(clamping: collection.itemCount).grouped,
        collection.resident ? Int(clamping: collection.residentBytes).grouped : "-",
        Int(clamping: collection.subscribers).grouped,
        Int(clamping: collection.storedSnapshotBytes).grouped,
        Int(clamping: collection.storedLogBytes).grouped,
        Int(clamping: collection.storedLogBatches).grouped,
      ])
    }
    return table
  }
}

extension Wire.CollectionStatus {
  fileprivate var storedBytes: UInt64 { storedSnapshotBytes &+ storedLogBytes }
}

extension AdminClient {
  /// All collections with their sizes on the disk, page by page.
  func collections() async throws -> [Wire.CollectionStatus] {
    var all: [Wire.CollectionStatus] = []
    var pages = Pages()
    while true {
      let next = pages.token.isEmpty ? "" : "&page_token=\(pages.token)"
      let page: Wire.ListCollectionStatusesResponse = try await get(
        "/v1/collections?stored=true&page_size=100\(next)"
      )
      all += page.collections
      let count = page.collections.count
      guard try pages.turn(to: page.nextPageToken, entries: count) else { return all }
    }
  }
}
