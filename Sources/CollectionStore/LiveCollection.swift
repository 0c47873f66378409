// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
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
    /// What was stored last, as far as that is known. Shares all but what has changed since.
    var base: ContentsSnapshot?
    /// Since the last snapshot.
    var logCount: Int
    var logBytes: Int
    var isCompacting = false
    var subscribers: [UInt64: @Sendable (CollectionSignal) -> Void] = [:]
    var nextSubscriber: UInt64 = 0
  }

  public let id: String
  public let incarnation: UInt64
  let gate = SerialGate()
  let cell: RecordCell
  let storage: any CollectionStorage
  let codec: any ContentsCodec
  let limits: StoreLimits
  let now: @Sendable () -> CollectionTime
  private let state: Mutex<State>

  /// - Parameter record: what the registry knows of the collection; kept up to date.
  init(
    _ loaded: LoadedCollection,
    record cell: RecordCell,
    storage: any CollectionStorage,
    codec: any ContentsCodec,
    limits: StoreLimits,
    now: @escaping @Sendable () -> CollectionTime
  ) {
    id = loaded.record.id
    incarnation = loaded.record.incarnation
    self.storage = storage
    self.codec = codec
    self.limits = limits
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

  /// The collection as it is now, and the changes that led there, at most `limit` of them.
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

  /// The batches after a version, in order, at most `limit`; none where that version is the newest
  /// or yet to come.
  ///
  /// - Throws: `StoreError.historyCompacted` where they are no longer kept, `.notFound` once the
  ///   collection is deleted.
  public func history(
    after version: UInt64,
    limit: Int
  ) throws(StoreError) -> [StoredBatch] {
    let (batches, start, isDeleted) = withState { state in
      (state.history.entries(after: version, limit: limit), state.history.start, state.isDeleted)
    }
    if isDeleted { throw .notFound(id: id) }
    guard let batches else { throw .historyCompacted(minVersion: start) }
    return batches
  }

  // MARK: - Subscribers

  /// Calls `notify` after each commit, and once when the collection is deleted, from whatever task
  /// did it. It must return at once: it sets a mark, and the new state is then read from here, so
  /// that nothing queues up however slow the subscriber.
  public func subscribe(_ notify: @escaping @Sendable (CollectionSignal) -> Void) -> Subscription {
    let (id, isDeleted) = withState { state in
      state.nextSubscriber += 1
      state.subscribers[state.nextSubscriber] = notify
      return (state.nextSubscriber, state.isDeleted)
    }
    if isDeleted { notify(.deleted) }
    return Subscription(id: id)
  }

  public func unsubscribe(_ subscription: Subscription) {
    withState { _ = $0.subscribers.removeValue(forKey: subscription.id) }
  }

  public var subscriberCount: Int { withState { $0.subscribers.count } }

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

/// The state of a collection for one who knows an older one.
public struct CatchUp: Sendable {
  public var snapshot: CollectionSnapshot
  /// What led there, in order; nil = no longer known.
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
