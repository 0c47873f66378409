// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension CollectionRegistry {
  /// Whether other servers may write to the storage, so that `follow` has something to do.
  public var isShared: Bool { storage.shared != nil }

  /// Follows what other servers do to the collections, until the task is cancelled. Returns at once if nobody
  /// else writes to the storage.
  ///
  /// While the storage cannot be reached, the collections stay as they are; its `health` says so.
  public func follow() async {
    guard let log = storage.shared else { return }
    await withDiscardingTaskGroup { group in
      for await _ in log.wakes {
        if Task.isCancelled { return }
        var late = following.takeLate()
        if let incarnations = log.takeChanged() {
          late.formUnion(incarnations)
        } else {
          // What fails is tried again with the next wake; the storage reports it.
          for live in (try? await findChanges(log)) ?? [] { late.insert(live.incarnation) }
        }
        if late.isEmpty { continue }
        for live in inMemory where late.contains(live.incarnation) {
          group.addTask { await self.follow(live, log) }
        }
      }
    }
  }

  /// Catches up with what other servers have stored of a collection, or is to do it with the next wake.
  private func follow(_ live: LiveCollection, _ log: any SharedLog) async {
    do throws(StoreError) { try await live.follow(log) } catch {
      following.noteLate(live.incarnation)
    }
  }

  /// Catches up with what other servers stored of a collection while it was being read, when nobody followed.
  func catchUp(_ live: LiveCollection) async {
    guard let log = storage.shared else { return }
    do throws(StoreError) { try await live.catchUp(log) } catch {
      following.noteLate(live.incarnation)
    }
  }

  /// Catches up once with everything that other servers have stored.
  ///
  /// - Throws: `StoreError.storage`, `.corrupt`, `.cancelled`
  package func catchUp() async throws(StoreError) {
    guard let log = storage.shared else { return }
    for live in try await findChanges(log) { try await live.catchUp(log) }
  }

  /// Finds which collections were created, changed or deleted elsewhere.
  ///
  /// - Returns: those in memory that have to catch up.
  func findChanges(_ log: any SharedLog) async throws(StoreError) -> [LiveCollection] {
    try await following.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      let (cursor, edits) = following.start()
      let changes: StoredChanges
      do { changes = try await log.changes(since: cursor) } catch { throw .storage(error) }
      var late: [LiveCollection] = []
      // What was read before a collection was created or deleted here says nothing about it.
      let isCurrent = following.finish(changes.cursor, ifStill: edits)
      for change in changes.changed {
        if let live = take(change, mayAdd: isCurrent) { late.append(live) }
      }
      if isCurrent { forget(changes) }
      return late
    }
  }

  /// Takes over a collection that was created or changed.
  ///
  /// - Parameter mayAdd: whether one that is not known is new.
  /// - Returns: the collection if it is in memory and has to catch up.
  private func take(_ change: StoredChanges.Change, mayAdd: Bool) -> LiveCollection? {
    switch change.collection {
    case .damaged(let id, let fault):
      if mayAdd, known(id) == nil { add(CollectionEntry(damaged: id, fault)) }
      return nil
    case .intact(let record):
      guard let entry = known(record.id), entry.fault == nil else {
        if mayAdd, change.hasDescription { add(CollectionEntry(record)) }
        return nil
      }
      let old = entry.record.value
      guard old.incarnation == record.incarnation else {
        guard mayAdd, change.hasDescription else { return nil }
        remove(entry)
        add(CollectionEntry(record))
        return nil
      }
      guard record.revision > old.revision else { return nil }
      if let live = entry.live { return live }
      let new = change.hasDescription ? record : old.renumbered(by: record)
      entry.record.set(new)
      memory.addRecord(new.byteCount - old.byteCount)
      return nil
    }
  }

  /// Forgets what was deleted.
  private func forget(_ changes: StoredChanges) {
    var gone = changes.removed
    if changes.isComplete {
      let stored = Set(changes.changed.map(\.id))
      for id in ids where !stored.contains(id) {
        if let entry = known(id) {
          gone.append(.init(id: id, incarnation: entry.record.value.incarnation))
        }
      }
    }
    for removal in gone {
      guard let entry = known(removal.id) else { continue }
      let isSame = entry.fault != nil || entry.record.value.incarnation == removal.incarnation
      if isSame { remove(entry) }
    }
  }

  /// Removes a collection that was deleted elsewhere.
  private func remove(_ entry: CollectionEntry) {
    guard drop(entry) else { return }
    guard let live = entry.live else { return }
    live.end()
    memory.forget(live)
  }
}

/// What a registry knows of how far it has followed the storage.
final class FollowedChanges: Sendable {
  private struct State {
    var cursor: ChangeCursor?
    /// Grows when a collection is created or deleted here.
    var edits: UInt64 = 0
    /// Incarnations of collections that could not catch up.
    var late: Set<UInt64> = []
  }

  /// One task at a time reads what changed.
  let gate = SerialGate()
  private let state = Mutex(State())

  func start() -> (cursor: ChangeCursor?, edits: UInt64) {
    state.withLock { ($0.cursor, $0.edits) }
  }

  /// - Returns: whether nothing was created or deleted here since `start`. If something was, the next
  ///   reading begins at the same cursor.
  func finish(_ cursor: ChangeCursor, ifStill edits: UInt64) -> Bool {
    state.withLock { state in
      guard state.edits == edits else { return false }
      state.cursor = cursor
      return true
    }
  }

  /// Notes that a collection could not catch up: nobody will tell of its changes again.
  func noteLate(_ incarnation: UInt64) {
    state.withLock { _ = $0.late.insert(incarnation) }
  }

  /// The collections that could not catch up, which are to do it now.
  func takeLate() -> Set<UInt64> {
    state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
  }

  /// Notes that a collection was created or deleted here, or that the creation of one failed.
  ///
  /// - Parameter all: whether the next reading is to find all collections.
  func note(all: Bool = false) {
    state.withLock { state in
      state.edits &+= 1
      if all { state.cursor = nil }
    }
  }
}

extension StoredChanges.Change {
  var id: String {
    switch collection {
    case .intact(let record): record.id
    case .damaged(let id, _): id
    }
  }
}
