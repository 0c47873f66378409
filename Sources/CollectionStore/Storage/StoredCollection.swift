// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// One collection as the storage finds it when the server starts.
public enum StoredCollection: Sendable {
  /// The record was read.
  case intact(CollectionRecord)
  /// The record cannot be read. The collection can only be deleted.
  case damaged(id: String, StorageFault)
}

/// The stored state of one collection at one moment. Valid only within the closure that it is
/// passed to.
public protocol StoredContents {
  /// The collection's record.
  var record: CollectionRecord { get }

  /// The version of the stored snapshot; 0 without one. Later versions are in the log.
  var snapshotVersion: UInt64 { get }

  /// Whether the snapshot is stored in sections and chunks, so that `CollectionStorage.compact` can
  /// write only the difference from it.
  var isDivided: Bool { get }

  /// Decodes the snapshot.
  ///
  /// - Throws: `StorageFault.damaged`, or the codec's error.
  /// - Complexity: O(items)
  func contents(_ codec: any ContentsCodec) throws -> CollectionContents

  /// Calls `body` with the batches of the log, oldest first: all that follow the snapshot, and some
  /// from before it.
  ///
  /// - Throws: `StorageFault.damaged` at a damaged batch, or what `body` throws. Gaps between
  ///   versions are for the caller to notice.
  func forEachBatch(_ body: (StoredBatch) throws -> Void) throws

  /// Calls `body` with the versions and payload sizes of the batches in the log, newest first,
  /// until it returns false.
  func forEachSizeBackwards(_ body: (_ version: UInt64, _ bytes: Int) -> Bool) throws

  /// Calls `body` with the request identifiers of batches that were trimmed from the log, oldest
  /// first.
  func forEachRequest(_ body: (StoredRequest) throws -> Void) throws
}
