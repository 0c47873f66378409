// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

extension LiveCollection {
  /// Commits one batch as the next data version. Batches that arrive while others are being stored
  /// are stored together, each as a version of its own.
  ///
  /// - Parameters:
  ///   - applier: applies the batch; nil = the committing task does.
  ///   - incarnation: the incarnation that the batch was made for; nil = the current one.
  ///   - payload: encodes the batch as `ContentsCodec` decodes it; called only once the batch has
  ///     passed all checks.
  /// - Throws: any `StoreError` except `.exists`, `.etagConflict` and `.tooManyCollections`;
  ///   nothing is committed then.
  /// - Complexity: that of applying the batch (`CollectionContents.applying`).
  public func commit(
    _ batch: UpdateBatch,
    incarnation: UInt64? = nil,
    applier: BatchApplier? = nil,
    payload: @escaping @Sendable () throws -> [UInt8]
  ) async throws(StoreError) -> Commit {
    try check(incarnation: incarnation)
    let own = WaitingBatch(batch, applier, payload: payload)
    waitingBatches.add(own)
    do throws(StoreError) {
      try await gate.run(cancelled: .cancelled) { () throws(StoreError) in
        while own.outcome == nil {
          if Task.isCancelled { throw .cancelled }
          await commitInTurn(waitingBatches.takeGroup())
        }
      }
    } catch {
      if own.outcome == nil, waitingBatches.abandon(own) { throw error }
    }
    return try await own.settled().get()
  }

  /// Commits batches and settles them. If the task is cancelled meanwhile, batches that are not
  /// stored yet are put back.
  ///
  /// - Precondition: the caller holds the gate.
  private func commitInTurn(_ group: [WaitingBatch]) async {
    var rest = group[...]
    if group.count > 1 { rest = await commitTogether(group)[...] }
    while let next = rest.popFirst() {
      do throws(StoreError) {
        let commit = try await contending { () throws(StoreError) in
          try await commitInTurn(next.batch, next.applier, next.payload)
        }
        next.settle(.success(commit))
      } catch {
        // A cancelled task gives up only its own batch.
        if case .cancelled = error { return waitingBatches.putBack([next] + rest) }
        next.settle(.failure(error))
      }
    }
  }

  /// Commits the batches of a group that pass all checks, as one append, and settles them. If
  /// another server is faster, this is repeated after catching up.
  ///
  /// - Returns: the batches to be committed one by one: they did not pass now, or were stored
  ///   before.
  private func commitTogether(_ group: [WaitingBatch]) async -> [WaitingBatch] {
    let end = ContinuousClock.now + Self.patience
    while true {
      let (steps, rest) = steps(of: group)
      if steps.isEmpty { return rest }
      do throws(StoreError) { try await store(steps.map(\.ready.entry)) } catch {
        for step in steps { disclaim(step.ready.reserved) }
        if error.isConflict {
          guard ContinuousClock.now < end, await hasFollowed() else { return group }
          continue
        }
        for step in steps { step.batch.settle(.failure(error)) }
        return rest
      }
      for step in steps {
        publish(step.ready)
        let version = step.ready.entry.batch.version
        step.batch.settle(.success(Commit(dataVersion: version, isDuplicate: false)))
      }
      return rest
    }
  }

  /// Catches up with other servers.
  ///
  /// - Returns: whether that changed anything.
  private func hasFollowed() async -> Bool {
    guard let log = storage.shared, !Task.isCancelled else { return false }
    let old = revision
    // Each batch that is committed by itself meets the error again.
    try? await followInTurn(log)
    return revision != old
  }

  private typealias Step = (batch: WaitingBatch, ready: ReadyBatch)

  /// Applies the batches of a group one after another, as far as they pass all checks.
  ///
  /// - Returns: what is to be stored, and the other batches.
  private func steps(of group: [WaitingBatch]) -> (steps: [Step], rest: [WaitingBatch]) {
    let time = now()
    var (record, contents, isDeleted) = withState { ($0.record, $0.contents, $0.isDeleted) }
    if isDeleted { return ([], group) }
    var (steps, rest): ([Step], [WaitingBatch]) = ([], [])
    var requestIDs: Set<String> = []
    // The cost of the batches so far, which are applied on a shared thread without a pause.
    var cost = 0
    for waiting in group {
      let batch = waiting.batch
      let isFirst = batch.requestID.isEmpty || requestIDs.insert(batch.requestID).inserted
      let isExpected = batch.expectedDataVersion.map { $0 == record.dataVersion } ?? true
      guard isFirst, isExpected, !isKnown(batch, at: time), !waiting.takesLong(for: contents),
        cost <= BatchApplier.littleCost,
        let change = try? contents.applying(batch, limits: limits.contents),
        let ready = try? ready(change, by: batch, of: record, at: time, waiting.payload)
      else {
        // Committed by itself, it is refused with the reason, unless that has gone by then.
        rest.append(waiting)
        continue
      }
      steps.append((waiting, ready))
      if waiting.applier != nil { cost += batch.cost(in: contents) }
      (record, contents) = (ready.entry.record, change.new)
    }
    return (steps, rest)
  }

  private func isKnown(_ batch: UpdateBatch, at time: CollectionTime) -> Bool {
    withState { $0.requests.batch(of: batch.requestID, now: time) } != nil
  }
}

extension WaitingBatch {
  /// Whether the batch should be applied on another thread.
  fileprivate func takesLong(for contents: CollectionContents) -> Bool {
    applier?.takes(batch, to: contents) ?? false
  }
}
