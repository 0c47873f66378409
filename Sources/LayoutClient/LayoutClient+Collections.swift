// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf

extension LayoutClient {
  /// Makes a call; what the server refuses is thrown as `LayoutProblem`.
  func call<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as RPCError { throw LayoutProblem(error) }
  }

  /// Makes a collection at data version 0.
  ///
  /// - Parameters:
  ///   - id: {collection} of the name "collections/{collection}"; "" = the server chooses.
  ///   - defaultLayout: of viewers that name none.
  ///   - contents: what fits one message, 4 MiB unless the server says otherwise; more is imported
  ///     afterwards.
  /// - Throws: `LayoutProblem`: COLLECTION_EXISTS, FIELD_INVALID, QUOTA_COLLECTIONS.
  public func createCollection(
    _ id: String = "",
    displayName: String = "",
    labels: [String: String] = [:],
    defaultLayout: LayoutConfiguration? = nil,
    contents: CollectionContents? = nil
  ) async throws -> CollectionInfo {
    var request = CollectionLayout_V1_CreateCollectionRequest()
    request.collectionID = id
    request.collection.displayName = displayName
    request.collection.labels = labels
    if let defaultLayout {
      request.collection.defaultLayout = try Wire.LayoutSpec(sending: defaultLayout)
    }
    if let contents { request.contents = Wire.CollectionContents(contents) }
    return try await call {
      CollectionInfo(try await collections.createCollection(request).collection)
    }
  }

  /// What the server knows of a collection.
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

  /// All collections of the server, in order of their names, as many calls as that takes.
  ///
  /// - Parameter withLayouts: whether `defaultLayout` is told, which may be large.
  public func listCollections(withLayouts: Bool = true) async throws -> [CollectionInfo] {
    var all: [CollectionInfo] = []
    var request = CollectionLayout_V1_ListCollectionsRequest()
    request.pageSize = 1000
    request.view = withLayouts ? .full : .basic
    repeat {
      let page = try await call { try await collections.listCollections(request) }
      all += page.collections.map(CollectionInfo.init)
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return all
  }

  /// Changes what describes a collection; what is nil stays.
  ///
  /// - Parameter etag: not empty: only where it is the current one.
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND, VERSION_CONFLICT, FIELD_INVALID.
  public func updateCollection(
    _ name: String,
    displayName: String? = nil,
    labels: [String: String]? = nil,
    defaultLayout: LayoutConfiguration? = nil,
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
    return try await call {
      CollectionInfo(try await collections.updateCollection(request).collection)
    }
  }

  /// Deletes a collection; sessions and watchers of it end.
  ///
  /// - Parameters:
  ///   - etag: not empty: only where it is the current one.
  ///   - allowMissing: whether a collection that does not exist is a success.
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

  /// Commits one batch as the next data version. With a `requestID` it is safe to repeat.
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

  /// Watches the updates of a collection until the server ends the call or the task is cancelled.
  ///
  /// - Parameters:
  ///   - version: batches that lead to versions above this one are told.
  ///   - incarnation: of the collection when it was at that version; 0 = not compared.
  ///   - onUpdate: called for each batch in order, and with none now and then as a sign of life. What
  ///     it throws ends the watching.
  /// - Throws: `LayoutProblem`: HISTORY_COMPACTED, VERSION_AHEAD and INCARNATION_CHANGED, after each
  ///   of which the contents have to be exported anew; SERVER_DRAINING, COLLECTION_NOT_FOUND.
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
