// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// What became of a batch.
public struct Commit: Hashable, Sendable {
  public var dataVersion: UInt64
  /// A batch with the same identifier had been committed before, as this version.
  public var isDuplicate: Bool
}

extension LiveCollection {
  /// Commits one batch as the next data version.
  ///
  /// - Parameter payload: the batch in the form that `ContentsCodec` reads; made only once the batch
  ///   has been accepted.
  public func commit(
    _ batch: UpdateBatch,
    payload: @Sendable () throws -> [UInt8]
  ) async throws(StoreError) -> Commit {
    try await gate.run { () throws(StoreError) in
      let time = now()
      let (earlier, record, contents, isDeleted) = withState { state in
        (
          state.requests.version(of: batch.requestID, now: time), state.record, state.contents,
          state.isDeleted
        )
      }
      if isDeleted { throw .notFound(id: id) }
      if let earlier { return Commit(dataVersion: earlier, isDuplicate: true) }
      try check(batch.expectedDataVersion, current: record.dataVersion)
      let change: ContentsChange
      do throws(UpdateError) {
        change = try contents.applying(batch, limits: limits.contents)
      } catch { throw .refused(error) }

      var next = record
      next.dataVersion += 1
      next.revision += 1
      next.updateTime = time
      next.sectionCount = change.new.sectionCount
      next.itemCount = change.new.itemCount
      let stored: StoredBatch
      do {
        stored = StoredBatch(
          version: next.dataVersion,
          requestID: batch.requestID,
          payload: try payload(),
          time: time
        )
        try await storage.append(stored, record: next)
      } catch { throw StoreError(error, id: id) }
      publish(next, change: change, batch: stored)
      compactIfDue(next, change.new)
      return Commit(dataVersion: next.dataVersion, isDuplicate: false)
    }
  }

  /// Replaces the contents as the next data version.
  ///
  /// - Parameter payload: makes the replacement a batch, for those who watch updates; nil where that
  ///   would be too large to be kept, which ends their history.
  public func replaceContents(
    with contents: CollectionContents,
    expectedDataVersion: UInt64?,
    payload: @Sendable (ContentsChange) -> [UInt8]?
  ) async throws(StoreError) -> CollectionSnapshot {
    try await gate.run { () throws(StoreError) in
      let (record, old, isDeleted) = withState { ($0.record, $0.contents, $0.isDeleted) }
      if isDeleted { throw .notFound(id: id) }
      try check(expectedDataVersion, current: record.dataVersion)
      let change = ContentsChange.replacement(of: old, with: contents)
      var next = record
      next.dataVersion += 1
      next.revision += 1
      next.updateTime = now()
      next.sectionCount = contents.sectionCount
      next.itemCount = contents.itemCount
      let batch = payload(change).map {
        StoredBatch(
          version: next.dataVersion,
          requestID: "",
          payload: $0,
          time: next.updateTime
        )
      }
      let snapshot = ContentsSnapshot(
        version: next.dataVersion,
        contents: change.new,
        codec: codec
      )
      do {
        try await storage.replace(
          snapshot,
          record: next,
          batch: batch,
          retention: retention(at: next.updateTime)
        )
      } catch { throw StoreError(error, id: id) }
      publish(next, change: change, batch: batch)
      withState { state in
        if storage.isDurable { state.base = snapshot }
        state.logCount = 0
        state.logBytes = 0
      }
      return CollectionSnapshot(record: next, contents: change.new)
    }
  }

  /// Changes what describes the collection.
  ///
  /// - Parameter etag: not empty: only where it is the current one.
  public func updateRecord(
    etag: String = "",
    _ change: @Sendable (inout CollectionRecord) -> Void
  ) async throws(StoreError) -> CollectionSnapshot {
    try await gate.run { () throws(StoreError) in
      let (record, contents, isDeleted) = withState { ($0.record, $0.contents, $0.isDeleted) }
      if isDeleted { throw .notFound(id: id) }
      guard etag.isEmpty || etag == record.etag else {
        throw .etagConflict(expected: etag, current: record.etag)
      }
      var next = record
      change(&next)
      next.revision = record.revision + 1
      next.updateTime = now()
      do { try await storage.update(next) } catch { throw StoreError(error, id: id) }
      let published = next
      cell.set(published)
      withState { $0.record = published }
      return CollectionSnapshot(record: next, contents: contents)
    }
  }

  /// Deletes the collection from the storage and tells all subscribers.
  func delete(etag: String) async throws(StoreError) {
    try await gate.run { () throws(StoreError) in
      let (record, isDeleted) = withState { ($0.record, $0.isDeleted) }
      if isDeleted { throw .notFound(id: id) }
      guard etag.isEmpty || etag == record.etag else {
        throw .etagConflict(expected: etag, current: record.etag)
      }
      do { try await storage.delete(id) } catch { throw StoreError(error, id: id) }
      withState { $0.isDeleted = true }
      signal(.deleted)
    }
  }

  private func check(_ expected: UInt64?, current: UInt64) throws(StoreError) {
    if let expected, expected != current {
      throw .versionConflict(expected: expected, current: current)
    }
  }

  private func publish(_ record: CollectionRecord, change: ContentsChange, batch: StoredBatch?) {
    cell.set(record)
    withState { state in
      state.record = record
      state.contents = change.new
      if let batch {
        // Beside the batch itself a change keeps the paths and chunks that it replaced.
        let bytes = 4096 + 2 * batch.payload.count
        state.changes.append(
          CommittedChange(version: record.dataVersion, change: change),
          bytes: bytes
        )
        state.history.append(batch, bytes: StoredBatch.overhead + batch.payload.count)
        state.requests.remember(batch.requestID, version: record.dataVersion, now: batch.time)
        state.logCount += 1
        state.logBytes += batch.payload.count
      } else {
        state.changes.restart(after: record.dataVersion)
        state.history.restart(after: record.dataVersion)
      }
    }
    signal(.changed)
  }

  /// A log that has grown long is replaced by the contents, while commits go on. A failure is not
  /// the committer's: the log still holds everything, and the next commit tries again.
  private func compactIfDue(_ record: CollectionRecord, _ contents: CollectionContents) {
    guard storage.isDurable else { return }
    let due: (count: Int, bytes: Int, base: ContentsSnapshot?)? = withState { state in
      guard !state.isCompacting,
        state.logCount >= limits.snapshotBatchCount || state.logBytes >= limits.snapshotLogBytes
      else { return nil }
      state.isCompacting = true
      return (state.logCount, state.logBytes, state.base)
    }
    guard let due else { return }
    let snapshot = ContentsSnapshot(
      version: record.dataVersion,
      contents: contents,
      codec: codec
    )
    storage.compact(
      snapshot,
      since: due.base,
      of: record,
      retention: retention(at: record.updateTime)
    ) { [weak self] isStored in
      self?.withState { state in
        state.isCompacting = false
        guard isStored else { return }
        // A replacement may have overtaken it.
        if state.base.map({ $0.version < snapshot.version }) ?? true { state.base = snapshot }
        state.logCount = max(0, state.logCount - due.count)
        state.logBytes = max(0, state.logBytes - due.bytes)
      }
    }
  }

  private func retention(at time: CollectionTime) -> LogRetention {
    LogRetention(
      batchCount: limits.historyCount,
      batchBytes: limits.historyBytes,
      requestCount: limits.requestCount,
      requestsSince: CollectionTime(seconds: time.seconds - limits.requestSeconds)
    )
  }
}
