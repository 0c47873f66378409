// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// Contents made up by a generator: the same for the same seed.
struct GeneratedContents: Sendable {
  var items: Int
  /// Of about the same count; the last one takes what is left over.
  var sections: Int
  /// Whether items have keys.
  var hasKeys = false
  var seed: UInt64

  private static let itemsPerBlock = 4096

  var itemsPerSection: Int { max(1, items / sections) }

  /// Items from 60×80 to 200×160 points, in whole points.
  static func block(
    count: Int,
    using random: inout some RandomNumberGenerator
  ) -> Wire.ItemBlock {
    var block = Wire.ItemBlock()
    block.count = UInt32(clamping: count)
    for _ in 0 ..< count {
      block.widths.append(Double(Int.random(in: 60 ... 200, using: &random)))
      block.heights.append(Double(Int.random(in: 80 ... 160, using: &random)))
    }
    return block
  }

  /// Replaces what is in a collection.
  ///
  /// - Parameter name: "collections/{collection}"
  /// - Throws: `RPCError` where the server refuses.
  func send(to name: String, client: LayoutClient) async throws -> Wire.Collection {
    try await client.collections.importContents { writer in
      var random = SplitMix64(seed: seed)
      var part = Wire.ImportContentsRequest()
      part.header.name = name
      try await writer.write(part)
      var sent = 0
      for section in 0 ..< sections {
        part.section = Wire.Section()
        part.section.key = "section \(section)"
        try await writer.write(part)
        let end = section == sections - 1 ? items : min(items, sent + itemsPerSection)
        while sent < end {
          let count = min(end - sent, Self.itemsPerBlock)
          part.items = Self.block(count: count, using: &random)
          if hasKeys { part.items.keys = (sent ..< sent + count).map { "item \($0)" } }
          try await writer.write(part)
          sent += count
        }
      }
    } onResponse: {
      try $0.message.collection
    }
  }
}
