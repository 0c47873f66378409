// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import Testing

@testable import LayoutService

@Suite("ProtobufContentsCodec", .timeLimit(.minutes(2)))
struct ContentsCodecTests {
  private let codec = ProtobufContentsCodec()
  private let blocks = [
    ItemBlock(count: 0),
    ItemBlock(count: 1_000_000, widths: [3]),
    ItemBlock(
      count: 3,
      widths: [1, 2.5, 0.1],
      heights: [7],
      xs: [-1, 0, 1e9],
      ys: [4, 5, 6],
      cellKinds: [0, 1, 300],
      keys: ["a", "ü", "c"]
    ),
    ItemBlock(count: 2, keys: ["d", "e"], data: ["", #"{"title":"E"}"#]),
    ItemBlock(count: 1_000_000, data: ["the same for all"]),
  ]

  @Test("items come back as they were stored")
  func items() throws {
    for block in blocks { #expect(try codec.decodeItems(codec.encode(block)) == block) }
    #expect(throws: (any Error).self) { try codec.decodeItems([0xFF]) }
  }

  @Test("a section comes back without its items")
  func sections() throws {
    let section = SectionContents(
      key: "k",
      metrics: SectionMetrics(lineSpacing: 3, headerSize: Size(width: 4, height: 5)),
      layoutName: "wide",
      blocks: [ItemBlock(count: 5)]
    )
    let decoded = try codec.decodeSection(codec.encode(section))
    #expect(decoded.key == "k" && decoded.layoutName == "wide")
    #expect(decoded.metrics == section.metrics)
    #expect(decoded.items.isEmpty)
  }

  @Test("contents in parts, as they were stored once, are still read")
  func parts() throws {
    let contents = CollectionContents(
      sections: [
        SectionContents(key: "a", blocks: blocks),
        SectionContents(key: "b", layoutName: "wide"),
      ],
      cellKindNames: (0 ..< 301).map { "kind \($0)" }
    )
    var decoder = codec.makeDecoder()
    var header = Wire.ExportContentsResponse()
    header.cellKindNames = contents.cellKindNames
    try decoder.add(header.serializedBytes())
    var exporter = ContentsParts(contents)
    while let part = exporter.next() {
      try decoder.add(Wire.ExportContentsResponse(part).serializedBytes())
    }
    let decoded = try decoder.finish()
    #expect(decoded.sectionCount == 2)
    #expect(decoded.cellKindNames == contents.cellKindNames)
    #expect(decoded.section(at: 1).layoutName == "wide")
    for item in [0, 999_999, 1_000_000, 1_000_002] {
      let path = IndexPath(section: 0, item: item)
      #expect(decoded.item(at: path) == contents.item(at: path))
    }
  }
}
