// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The result of committing a batch.
public struct Commit: Hashable, Sendable {
  /// The data version that the batch led to.
  public var dataVersion: UInt64
  /// Whether the batch was a retry: a batch with the same request identifier had been committed
  /// before as `dataVersion`, and nothing was done now.
  public var isDuplicate: Bool
}

extension LiveCollection {
  /// - Precondition: the caller holds the gate.
  func commitInTurn(
    _ batch: UpdateBatch,
    _ applier: BatchApplier?,
    _ payload: @Sendable () throws -> [UInt8]
  ) async throws(StoreError) -> Commit {
    let time = now()
    let (earlier, record, contents, isDeleted) = withState { state in
      (
        state.requests.batch(of: batch.requestID, now: time), state.record, state.contents,
        state.isDeleted
      )
    }
    if isDeleted { throw endError }
    if let earlier {
      try check(earlier, isOf: batch, payload)
      return Commit(dataVersion: earlier.version, isDuplicate: true)
    }
    try check(batch.expectedDataVersion, current: record.dataVersion)
    let change = try await change(of: contents, by: batch, applier)
    let ready = try ready(change, by: batch, of: record, at: time, payload)
    do throws(StoreError) { try await store([ready.entry]) } catch {
      disclaim(ready.reserved)
      throw error
    }
    publish(ready)
    return Commit(dataVersion: ready.entry.batch.version, isDuplicate: false)
  }

  /// Checks that a batch whose request identifier is known is the same batch as then.
  ///
  /// - Throws: FIELD_INVALID, because a different batch that is acknowledged as a retry would be
  ///   lost; what `payload` throws.
  private func check(
    _ earlier: RequestMemory.Known,
    isOf batch: UpdateBatch,
    _ payload: () throws -> [UInt8]
  ) throws(StoreError) {
    guard let mark = earlier.mark else { return }
    let found: RequestMark
    do {
      found = RequestMark(ofBatch: batch.digest, payload: batch.digest == nil ? try payload() : [])
    } catch { throw StoreError(error, id: id) }
    guard mark != found else { return }
    throw .refused(.requestIDTaken(batch.requestID, version: earlier.version))
  }

  /// A batch that has passed all checks, whose bytes are claimed, and which is not stored yet.
  struct ReadyBatch {
    /// The batch as it is stored, and the record after it.
    var entry: LogEntry
    var change: ContentsChange
    /// The bytes that were claimed.
    var reserved: Claim
  }

  /// Claims the bytes for a batch that is not part of a transfer, and encodes it.
  func ready(
    _ change: ContentsChange,
    by batch: UpdateBatch,
    of record: CollectionRecord,
    at time: CollectionTime,
    _ payload: () throws -> [UInt8]
  ) throws(StoreError) -> ReadyBatch {
    try ready(change, of: record, requestID: batch.requestID, at: time, payload) {
      RequestMark(ofBatch: batch.digest, payload: $0)
    }
  }

  /// Claims the bytes that a batch needs, and encodes it.
  ///
  /// - Parameter mark: the mark of a batch that is stored as these bytes.
  /// - Throws: `StoreError.logFull`, `.limitExceeded`, `.accountExceeded`, or what `payload`
  ///   throws; nothing is claimed then.
  func ready(
    _ change: ContentsChange,
    of record: CollectionRecord,
    requestID: String,
    at time: CollectionTime,
    _ payload: () throws -> [UInt8],
    mark: ([UInt8]) -> RequestMark
  ) throws(StoreError) -> ReadyBatch {
    try checkLog(record, change.old)
    let growth = try claimGrowth(from: change.old, to: change.new)
    var next = record.advanced(to: change.new, at: time)
    let bytes: [UInt8]
    do { bytes = try payload() } catch {
      disclaim(growth)
      throw StoreError(error, id: id)
    }
    let stored = StoredBatch(
      version: next.dataVersion,
      requestID: requestID,
      mark: requestID.isEmpty ? nil : mark(bytes),
      payload: bytes,
      time: time
    )
    if storage.shared != nil { next.lineage = record.lineage(after: stored) }
    return ReadyBatch(
      entry: LogEntry(stored, record: next, after: record),
      change: change,
      reserved: growth
    )
  }

  /// Makes a batch that has been stored visible to readers and subscribers.
  func publish(_ ready: ReadyBatch) {
    let entry = ready.entry
    publish(entry.record, change: ready.change, batch: entry.batch, reserved: ready.reserved)
    compactIfDue(entry.record, ready.change.new)
  }

  private func change(
    of contents: CollectionContents,
    by batch: UpdateBatch,
    _ applier: BatchApplier?
  ) async throws(StoreError) -> ContentsChange {
    let limits = limits.contents
    let apply: @Sendable () -> Result<ContentsChange, Refusal> = {
      Result { () throws(Refusal) in try contents.applying(batch, limits: limits) }
    }
    var applied: Result<ContentsChange, Refusal>?
    if let applier, applier.takes(batch, to: contents) {
      applied = await applier.result(of: apply)
    }
    if Task.isCancelled { throw .cancelled }
    do throws(Refusal) { return try (applied ?? apply()).get() } catch { throw .refused(error) }
  }

  func check(_ expected: UInt64?, current: UInt64) throws(StoreError) {
    if let expected, expected != current {
      throw .versionConflict(expected: expected, current: current)
    }
  }

  /// Counts in advance the bytes by which new contents exceed the old ones.
  ///
  /// - Parameter reservation: memory that is already reserved for the new contents; nil = none.
  /// - Returns: what was counted.
  func claimGrowth(
    from old: CollectionContents,
    to new: CollectionContents,
    given reservation: MemoryReservation? = nil
  ) throws(StoreError) -> Claim {
    let oldBytes = old.indexedByteCount
    let newBytes = try limits.check(new, growingFrom: oldBytes)
    let growth = newBytes - oldBytes - (reservation?.byteCount ?? 0)
    let claim = Claim(resident: max(0, growth), owned: max(0, newBytes - oldBytes))
    try self.claim(claim)
    return claim
  }

  /// Makes a committed change visible to readers and subscribers.
  ///
  /// - Parameters:
  ///   - batch: as it was stored in the log; nil = the log was emptied.
  ///   - reserved: the bytes that `claimGrowth` counted.
  func publish(
    _ record: CollectionRecord,
    change: ContentsChange,
    batch: StoredBatch?,
    reserved: Claim
  ) {
    cell.set(record)
    let owned = cell.count(owned: change.new.indexedByteCount)
    self.owned.change(by: owned - reserved.owned, of: record.owner)
    let pinned = batch.map { change.pinnedByteCount(payload: $0.payload.count) } ?? 0
    withState { state in
      state.record = record
      state.contents = change.new
      if let batch {
        state.append(change, batch, pinned: pinned)
      } else {
        state.changes.restart(after: record.dataVersion)
        state.history.restart(after: record.dataVersion)
      }
    }
    recount(reserved: reserved.resident)
    keepToLimit()
    signal(.changed)
  }

  /// Evicts other collections if memory is short. If that does not suffice, drops the changes kept
  /// for viewers that lag behind, which then catch up from a snapshot.
  func keepToLimit() {
    if memory.shrink(besides: self, isPartial: true) { return }
    withState { $0.changes.keepLast(1) }
    recount()
  }
}

extension CollectionRecord {
  /// The record after one more change of the contents.
  func advanced(
    to contents: CollectionContents,
    at time: CollectionTime
  ) -> CollectionRecord {
    var next = self
    // No overflow: new collections start at 0 and 1, and loading refuses versions and revisions
    // from 2⁶² on (`CollectionRecord.valueLimit`).
    next.dataVersion = dataVersion + 1
    next.revision = revision + 1
    next.updateTime = time
    next.sectionCount = contents.sectionCount
    next.itemCount = contents.itemCount
    return next
  }
}
