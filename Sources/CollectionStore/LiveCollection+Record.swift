// SPDX-License-Identifier: Apache-2.0

extension LiveCollection {
  /// Changes the collection's record.
  ///
  /// - Parameters:
  ///   - etag: the etag that the collection must have; "" = any.
  ///   - change: changes display name, labels or default layout. Revision and update time are set
  ///     before.
  /// - Returns: the new state.
  /// - Throws: `StoreError.notFound`, `.etagConflict`, `.limitExceeded`, `.cancelled`, `.storage`
  public func updateRecord(
    etag: String = "",
    _ change: @Sendable (inout CollectionRecord) -> Void
  ) async throws(StoreError) -> CollectionSnapshot {
    try await editRecord(etag: etag) { record throws(StoreError) in change(&record) }
  }

  /// The same with a change that may be refused, and that sees the new revision and update time.
  func editRecord(
    etag: String = "",
    _ change: @Sendable (inout CollectionRecord) throws(StoreError) -> Void
  ) async throws(StoreError) -> CollectionSnapshot {
    try await gate.run(cancelled: .cancelled) { () throws(StoreError) in
      try await contending { () throws(StoreError) in try await editInTurn(etag, change) }
    }
  }

  /// - Precondition: the caller holds the gate.
  private func editInTurn(
    _ etag: String,
    _ change: @Sendable (inout CollectionRecord) throws(StoreError) -> Void
  ) async throws(StoreError) -> CollectionSnapshot {
    let (record, contents, isDeleted) = withState { ($0.record, $0.contents, $0.isDeleted) }
    if isDeleted { throw endError }
    guard etag.isEmpty || etag == record.etag else {
      throw .etagConflict(expected: etag, current: record.etag)
    }
    var next = record
    // No overflow: see `CollectionRecord.valueLimit`.
    next.revision = record.revision + 1
    next.updateTime = now()
    try change(&next)
    let (oldBytes, newBytes) = (record.byteCount, next.byteCount)
    try limits.check(next, after: record)
    try memory.replaceRecord(of: oldBytes, by: newBytes)
    do throws(StoreError) {
      try await storing(next, after: record) { [next] in
        try await storage.update(next, after: record)
      }
    } catch {
      memory.addRecord(oldBytes - newBytes)
      throw error
    }
    let published = next
    cell.set(published)
    withState { $0.record = published }
    return CollectionSnapshot(record: next, contents: contents)
  }

  /// Deletes the collection from the storage and notifies all subscribers.
  ///
  /// - Parameter etag: the etag that the collection must have; "" = any.
  func delete(etag: String) async throws(StoreError) {
    try await gate.run(cancelled: .cancelled) { () throws(StoreError) in
      try await contending { () throws(StoreError) in
        let (record, isDeleted) = withState { ($0.record, $0.isDeleted) }
        if isDeleted { throw endError }
        guard etag.isEmpty || etag == record.etag else {
          throw .etagConflict(expected: etag, current: record.etag)
        }
        try await storing(nil, after: record) {
          try await storage.delete(record, unlessChanged: !etag.isEmpty)
        }
        retire(withState { $0.contents })
        end()
      }
    }
  }
}
