// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import Metrics
public import ResourceAccounting
internal import Synchronization

/// Prepares layouts and caches them, so that all sessions that need the same layout share one.
///
/// For each combination of contents, version, layout and container there is one computation,
/// however many callers ask for it at once. A newer version is derived from an older one if the
/// changes between them are known. A layout in the cache is returned without suspending. Small
/// computations run on the calling thread; large ones run on the engine's own threads, which all
/// clients share fairly (`FairSchedule`). A computation that exceeded a limit is not repeated
/// before the contents change (`RefusedLayouts`).
public final class LayoutEngine: Sendable {
  /// The engine's limits.
  public struct Configuration: Hashable, Sendable {
    /// Bytes that all prepared layouts in the cache may keep in memory, including their contents.
    /// 512 MiB by default.
    public var byteLimit = 512 << 20
    /// Threads for large computations; below 1 counts as 1. 2 by default.
    public var threadCount = 2
    /// Computations for more items than this are large and run on those threads. 4,000 by default.
    public var largeItemCount = 4000
    /// How long a large computation runs before it lets others go first. 1 ms by default.
    public var turn = Duration.milliseconds(1)
    /// Large computations of one connection that may wait to start. 256 by default.
    public var waitingPerConnection = 256
    /// The steps that one computation may take, of 1 to 200 ns each. 10⁹ by default.
    public var stepLimit = 1_000_000_000
    /// Bytes that the result of one computation may keep in memory. 1 GiB by default.
    public var layoutByteLimit = 1 << 30
    /// The number of newer versions after which a layout that nobody has asked for since is
    /// evicted: no session has a longer list of changes to derive a newer layout from it. 16 by
    /// default.
    public var usefulVersions: UInt64 = 16

    /// A configuration with these limits and the defaults for all others.
    public init(
      byteLimit: Int = 512 << 20,
      threadCount: Int = 2,
      largeItemCount: Int = 4000
    ) {
      self.byteLimit = byteLimit
      self.threadCount = threadCount
      self.largeItemCount = largeItemCount
    }
  }

  /// The most steps on a caller's thread: about a millisecond, if they are cheap ones.
  private static let smallSteps = 65_536
  /// The most processor time on a caller's thread, in seconds. Others wait for that thread.
  private static let smallTime = 0.001
  /// The number of steps after which that time is looked at.
  private static let smallStepsBetweenChecks = 1024
  /// Small computations that run one after another before the next ones wait for their turns.
  private static let mostRunsInOneGo = 8
  /// Layout configurations of more bytes than this make a computation large, however few the items.
  private static let smallConfigurationBytes = 64 << 10

  private let configuration: Configuration
  private let threads: LayoutThreads
  /// For work that cannot be paused, so that no computation has to wait for it.
  private let readers: LayoutThreads
  private let state: Mutex<EngineState>
  private let variants = VariantTable()
  private let hits = Atomic<UInt64>(0)
  private let misses = Atomic<UInt64>(0)
  private let incrementalUpdates = Atomic<UInt64>(0)
  private let durations: LayoutDurations

  /// An engine with an empty cache.
  ///
  /// - Parameter server: the account at the top. The cache is charged to a child of it; when the
  ///   server's limit is reached, the engine evicts layouts.
  /// - Parameter metrics: makes the metrics, whose labels are in `LayoutDurations`.
  public convenience init(
    configuration: Configuration = .init(),
    server: Account = Account(scope: .server),
    metrics: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    self.init(
      configuration: configuration,
      server: server,
      metrics: metrics,
      now: LayoutThreads.uptime
    )
  }

  /// - Parameter now: a monotonic clock in nanoseconds, with any origin.
  init(
    configuration: Configuration,
    server: Account,
    metrics: any MetricsFactory = NOOPMetricsHandler.instance,
    now: @escaping @Sendable () -> UInt64
  ) {
    self.configuration = configuration
    durations = LayoutDurations(metrics)
    var limits = LayoutThreads.Limits(
      threadCount: configuration.threadCount,
      turn: configuration.turn,
      waitingPerConnection: configuration.waitingPerConnection
    )
    threads = LayoutThreads(limits: limits, now: now)
    limits.threadCount = 1
    readers = LayoutThreads(limits: limits, now: now)
    let account = server.child(.cache, isCache: true)
    state = Mutex(
      EngineState(
        cache: PreparedLayoutCache(
          byteLimit: configuration.byteLimit,
          usefulVersions: configuration.usefulVersions,
          account: account
        ),
        refused: RefusedLayouts(account: account)
      )
    )
    server.setReclaimer { [weak self] bytes in self?.makeRoom(for: bytes) }
  }

  /// The current size of the cache, and counters since the engine was made.
  public var statistics: EngineStatistics {
    var statistics = state.withLock { state in
      var statistics = EngineStatistics()
      statistics.entries = state.cache.count
      statistics.bytes = state.cache.bytes
      statistics.evictions = state.cache.evictions
      return statistics
    }
    statistics.hits = hits.load(ordering: .relaxed)
    statistics.misses = misses.load(ordering: .relaxed)
    statistics.incrementalUpdates = incrementalUpdates.load(ordering: .relaxed)
    return statistics
  }

  // MARK: - Prepared layouts

  /// The prepared layout for a request: from the cache, from a pending computation, or from a new
  /// one.
  ///
  /// If all callers that wait for a computation are cancelled, it is abandoned.
  ///
  /// - Returns: the layout, charged to `request.account` until the lease is released.
  /// - Throws: `CancellationError` if the calling task is cancelled before the layout is there,
  ///   `LimitExceeded` if the account has no room for the layout, `WaitingLimitReached` if too many
  ///   computations of the account wait, `LayoutWork.Stop` if the computation exceeds a limit; what
  ///   a `FetchedLayout` throws.
  public func preparedLayout(for request: PreparationRequest) async throws -> LayoutLease {
    let key = key(of: request, acceptsDraft: request.mayBeDraft)
    while true {
      try Task.checkCancellation()
      switch state.withLock({ $0.step(for: request, key) }) {
      case .take(let layout):
        hits.wrappingAdd(1, ordering: .relaxed)
        return try LayoutLease(layout, as: request.configuration.layout, for: request.account)
      case .refuse(let stop):
        hits.wrappingAdd(1, ordering: .relaxed)
        throw stop
      case .wait(let waiter, let computation):
        if let computation { begin([computation]) }
        let outcome: ComputationOutcome
        if let known = waiter.outcome {
          outcome = known
        } else {
          outcome = await wait(waiter, key)
        }
        switch outcome {
        case .finished(let layout):
          if computation == nil { hits.wrappingAdd(1, ordering: .relaxed) }
          return try LayoutLease(layout, as: request.configuration.layout, for: request.account)
        case .failed(let stop): throw stop
        case .faulted(let error): throw error
        case .refused(let error): throw error
        case .cancelled: throw CancellationError()
        case .tryAgain: continue
        }
      }
    }
  }

  /// The newest layout that derives from a lease's layout, if it is of this version of the
  /// contents.
  ///
  /// Every viewer needs this after an edit. It is cheaper than a request, for which the layout's
  /// configuration is hashed and changes are collected.
  ///
  /// - Parameter layout: the layout to view the result as (`CollectionLayout.view(of:)`), with the
  ///   same `basis`.
  /// - Returns: the layout, charged to the account; nil = there is none, but a request may lead to
  ///   one.
  /// - Throws: `LimitExceeded` if the account has no room for the layout.
  /// - Complexity: O(1)
  public func successor(
    of lease: LayoutLease,
    version: UInt64,
    as layout: any CollectionLayout,
    for account: Account
  ) throws(LimitExceeded) -> LayoutLease? {
    guard let newer = try lease.successor(version: version, as: layout, for: account) else {
      return nil
    }
    hits.wrappingAdd(1, ordering: .relaxed)
    return newer
  }

  private func key(of request: PreparationRequest, acceptsDraft: Bool = false) -> EngineState.Key {
    EngineState.Key(
      variant: variants.known(request.variant),
      version: request.version.number,
      acceptsDraft: acceptsDraft
    )
  }

  /// Waits for the outcome; cancelling the task removes the waiter.
  private func wait(_ waiter: LayoutWaiter, _ key: EngineState.Key) async -> ComputationOutcome {
    await withTaskCancellationHandler {
      await waiter.value()
    } onCancel: {
      for ticket in state.withLock({ $0.leave(waiter, key) }) { ticket.cancel() }
      waiter.resolve(.cancelled)
    }
  }

  /// Removes everything about contents that no longer exist. Pending requests for them still
  /// finish.
  public func purge(_ identity: ContentsIdentity) {
    let dropped = state.withLock { $0.purge(identity) }
    withExtendedLifetime(dropped) {}
  }

  /// The layout of an older version of the contents, with the changes since; nil = none is known.
  /// Does not count as a use of the layout, and starts no computation.
  ///
  /// - Complexity: O(changes)
  public func olderLayout(
    for request: PreparationRequest
  ) -> (prepared: any PreparedLayout, changes: [ContentsChange])? {
    let key = key(of: request)
    guard let base = state.withLock({ $0.readyBase(for: request, key).base }) else { return nil }
    return (request.configuration.layout.view(of: base.prepared), base.changes.map(\.change))
  }

  // MARK: - Other work

  /// Runs work whose result is not shared: small work immediately on the calling thread, large work
  /// on the engine's threads when it is the account's turn.
  ///
  /// - Parameters:
  ///   - cost: the number of items that the work looks at, or of steps that cost as much. Above
  ///     `Configuration.largeItemCount` the work is large.
  ///   - account: the account whose turn the work takes; nil = the server's.
  ///   - work: the work, which may be begun a second time if it takes more steps or time than its
  ///     cost says. It calls `LayoutWork.proceed` at least every 16,384 steps, which throws once it
  ///     exceeds a limit or is cancelled.
  /// - Throws: what `work` throws; `CancellationError` if the calling task is cancelled and `work`
  ///   has not started or has stopped because of it; `WaitingLimitReached` if too much work of the
  ///   account waits.
  public func perform<Result: Sendable>(
    cost: Int,
    for account: Account? = nil,
    _ work: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    var isLimited = true
    if cost <= configuration.largeItemCount {
      // Even a few items may take long, if the layout tries much for each.
      let few = smallLimits()
      do { return try work(few) } catch let stop as LayoutWork.Stop where exceeds(stop, few) {
        // What took long by chance is not refused.
        isLimited = stop != .cancelled
      }
    }
    return try await runPausing(for: account, isLimited: isLimited, work)
  }

  private func runPausing<Result: Sendable>(
    for account: Account?,
    isLimited: Bool,
    _ work: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    try await run(on: threads, for: account, isLimited: isLimited) { [self] ticket in
      do { return try work(limits(of: ticket)) } catch LayoutWork.Stop.cancelled {
        throw CancellationError()
      }
    }
  }

  /// Runs large work of a session that has no other work pending. It is never refused for the
  /// number of waiting jobs, because the number of sessions is limited.
  ///
  /// - Parameters: as `perform(cost:for:_:)`.
  /// - Throws: what `work` throws; `CancellationError` as there.
  public func performTurn<Result: Sendable>(
    for account: Account,
    _ work: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await runPausing(for: account, isLimited: false, work)
  }

  /// Runs long work that cannot be paused, such as decoding a large message, when it is the
  /// account's turn. It has a thread of its own, so that computations do not wait for it.
  ///
  /// - Parameters:
  ///   - account: the account whose turn the work takes; nil = the server's.
  ///   - isLimited: whether the work may be refused because too much is waiting; false for work
  ///     whose amount is limited otherwise, such as that of sessions, each of which waits for one
  ///     thing at a time.
  /// - Throws: what `work` throws; `CancellationError` if the calling task is cancelled and `work`
  ///   has not started; `WaitingLimitReached` if too much work of the account waits.
  public func performUninterrupted<Result: Sendable>(
    for account: Account? = nil,
    isLimited: Bool = true,
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await run(on: readers, for: account, isLimited: isLimited) { _ in try work() }
  }

  /// Runs such work in any case: neither refused nor cancelled with the calling task, and on the
  /// caller's thread if the engine cannot run it any more.
  ///
  /// - Parameters:
  ///   - account: the account whose turn the work takes.
  ///   - work: its amount is limited otherwise.
  public func performRegardless<Result: Sendable>(
    for account: Account,
    _ work: @escaping @Sendable () -> Result
  ) async -> Result {
    let turn = Task {
      try? await self.performUninterrupted(for: account, isLimited: false, work)
    }
    return await turn.value ?? work()
  }

  private func run<Result: Sendable>(
    on threads: LayoutThreads,
    for account: Account?,
    isLimited: Bool = true,
    _ work: @escaping @Sendable (WorkTicket) throws -> Result
  ) async throws -> Result {
    let handle = TicketHandle()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          let ticket = try threads.submit(for: account, isLimited: isLimited) { ticket in
            continuation.resume(with: Swift.Result { try work(ticket) })
          } drop: {
            continuation.resume(throwing: CancellationError())
          }
          handle.set(ticket)
        } catch { continuation.resume(throwing: error) }
      }
    } onCancel: {
      handle.cancel()
    }
  }

  /// The limits of a computation that begins now on a caller's thread: if it needs more steps or
  /// time, it starts again on the engine's threads.
  private func smallLimits() -> LayoutWork {
    let (most, bytes) = (configuration.stepLimit, configuration.layoutByteLimit)
    guard most > Self.smallSteps else { return LayoutWork(stepLimit: most, byteLimit: bytes) }
    let start = ProcessorTime.ofThread
    return LayoutWork(
      stepLimit: Self.smallSteps,
      byteLimit: bytes,
      stepsBetweenChecks: Self.smallStepsBetweenChecks
    ) {
      ProcessorTime.ofThread - start < Self.smallTime
    }
  }

  /// Whether a computation exceeded the small limits but may still be within the full ones.
  private func exceeds(_ stop: LayoutWork.Stop, _ small: LayoutWork) -> Bool {
    guard small.stepLimit < configuration.stepLimit else { return false }
    // Only the time cancels it.
    return stop == .tooManySteps(limit: small.stepLimit) || stop == .cancelled
  }

  /// The limits of one computation.
  ///
  /// - Parameter ticket: nil = it runs on a caller's thread and is not interrupted.
  private func limits(of ticket: WorkTicket? = nil) -> LayoutWork {
    let (steps, bytes) = (configuration.stepLimit, configuration.layoutByteLimit)
    guard let ticket else { return LayoutWork(stepLimit: steps, byteLimit: bytes) }
    return LayoutWork(
      stepLimit: steps,
      byteLimit: bytes,
      assistance: TicketAssistance(ticket: ticket)
    ) {
      ticket.mayContinue()
    }
  }

  // MARK: - Computations

  /// Begins computations, and those that then derive from their results. Small ones run here, one
  /// after another; after some of them the next ones wait for their turns on the threads, because a
  /// client decides how many versions derive from one.
  private func begin(_ first: [EngineState.Computation]) {
    var next = first[...]
    var runCount = 0
    while let computation = next.popFirst() {
      if runCount > 0, state.withLock({ $0.abandons(computation) }) { continue }
      next += begin(computation, mayRunHere: runCount < Self.mostRunsInOneGo)
      runCount += 1
    }
  }

  /// Begins a computation after fetching its data.
  ///
  /// - Returns: those that can begin because this one has ended.
  private func begin(
    _ computation: EngineState.Computation,
    mayRunHere: Bool
  ) -> [EngineState.Computation] {
    misses.wrappingAdd(1, ordering: .relaxed)
    guard let layout = computation.request.configuration.layout as? any FetchedLayout else {
      return compute(computation, mayRunHere: mayRunHere)
    }
    let request = computation.request
    let base = state.withLock { $0.readyBase(for: request, computation.key).base }.map {
      FetchedBase($0.prepared, changes: $0.changes.map(\.change))
    }
    let fetch = Task { [self] in
      do {
        var fetched = computation
        fetched.source = try await layout.fetched(
          computation.context,
          of: request.version.identity,
          since: base,
          for: request.account,
          byteLimit: layoutByteLimit,
          on: self
        )
        begin(compute(fetched, mayRunHere: true))
      } catch is CancellationError {
        begin(end(computation, .tryAgain))
      } catch let error as WaitingLimitReached {
        begin(end(computation, .refused(error)))
      } catch let stop as LayoutWork.Stop {
        begin(end(computation, stop == .cancelled ? .tryAgain : .failed(stop)))
      } catch { begin(end(computation, .faulted(error))) }
    }
    if !state.withLock({ $0.note(fetch, of: computation, isFetch: true) }) { fetch.cancel() }
    return []
  }

  /// Bytes that the result of one computation may keep in memory.
  var layoutByteLimit: Int { configuration.layoutByteLimit }

  /// Runs a small computation, or passes a large one to the threads.
  ///
  /// - Parameter mayRunHere: false = small ones go to the threads as well.
  /// - Returns: those that can begin because this one has ended.
  private func compute(
    _ computation: EngineState.Computation,
    mayRunHere: Bool
  ) -> [EngineState.Computation] {
    // Drafts take few steps, however many items there are.
    let isBrief = computation.key.acceptsDraft && computation.base != nil
    let isSmall = isBrief || !isLarge(computation)
    // Small ones are not refused: it is by chance that they wait, or take more time than usual.
    var isLimited = !isSmall
    if isSmall, mayRunHere {
      switch run(computation, within: smallLimits()) {
      case .ended(let next): return next
      case .exceeded(let stop): isLimited = stop != .cancelled
      }
    }
    do throws(WaitingLimitReached) {
      let ticket = try threads.submit(
        for: computation.request.account,
        isLimited: isLimited
      ) { [self] ticket in
        switch run(computation, within: limits(of: ticket)) {
        case .ended(let next): begin(next)
        case .exceeded(let stop): begin(end(computation, .failed(stop)))
        }
      } drop: { [self] in
        begin(end(computation, .tryAgain))
      }
      if !state.withLock({ $0.note(ticket, of: computation) }) { ticket.cancel() }
      return []
    } catch { return end(computation, .refused(error)) }
  }

  private func isLarge(_ computation: EngineState.Computation) -> Bool {
    computation.request.contents.itemCount > configuration.largeItemCount
      || computation.key.variant.byteCount > Self.smallConfigurationBytes
  }

  /// How a computation has run.
  private enum Run {
    /// It has ended, and these can begin.
    case ended([EngineState.Computation])
    /// It exceeds the small limits, and has to start again.
    case exceeded(LayoutWork.Stop)
  }

  private func run(
    _ computation: EngineState.Computation,
    within limits: LayoutWork
  ) -> Run {
    let start = ContinuousClock.now
    do throws(LayoutWork.Stop) {
      let prepared = try computation.result(within: limits)
      durations.record(
        start.duration(to: .now),
        of: computation.request.configuration.layout.kindName,
        isDerived: computation.base != nil
      )
      if computation.base != nil { incrementalUpdates.wrappingAdd(1, ordering: .relaxed) }
      let variant = computation.key.variant
      let (id, succession) = state.withLock { state in
        (state.makeID(), state.cache.newest(of: variant)?.succession ?? LayoutSuccession())
      }
      let layout = SharedLayout(
        id: id,
        variant: variant,
        version: computation.key.version,
        prepared: prepared,
        succession: succession
      )
      return .ended(end(computation, .finished(layout)))
    } catch {
      if exceeds(error, limits) { return .exceeded(error) }
      return .ended(end(computation, error == .cancelled ? .tryAgain : .failed(error)))
    }
  }

  /// Resolves the waiters of a computation.
  ///
  /// - Returns: the computations that waited for its result, to begin now.
  private func end(
    _ computation: EngineState.Computation,
    _ outcome: ComputationOutcome
  ) -> [EngineState.Computation] {
    var layout: SharedLayout?
    var stop: LayoutWork.Stop?
    switch outcome {
    case .finished(let made): layout = made
    case .failed(let limit): stop = limit
    case .faulted, .refused, .tryAgain, .cancelled: break
    }
    let ending = state.withLock { $0.finish(computation, with: layout, exceeding: stop) }
    ending.owner?.resolve(outcome)
    // Only the owner's account has reached its limit; the other waiters ask again, on their own
    // accounts.
    let others = outcome.isOfOneAccount ? .tryAgain : outcome
    for waiter in ending.waiters { waiter.resolve(others) }
    withExtendedLifetime(ending.dropped) {}
    return ending.computations
  }

  /// Evicts the least recently used layouts that nobody uses, until `bytes` fewer are charged to
  /// the server. If all of them are not as much, they stay, because the charge is refused anyway.
  private func makeRoom(for bytes: Int) {
    // The entries are released outside of the lock, since that may free much memory.
    let dropped = state.withLock { $0.cache.evict(toFree: bytes) }
    withExtendedLifetime(dropped) {}
  }
}
