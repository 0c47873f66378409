// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import ResourceAccounting

/// Why the store refused a request. Nothing was changed, unless a case says otherwise.
public enum StoreError: Error {
  /// There is no collection with this identifier.
  case notFound(id: String)
  /// A collection with this identifier exists already.
  case exists(id: String)
  /// The collection is at another data version than the caller expected.
  case versionConflict(expected: UInt64, current: UInt64)
  /// Other servers were faster at each attempt to commit to the collection, or kept its contents
  /// locked for too long.
  case contended(id: String)
  /// The collection's log has this many batches and bytes of payloads, and no snapshot could be
  /// written for a long time.
  case logFull(id: String, batches: Int, bytes: Int)
  /// The collection has no layout of this name.
  case layoutNotFound(id: String)
  /// The collection has a layout of this name already.
  case layoutExists(id: String)
  /// The collection already has the maximum number of named layouts.
  case tooManyLayouts(limit: Int)
  /// The collection, or one of its layouts, has changed since the caller read its etag.
  case etagConflict(expected: String, current: String)
  /// The collection was deleted and created again, or the store was restored from a backup, since
  /// the caller read it.
  case incarnationConflict(expected: UInt64, current: UInt64)
  /// The caller asks for a version that the collection has not reached yet.
  case versionAhead(found: UInt64, current: UInt64)
  /// The batch is invalid for the current contents.
  case refused(Refusal)
  /// The requested batches are no longer kept; those after `minVersion` are.
  case historyCompacted(minVersion: UInt64)
  /// The store already holds the maximum number of collections.
  case tooManyCollections(limit: Int)
  /// The request would need `found` bytes in total; `limit` are allowed.
  case limitExceeded(ByteLimit, found: Int, limit: Int)
  /// The memory account of the collection, or one above it, has no room.
  case accountExceeded(LimitExceeded)
  /// The caller's task was cancelled before its turn.
  case cancelled
  /// The storage failed; nothing was committed, unless it is `StorageFault.unclear`.
  case storage(any Error)
  /// The stored data of this collection is damaged.
  case corrupt(id: String, any Error)

  /// A limit in bytes. The raw value is the name of the property of `StoreLimits`, if it is one of
  /// these.
  public enum ByteLimit: String, Hashable, Sendable, CaseIterable {
    /// The contents of one collection in memory.
    case collectionBytes
    /// The contents of all collections that an identity has created (`CollectionRegistry.init`).
    case identityBytes
    /// All collections in memory together, with their histories.
    case residentBytes
    /// The record of one collection.
    case recordBytes
    /// The named layouts of one collection.
    case layoutBytes
    /// The records of all collections together.
    case totalRecordBytes
  }
}

extension StoreError {
  /// Converts an error that the storage or a codec threw for one collection: `.refused` for a
  /// refusal, `.accountExceeded` if an account has no room, `.corrupt` for damage, `.storage` for
  /// everything else.
  init(_ error: any Error, id: String) {
    if let refusal = error as? Refusal {
      self = .refused(refusal)
    } else if let exceeded = error as? LimitExceeded {
      self = .accountExceeded(exceeded)
    } else if let fault = error as? StorageFault, fault.kind == .damaged {
      self = .corrupt(id: id, fault)
    } else if let fault = error as? StorageFault, fault.kind == .contended {
      self = .contended(id: id)
    } else {
      self = .storage(error)
    }
  }
}
