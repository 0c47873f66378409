// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension LiveCollection {
  /// How long a commit is retried while other servers are faster, unless its task is cancelled.
  static let patience = Duration.seconds(30)

  /// Catches up with what other servers have stored, unless another task is about to.
  ///
  /// - Throws: as `catchUp`.
  func follow(_ log: any SharedLog) async throws(StoreError) {
    guard isToFollow.set() else { return }
    // Also if the task is cancelled before its turn.
    defer { isToFollow.clear() }
    try await catchUp(log)
  }

  /// Catches up with what other servers have stored.
  ///
  /// - Throws: `StoreError.storage`, `.corrupt`, `.cancelled`; the collection then stays as it was.
  func catchUp(_ log: any SharedLog) async throws(StoreError) {
    try await gate.run(cancelled: .cancelled) { () throws(StoreError) in
      // Later changes are left to another task.
      isToFollow.clear()
      try await followInTurn(log)
    }
  }

  /// Catches up with what other servers had stored before the call, for a client that has seen it
  /// there. Concurrent calls ask the storage once.
  ///
  /// - Throws: `StoreError.storage`, `.corrupt`, `.cancelled`; the collection then stays as it was.
  public func refresh() async throws(StoreError) {
    guard let log = storage.shared else { return }
    let arrival = ContinuousClock.now
    try await gate.run(cancelled: .cancelled) { () throws(StoreError) in
      if let asked = withState({ $0.askedLog }), asked >= arrival { return }
      try await followInTurn(log)
    }
  }

  /// Makes a change, and repeats it after catching up if another server was faster.
  ///
  /// - Parameters:
  ///   - others: further collections that are changed. The caller holds the gates of all.
  ///   - body: checks everything each time it is called.
  /// - Throws: what `body` throws; `StoreError.contended` when `patience` is over. A refusal counts
  ///   only after this server has caught up, because the client may have seen a newer version at
  ///   another server.
  func contending<Result>(
    with others: [LiveCollection] = [],
    _ body: () async throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    guard let log = storage.shared else { return try await body() }
    let end = ContinuousClock.now + Self.patience
    var hasFollowed = false
    while true {
      let refusal: StoreError
      do throws(StoreError) { return try await body() } catch { refusal = error }
      guard refusal.isConflict || (refusal.mayLackCommits && !hasFollowed) else { throw refusal }
      if Task.isCancelled { throw .cancelled }
      guard ContinuousClock.now < end else { throw .contended(id: id) }
      let revisions = ([self] + others).map { $0.revision }
      try await followInTurn(log)
      for other in others { try await other.followInTurn(log) }
      let isCurrent = revisions == ([self] + others).map { $0.revision }
      if isCurrent && !refusal.isConflict { throw refusal }
      hasFollowed = true
    }
  }

  var revision: UInt64 { withState { $0.record.revision } }

  /// Stores batches. If the connection was lost meanwhile, the log tells whether they were stored.
  ///
  /// - Throws: as `CollectionStorage.append`. `StorageFault.conflict` also if a request identifier
  ///   is stored already; this collection then remembers it.
  func store(_ entries: [LogEntry]) async throws(StoreError) {
    do { try await storage.append(entries) } catch let fault as StorageFault {
      guard let log = storage.shared, let first = entries.first else {
        throw StoreError(fault, id: id)
      }
      if fault.kind == .unclear, await isStored(first, in: log) { return }
      guard fault.kind == .conflict else { throw StoreError(fault, id: id) }
      // A version is taken more often than a request identifier: ask only if the batch has one.
      if !first.batch.requestID.isEmpty { try await remember(first.batch, in: log) }
      throw .storage(fault)
    } catch { throw StoreError(error, id: id) }
  }

  /// Whether a batch is in the log, after a fault has left that open.
  private func isStored(_ entry: LogEntry, in log: any SharedLog) async -> Bool {
    // If the log cannot be read either, the commit fails; the client's retry finds what was stored.
    let tail = try? await log.tail(after: entry.old, isDescribed: false)
    guard case .batches(let update) = tail else { return false }
    return update.batches.first == entry.batch
  }

  /// Runs a write of the storage that makes one record out of another, and finds out what became of
  /// it if the connection is lost.
  ///
  /// - Parameter next: nil = the collection is deleted.
  /// - Throws: `.storage`, `.corrupt`
  func storing(
    _ next: CollectionRecord?,
    after record: CollectionRecord,
    _ write: () async throws -> Void
  ) async throws(StoreError) {
    do { try await storage.storing(next, after: record, write) } catch {
      throw StoreError(error, id: id)
    }
  }

  /// Remembers a request that another server stored, if it did.
  ///
  /// - Throws: `StoreError.corrupt`
  private func remember(_ batch: StoredBatch, in log: any SharedLog) async throws(StoreError) {
    let found: StoredRequest?
    do { found = try await log.request(batch.requestID, in: incarnation) } catch {
      // If it cannot be asked, catching up fails as well, and that is reported.
      guard let fault = error as? StorageFault, fault.kind == .damaged else { return }
      throw StoreError(fault, id: id)
    }
    guard let request = found else { return }
    withState { state in
      state.requests.remember(
        request.id,
        version: request.version,
        mark: request.mark,
        now: batch.time
      )
    }
  }

  // MARK: - In turn

  /// - Precondition: the caller holds the gate.
  func followInTurn(_ log: any SharedLog) async throws(StoreError) {
    let (record, contents, isDeleted) = withState { ($0.record, $0.contents, $0.isDeleted) }
    if isDeleted { return }
    let start = ContinuousClock.now
    let isDoubtful = withState { state in
      defer { state.isDescriptionDoubtful = false }
      return state.isDescriptionDoubtful
    }
    do {
      let tail = try await log.tail(after: record, isDescribed: isDoubtful)
      switch tail {
      case .gone: end()
      case .trimmed: try await reload()
      case .rewound(let stored): rewind(to: stored)
      case .batches(let update):
        let changes = try await applying(update.batches, to: contents)
        publish(update, changes)
      }
      withState { $0.askedLog = start }
    } catch {
      if isDoubtful { markDescriptionStale() }
      throw error as? StoreError ?? StoreError(error, id: id)
    }
  }

  /// Reads the description again with the next catch-up, because the storage may have gone back.
  func markDescriptionStale() { withState { $0.isDescriptionDoubtful = true } }

  /// Gives up this object, because the storage lacks commits that it has, and notifies all
  /// subscribers. The next user of the collection gets another object: versions of this one may be
  /// reached again, with other contents, so nothing that refers to them may stay in use.
  ///
  /// - Parameter stored: the record that the storage has.
  private func rewind(to stored: CollectionRecord) {
    let (old, contents, wasDeleted) = withState { state in
      defer { (state.isDeleted, state.isRewound) = (true, true) }
      return (state.record, state.contents, state.isDeleted)
    }
    if wasDeleted { return }
    cell.replace(by: stored, isRewound: true)
    memory.addRecord(stored.byteCount - old.byteCount)
    memory.forget(self)
    retire(contents)
    signal(.rewound)
  }

  /// Marks the collection as deleted, by this server or another, and notifies all subscribers.
  func end() {
    let wasDeleted = withState { state in
      defer { state.isDeleted = true }
      return state.isDeleted
    }
    if !wasDeleted { signal(.deleted) }
  }

  /// Applies batches of the log in order: in this task while they cost about a millisecond in
  /// total, as the server that committed them would, and the rest with the applier.
  ///
  /// - Throws: the codec's or the model's error; `StoreError.cancelled`
  private func applying(
    _ batches: [StoredBatch],
    to contents: CollectionContents
  ) async throws -> [ContentsChange] {
    var applied = AppliedBatches(to: contents, codec)
    let bytes = batches.reduce(0) { $0 + $1.payload.count }
    if bytes <= Self.bytesInTask,
      try applied.apply(batches, costing: BatchApplier.littleCost)
    {
      return applied.changes
    }
    let rest: @Sendable () -> Swift.Result<AppliedBatches, any Error> = { [applied] in
      Swift.Result {
        var applied = applied
        try applied.apply(batches, costing: .max)
        return applied
      }
    }
    let result = await followApplier.result(of: rest)
    if Task.isCancelled { throw StoreError.cancelled }
    return try (result ?? rest()).get().changes
  }

  /// Decoding more bytes than this takes long, whatever the batches do.
  private static let bytesInTask = 16 << 10

  /// Makes commits of other servers visible, as `publish` does with this server's.
  private func publish(_ update: LogUpdate, _ changes: [ContentsChange]) {
    let old = withState { $0.record }
    let isNews = update.record.revision > old.revision || !changes.isEmpty
    guard isNews || (update.hasDescription && update.record != old) else {
      return noteSnapshot(update)
    }
    let record = update.hasDescription ? update.record : old.renumbered(by: update.record)
    cell.set(record)
    withState { state in
      for (batch, change) in zip(update.batches, changes) {
        let pinned = change.pinnedByteCount(payload: batch.payload.count)
        state.append(change, batch, pinned: pinned)
      }
      state.contents = changes.last?.new ?? state.contents
      state.record = record
    }
    memory.addRecord(record.byteCount - old.byteCount)
    countOwned()
    noteSnapshot(update)
    recount()
    keepToLimit()
    if !changes.isEmpty { signal(.changed) }
    if record.layouts != old.layouts { signal(.layoutsChanged) }
  }

  /// Counts contents that another server has changed for their owner.
  private func countOwned() {
    let (record, contents) = withState { ($0.record, $0.contents) }
    owned.change(by: cell.count(owned: contents.indexedByteCount), of: record.owner)
  }

  /// Notes that another server has written a newer snapshot.
  private func noteSnapshot(_ update: LogUpdate) {
    withState { state in
      guard update.snapshotVersion > state.storedVersion else { return }
      state.storedVersion = update.snapshotVersion
      if state.base?.version != update.snapshotVersion { state.forgetBase() }
      // Another server was faster, which is not a failure: reset the backoff.
      state.backoff.succeeded()
      let rest = state.history.entries(after: update.snapshotVersion) ?? []
      state.logCount = rest.count
      state.logBytes = rest.reduce(0) { $0 + $1.payload.count }
    }
  }

  /// Reads the collection from its snapshot, because the log does not reach back far enough.
  /// Viewers start from the new contents.
  private func reload() async throws(StoreError) {
    let loader = CollectionLoader(storage: storage, codec: codec, limits: limits, now: now())
    let loaded: LoadedCollection
    do throws(StoreError) { loaded = try await loader.load(id, byteCount: byteCount) } catch {
      // Another server has just deleted it.
      if error.isConflict { return end() }
      throw error
    }
    guard loaded.record.incarnation == incarnation else { return end() }
    let old = withState { $0.record }
    guard loaded.record.mayFollow(old) else { return rewind(to: loaded.record) }
    cell.set(loaded.record)
    withState { state in
      state.record = loaded.record
      state.contents = loaded.contents
      state.changes.restart(after: loaded.record.dataVersion)
      state.history = loaded.history
      state.requests = loaded.requests
      state.base = loaded.base
      state.baseBytes = 0
      state.logCount = loaded.logCount
      state.logBytes = loaded.logBytes
      state.storedVersion = loaded.storedVersion
    }
    memory.addRecord(loaded.record.byteCount - old.byteCount)
    countOwned()
    recount()
    keepToLimit()
    signal(.changed)
    if loaded.record.layouts != old.layouts { signal(.layoutsChanged) }
  }
}

/// Batches of the log that have been applied to contents one after another.
private struct AppliedBatches: Sendable {
  private(set) var changes: [ContentsChange] = []
  private var contents: CollectionContents
  private let codec: any ContentsCodec

  init(to contents: CollectionContents, _ codec: any ContentsCodec) {
    self.contents = contents
    self.codec = codec
  }

  /// Applies those of the batches that are not applied yet, until the next one would make the cost
  /// of all of them higher (`UpdateBatch.cost(in:)`).
  ///
  /// - Returns: whether all are applied.
  /// - Throws: the codec's or the model's error.
  @discardableResult
  mutating func apply(_ batches: [StoredBatch], costing most: Int) throws -> Bool {
    var rest = most
    for batch in batches.dropFirst(changes.count) {
      let batch = try codec.decodeBatch(batch.payload)
      if most < .max {
        let cost = batch.cost(in: contents)
        guard cost <= rest else { return false }
        rest -= cost
      }
      let change = try contents.applying(batch, limits: CollectionLoader.limitsOfStoredContents)
      changes.append(change)
      contents = change.new
    }
    return true
  }
}

extension LiveCollection.State {
  /// Adds a committed batch to history, changes and request identifiers.
  ///
  /// - Parameter pinned: the bytes of older contents that the change keeps alive.
  mutating func append(_ change: ContentsChange, _ batch: StoredBatch, pinned: Int) {
    changes.append(
      CommittedChange(version: batch.version, change: change, instant: .now),
      bytes: pinned
    )
    history.append(batch, bytes: batch.byteCount)
    baseBytes += pinned
    requests.remember(batch)
    logCount += 1
    logBytes += batch.payload.count
  }

  /// Forgets the contents of the stored snapshot, because another one was stored.
  mutating func forgetBase() {
    base = nil
    baseBytes = 0
  }
}

extension LoadedCollection {
  /// The version of the stored snapshot.
  var storedVersion: UInt64 { record.dataVersion - min(record.dataVersion, UInt64(logCount)) }
}

extension StoreError {
  /// Whether the error means that another server was faster.
  var isConflict: Bool {
    guard case .storage(let fault as StorageFault) = self else { return false }
    return fault.kind == .conflict
  }

  /// Whether the refusal may be due to commits that this server lacks, so that the request might be
  /// accepted after catching up.
  fileprivate var mayLackCommits: Bool {
    switch self {
    case .versionConflict, .etagConflict, .refused, .layoutNotFound, .layoutExists: true
    default: false
    }
  }
}
