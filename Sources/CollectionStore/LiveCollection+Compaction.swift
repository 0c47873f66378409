// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension LiveCollection {
  /// Checks that the log has room for another batch: loading the collection takes longer, the
  /// longer its log is.
  ///
  /// - Throws: `StoreError.logFull` while no snapshot can be written, although one is long due.
  func checkLog(
    _ record: CollectionRecord,
    _ contents: CollectionContents
  ) throws(StoreError) {
    guard storage.isDurable else { return }
    let (count, bytes) = logSize
    guard limits.isFull(batches: count, bytes: bytes) else { return }
    compactIfDue(record, contents, isUrgent: true)
    throw .logFull(id: id, batches: count, bytes: bytes)
  }

  /// Starts compaction in the background once the log has reached a limit, unless one is running or
  /// the backoff of the last failure forbids it. A failed compaction does not fail the commit: the
  /// log still holds every batch, and a later commit retries.
  ///
  /// - Parameter isUrgent: whether to retry after the shortest backoff.
  func compactIfDue(
    _ record: CollectionRecord,
    _ contents: CollectionContents,
    isUrgent: Bool = false
  ) {
    guard storage.isDurable else { return }
    let due: (count: Int, bytes: Int, pinned: Int, base: ContentsSnapshot?)? = withState { state in
      guard !state.isCompacting, state.backoff.allowsTry(at: now(), isUrgent: isUrgent),
        state.logCount >= limits.snapshotBatchCount || state.logBytes >= limits.snapshotLogBytes
      else { return nil }
      state.isCompacting = true
      return (state.logCount, state.logBytes, state.baseBytes, state.base)
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
      guard let self else { return }
      withState { state in
        state.isCompacting = false
        guard isStored else { return state.backoff.failed(at: now()) }
        state.backoff.succeeded()
        // If the contents were replaced while compaction ran, the replacement has stored a newer
        // snapshot and has reset these counters.
        guard state.base.map({ $0.version < snapshot.version }) ?? true else { return }
        state.base = snapshot
        state.storedVersion = snapshot.version
        state.logCount = max(0, state.logCount - due.count)
        state.logBytes = max(0, state.logBytes - due.bytes)
        state.baseBytes = max(0, state.baseBytes - due.pinned)
      }
      recount()
    }
  }

  /// How much of the log to keep at `time`.
  func retention(at time: CollectionTime) -> LogRetention {
    LogRetention(
      batchCount: limits.historyCount,
      batchBytes: limits.historyBytes,
      requestCount: limits.requestCount,
      requestsSince: time.earlier(by: limits.requestSeconds)
    )
  }
}
