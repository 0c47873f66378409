// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension StoreLimits {
  /// Whether a log without a newer snapshot is so long that no batch may be added.
  func isFull(batches: Int, bytes: Int) -> Bool {
    batches / 64 >= max(1, snapshotBatchCount) || bytes / 4 >= max(1, snapshotLogBytes)
  }

  /// Checks the size of a record.
  ///
  /// - Parameter old: the record before the change. A record accepted under a higher limit may be
  ///   edited as long as it does not grow.
  /// - Throws: `StoreError.limitExceeded(.recordBytes, …)`, `.limitExceeded(.layoutBytes, …)`
  func check(_ record: CollectionRecord, after old: CollectionRecord? = nil) throws(StoreError) {
    let bytes = record.descriptionByteCount
    guard bytes <= max(recordBytes, old?.descriptionByteCount ?? 0) else {
      throw .limitExceeded(.recordBytes, found: bytes, limit: recordBytes)
    }
    let layouts = record.layoutByteCount
    guard layouts <= max(layoutBytes, old?.layoutByteCount ?? 0) else {
      throw .limitExceeded(.layoutBytes, found: layouts, limit: layoutBytes)
    }
  }

  /// Checks the size of contents in memory.
  ///
  /// - Parameter bytes: the size before the change. Contents that do not grow pass even above the
  ///   limit, so that a collection accepted under a higher limit can still be edited.
  /// - Returns: `contents.indexedByteCount`
  /// - Throws: `StoreError.limitExceeded(.collectionBytes, …)`
  func check(
    _ contents: CollectionContents,
    growingFrom bytes: Int = 0
  ) throws(StoreError) -> Int {
    let found = contents.indexedByteCount
    guard found <= max(collectionBytes, bytes) else {
      throw .limitExceeded(.collectionBytes, found: found, limit: collectionBytes)
    }
    return found
  }
}

extension ContentsChange {
  /// Estimated bytes of the old contents that the change keeps alive: the replaced items, the rest
  /// of their chunks, and the tree paths to these.
  ///
  /// - Parameter payload: bytes of the encoded batch.
  /// - Complexity: O(splices)
  func pinnedByteCount(payload: Int) -> Int {
    let share = Double(replacedItemCount) / Double(max(1, old.itemCount))
    return 4096 + 2 * payload + replacedKindBytes + Int(Double(old.indexedByteCount) * share)
  }
}
