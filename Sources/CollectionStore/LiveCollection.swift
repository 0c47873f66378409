// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import ResourceAccounting
internal import Synchronization

/// One collection as all its viewers and editors share it.
///
/// Reading never waits for a commit. Commits come one after the other; each costs what its batch
/// costs, however many look on.
public final class LiveCollection: Sendable {
  struct State {
    var record: CollectionRecord
    var contents: CollectionContents
    var isDeleted = false
    var changes: VersionedLog<CommittedChange>
    var history: VersionedLog<StoredBatch>
    var requests: RequestMemory
    /// The contents that were stored last, where they are known. They share all that has not changed
    /// since.
    var base: ContentsSnapshot?
    /// What `base` does not share, roughly.
    var baseBytes = 0
    /// Batches since the last snapshot…
    var logCount: Int
    /// …and the bytes of their payloads.
    var logBytes: Int
    var isCompacting = false
    var backoff = CompactionBackoff()
    /// What `StoreMemory` counts for this collection.
    var countedBytes = 0
    var subscribers: [UInt64: @Sendable (CollectionSignal) -> Void] = [:]
    var nextSubscriber: UInt64 = 0

    /// What all of this takes in memory.
    var byteCount: Int {
      let shared = base == nil ? 0 : min(baseBytes, contents.residentByteCount)
      return 1024 + contents.residentByteCount + shared + changes.byteCount + history.byteCount
        + requests.byteCount
    }
  }

  public let id: String
  public let incarnation: UInt64
  let gate = SerialGate()
  let cell: RecordCell
  let storage: any CollectionStorage
  let codec: any ContentsCodec
  let limits: StoreLimits
  let memory: StoreMemory
  /// What the collection takes, charged to its account; nil = it has none.
  private let lease: Lease?
  let now: @Sendable () -> CollectionTime
  private let state: Mutex<State>

  /// - Parameters:
  ///   - cell: what the registry knows of the collection; kept up to date.
  ///   - memory: counts this collection from now on until it goes away.
  ///   - lease: of the account that is charged for as long; nil = there is none.
  init(
    _ loaded: LoadedCollection,
    record cell: RecordCell,
    storage: any CollectionStorage,
    codec: any ContentsCodec,
    limits: StoreLimits,
    memory: StoreMemory,
    lease: Lease?,
    now: @escaping @Sendable () -> CollectionTime
  ) {
    id = loaded.record.id
    incarnation = loaded.record.incarnation
    self.storage = storage
    self.codec = codec
    self.limits = limits
    self.memory = memory
    self.lease = lease
    self.now = now
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
        logBytes: loaded.logBytes
      )
    )
    recount()
  }

  deinit { memory.change(by: -state.withLock { $0.countedBytes }) }

  /// Tells `memory` what the collection takes now.
  ///
  /// - Parameter reserved: bytes that were counted in advance.
  func recount(reserved: Int = 0) {
    let (bytes, growth) = withState { state in
      let bytes = state.byteCount
      defer { state.countedBytes = bytes }
      return (bytes, bytes - state.countedBytes)
    }
    if growth != reserved { memory.change(by: growth - reserved) }
    // What is in memory already cannot be refused; the next batch that grows is.
    try? lease?.adjust(to: bytes)
  }

  /// Counts bytes in advance.
  ///
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`, `.accountExceeded`
  func claim(_ bytes: Int) throws(StoreError) {
    try memory.claim(bytes, for: self)
    do throws(LimitExceeded) {
      if let lease { try lease.adjust(to: lease.bytes + bytes) }
    } catch {
      memory.change(by: -bytes)
      throw .accountExceeded(error)
    }
  }

  /// Takes a claim back.
  func disclaim(_ bytes: Int) {
    guard bytes > 0 else { return }
    memory.change(by: -bytes)
    // Less is never refused.
    if let lease { try? lease.adjust(to: lease.bytes - bytes) }
  }

  func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    state.withLock(body)
  }

  // MARK: - Reading

  /// The collection as it is now.
  public var snapshot: CollectionSnapshot {
    withState { CollectionSnapshot(record: $0.record, contents: $0.contents) }
  }

  public var dataVersion: UInt64 { withState { $0.record.dataVersion } }
  public var isDeleted: Bool { withState { $0.isDeleted } }

  /// What the collection takes in memory, roughly, history and changes included.
  /// - Complexity: O(1)
  public var byteCount: Int { withState { $0.byteCount } }

  /// The collection as it is now, and the changes that led there, at most `limit` of them.
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

  /// What has happened since a version: the state now, and the changes that lead to it.
  ///
  /// - Throws: `StoreError.notFound` once the collection is deleted.
  public func catchUp(from version: UInt64) throws(StoreError) -> CatchUp {
    let found: CatchUp? = withState { state in
      if state.isDeleted { return nil }
      return CatchUp(
        snapshot: CollectionSnapshot(record: state.record, contents: state.contents),
        changes: state.changes.entries(after: version)
      )
    }
    guard let found else { throw .notFound(id: id) }
    return found
  }

  /// The batches after a version, in order, at most `limit`; none where that version is the newest.
  ///
  /// - Parameter incarnation: of the collection that the version was read from; nil = not known.
  /// - Throws: `StoreError.historyCompacted` where the batches are no longer kept,
  ///   `.incarnationConflict` where the version is another collection's, `.versionAhead` where it is
  ///   yet to come, `.notFound` once the collection is deleted.
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
    if isDeleted { throw .notFound(id: id) }
    guard version <= end else { throw .versionAhead(found: version, current: end) }
    guard let batches else { throw .historyCompacted(minVersion: start) }
    return batches
  }

  /// Refuses what was read from another collection of the same name, or before the store was restored
  /// from a backup.
  ///
  /// - Parameter expected: nil and 0 = not known, which is accepted.
  /// - Throws: `StoreError.incarnationConflict`
  public func check(incarnation expected: UInt64?) throws(StoreError) {
    guard let expected, expected != 0, expected != incarnation else { return }
    throw .incarnationConflict(expected: expected, current: incarnation)
  }

  // MARK: - Subscribers

  /// Calls `notify` after each commit, and once when the collection is deleted, from the task that
  /// did it. It must return at once: it sets a mark, and the subscriber reads the new state from here
  /// later, so that nothing queues up however slow it is.
  public func subscribe(_ notify: @escaping @Sendable (CollectionSignal) -> Void) -> Subscription {
    let (id, isDeleted) = withState { state in
      state.nextSubscriber += 1
      state.subscribers[state.nextSubscriber] = notify
      return (state.nextSubscriber, state.isDeleted)
    }
    if isDeleted { notify(.deleted) }
    subscriberChanges.send()
    return Subscription(id: id)
  }

  public func unsubscribe(_ subscription: Subscription) {
    withState { _ = $0.subscribers.removeValue(forKey: subscription.id) }
    subscriberChanges.send()
  }

  public var subscriberCount: Int { withState { $0.subscribers.count } }

  /// Sent after each change of `subscriberCount`.
  package let subscriberChanges = ChangeSignal()

  func signal(_ signal: CollectionSignal) {
    for notify in withState({ Array($0.subscribers.values) }) { notify(signal) }
  }
}

/// A collection at one moment.
public struct CollectionSnapshot: Sendable {
  public var record: CollectionRecord
  public var contents: CollectionContents
}

/// One committed change and the version that it led to.
public struct CommittedChange: Sendable {
  public var version: UInt64
  public var change: ContentsChange
}

/// The state of a collection for somebody who knows an older one.
public struct CatchUp: Sendable {
  public var snapshot: CollectionSnapshot
  /// The changes that led there, in order; nil = no longer known.
  public var changes: [CommittedChange]?
}

/// What subscribers are told.
public enum CollectionSignal: Sendable {
  case changed
  case deleted
}

/// Names a subscriber of one collection.
public struct Subscription: Hashable, Sendable {
  let id: UInt64
}
