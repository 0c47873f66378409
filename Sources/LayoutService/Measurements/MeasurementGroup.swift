// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutSession
internal import ResourceAccounting
internal import Synchronization

/// What sessions of a collection must have in common to share measured sizes.
struct MeasurementGroupKey: Hashable, Sendable {
  /// What the client measures with, by its own account.
  var renderer: String
  var measured: MeasurementKey

  var byteCount: Int { 256 + renderer.utf8.count + measured.byteCount }
}

/// The sizes that sessions of one collection measured with the same renderer, layout and container,
/// shared by all of them.
///
/// Offered sizes are committed at once, unless the last commit was less than `interval` ago; then
/// they are committed together when that time is over. So layouts are derived, and sessions woken,
/// at a limited rate, however many sessions report. A commit wakes sessions like a batch of the
/// collection.
final class MeasurementGroup: Sendable, AlarmTarget {
  private struct State {
    var shared: SharedContents
    var viewers: [UInt64: @Sendable () -> Void] = [:]
    var nextViewer: UInt64 = 0
    var lastCommit: ContinuousClock.Instant?
    var isAlarmSet = false
    /// The charge for the bytes of `shared`; nil = nothing is charged yet.
    var lease: Lease?
    /// Whether the server has no room for the present sizes, so that no new ones are accepted.
    var isRefused = false
    var bytes = 0
  }

  /// The shortest time between commits.
  static let interval = Duration.milliseconds(50)

  let key: MeasurementGroupKey
  /// Identifies the contents with the sizes in the engine's cache.
  let identity = ContentsIdentity(.random(in: .min ... .max))
  private let use: MeasurementUse
  private let account: Account
  private let clock: SessionClock
  private let totals: MeasurementTotals
  private let engine: LayoutEngine
  private let state: Mutex<State>

  /// - Parameters:
  ///   - snapshot: the collection's snapshot.
  ///   - use: counts the bytes of all groups of the collection.
  ///   - account: charged for these bytes.
  init(
    _ key: MeasurementGroupKey,
    _ snapshot: CollectionSnapshot,
    use: MeasurementUse,
    account: Account,
    services: SessionServices
  ) {
    self.key = key
    self.use = use
    self.account = account
    clock = services.clock
    totals = services.metrics.measurements
    engine = services.engine
    state = Mutex(
      State(
        shared: SharedContents(
          snapshot.contents,
          dataVersion: snapshot.record.dataVersion,
          isAveraged: key.measured.configuration.layout.averagesMeasurements
        )
      )
    )
    totals.groups.wrappingAdd(1, ordering: .relaxed)
    recount()
  }

  deinit {
    totals.groups.wrappingSubtract(1, ordering: .relaxed)
    let bytes = state.withLock { $0.bytes }
    totals.bytes.wrappingSubtract(bytes, ordering: .relaxed)
    use.bytes.wrappingSubtract(bytes, ordering: .relaxed)
    engine.purge(identity)
  }

  /// The number of sessions that share these sizes, including detached ones.
  var viewerCount: Int { state.withLock { $0.viewers.count } }

  /// The bytes of the sizes and of the group's key.
  var byteCount: Int { state.withLock { $0.bytes } }

  /// Whether the server has no room for the present sizes.
  var isRefused: Bool { state.withLock { $0.isRefused } }

  /// The version of the contents with the sizes.
  var version: UInt64 { state.withLock { $0.shared.version } }

  // MARK: - Viewers

  /// - Parameter wake: called after commits; must return at once.
  /// - Returns: a number for `leave(_:)`.
  func join(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.nextViewer += 1
      state.viewers[state.nextViewer] = wake
      return state.nextViewer
    }
  }

  /// - Returns: whether the group has neither viewers nor sizes any more.
  func leave(_ viewer: UInt64) -> Bool {
    state.withLock { state in
      state.viewers[viewer] = nil
      return state.viewers.isEmpty && !state.shared.isMeasured && !state.shared.hasPending
    }
  }

  // MARK: - Following

  /// The contents with the sizes, at the collection's current data version.
  ///
  /// - Throws: `StoreError.notFound` once the collection is deleted.
  func current(of collection: LiveCollection) throws(StoreError) -> SharedContents {
    try caughtUp(with: collection) { $0 }
  }

  /// How a session gets to the collection's current data version, with all sizes.
  enum CatchUp {
    case changes([SharedChange])
    /// The changes are no longer kept.
    case reset(SharedContents)
  }

  /// - Throws: `StoreError.notFound` once the collection is deleted.
  func catchUp(
    from version: UInt64,
    with collection: LiveCollection
  ) throws(StoreError) -> CatchUp {
    try caughtUp(with: collection) { shared in
      // A copy: if the session held the whole list, the next change would have to copy it.
      shared.changes(since: version).map { .changes(Array($0)) } ?? .reset(shared)
    }
  }

  /// First applies the collection's new commits, if no other session has done so.
  private func caughtUp<Answer>(
    with collection: LiveCollection,
    _ read: (SharedContents) -> sending Answer
  ) throws(StoreError) -> Answer {
    let result: Result<(Answer, Bool), StoreError> = state.withLock { state in
      do throws(StoreError) {
        guard collection.isDeleted || collection.dataVersion != state.shared.dataVersion else {
          return .success((read(state.shared), false))
        }
        let missed = try collection.catchUp(from: state.shared.dataVersion)
        if let changes = missed.changes {
          for change in changes {
            state.shared.follow(change.change, toVersion: change.version)
          }
        } else {
          let snapshot = missed.snapshot
          state.shared.reset(to: snapshot.contents, dataVersion: snapshot.record.dataVersion)
        }
        return .success((read(state.shared), true))
      } catch { return .failure(error) }
    }
    let (answer, hasChanged) = try result.get()
    if hasChanged { recount() }
    return answer
  }

  /// The latest changes, from which the engine may derive a layout.
  func latestChanges(upTo version: UInt64) -> [VersionedChange] {
    let changes = state.withLock { $0.shared.latestChanges(Int(QuerySubjects.derivationChanges)) }
    return changes.filter { $0.version <= version }.map {
      VersionedChange(newVersion: $0.version, change: $0.change)
    }
  }

  // MARK: - Measuring

  /// Accepts sizes, and wakes the other sessions when they are committed.
  ///
  /// - Parameters:
  ///   - base: the version that the session has seen.
  ///   - viewer: the session, which is not woken if the sizes are committed at once.
  ///   - room: how many bytes new sizes may take.
  func offer(
    _ sizes: [MeasuredPlace: Size],
    at base: UInt64,
    mayContribute: Bool,
    room: Int,
    by viewer: UInt64
  ) -> SharedOutcome {
    let now = clock.now
    let (outcome, told, deadline) = state.withLock { state in
      let outcome = state.shared.offer(
        sizes,
        at: base,
        mayContribute: mayContribute,
        room: state.isRefused ? 0 : room
      )
      guard outcome.accepted > 0 else {
        return (outcome, [@Sendable () -> Void](), ContinuousClock.Instant?.none)
      }
      if let last = state.lastCommit, now < last + Self.interval {
        defer { state.isAlarmSet = true }
        return (outcome, [], state.isAlarmSet ? nil : last + Self.interval)
      }
      state.shared.commit()
      state.lastCommit = now
      return (outcome, state.viewers.filter { $0.key != viewer }.map(\.value), nil)
    }
    totals.count(outcome)
    if outcome.accepted > 0 { recount() }
    if let deadline { clock.arm(deadline, for: self) }
    for wake in told { wake() }
    return outcome
  }

  func ring(_ deadline: ContinuousClock.Instant) {
    Task { [weak self] in await self?.commitPendingInTurn() }
  }

  /// Commits what waits: at once or, where that takes long, when it is the collection's turn on the
  /// thread for what cannot be paused.
  private func commitPendingInTurn() async {
    guard state.withLock({ $0.shared.pendingCount }) > Self.fewSizes else { return commitPending() }
    // It is never refused, and this task is not cancelled.
    try? await engine.performUninterrupted(for: account, isLimited: false) { self.commitPending() }
  }

  /// As many sizes take a few milliseconds to commit.
  static let fewSizes = 512

  private func commitPending() {
    let now = clock.now
    let (told, deadline) = state.withLock { state in
      // The clock may have stood still, so that the alarm is early.
      if let last = state.lastCommit, now < last + Self.interval {
        return ([@Sendable () -> Void](), Optional(last + Self.interval))
      }
      state.isAlarmSet = false
      guard state.shared.commit() else { return ([], nil) }
      state.lastCommit = now
      return (Array(state.viewers.values), nil)
    }
    if let deadline { return clock.arm(deadline, for: self) }
    recount()
    for wake in told { wake() }
  }

  /// Charges the bytes of the sizes. They are in memory already, so a refusal only stops new ones.
  private func recount() {
    let growth = state.withLock { state in
      let bytes = state.shared.byteCount + key.byteCount
      defer { state.bytes = bytes }
      do throws(LimitExceeded) {
        if let lease = state.lease {
          try lease.adjust(to: bytes)
        } else {
          state.lease = try account.charge(bytes)
        }
        state.isRefused = false
      } catch { state.isRefused = true }
      return bytes - state.bytes
    }
    totals.bytes.wrappingAdd(growth, ordering: .relaxed)
    use.bytes.wrappingAdd(growth, ordering: .relaxed)
  }
}

/// Counts the bytes of all measured sizes of one collection.
final class MeasurementUse: Sendable {
  let bytes = Atomic<Int>(0)
}
