// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

extension LiveCollection {
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
  ///   `.cancelled`, `.storage`, `.corrupt`; nothing is changed then, unless the fault of the
  ///   storage is `unclear`.
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
    do throws(StoreError) {
      try await storing(next, after: record) { [next] in
        try await storage.replace(
          snapshot,
          record: next,
          after: record,
          batch: batch,
          retention: retention(at: next.updateTime)
        )
      }
    } catch {
      disclaim(growth)
      throw error
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
}
