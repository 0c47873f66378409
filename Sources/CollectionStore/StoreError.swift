// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import ResourceAccounting

/// Why the store refused.
public enum StoreError: Error {
  case notFound(id: String)
  case exists(id: String)
  case versionConflict(expected: UInt64, current: UInt64)
  case etagConflict(expected: String, current: String)
  /// The collection was deleted and created anew, or the store was restored from a backup, since the
  /// caller read it.
  case incarnationConflict(expected: UInt64, current: UInt64)
  /// A version that the collection has not reached yet.
  case versionAhead(found: UInt64, current: UInt64)
  case refused(Refusal)
  /// The history begins after this version.
  case historyCompacted(minVersion: UInt64)
  case tooManyCollections(limit: Int)
  /// Something would take more bytes than it may.
  case limitExceeded(ByteLimit, found: Int, limit: Int)
  /// The account of the collection, or one above it, has no room.
  case accountExceeded(LimitExceeded)
  /// The caller's task was cancelled before its turn; nothing was done.
  case cancelled
  /// The storage failed; nothing was committed.
  case storage(any Error)
  /// What is stored cannot be read.
  case corrupt(id: String, any Error)

  /// A limit of `StoreLimits` in bytes. The raw value is the limit's name there.
  public enum ByteLimit: String, Hashable, Sendable, CaseIterable {
    /// Of the contents of one collection.
    case collectionBytes
    /// Of all collections in memory together.
    case residentBytes
    /// Of what describes one collection.
    case recordBytes
    /// Of what describes all collections.
    case totalRecordBytes
  }
}

extension StoreError {
  /// What the storage threw on behalf of a collection.
  init(_ error: any Error, id: String) {
    if let fault = error as? StorageFault, fault.kind == .damaged {
      self = .corrupt(id: id, fault)
    } else {
      self = .storage(error)
    }
  }
}
