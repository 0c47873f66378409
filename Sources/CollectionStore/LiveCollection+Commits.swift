// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import Dispatch
internal import Synchronization

/// The result of committing a batch.
public struct Commit: Hashable, Sendable {
  /// The data version that the batch led to.
  public var dataVersion: UInt64
  /// Whether the batch was a retry: a batch with the same request identifier had been committed
  /// before as `dataVersion`, and nothing was done now.
  public var isDuplicate: Bool
}

/// Applies batches that take long where they delay nobody else.
public struct BatchApplier: Sendable {
  /// Runs a closure that applies a batch, once. If it throws, the batch is applied in the task that
  /// commits it.
  public typealias Run = @Sendable (_ apply: @escaping @Sendable () -> Void) async throws -> Void

  /// Whether the batch takes long whatever the contents.
  let isLarge: Bool
  private let run: Run

  /// An applier for a large batch, or for a small one whose few bytes may affect many items.
  public init(isLarge: Bool, run: @escaping Run) {
    self.isLarge = isLarge
    self.run = run
  }

  /// Applies batches on a thread of the system.
  static let onOwnThread = BatchApplier(isLarge: false) { apply in
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        apply()
        continuation.resume()
      }
    }
  }

  /// What `apply` returns; nil = it could not be run elsewhere.
  func result<Value: Sendable>(of apply: @escaping @Sendable () -> Value) async -> Value? {
    let result = Applied<Value>()
    // If it throws, the caller applies the batch itself.
    try? await run { result.value.withLock { $0 = apply() } }
    return result.value.withLock { $0 }
  }

  /// Whether `run` should apply a batch.
  func takes(_ batch: UpdateBatch, to contents: CollectionContents) -> Bool {
    isLarge || batch.cost(in: contents) > Self.littleCost
  }

  /// Whether `run` should make a transfer.
  func takes(_ transfer: ItemTransfer, between contents: [CollectionContents]) -> Bool {
    isLarge || transfer.cost(between: contents) > Self.littleCost
  }

  /// The cost of about a millisecond, as `UpdateBatch.cost(in:)` counts.
  static let littleCost = 2048
}

/// The result of applying a batch on another thread.
private final class Applied<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
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

  /// Replaces the contents as the next data version.
  ///
  /// - Parameters:
  ///   - expectedDataVersion: the version that the collection must be at; nil = any.
  ///   - incarnation: the incarnation that the contents are meant for; nil = the current one.
  ///   - reservation: memory that an import reserved for the contents while it received them;
  ///     released here. nil = none was reserved.
  ///   - payload: encodes the replacement as a batch for clients that watch updates. Returns nil if
  ///     the batch would be too large to keep; the history then restarts after the replacement.
  /// - Returns: the new state.
  /// - Throws: `StoreError.notFound`, `.versionConflict`, `.incarnationConflict`, `.limitExceeded`,
  ///   `.cancelled`, `.storage`, `.corrupt`; nothing is changed then.
  public func replaceContents(
    with contents: CollectionContents,
    expectedDataVersion: UInt64?,
    incarnation: UInt64? = nil,
    reservation: MemoryReservation? = nil,
    payload: @Sendable (ContentsChange) -> [UInt8]?
  ) async throws(StoreError) -> CollectionSnapshot {
    defer { reservation?.release() }
    try check(incarnation: incarnation)
    return try await gate.run(cancelled: .cancelled) { () throws(StoreError) in
      try await contending { () throws(StoreError) in
        try await replaceInTurn(contents, expectedDataVersion, reservation, payload)
      }
    }
  }

  /// - Precondition: the caller holds the gate.
  private func replaceInTurn(
    _ contents: CollectionContents,
    _ expectedDataVersion: UInt64?,
    _ reservation: MemoryReservation?,
    _ payload: @Sendable (ContentsChange) -> [UInt8]?
  ) async throws(StoreError) -> CollectionSnapshot {
    let (record, old, isDeleted) = withState { ($0.record, $0.contents, $0.isDeleted) }
    if isDeleted { throw endError }
    try check(expectedDataVersion, current: record.dataVersion)
    let change = ContentsChange.replacement(of: old, with: contents)
    let growth = try claimGrowth(from: old, to: contents, given: reservation)
    var next = record.advanced(to: contents, at: now())
    let batch = payload(change).map {
      StoredBatch(
        version: next.dataVersion,
        requestID: "",
        payload: $0,
        time: next.updateTime
      )
    }
    if storage.shared != nil {
      next.lineage = batch.map { record.lineage(after: $0) } ?? .random(in: 1 ... .max)
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
        after: record,
        batch: batch,
        retention: retention(at: next.updateTime)
      )
    } catch {
      disclaim(growth)
      throw StoreError(error, id: id)
    }
    reservation?.release()
    retire(old)
    publish(next, change: change, batch: batch, reserved: growth)
    withState { state in
      if storage.isDurable { state.base = snapshot }
      state.backoff.succeeded()
      state.logCount = 0
      state.logBytes = 0
      state.baseBytes = 0
      state.storedVersion = next.dataVersion
    }
    recount()
    return CollectionSnapshot(record: next, contents: change.new)
  }

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
    do { try await storage.update(next, after: record) } catch {
      memory.addRecord(oldBytes - newBytes)
      throw StoreError(error, id: id)
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
        do { try await storage.delete(record, unlessChanged: !etag.isEmpty) } catch {
          throw StoreError(error, id: id)
        }
        retire(withState { $0.contents })
        end()
      }
    }
  }

  private func check(_ expected: UInt64?, current: UInt64) throws(StoreError) {
    if let expected, expected != current {
      throw .versionConflict(expected: expected, current: current)
    }
  }

  /// Counts in advance the bytes by which new contents exceed the old ones.
  ///
  /// - Parameter reservation: memory that is already reserved for the new contents; nil = none.
  /// - Returns: what was counted.
  private func claimGrowth(
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
  private func publish(
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

  /// Checks that the log has room for another batch: loading the collection takes longer, the
  /// longer its log is.
  ///
  /// - Throws: `StoreError.logFull` while no snapshot can be written, although one is long due.
  private func checkLog(
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
  private func compactIfDue(
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
  private func retention(at time: CollectionTime) -> LogRetention {
    LogRetention(
      batchCount: limits.historyCount,
      batchBytes: limits.historyBytes,
      requestCount: limits.requestCount,
      requestsSince: time.earlier(by: limits.requestSeconds)
    )
  }
}

extension CollectionRecord {
  /// The record after one more change of the contents.
  fileprivate func advanced(
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
