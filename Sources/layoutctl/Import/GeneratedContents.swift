// SPDX-License-Identifier: Apache-2.0

import LayoutClient
import LayoutProtocol

/// Randomly generated contents. The same seed gives the same contents.
struct GeneratedContents: Sendable {
  var items: Int
  /// The number of sections. They have equally many items, except that the last one also has the
  /// remainder.
  var sections: Int
  /// Whether items have keys.
  var hasKeys = false
  /// Whether items have a longitude and a latitude instead of a size.
  var isMap = false
  var seed: UInt64

  private static let itemsPerBlock = 4096

  var itemsPerSection: Int { max(1, items / sections) }

  /// Generates items from 60×80 to 200×160 points, in whole points.
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

  /// Generates items in degrees around some hundred places of the world, few of which have most of
  /// them.
  static func places(
    count: Int,
    using random: inout some RandomNumberGenerator
  ) -> Wire.ItemBlock {
    var block = Wire.ItemBlock()
    block.count = UInt32(clamping: count)
    for _ in 0 ..< count {
      // Squares of a random number are mostly small, so the first places have the most items.
      let rank = Double.random(in: 0 ..< 1, using: &random)
      var place = SplitMix64(seed: UInt64(rank * rank * 300))
      let longitude = Double.random(in: -170 ..< 170, using: &place)
      let latitude = Double.random(in: -55 ..< 70, using: &place)
      let reach = Double.random(in: 0.5 ..< 8, using: &place)
      func spread(_ random: inout some RandomNumberGenerator) -> Double {
        let part = Double.random(in: -1 ..< 1, using: &random)
        return part * part * part * reach
      }
      block.xs.append(longitude + spread(&random))
      block.ys.append(latitude + spread(&random))
    }
    return block
  }

  /// Imports the contents into a collection.
  ///
  /// - Parameter name: "collections/{collection}"
  /// - Throws: `RPCError` if the server refuses them.
  func send(to name: String, client: LayoutClient) async throws -> Wire.Collection {
    try await client.sendContents(to: name) { writer in
      var random = SplitMix64(seed: seed)
      var sent = 0
      var progress = ProgressLine("sample", total: items)
      defer { progress.clear() }
      for index in 0 ..< sections {
        try await writer.addSection(key: "section \(index)")
        let end = index == sections - 1 ? items : min(items, sent + itemsPerSection)
        while sent < end {
          let count = min(end - sent, Self.itemsPerBlock)
          var block =
            isMap
            ? Self.places(count: count, using: &random) : Self.block(count: count, using: &random)
          if hasKeys { block.keys = (sent ..< sent + count).map { "item \($0)" } }
          try await writer.add(block)
          sent += count
          progress.show(done: sent, note: "\(sent.grouped) items")
        }
      }
    }
  }
}
