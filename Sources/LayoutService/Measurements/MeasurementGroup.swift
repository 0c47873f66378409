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
///
/// Many sizes take long to offer and to commit, while a lock is held. A session that would have to
/// wait for that on a shared thread asks `takesLong` first, and waits for its turn instead.
final class MeasurementGroup: Sendable, AlarmTarget {
  private struct State {
    var shared: SharedContents
    var lastCommit: ContinuousClock.Instant?
    var isAlarmSet = false
  }

  private struct Viewers {
    var wakes: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
  }

  /// What the bytes of the sizes are charged to.
  private struct Bill {
    /// nil = nothing is charged yet.
    var lease: Lease?
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
  private let viewers = Mutex(Viewers())
  private let bill = Mutex(Bill())

  // What others may read without waiting for a change that takes long.

  private let publishedVersion: Atomic<UInt64>
  private let pendingCount = Atomic<Int>(0)
  private let hasSizes = Atomic<Bool>(false)
  private let longChanges = Atomic<Int>(0)
  private let refusesSizes = Atomic<Bool>(false)

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
    let shared = SharedContents(
      snapshot.contents,
      dataVersion: snapshot.record.dataVersion,
      isAveraged: key.measured.configuration.layout.averagesMeasurements
    )
    publishedVersion = Atomic(shared.version)
    state = Mutex(State(shared: shared))
    totals.groups.wrappingAdd(1, ordering: .relaxed)
    recount()
  }

  deinit {
    totals.groups.wrappingSubtract(1, ordering: .relaxed)
    let bytes = byteCount
    totals.bytes.wrappingSubtract(bytes, ordering: .relaxed)
    use.bytes.wrappingSubtract(bytes, ordering: .relaxed)
    engine.purge(identity)
  }

  /// The number of sessions that share these sizes, including detached ones.
  var viewerCount: Int { viewers.withLock { $0.wakes.count } }

  /// The bytes of the sizes and of the group's key.
  var byteCount: Int { bill.withLock { $0.bytes } }

  /// Whether the server has no room for the present sizes, so that no new ones are accepted.
  var isRefused: Bool { refusesSizes.load(ordering: .relaxed) }

  /// The version of the contents with the sizes.
  var version: UInt64 { publishedVersion.load(ordering: .acquiring) }

  /// Whether following the sizes, or offering some, may take longer than a shared thread may be
  /// kept: many sizes are being changed, or wait for the next commit.
  var takesLong: Bool {
    longChanges.load(ordering: .relaxed) > 0
      || pendingCount.load(ordering: .relaxed) > Self.fewSizes
  }

  private func publish(_ shared: SharedContents) {
    publishedVersion.store(shared.version, ordering: .releasing)
    pendingCount.store(shared.pendingCount, ordering: .relaxed)
    hasSizes.store(shared.isMeasured || shared.hasPending, ordering: .relaxed)
  }

  /// Does something that may take long while the lock is held.
  private func lastingLong<Result>(_ takesLong: Bool, _ body: () -> Result) -> Result {
    guard takesLong else { return body() }
    longChanges.wrappingAdd(1, ordering: .relaxed)
    defer { longChanges.wrappingSubtract(1, ordering: .relaxed) }
    return body()
  }

  // MARK: - Viewers

  /// - Parameter wake: called after commits; must return at once.
  /// - Returns: a number for `leave(_:)`.
  func join(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
    viewers.withLock { viewers in
      viewers.next += 1
      viewers.wakes[viewers.next] = wake
      return viewers.next
    }
  }

  /// - Returns: whether the group has neither viewers nor sizes any more.
  func leave(_ viewer: UInt64) -> Bool {
    let isLast = viewers.withLock { viewers in
      viewers.wakes[viewer] = nil
      return viewers.wakes.isEmpty
    }
    return isLast && !hasSizes.load(ordering: .relaxed)
  }

  /// - Parameter viewer: one that is left out; nil = none.
  private func wakes(except viewer: UInt64? = nil) -> [@Sendable () -> Void] {
    viewers.withLock { viewers in
      viewers.wakes.filter { $0.key != viewer }.map(\.value)
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
        defer { publish(state.shared) }
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
    let isRefused = isRefused
    let isLong =
      sizes.count > Self.fewSizes || pendingCount.load(ordering: .relaxed) > Self.fewSizes
    let (outcome, isCommitted, deadline) = lastingLong(isLong) {
      state.withLock { state in
        defer { publish(state.shared) }
        let outcome = state.shared.offer(
          sizes,
          at: base,
          mayContribute: mayContribute,
          room: isRefused ? 0 : room
        )
        guard outcome.accepted > 0 else {
          return (outcome, false, ContinuousClock.Instant?.none)
        }
        if let last = state.lastCommit, now < last + Self.interval {
          defer { state.isAlarmSet = true }
          return (outcome, false, state.isAlarmSet ? nil : last + Self.interval)
        }
        state.shared.commit()
        state.lastCommit = now
        return (outcome, true, nil)
      }
    }
    totals.count(outcome)
    if outcome.accepted > 0 { recount() }
    if let deadline { clock.arm(deadline, for: self) }
    if isCommitted { for wake in wakes(except: viewer) { wake() } }
    return outcome
  }

  func ring(_ deadline: ContinuousClock.Instant) {
    Task { [weak self] in await self?.commitPendingInTurn() }
  }

  /// Commits what waits: at once or, where that takes long, when it is the collection's turn on the
  /// thread for what cannot be paused.
  private func commitPendingInTurn() async {
    guard takesLong else { return commitPending() }
    await engine.performRegardless(for: account) { self.commitPending() }
  }

  /// As many sizes take a few milliseconds to commit.
  static let fewSizes = 512

  private func commitPending() {
    let now = clock.now
    let (isCommitted, deadline) = lastingLong(pendingCount.load(ordering: .relaxed) > Self.fewSizes)
    {
      state.withLock { state in
        defer { publish(state.shared) }
        // The clock may have stood still, so that the alarm is early.
        if let last = state.lastCommit, now < last + Self.interval {
          return (false, Optional(last + Self.interval))
        }
        state.isAlarmSet = false
        guard state.shared.commit() else { return (false, nil) }
        state.lastCommit = now
        return (true, nil)
      }
    }
    if let deadline { return clock.arm(deadline, for: self) }
    recount()
    if isCommitted { for wake in wakes() { wake() } }
  }

  /// Charges the bytes of the sizes. They are in memory already, so a refusal only stops new ones.
  private func recount() {
    let growth = bill.withLock { bill in
      let bytes = state.withLock { $0.shared.byteCount } + key.byteCount
      defer { bill.bytes = bytes }
      do throws(LimitExceeded) {
        if let lease = bill.lease {
          try lease.adjust(to: bytes)
        } else {
          bill.lease = try account.charge(bytes)
        }
        refusesSizes.store(false, ordering: .relaxed)
      } catch { refusesSizes.store(true, ordering: .relaxed) }
      return bytes - bill.bytes
    }
    totals.bytes.wrappingAdd(growth, ordering: .relaxed)
    use.bytes.wrappingAdd(growth, ordering: .relaxed)
  }
}

/// Counts the bytes of all measured sizes of one collection.
final class MeasurementUse: Sendable {
  let bytes = Atomic<Int>(0)
}
