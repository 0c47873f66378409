// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// The collection that contents go into.
struct TargetCollection {
  /// "collections/{collection}"
  var name: String
  /// nil = as it is; of a new one, none.
  var displayName: String?
  /// nil = as it is; of a new one, `newLayout`.
  var layout: Wire.LayoutSpec?
  var newLayout = LayoutArgument("flow")

  /// Makes the collection, or sets what is asked for of one that exists, and puts contents into it.
  /// Where that fails, a collection that was made for it is deleted again.
  func fill(
    client: LayoutClient,
    _ contents: (_ name: String) async throws -> Wire.Collection
  ) async throws -> Wire.Collection {
    let created = try await prepare(client: client)
    do { return try await contents(name) } catch {
      if let created { await Self.delete(created, client) }
      throw error
    }
  }

  /// - Returns: the collection where it was made; nil where it existed.
  private func prepare(client: LayoutClient) async throws -> Wire.Collection? {
    var described = Wire.Collection()
    if let displayName { described.displayName = displayName }
    if let layout { described.defaultLayout = layout }
    do {
      var request = Wire.CreateCollectionRequest()
      request.collectionID = CollectionArgument.identifier(of: name)
      request.collection = described
      if layout == nil { request.collection.defaultLayout = try newLayout.spec() }
      return try await client.collections.createCollection(request).collection
    } catch let error as RPCError where error.code == .alreadyExists {
      guard layout != nil || displayName != nil else { return nil }
      var request = Wire.UpdateCollectionRequest()
      request.collection = described
      request.collection.name = name
      _ = try await client.collections.updateCollection(request)
      return nil
    }
  }

  /// Deletes a collection that nobody has changed since. What keeps it from being deleted is less
  /// worth telling than why it was to be.
  private static func delete(_ collection: Wire.Collection, _ client: LayoutClient) async {
    var request = Wire.DeleteCollectionRequest()
    request.name = collection.name
    request.etag = collection.etag
    request.allowMissing = true
    _ = try? await client.collections.deleteCollection(request)
  }
}

extension Wire.Collection {
  /// What was put into it, in a line.
  func summary(since start: ContinuousClock.Instant, invalidRows: Int = 0) -> String {
    let seconds = start.duration(to: .now) / .seconds(1)
    let skipped = invalidRows > 0 ? ", \(invalidRows.grouped) invalid rows left out" : ""
    return "\(name): \(Int(clamping: itemCount).grouped) items in "
      + "\(Int(sectionCount).grouped) sections, version \(dataVersion)\(skipped) "
      + "(\(seconds.text()) s)"
  }
}
