// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// The collection that a load test looks at.
struct LoadCollection: Sendable {
  /// "collections/{collection}"
  var name: String
  var itemCount: Int
  /// Of one that was made for the test; nil = it was there, and may hold anything.
  var itemsPerSection: Int?

  var isTemporary: Bool { itemsPerSection != nil }

  /// One that is there.
  ///
  /// - Throws: `RPCError` where it is not.
  static func existing(_ name: String, client: LayoutClient) async throws -> LoadCollection {
    var request = Wire.GetCollectionRequest()
    request.name = CollectionArgument.name(of: name)
    let found = try await client.collections.getCollection(request).collection
    return LoadCollection(name: found.name, itemCount: Int(clamping: found.itemCount))
  }

  /// Makes one of `items` items, of sizes that differ, in `sections` sections.
  static func temporary(
    items: Int,
    sections: Int,
    seed: UInt64,
    client: LayoutClient
  ) async throws -> LoadCollection {
    // The name must not be that of another test at the same time, so it is not the seed's.
    let id = "load-" + String(UInt64.random(in: .min ... .max), radix: 36)
    var request = Wire.CreateCollectionRequest()
    request.collectionID = id
    request.collection.displayName = "A load test's own; removed at its end"
    _ = try await client.collections.createCollection(request)
    let name = CollectionArgument.name(of: id)
    let contents = GeneratedContents(items: items, sections: sections, seed: seed)
    do {
      let imported = try await contents.send(to: name, client: client)
      return LoadCollection(
        name: imported.name,
        itemCount: Int(clamping: imported.itemCount),
        itemsPerSection: contents.itemsPerSection
      )
    } catch {
      try? await remove(name, client: client)  // The first error is the one to tell.
      throw error
    }
  }

  static func remove(_ name: String, client: LayoutClient) async throws {
    var request = Wire.DeleteCollectionRequest()
    request.name = name
    request.allowMissing = true
    _ = try await client.collections.deleteCollection(request)
  }
}
