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
        let told = log.takeChanged()
        // What fails is tried again with the next wake; the storage reports it.
        if told == nil { try? await findChanges(log) }
        let late = following.takeLate().union(told ?? [])
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
    try await findChanges(log)
    let late = following.takeLate()
    for live in inMemory where late.contains(live.incarnation) {
      do throws(StoreError) { try await live.catchUp(log) } catch {
        // The others, too, are to catch up with the next wake.
        for incarnation in late { following.noteLate(incarnation) }
        throw error
      }
    }
  }

  /// Finds which collections were created, changed or deleted elsewhere, and notes which ones in memory have to catch
  /// up. Any number of tasks that ask at the same time are answered by one reading.
  func findChanges(_ log: any SharedLog) async throws(StoreError) {
    let question = following.ask()
    try await following.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      guard !following.isAnswered(question) else { return }
      if let pause = following.pause {
        // Who has given up need not read, which would not wait for the others then.
        do { try await Task.sleep(for: pause) } catch { throw .cancelled }
      }
      let reading = following.beginReading()
      defer { following.endReading(reading) }
      let (cursor, edits) = following.start()
      let changes: StoredChanges
      do { changes = try await log.changes(since: cursor) } catch { throw .storage(error) }
      // What was read before a collection was created or deleted here says nothing about it.
      let isCurrent = following.finish(changes.cursor, ifStill: edits)
      for change in changes.changed {
        if let live = take(change, mayAdd: isCurrent) { following.noteLate(live.incarnation) }
      }
      guard isCurrent else { return }
      forget(changes)
      following.answered(reading)
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
    /// Incarnations of collections that have to catch up.
    var late: Set<UInt64> = []
    /// How often somebody asked what changed, and up to which of them readings have answered.
    var questions: UInt64 = 0
    var answered: UInt64 = 0
    /// Before the next reading begins.
    var rest = ContinuousClock.now
  }

  /// A reading of what changed.
  struct Reading: Sendable {
    fileprivate var begin: ContinuousClock.Instant
    /// The questions that it answers.
    fileprivate var questions: UInt64
  }

  /// One task at a time reads what changed.
  let gate = SerialGate()
  private let state = Mutex(State())
  /// Between readings passes as much time as the last one took, this many times: whoever asks for names that do not
  /// exist does not keep the storage busy for everybody.
  private static let restFactor = 3
  private static let longestRest = Duration.milliseconds(200)

  /// Somebody asks what changed until now.
  func ask() -> UInt64 {
    state.withLock { state in
      state.questions += 1
      return state.questions
    }
  }

  /// Whether a reading that began after a question has been taken over.
  func isAnswered(_ question: UInt64) -> Bool { state.withLock { $0.answered >= question } }

  /// Until the next reading may begin; nil = it may.
  var pause: Duration? {
    let pause = ContinuousClock.now.duration(to: state.withLock { $0.rest })
    return pause > .zero ? pause : nil
  }

  func beginReading() -> Reading {
    state.withLock { Reading(begin: .now, questions: $0.questions) }
  }

  /// The reading is over, whatever came of it.
  func endReading(_ reading: Reading) {
    let now = ContinuousClock.now
    let rest = min((now - reading.begin) * Self.restFactor, Self.longestRest)
    state.withLock { $0.rest = now + rest }
  }

  /// What a reading found has been taken over.
  func answered(_ reading: Reading) {
    state.withLock { $0.answered = max($0.answered, reading.questions) }
  }

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

  /// Notes that a collection has to catch up: nobody will tell of its changes again.
  func noteLate(_ incarnation: UInt64) {
    state.withLock { _ = $0.late.insert(incarnation) }
  }

  /// The collections that have to catch up, which are to do it now.
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
