// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Why the store refused.
public enum StoreError: Error {
  case notFound(id: String)
  case exists(id: String)
  case versionConflict(expected: UInt64, current: UInt64)
  case etagConflict(expected: String, current: String)
  case refused(UpdateError)
  /// The history begins after this version.
  case historyCompacted(minVersion: UInt64)
  case tooManyCollections(limit: Int)
  /// The storage failed; nothing was committed.
  case storage(any Error)
  /// What is stored cannot be read.
  case corrupt(id: String, any Error)
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
