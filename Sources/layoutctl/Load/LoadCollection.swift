// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// The collection that the viewers of a load test use.
struct LoadCollection: Sendable {
  /// "collections/{collection}"
  var name: String
  var itemCount: Int
  /// Items in each section of a collection that was created for the test; nil for an existing
  /// collection, whose contents are not known.
  var itemsPerSection: Int?

  var isTemporary: Bool { itemsPerSection != nil }

  /// Uses an existing collection.
  ///
  /// - Throws: `RPCError` if it does not exist.
  static func existing(_ name: String, client: LayoutClient) async throws -> LoadCollection {
    var request = Wire.GetCollectionRequest()
    request.name = CollectionArgument.name(of: name)
    let found = try await client.collections.getCollection(request).collection
    return LoadCollection(name: found.name, itemCount: Int(clamping: found.itemCount))
  }

  /// Creates a collection of `items` items of different sizes in `sections` sections.
  static func temporary(
    items: Int,
    sections: Int,
    seed: UInt64,
    client: LayoutClient
  ) async throws -> LoadCollection {
    // The name must differ from that of a concurrent test, so it does not depend on the seed.
    let id = "load-" + String(UInt64.random(in: .min ... .max), radix: 36)
    var request = Wire.CreateCollectionRequest()
    request.collectionID = id
    request.collection.displayName = "Temporary collection of a load test"
    let name = CollectionArgument.name(of: id)
    let contents = GeneratedContents(items: items, sections: sections, seed: seed)
    do {
      let imported = try await Interruption.shared.cancelling { [request] in
        _ = try await client.collections.createCollection(request)
        return try await contents.send(to: name, client: client)
      }
      try Interruption.shared.checkCancellation()
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
