// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension CollectionRegistry {
  /// Whether other servers may write to the storage, so that `follow` has something to do.
  public var isShared: Bool { storage.shared != nil }

  /// Follows what other servers do to the collections, until the task is cancelled. Returns at once
  /// if nobody else writes to the storage.
  ///
  /// While the storage cannot be reached, the collections stay as they are, and its `health`
  /// reports the fault.
  public func follow() async {
    guard let log = storage.shared else { return }
    await withDiscardingTaskGroup { group in
      for await _ in log.wakes {
        if Task.isCancelled { return }
        let told = log.takeChanged()
        // A failure is retried with the next wake; the storage reports it.
        if told == nil { try? await findChanges(log) }
        let behind = following.takeBehind().union(told ?? [])
        if behind.isEmpty { continue }
        for live in residents(behind) {
          group.addTask { await self.follow(live, log) }
        }
      }
    }
  }

  /// Catches up with what other servers have stored of a collection, and retries with the next wake
  /// if that fails.
  private func follow(_ live: LiveCollection, _ log: any SharedLog) async {
    do throws(StoreError) { try await live.follow(log) } catch {
      following.noteBehind(live.incarnation)
    }
  }

  /// Catches up with what other servers stored of a collection while it was being loaded, when
  /// nobody followed it.
  func catchUp(_ live: LiveCollection) async {
    guard let log = storage.shared else { return }
    do throws(StoreError) { try await live.catchUp(log) } catch {
      following.noteBehind(live.incarnation)
    }
  }

  /// Catches up once with everything that other servers have stored.
  ///
  /// - Throws: `StoreError.storage`, `.corrupt`, `.cancelled`
  package func catchUp() async throws(StoreError) {
    guard let log = storage.shared else { return }
    try await findChanges(log)
    let behind = following.takeBehind()
    for live in residents(behind) {
      do throws(StoreError) { try await live.catchUp(log) } catch {
        // The others have to catch up with the next wake, too.
        for incarnation in behind { following.noteBehind(incarnation) }
        throw error
      }
    }
  }

  /// Finds the collections that were created, changed or deleted elsewhere, and notes which of
  /// those in memory have to catch up. Concurrent calls share one reading.
  func findChanges(_ log: any SharedLog) async throws(StoreError) {
    let question = following.ask()
    try await following.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      guard !following.isAnswered(question) else { return }
      if let pause = following.timeToNextReading {
        // A cancelled task need not read, and would no longer wait between readings.
        do { try await Task.sleep(for: pause) } catch { throw .cancelled }
      }
      let reading = following.beginReading()
      defer { following.endReading(reading) }
      let (cursor, resets) = following.start()
      let changes: StoredChanges
      do { changes = try await log.changes(since: cursor) } catch { throw .storage(error) }
      var isAll = true
      for change in changes.changed where !take(change) { isAll = false }
      if !forget(changes) { isAll = false }
      following.finish(isAll ? changes.cursor : cursor, ifStill: resets)
      following.answered(reading)
    }
  }

  /// Takes over a collection that was created or changed elsewhere, and notes whether it has to
  /// catch up.
  ///
  /// - Returns: false = the reading may be older than what was done to the collection here since it
  ///   began, or newer; the next one tells.
  private func take(_ change: StoredChanges.Change) -> Bool {
    switch change.collection {
    case .damaged(let id, let fault):
      guard known(id) == nil else { return true }
      guard !following.isEdited(id) else { return false }
      add(CollectionEntry(damaged: id, fault))
      return true
    case .intact(let record):
      // Incarnations do not come back.
      if following.isDropped(record.incarnation) { return true }
      guard let entry = known(record.id), entry.fault == nil else {
        if change.hasDescription { add(CollectionEntry(record)) }
        return true
      }
      let old = entry.record.value
      guard old.incarnation == record.incarnation else {
        guard !following.isEdited(record.id) else { return false }
        guard change.hasDescription else { return true }
        remove(entry)
        add(CollectionEntry(record))
        return true
      }
      // The storage may have gone back, so that the revision is a lower one.
      guard !record.isSameState(as: old) else { return true }
      if let live = entry.live {
        if change.hasDescription { live.markDescriptionStale() }
        following.noteBehind(live.incarnation)
        return true
      }
      let new = change.hasDescription ? record : old.renumbered(by: record)
      // A load that ran at the same time may have read a newer record.
      guard entry.record.replace(old, by: new) else { return false }
      memory.addRecord(new.byteCount - old.byteCount)
      if let live = entry.live { following.noteBehind(live.incarnation) }
      return true
    }
  }

  /// Removes what was deleted elsewhere.
  ///
  /// - Returns: as `take`.
  private func forget(_ changes: StoredChanges) -> Bool {
    var isAll = true
    var gone = changes.removed
    if changes.isComplete {
      let stored = Set(changes.changed.map(\.id))
      for id in ids where !stored.contains(id) {
        if following.isEdited(id) {
          isAll = false
        } else if let entry = known(id) {
          gone.append(.init(id: id, incarnation: entry.record.value.incarnation))
        }
      }
    }
    for removal in gone {
      guard let entry = known(removal.id) else { continue }
      let isSame = entry.fault != nil || entry.record.value.incarnation == removal.incarnation
      if isSame { remove(entry) }
    }
    return isAll
  }

  /// Removes a collection that was deleted elsewhere.
  private func remove(_ entry: CollectionEntry) {
    guard drop(entry) else { return }
    guard let live = entry.live else { return }
    live.end()
    memory.forget(live)
  }
}

/// How far a registry has followed the storage.
final class FollowedChanges: Sendable {
  private struct State {
    var cursor: ChangeCursor?
    /// Identifiers of collections that were created or deleted here since the reading began.
    var edited: Set<String> = []
    /// Incarnations that were deleted here since then.
    var dropped: Set<UInt64> = []
    /// Grows when the next reading must find all collections.
    var resets: UInt64 = 0
    /// Incarnations of collections that have to catch up.
    var behind: Set<UInt64> = []
    /// How many questions were asked, and up to which of them readings have answered.
    var questions: UInt64 = 0
    var answered: UInt64 = 0
    /// When the next reading may begin.
    var nextReading = ContinuousClock.now
  }

  /// One reading of what has changed.
  struct Reading: Sendable {
    fileprivate var begin: ContinuousClock.Instant
    /// The number of the newest question that it answers.
    fileprivate var questions: UInt64
  }

  /// One task at a time reads what changed.
  let gate = SerialGate()
  private let state = Mutex(State())
  /// The pause between readings, as a multiple of the last one's duration: requests for names that
  /// do not exist must not keep the storage busy for everybody.
  private static let pauseFactor = 3
  private static let longestPause = Duration.milliseconds(200)

  /// Asks for everything that has changed so far.
  func ask() -> UInt64 {
    state.withLock { state in
      state.questions += 1
      return state.questions
    }
  }

  /// Whether a reading that began after the question has been taken over.
  func isAnswered(_ question: UInt64) -> Bool { state.withLock { $0.answered >= question } }

  /// How long until the next reading may begin; nil = it may begin now.
  var timeToNextReading: Duration? {
    let pause = ContinuousClock.now.duration(to: state.withLock { $0.nextReading })
    return pause > .zero ? pause : nil
  }

  func beginReading() -> Reading {
    state.withLock { Reading(begin: .now, questions: $0.questions) }
  }

  /// Notes the end of a reading, successful or not.
  func endReading(_ reading: Reading) {
    let now = ContinuousClock.now
    let pause = min((now - reading.begin) * Self.pauseFactor, Self.longestPause)
    state.withLock { $0.nextReading = now + pause }
  }

  /// Notes that the result of a reading was taken over.
  func answered(_ reading: Reading) {
    state.withLock { $0.answered = max($0.answered, reading.questions) }
  }

  /// Begins a reading.
  ///
  /// - Returns: where it begins, and what `finish` takes.
  func start() -> (cursor: ChangeCursor?, resets: UInt64) {
    state.withLock { state in
      (state.edited, state.dropped) = ([], [])
      return (state.cursor, state.resets)
    }
  }

  /// Sets where the next reading begins, unless it must find all collections.
  func finish(_ cursor: ChangeCursor?, ifStill resets: UInt64) {
    state.withLock { state in
      if state.resets == resets { state.cursor = cursor }
    }
  }

  /// Whether the collection was created or deleted here since the reading began.
  func isEdited(_ id: String) -> Bool { state.withLock { $0.edited.contains(id) } }

  /// Whether the incarnation was deleted here since the reading began.
  func isDropped(_ incarnation: UInt64) -> Bool {
    state.withLock { $0.dropped.contains(incarnation) }
  }

  /// Notes that a collection has to catch up: no later wake will announce its changes again.
  func noteBehind(_ incarnation: UInt64) {
    state.withLock { _ = $0.behind.insert(incarnation) }
  }

  /// Removes and returns the collections that have to catch up; the caller does it now.
  func takeBehind() -> Set<UInt64> {
    state.withLock { state in
      defer { state.behind = [] }
      return state.behind
    }
  }

  /// Notes that a collection was created or deleted here, or that the creation of one failed.
  ///
  /// - Parameters:
  ///   - incarnation: what was deleted; nil = nothing.
  ///   - all: whether the next reading must find all collections.
  func note(_ id: String, dropped incarnation: UInt64? = nil, all: Bool = false) {
    state.withLock { state in
      state.edited.insert(id)
      if let incarnation { state.dropped.insert(incarnation) }
      if all {
        state.cursor = nil
        state.resets &+= 1
      }
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
