// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import ResourceAccounting
internal import Synchronization

/// A collection whose contents are in memory, shared by all its viewers and editors.
///
/// Reads never wait for a commit. Commits run one at a time; the cost of each depends on its batch,
/// not on the number of viewers.
public final class LiveCollection: Sendable {
  struct State {
    var record: CollectionRecord
    var contents: CollectionContents
    /// Whether commits are refused: the collection was deleted, or the storage has gone back.
    var isDeleted = false
    /// Whether the storage has gone back, so that another object has the collection from now on.
    var isRewound = false
    /// Whether the description may be another one than the storage has.
    var isDescriptionDoubtful = false
    var changes: VersionedLog<CommittedChange>
    var history: VersionedLog<StoredBatch>
    var requests: RequestMemory
    /// The contents of the stored snapshot; nil = not known. They share with `contents` every part
    /// that has not changed since.
    var base: ContentsSnapshot?
    /// Estimated bytes of `base` that `contents` does not share.
    var baseBytes = 0
    /// Batches in the log after the stored snapshot.
    var logCount: Int
    /// Bytes of the payloads of those batches.
    var logBytes: Int
    /// The version of the stored snapshot, as far as this server knows.
    var storedVersion: UInt64
    /// When the storage was last asked for what other servers have stored; nil = never.
    var askedLog: ContinuousClock.Instant?
    var isCompacting = false
    var backoff = CompactionBackoff()
    /// The bytes that `StoreMemory` counts for this collection at present.
    var countedBytes = 0
    var subscribers: [UInt64: @Sendable (CollectionSignal) -> Void] = [:]
    var nextSubscriber: UInt64 = 0

    /// Estimated size in memory of all of the above, in bytes.
    var byteCount: Int {
      let shared = base == nil ? 0 : min(baseBytes, contents.indexedByteCount)
      return 1024 + contents.indexedByteCount + shared + changes.byteCount + history.byteCount
        + requests.byteCount
    }
  }

  /// The collection's name without its "collections/" prefix.
  public let id: String
  /// `CollectionRecord.incarnation`, which stays the same for the life of this object.
  public let incarnation: UInt64
  /// Tells the contents at each version from others of that number: for caches. It stays the same
  /// for the life of this object.
  public let contentsIdentity: UInt64
  let gate = SerialGate()
  let waitingBatches = WaitingBatches()
  /// Whether a task waits at the gate to catch up with other servers.
  let isToFollow = Flag()
  let cell: RecordCell
  let storage: any CollectionStorage
  let codec: any ContentsCodec
  let limits: StoreLimits
  let memory: StoreMemory
  let owned: OwnedContents
  /// Charges the collection's bytes to its account, and those that commits have claimed; nil = the
  /// collection has no account.
  private let lease: Lease?
  /// The bytes that commits have claimed of the account.
  private let claimedBytes = Mutex(0)
  /// Applies costly batches that other servers have committed.
  let followApplier: BatchApplier
  let now: @Sendable () -> CollectionTime
  /// Called with contents that the collection no longer has.
  let retire: @Sendable (CollectionContents) -> Void
  private let state: Mutex<State>
  private let companion = Mutex<(any AnyObject & Sendable)?>(nil)

  /// - Parameters:
  ///   - cell: the registry's copy of the record, which this object keeps up to date.
  ///   - memory: counts this collection until it is deinitialised.
  ///   - lease: the charge to the collection's account; nil = it has none.
  ///   - retire: called with contents that the collection no longer has.
  init(
    _ loaded: LoadedCollection,
    record cell: RecordCell,
    storage: any CollectionStorage,
    codec: any ContentsCodec,
    limits: StoreLimits,
    memory: StoreMemory,
    owned: OwnedContents,
    lease: Lease?,
    followApplier: BatchApplier,
    now: @escaping @Sendable () -> CollectionTime,
    retire: @escaping @Sendable (CollectionContents) -> Void
  ) {
    id = loaded.record.id
    incarnation = loaded.record.incarnation
    contentsIdentity = cell.identity
    self.storage = storage
    self.codec = codec
    self.limits = limits
    self.memory = memory
    self.owned = owned
    self.lease = lease
    self.followApplier = followApplier
    self.now = now
    self.retire = retire
    self.cell = cell
    state = Mutex(
      State(
        record: loaded.record,
        contents: loaded.contents,
        changes: VersionedLog(
          after: loaded.record.dataVersion,
          countLimit: limits.changeCount,
          byteLimit: limits.changeBytes
        ),
        history: loaded.history,
        requests: loaded.requests,
        base: loaded.base,
        logCount: loaded.logCount,
        logBytes: loaded.logBytes,
        storedVersion: loaded.storedVersion
      )
    )
    recount()
    let bytes = loaded.contents.indexedByteCount
    owned.change(by: cell.count(owned: bytes), of: loaded.record.owner)
  }

  deinit {
    memory.residents.remove(incarnation)
    memory.change(by: -state.withLock { $0.countedBytes })
  }

  /// Updates the bytes that `memory` and the account count for the collection.
  ///
  /// - Parameter reserved: bytes that `claim` has counted in advance and that are now part of the
  ///   state.
  func recount(reserved: Int = 0) {
    let growth = withState { state in
      let bytes = state.byteCount
      defer { state.countedBytes = bytes }
      return bytes - state.countedBytes
    }
    if growth != reserved { memory.change(by: growth - reserved) }
    // The bytes are in memory already, so a refusal is ignored here; it stops the next batch that
    // grows.
    try? charge(claiming: -reserved)
  }

  /// Charges the account for what is counted and claimed.
  ///
  /// - Parameter bytes: how many more are claimed from now on; may be negative, which is never
  ///   refused as such.
  /// - Throws: if the account has no room; then no more are claimed.
  private func charge(claiming bytes: Int) throws(LimitExceeded) {
    guard let lease else { return }
    // Under the lock, because compactions end at any time, and count again.
    try claimedBytes.withLock { claimed throws(LimitExceeded) in
      let total = max(0, claimed + bytes)
      if bytes <= 0 { claimed = total }
      try lease.adjust(to: withState { $0.countedBytes } + total)
      claimed = total
    }
  }

  /// Bytes that a commit has counted in advance.
  struct Claim: Sendable {
    /// Bytes in memory.
    var resident = 0
    /// Bytes that count against the owner's limit.
    var owned = 0
  }

  /// Counts bytes in advance that a commit will need, evicting other collections if necessary.
  ///
  /// - Throws: `StoreError.limitExceeded`, `.accountExceeded`
  func claim(_ claim: Claim) throws(StoreError) {
    let owner = cell.value.owner
    try owned.claim(claim.owned, of: owner)
    do throws(StoreError) {
      if claim.resident > 0 { try take(claim.resident) }
    } catch {
      owned.change(by: -claim.owned, of: owner)
      throw error
    }
  }

  private func take(_ bytes: Int) throws(StoreError) {
    try memory.claim(bytes, for: self)
    do throws(LimitExceeded) {
      try charge(claiming: bytes)
    } catch {
      memory.change(by: -bytes)
      throw .accountExceeded(error)
    }
  }

  /// Takes back a claim whose commit failed.
  func disclaim(_ claim: Claim) {
    owned.change(by: -claim.owned, of: cell.value.owner)
    let bytes = claim.resident
    guard bytes > 0 else { return }
    memory.change(by: -bytes)
    try? charge(claiming: -bytes)
  }

  /// Runs `body` under the lock; it must not call out.
  func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    state.withLock(body)
  }

  /// An object that is kept with the contents while these are in memory.
  ///
  /// - Parameter make: makes the object on first use; must not call out.
  public func companion<Companion: AnyObject & Sendable>(
    _ make: () -> Companion
  ) -> Companion {
    companion.withLock { kept in
      if let known = kept as? Companion { return known }
      let made = make()
      kept = made
      return made
    }
  }

  // MARK: - Reading

  /// Record and contents at the current version.
  ///
  /// - Complexity: O(1)
  public var snapshot: CollectionSnapshot {
    withState { CollectionSnapshot(record: $0.record, contents: $0.contents) }
  }

  /// The current version of the contents.
  public var dataVersion: UInt64 { withState { $0.record.dataVersion } }
  /// Whether the collection has been deleted, or this object has to be given up (`isRewound`).
  /// Reads still see its last state; commits are refused.
  public var isDeleted: Bool { withState { $0.isDeleted } }
  /// Whether the storage lacks commits that this object has, because it went back to an earlier
  /// state. `CollectionRegistry.collection` returns another object, with what is stored.
  public var isRewound: Bool { withState { $0.isRewound } }

  /// Why the collection cannot be used through this object any more.
  var endError: StoreError {
    guard isRewound else { return .notFound(id: id) }
    return .storage(StorageFault(.rewound, "the store lacks commits of \(id) that it had"))
  }

  /// Estimated size in memory, in bytes, with history, changes and request identifiers.
  ///
  /// - Complexity: O(1)
  public var byteCount: Int { withState { $0.byteCount } }

  /// The bytes that `StoreMemory` counts for the collection.
  var countedByteCount: Int { withState { $0.countedBytes } }

  /// The current state, and the last changes that led to it, at most `limit`.
  ///
  /// - Complexity: O(limit)
  public func latest(changes limit: UInt64) -> CatchUp {
    withState { state in
      let version = state.record.dataVersion
      let start = max(state.changes.start, version - min(version, limit))
      return CatchUp(
        snapshot: CollectionSnapshot(record: state.record, contents: state.contents),
        changes: state.changes.entries(after: start)
      )
    }
  }

  /// The current state, and the changes that lead to it from `version`.
  ///
  /// - Throws: `StoreError.notFound` once the collection is deleted, `.storage` if `isRewound`.
  public func catchUp(from version: UInt64) throws(StoreError) -> CatchUp {
    let found: CatchUp? = withState { state in
      if state.isDeleted { return nil }
      let changes = state.changes.entries(after: version)
      return CatchUp(
        snapshot: CollectionSnapshot(record: state.record, contents: state.contents),
        changes: changes,
        oldest: changes.map(\.first?.instant) ?? state.changes.oldest?.instant
      )
    }
    guard let found else { throw endError }
    return found
  }

  /// When the oldest batch after a version was committed, among those that are kept; nil = there is
  /// none.
  public func oldestCommit(after version: UInt64) -> ContinuousClock.Instant? {
    withState { state in
      guard state.record.dataVersion > version else { return nil }
      return state.changes.entries(after: version).map(\.first?.instant)
        ?? state.changes.oldest?.instant
    }
  }

  /// The batches after a version, in order; empty if `version` is the current one.
  ///
  /// - Parameters:
  ///   - limit: the most batches to return; not negative.
  ///   - expected: the incarnation that the caller read `version` of; nil or 0 = not known.
  /// - Throws: `StoreError.historyCompacted` if those batches are no longer kept,
  ///   `.incarnationConflict` if `version` belongs to another incarnation, `.versionAhead` if it
  ///   has not been reached, `.notFound` once the collection is deleted. If `isRewound`,
  ///   `.historyCompacted`: the batches from before have to be forgotten.
  /// - Complexity: O(limit)
  public func history(
    after version: UInt64,
    limit: Int,
    incarnation expected: UInt64? = nil
  ) throws(StoreError) -> [StoredBatch] {
    try check(incarnation: expected)
    let (batches, start, end, isDeleted) = withState { state in
      (
        state.history.entries(after: version, limit: limit), state.history.start,
        state.record.dataVersion, state.isDeleted
      )
    }
    if isDeleted { throw isRewound ? .historyCompacted(minVersion: end) : .notFound(id: id) }
    guard version <= end else { throw .versionAhead(found: version, current: end) }
    guard let batches else { throw .historyCompacted(minVersion: start) }
    return batches
  }

  /// Checks that a caller's version is of this incarnation: not of a deleted collection of the same
  /// name, and not from before the store was restored from a backup.
  ///
  /// - Parameter expected: the incarnation that the caller knows; nil or 0 = not known, which
  ///   passes.
  /// - Throws: `StoreError.incarnationConflict`
  public func check(incarnation expected: UInt64?) throws(StoreError) {
    guard let expected, expected != 0, expected != incarnation else { return }
    throw .incarnationConflict(expected: expected, current: incarnation)
  }

  /// What the log holds beyond the stored snapshot: batches, and the bytes of their payloads.
  public var logSize: (batches: Int, bytes: Int) { withState { ($0.logCount, $0.logBytes) } }

  // MARK: - Subscribers

  /// Calls `notify` after each commit, after each change of named layouts, and once when the
  /// collection is deleted.
  ///
  /// Subscribers that fall behind queue nothing: `notify` only sets a flag, and the subscriber
  /// reads the latest state from here when it gets to it.
  ///
  /// - Parameter notify: called on the task that made the change; must not block.
  /// - Returns: what `unsubscribe` takes.
  public func subscribe(_ notify: @escaping @Sendable (CollectionSignal) -> Void) -> Subscription {
    let (id, isDeleted, isRewound) = withState { state in
      state.nextSubscriber += 1
      state.subscribers[state.nextSubscriber] = notify
      return (state.nextSubscriber, state.isDeleted, state.isRewound)
    }
    if isDeleted { notify(isRewound ? .rewound : .deleted) }
    subscriberChanges.send()
    return Subscription(id: id)
  }

  /// Ends a subscription. A call of `notify` that is already under way may still reach it.
  /// Idempotent.
  public func unsubscribe(_ subscription: Subscription) {
    withState { _ = $0.subscribers.removeValue(forKey: subscription.id) }
    subscriberChanges.send()
  }

  /// The number of subscriptions that have not ended.
  public var subscriberCount: Int { withState { $0.subscribers.count } }

  /// Sent after each change of `subscriberCount`.
  package let subscriberChanges = ChangeSignal()

  /// Notifies all subscribers.
  func signal(_ signal: CollectionSignal) {
    for notify in withState({ Array($0.subscribers.values) }) { notify(signal) }
  }
}

/// Record and contents of a collection at one version.
public struct CollectionSnapshot: Sendable {
  /// The record at that version.
  public var record: CollectionRecord
  /// The contents at that version.
  public var contents: CollectionContents
}

/// One committed change of the contents.
public struct CommittedChange: Sendable {
  /// The data version that the change led to.
  public var version: UInt64
  /// The change from the version before.
  public var change: ContentsChange
  /// When it was committed.
  public var instant: ContinuousClock.Instant
}

/// The current state of a collection, for a viewer that knows an older version.
public struct CatchUp: Sendable {
  /// The current state.
  public var snapshot: CollectionSnapshot
  /// The changes from the older version to `snapshot`, in order; nil = no longer kept, so the
  /// viewer has to start from the snapshot.
  public var changes: [CommittedChange]?
  /// When the oldest change that the viewer lacks was committed, among those that are kept; nil =
  /// there is none.
  public var oldest: ContinuousClock.Instant?
}

/// Why subscribers are notified.
public enum CollectionSignal: Sendable {
  /// A batch or a replacement was committed.
  case changed
  /// Named layouts were created, updated or deleted.
  case layoutsChanged
  /// The collection was deleted; no further signals follow.
  case deleted
  /// The storage lacks commits that subscribers have seen (`LiveCollection.isRewound`); no further
  /// signals follow.
  case rewound
}

/// Identifies a subscriber of one collection.
public struct Subscription: Hashable, Sendable {
  let id: UInt64
}
