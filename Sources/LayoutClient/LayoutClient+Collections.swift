// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf

extension LayoutClient {
  /// Makes a call and converts a status of the server to a `LayoutProblem`.
  func call<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as RPCError { throw LayoutProblem(error) }
  }

  /// Creates a collection at data version 0.
  ///
  /// - Parameters:
  ///   - id: the last part of the name "collections/{collection}"; "" = the server chooses one.
  ///   - displayName: a name to show to people.
  ///   - labels: keys and values for programs.
  ///   - defaultLayout: the layout for viewers that do not name one.
  ///   - sharesMeasurements: whether viewers share the sizes that they measure
  ///     (`ViewerConfiguration.renderer`).
  ///   - contents: the initial contents; nil = no sections. They must fit one message, which is
  ///     `ServerInfo.maxMessageBytes` (4 MiB by default); import larger contents afterwards.
  /// - Throws: `LayoutProblem`: COLLECTION_EXISTS, FIELD_INVALID, QUOTA_COLLECTIONS.
  public func createCollection(
    _ id: String = "",
    displayName: String = "",
    labels: [String: String] = [:],
    defaultLayout: LayoutConfiguration? = nil,
    sharesMeasurements: Bool = false,
    contents: CollectionContents? = nil
  ) async throws -> CollectionInfo {
    var request = CollectionLayout_V1_CreateCollectionRequest()
    request.collectionID = id
    request.collection.displayName = displayName
    request.collection.labels = labels
    if let defaultLayout {
      request.collection.defaultLayout = try Wire.LayoutSpec(sending: defaultLayout)
    }
    request.collection.sharedMeasurements = sharesMeasurements ? .shared : .private
    if let contents { request.contents = Wire.CollectionContents(contents) }
    return try await call {
      CollectionInfo(try await collections.createCollection(request).collection)
    }
  }

  /// The description of a collection.
  ///
  /// - Parameter name: "collections/{collection}"
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND.
  public func collection(named name: String) async throws -> CollectionInfo {
    var request = CollectionLayout_V1_GetCollectionRequest()
    request.name = name
    return try await call {
      CollectionInfo(try await collections.getCollection(request).collection)
    }
  }

  /// The descriptions of all collections, in order of their names. Makes one call for each page.
  ///
  /// - Parameter withLayouts: whether to request `CollectionInfo.defaultLayout`, which may be
  ///   large.
  /// - Throws: `LayoutProblem`.
  public func listCollections(withLayouts: Bool = true) async throws -> [CollectionInfo] {
    var all: [CollectionInfo] = []
    var request = CollectionLayout_V1_ListCollectionsRequest()
    request.pageSize = 1000
    request.view = withLayouts ? .full : .basic
    var pages = Pages()
    while true {
      request.pageToken = pages.token
      let page = try await call { try await collections.listCollections(request) }
      all += page.collections.map(CollectionInfo.init)
      let count = page.collections.count
      guard try pages.turn(to: page.nextPageToken, entries: count) else { return all }
    }
  }

  /// Changes the description of a collection. Fields whose argument is nil stay as they are.
  ///
  /// - Parameter etag: the etag that the collection must have; "" = any.
  /// - Returns: the description after the change.
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND, VERSION_CONFLICT, FIELD_INVALID.
  public func updateCollection(
    _ name: String,
    displayName: String? = nil,
    labels: [String: String]? = nil,
    defaultLayout: LayoutConfiguration? = nil,
    sharesMeasurements: Bool? = nil,
    etag: String = ""
  ) async throws -> CollectionInfo {
    var request = CollectionLayout_V1_UpdateCollectionRequest()
    request.collection.name = name
    request.collection.etag = etag
    if let displayName {
      request.collection.displayName = displayName
      request.updateMask.paths.append("display_name")
    }
    if let labels {
      request.collection.labels = labels
      request.updateMask.paths.append("labels")
    }
    if let defaultLayout {
      request.collection.defaultLayout = try Wire.LayoutSpec(sending: defaultLayout)
      request.updateMask.paths.append("default_layout")
    }
    if let sharesMeasurements {
      request.collection.sharedMeasurements = sharesMeasurements ? .shared : .private
      request.updateMask.paths.append("shared_measurements")
    }
    return try await call {
      CollectionInfo(try await collections.updateCollection(request).collection)
    }
  }

  /// Deletes a collection. Its sessions and watchers end with COLLECTION_NOT_FOUND.
  ///
  /// - Parameters:
  ///   - etag: the etag that the collection must have; "" = any.
  ///   - allowMissing: whether to succeed if the collection does not exist.
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND, VERSION_CONFLICT.
  public func deleteCollection(
    _ name: String,
    etag: String = "",
    allowMissing: Bool = false
  ) async throws {
    var request = CollectionLayout_V1_DeleteCollectionRequest()
    request.name = name
    request.etag = etag
    request.allowMissing = allowMissing
    _ = try await call { try await collections.deleteCollection(request) }
  }

  /// Commits one batch as the next data version. A batch with a `requestID` can be retried safely:
  /// it is applied once.
  ///
  /// - Throws: `LayoutProblem`: BATCH_INCONSISTENT, INDEX_OUT_OF_RANGE, VERSION_CONFLICT,
  ///   COLLECTION_NOT_FOUND.
  public func apply(_ batch: UpdateBatch, to name: String) async throws -> AppliedUpdates {
    var request = CollectionLayout_V1_ApplyUpdatesRequest()
    request.name = name
    request.batch = Wire.UpdateBatch(batch)
    let response = try await call { try await collections.applyUpdates(request) }
    return AppliedUpdates(dataVersion: response.dataVersion, isDuplicate: response.duplicate)
  }

  /// Takes items from one collection to another: both get a batch, or neither. A transfer with a
  /// `requestID` can be retried safely: it is made once.
  ///
  /// - Parameters:
  ///   - source: "collections/{collection}", from which the items go.
  ///   - destination: "collections/{collection}", another one, into which they come.
  /// - Throws: `LayoutProblem`: KEY_UNKNOWN, INDEX_OUT_OF_RANGE, KEY_TAKEN, BATCH_INCONSISTENT,
  ///   FIELD_INVALID, VERSION_CONFLICT, COLLECTION_NOT_FOUND, QUOTA_ITEMS, QUOTA_OPERATIONS,
  ///   QUOTA_STEPS, QUOTA_MEMORY.
  public func transfer(
    _ transfer: ItemTransfer,
    from source: String,
    to destination: String
  ) async throws -> AppliedTransfer {
    let request = CollectionLayout_V1_TransferItemsRequest(transfer, from: source, to: destination)
    let response = try await call { try await collections.transferItems(request) }
    return AppliedTransfer(
      sourceVersion: response.sourceDataVersion,
      destinationVersion: response.destinationDataVersion,
      isDuplicate: response.duplicate
    )
  }

  /// Watches the updates of a collection until the server ends the call or the task is cancelled.
  ///
  /// - Parameters:
  ///   - version: the data version that you have; batches after it are delivered.
  ///   - incarnation: the collection's incarnation when it had that version; 0 = do not compare.
  ///   - onUpdate: called for each batch in order, and without a batch at the beginning and every
  ///     15 s (by default) while nothing changes. An error that it throws ends the call.
  /// - Throws: `LayoutProblem`: SERVER_DRAINING, COLLECTION_NOT_FOUND; HISTORY_COMPACTED,
  ///   VERSION_AHEAD or INCARNATION_CHANGED, after which you have to export the contents again;
  ///   what `onUpdate` throws.
  public func watchUpdates(
    of name: String,
    after version: UInt64,
    incarnation: UInt64 = 0,
    onUpdate: @Sendable @escaping (CollectionUpdate) async throws -> Void
  ) async throws {
    var request = CollectionLayout_V1_WatchUpdatesRequest()
    request.name = name
    request.afterDataVersion = version
    request.incarnation = incarnation
    try await call {
      try await collections.watchUpdates(request) { response in
        for try await message in response.messages {
          var update = CollectionUpdate(
            dataVersion: message.dataVersion,
            incarnation: message.incarnation
          )
          if message.hasBatch {
            update.batch = try message.batch.decoded(limits: ReadingRules.client.limits)
          }
          try await onUpdate(update)
        }
      }
    }
  }
}
