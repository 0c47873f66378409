// SPDX-License-Identifier: Apache-2.0

extension CollectionRegistry {
  /// Deletes a collection, damaged or not, without loading its contents.
  ///
  /// - Parameter etag: the etag that the collection must have; "" = any.
  /// - Returns: the record of the deleted collection.
  /// - Throws: `StoreError.notFound`, `.etagConflict`, `.storage`, `.cancelled`
  @discardableResult
  public func delete(_ id: String, etag: String = "") async throws(StoreError) -> CollectionRecord {
    let entry = try await currentEntry(id)
    return try await entry.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      if entry.isDeleted { throw .notFound(id: id) }
      if let live = entry.live {
        try await live.delete(etag: etag)
        memory.forget(live)
      } else {
        try await deleteStored(entry, etag: etag)
      }
      _ = drop(entry)
      return entry.record.value
    }
  }

  /// Deletes a collection whose contents are not in memory.
  private func deleteStored(_ entry: CollectionEntry, etag: String) async throws(StoreError) {
    let record = entry.record.value
    guard etag.isEmpty || etag == record.etag else {
      throw .etagConflict(expected: etag, current: record.etag)
    }
    do {
      if entry.fault != nil { return try await storage.delete(entry.id) }
      try await storage.storing(nil, after: record) {
        try await storage.delete(record, unlessChanged: !etag.isEmpty)
      }
    } catch let fault as StorageFault where fault.kind == .conflict && storage.shared != nil {
      // Another server may have been faster.
      if let log = storage.shared { try await findChanges(log) }
      guard known(entry.id) === entry else { throw .notFound(id: entry.id) }
      throw .etagConflict(expected: etag, current: entry.record.value.etag)
    } catch { throw StoreError(error, id: entry.id) }
  }
}
