// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol
import Synchronization

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

  /// The collection that was created for an import; nil = it existed.
  private final class Created: Sendable {
    private let value = Mutex<Wire.Collection?>(nil)

    var collection: Wire.Collection? { value.withLock { $0 } }
    func note(_ collection: Wire.Collection?) { value.withLock { $0 = collection } }
  }

  /// Creates the collection unless it exists, and imports the contents. If the import fails or is
  /// interrupted, a collection that was created for it is deleted again, and an existing one is as
  /// it was. The description of an existing one is updated after its contents.
  func fill(
    client: LayoutClient,
    _ contents: @escaping @Sendable (_ name: String) async throws -> Wire.Collection
  ) async throws -> Wire.Collection {
    let created = Created()
    let filled: Wire.Collection
    do {
      filled = try await Interruption.shared.cancelling {
        // This is not cancelled, or nobody would know whether there is something to delete.
        created.note(try await Task { try await create(client: client) }.value)
        try Task.checkCancellation()
        if created.collection == nil { try await checkLayout(client: client) }
        return try await contents(name)
      }
    } catch {
      if let created = created.collection { await Self.delete(created, client) }
      throw error
    }
    if created.collection == nil { try await describe(client: client) }
    return filled
  }

  /// What is known of the collection's description.
  private var described: Wire.Collection {
    var described = Wire.Collection()
    if let displayName { described.displayName = displayName }
    if let layout { described.defaultLayout = layout }
    if let sharesMeasurements {
      described.sharedMeasurements = sharesMeasurements ? .shared : .private
    }
    return described
  }

  /// Creates the collection.
  ///
  /// - Returns: nil if it existed.
  private func create(client: LayoutClient) async throws -> Wire.Collection? {
    do {
      var request = Wire.CreateCollectionRequest()
      request.collectionID = CollectionArgument.identifier(of: name)
      request.collection = described
      if layout == nil { request.collection.defaultLayout = try newLayout.spec() }
      return try await client.collections.createCollection(request).collection
    } catch let error as RPCError where error.code == .alreadyExists {
      return nil
    }
  }

  /// Has the server check the layout for an existing collection before its contents are replaced.
  private func checkLayout(client: LayoutClient) async throws {
    guard let layout else { return }
    var request = Wire.ValidateLayoutRequest()
    request.layout = layout
    let violations = try await client.queries.validateLayout(request).violations
    guard !violations.isEmpty else { return }
    let faults = violations.map { "\($0.field): \($0.description_p)" }.joined(separator: "; ")
    throw CommandFault("--default-layout: \(faults)")
  }

  /// Updates the description of an existing collection, if there is something to update.
  private func describe(client: LayoutClient) async throws {
    guard layout != nil || displayName != nil || sharesMeasurements != nil else { return }
    var request = Wire.UpdateCollectionRequest()
    request.collection = described
    request.collection.name = name
    _ = try await client.collections.updateCollection(request)
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
