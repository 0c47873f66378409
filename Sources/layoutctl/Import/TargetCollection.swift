// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// The collection into which contents are imported.
struct TargetCollection {
  /// "collections/{collection}"
  var name: String
  /// nil = unchanged; a new collection has none.
  var displayName: String?
  /// nil = unchanged; a new collection has `newLayout`.
  var layout: Wire.LayoutSpec?
  /// nil = unchanged; viewers of a new collection share no measured sizes.
  var sharesMeasurements: Bool?
  var newLayout = LayoutArgument("flow")

  /// Creates the collection or updates its description, and imports the contents. If the import
  /// fails, a collection that was created for it is deleted again.
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

  /// Creates the collection, or updates the description of an existing one.
  ///
  /// - Returns: the collection if it was created; nil if it existed.
  private func prepare(client: LayoutClient) async throws -> Wire.Collection? {
    var described = Wire.Collection()
    if let displayName { described.displayName = displayName }
    if let layout { described.defaultLayout = layout }
    if let sharesMeasurements {
      described.sharedMeasurements = sharesMeasurements ? .shared : .private
    }
    do {
      var request = Wire.CreateCollectionRequest()
      request.collectionID = CollectionArgument.identifier(of: name)
      request.collection = described
      if layout == nil { request.collection.defaultLayout = try newLayout.spec() }
      return try await client.collections.createCollection(request).collection
    } catch let error as RPCError where error.code == .alreadyExists {
      guard layout != nil || displayName != nil || sharesMeasurements != nil else { return nil }
      var request = Wire.UpdateCollectionRequest()
      request.collection = described
      request.collection.name = name
      _ = try await client.collections.updateCollection(request)
      return nil
    }
  }

  /// Deletes the collection unless it has changed since. An error is ignored, because the caller
  /// already reports the error of the import.
  private static func delete(_ collection: Wire.Collection, _ client: LayoutClient) async {
    var request = Wire.DeleteCollectionRequest()
    request.name = collection.name
    request.etag = collection.etag
    request.allowMissing = true
    _ = try? await client.collections.deleteCollection(request)
  }
}

extension Wire.Collection {
  /// One line that describes the imported collection.
  func summary(since start: ContinuousClock.Instant, invalidRows: Int = 0) -> String {
    let seconds = start.duration(to: .now) / .seconds(1)
    let skipped = invalidRows > 0 ? ", \(invalidRows.grouped) invalid rows skipped" : ""
    return "\(name): \(Int(clamping: itemCount).counted("item")) in "
      + "\(Int(sectionCount).counted("section")), version \(dataVersion)\(skipped) "
      + "(\(seconds.text()) s)"
  }
}
