// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// The result of a transfer.
public struct TransferCommit: Hashable, Sendable {
  /// The data version of the source after the transfer.
  public var sourceVersion: UInt64
  /// The data version of the destination after the transfer.
  public var destinationVersion: UInt64
  /// Whether it was a retry: the same transfer had been committed before, and nothing was done now.
  public var isDuplicate: Bool
}

extension LiveCollection {
  /// Commits a transfer: a batch of this collection, which loses the items, and one of the
  /// destination, which gets them. Both are stored in one transaction.
  ///
  /// Commits to either collection wait until it is done. Transfers take their turns at both in the
  /// order of the identifiers, whichever is the source, so that two of them never wait for one
  /// another.
  ///
  /// - Parameters:
  ///   - applier: makes the batches; nil = the calling task does.
  ///   - payload: encodes a batch as `ContentsCodec` decodes it; called only once both have passed
  ///     all checks. A `Refusal` that it throws refuses the transfer.
  /// - Throws: as `commit`; nothing is committed to either then. Paths of refusals count from the
  ///   request on: "destination.expected_data_version".
  /// - Complexity: that of `TransferBatches.init`
  public func transfer(
    _ transfer: ItemTransfer,
    to destination: LiveCollection,
    applier: BatchApplier? = nil,
    payload: @Sendable (UpdateBatch) throws -> [UInt8]
  ) async throws(StoreError) -> TransferCommit {
    guard id != destination.id else {
      let found = "the source itself; within a collection items are moved by an update batch"
      throw .refused(Refusal(.fieldInvalid, field: "destination.name", found))
    }
    let (first, second) = id < destination.id ? (self, destination) : (destination, self)
    return try await first.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      try await second.gate.run(cancelled: .cancelled) { () throws(StoreError) in
        try await contending(with: [destination]) { () throws(StoreError) in
          try await transferInTurn(transfer, to: destination, applier, payload)
        }
      }
    }
  }

  /// - Precondition: the caller holds the gates of both collections.
  private func transferInTurn(
    _ transfer: ItemTransfer,
    to destination: LiveCollection,
    _ applier: BatchApplier?,
    _ payload: @Sendable (UpdateBatch) throws -> [UInt8]
  ) async throws(StoreError) -> TransferCommit {
    let time = now()
    let source = try side(of: transfer, at: time)
    let target = try destination.side(of: transfer, at: time)
    if let earlier = try Self.earlier(transfer, source, target) { return earlier }
    try Self.check(transfer.expectedSourceVersion, current: source.record, field: "source")
    try Self.check(
      transfer.expectedDestinationVersion,
      current: target.record,
      field: "destination"
    )
    let batches = try await batches(of: transfer, source, target, applier)
    let marks = RequestMark.ofTransfer(transfer.digest)
    let removal = try ready(
      batches.sourceChange,
      of: source.record,
      requestID: transfer.requestID,
      at: time
    ) {
      try payload(batches.removal)
    } mark: { _ in
      marks.source
    }
    let insertion: ReadyBatch
    do throws(StoreError) {
      insertion = try destination.ready(
        batches.destinationChange,
        of: target.record,
        requestID: transfer.requestID,
        at: time
      ) {
        try payload(batches.insertion)
      } mark: { _ in
        marks.destination
      }
    } catch {
      disclaim(removal.reserved)
      throw error
    }
    do throws(StoreError) { try await store([removal.entry, insertion.entry]) } catch {
      disclaim(removal.reserved)
      destination.disclaim(insertion.reserved)
      throw error
    }
    publish(removal)
    destination.publish(insertion)
    return TransferCommit(
      sourceVersion: removal.entry.batch.version,
      destinationVersion: insertion.entry.batch.version,
      isDuplicate: false
    )
  }

  /// The state of a collection that takes part in a transfer.
  private struct Side {
    var record: CollectionRecord
    var contents: CollectionContents
    /// The batch with the transfer's request identifier; nil = none is remembered.
    var earlier: RequestMemory.Known?
  }

  /// - Throws: `StoreError.notFound` once the collection is deleted.
  private func side(of transfer: ItemTransfer, at time: CollectionTime) throws(StoreError) -> Side {
    let (side, isDeleted) = withState { state in
      let earlier = state.requests.batch(of: transfer.requestID, now: time)
      let side = Side(record: state.record, contents: state.contents, earlier: earlier)
      return (side, state.isDeleted)
    }
    if isDeleted { throw endError }
    return side
  }

  /// The same transfer, if it was made before; otherwise nil.
  ///
  /// - Throws: FIELD_INVALID if a collection remembers the request identifier for something other
  ///   than this transfer from this source to this destination.
  private static func earlier(
    _ transfer: ItemTransfer,
    _ source: Side,
    _ destination: Side
  ) throws(StoreError) -> TransferCommit? {
    if let left = source.earlier, let came = destination.earlier, let mark = left.mark,
      mark.kind == .source, came.mark == RequestMark(number: mark.number, kind: .destination),
      transfer.digest ?? mark.number == mark.number
    {
      return TransferCommit(
        sourceVersion: left.version,
        destinationVersion: came.version,
        isDuplicate: true
      )
    }
    guard source.earlier != nil || destination.earlier != nil else { return nil }
    let sides = [(source.earlier, "source"), (destination.earlier, "destination")]
    let found = sides.compactMap { earlier, name in
      earlier.map { "\(name) (version \($0.version))" }
    }
    throw .refused(
      Refusal(
        .fieldInvalid,
        field: "request_id",
        "\"\(transfer.requestID)\" found; another request was made with it, by the "
          + "\(found.joined(separator: " and the "))"
      )
    )
  }

  private static func check(
    _ expected: UInt64?,
    current: CollectionRecord,
    field: String
  ) throws(StoreError) {
    guard let expected, expected != current.dataVersion else { return }
    let conflict = Refusal.versionConflict(expected: expected, current: current.dataVersion)
    throw .refused(conflict.within(field))
  }

  private func batches(
    of transfer: ItemTransfer,
    _ source: Side,
    _ destination: Side,
    _ applier: BatchApplier?
  ) async throws(StoreError) -> TransferBatches {
    let limits = limits.contents
    let (source, destination) = (source.contents, destination.contents)
    let make: @Sendable () -> Result<TransferBatches, Refusal> = {
      Result { () throws(Refusal) in
        try TransferBatches(transfer, from: source, to: destination, limits: limits)
      }
    }
    var made: Result<TransferBatches, Refusal>?
    if let applier, applier.takes(transfer, between: [source, destination]) {
      made = await applier.result(of: make)
    }
    if Task.isCancelled { throw .cancelled }
    do throws(Refusal) { return try (made ?? make()).get() } catch { throw .refused(error) }
  }
}
