// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
public import ResourceAccounting
internal import Synchronization

/// Makes prepared layouts, and keeps them for all who need the same.
///
/// There is one computation for each (contents and version, layout, container), however many ask at
/// once. A newer version is derived from an older one where the changes between are known. Who asks
/// for what is in the cache gets it at once, without a change of tasks; small computations run where
/// they are asked for, large ones on threads of their own, which all who ask share fairly.
public final class LayoutEngine: Sendable {
  /// How large the engine may get, and where it works.
  public struct Configuration: Hashable, Sendable {
    /// What all prepared layouts in the cache may keep in memory, their contents included.
    public var byteLimit = 512 << 20
    /// Threads for large computations.
    public var threadCount = 2
    /// Computations about more items than this run on those threads.
    public var largeItemCount = 4000
    /// How long a large computation may run while others wait.
    public var turn = Duration.milliseconds(5)
    /// Large computations of one connection that may wait to begin.
    public var waitingPerConnection = 256
    /// How much work one computation may be, in steps of 1 to 200 ns each.
    public var stepLimit = 1_000_000_000
    /// What the result of one computation may keep in memory.
    public var layoutByteLimit = 1 << 30
    /// How many versions later a layout that nobody asked for since leaves the cache. No list of
    /// changes is longer.
    public var usefulVersions: UInt64 = 16

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

  /// Configurations that keep more than this are not worked on where they are asked for.
  private static let smallConfigurationBytes = 64 << 10

  private let configuration: Configuration
  private let threads: LayoutThreads
  private let state: Mutex<EngineState>
  private let hits = Atomic<UInt64>(0)
  private let misses = Atomic<UInt64>(0)
  private let incrementalUpdates = Atomic<UInt64>(0)

  /// - Parameter server: the account below which the cache has its own, and for which the cache
  ///   makes room when its limit is reached.
  public convenience init(
    configuration: Configuration = .init(),
    server: Account = Account(scope: .server)
  ) {
    self.init(configuration: configuration, server: server, now: LayoutThreads.uptime)
  }

  /// - Parameter now: nanoseconds since any moment.
  init(configuration: Configuration, server: Account, now: @escaping @Sendable () -> UInt64) {
    self.configuration = configuration
    threads = LayoutThreads(
      limits: LayoutThreads.Limits(
        threadCount: configuration.threadCount,
        turn: configuration.turn,
        waitingPerConnection: configuration.waitingPerConnection
      ),
      now: now
    )
    state = Mutex(
      EngineState(
        cache: PreparedLayoutCache(
          byteLimit: configuration.byteLimit,
          usefulVersions: configuration.usefulVersions,
          account: server.child(.cache, isCache: true)
        )
      )
    )
    server.setReclaimer { [weak self, weak server] bytes in
      if let self, let server { self.makeRoom(for: bytes, in: server) }
    }
  }

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

  /// Large computations that wait to begin.
  public var waitingCount: Int { threads.waitingCount }

  // MARK: - Prepared layouts

  /// The prepared layout for a request: from the cache, from a computation under way, or new.
  ///
  /// A computation that nobody waits for any more is given up.
  /// - Returns: the layout, charged to `request.account` for as long as the result is kept.
  /// - Throws: `CancellationError` when the calling task is cancelled first, `LimitExceeded` where
  ///   the account has no room for the layout, `WaitingLimitReached` where too many computations of
  ///   the account wait, `LayoutWork.Stop` where the computation is above a limit.
  public func preparedLayout(for request: PreparationRequest) async throws -> LayoutLease {
    let key = EngineState.Key(variant: request.variant, version: request.version.number)
    while true {
      try Task.checkCancellation()
      switch state.withLock({ $0.step(for: request, key) }) {
      case .take(let layout):
        hits.wrappingAdd(1, ordering: .relaxed)
        return try LayoutLease(layout, for: request.account)
      case .wait(let waiter, let computation):
        if let computation { begin(computation) }
        let outcome: ComputationOutcome
        if let known = waiter.outcome {
          outcome = known
        } else {
          outcome = await wait(waiter, key)
        }
        switch outcome {
        case .finished(let layout):
          if computation == nil { hits.wrappingAdd(1, ordering: .relaxed) }
          return try LayoutLease(layout, for: request.account)
        case .failed(let stop): throw stop
        case .refused(let error): throw error
        case .cancelled: throw CancellationError()
        case .tryAgain: continue
        }
      }
    }
  }

  private func wait(_ waiter: LayoutWaiter, _ key: EngineState.Key) async -> ComputationOutcome {
    await withTaskCancellationHandler {
      await waiter.value()
    } onCancel: {
      for ticket in state.withLock({ $0.leave(waiter, key) }) { ticket.cancel() }
      waiter.resolve(.cancelled)
    }
  }

  /// Forgets everything about contents that are no more.
  public func purge(_ identity: ContentsIdentity) {
    let dropped = state.withLock { $0.purge(identity) }
    withExtendedLifetime(dropped) {}
  }

  // MARK: - Other work

  /// Does something that nobody shares, where such work belongs: at once where it is small, else
  /// on the engine's threads when it is the account's turn.
  ///
  /// - Parameters:
  ///   - cost: the items that are looked at, or as many steps of similar price.
  ///   - account: whose turn it takes; nil = the server's own.
  ///   - work: is told of limits and, by `LayoutWork.proceed`, whether to go on; it should ask at
  ///     least every 16,384 steps.
  /// - Throws: what `work` throws, `CancellationError` when the calling task is cancelled and `work`
  ///   did not begin or stopped for that, `WaitingLimitReached` where too much work of the account
  ///   waits.
  public func perform<Result: Sendable>(
    cost: Int,
    for account: Account? = nil,
    _ work: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    guard cost > configuration.largeItemCount else { return try work(limits()) }
    let handle = TicketHandle()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          let ticket = try threads.submit(for: account) { [self] ticket in
            continuation.resume(
              with: Swift.Result {
                do { return try work(limits(of: ticket)) } catch LayoutWork.Stop.cancelled {
                  throw CancellationError()
                }
              }
            )
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

  private func limits(of ticket: WorkTicket? = nil) -> LayoutWork {
    let (steps, bytes) = (configuration.stepLimit, configuration.layoutByteLimit)
    guard let ticket else { return LayoutWork(stepLimit: steps, byteLimit: bytes) }
    return LayoutWork(stepLimit: steps, byteLimit: bytes) { ticket.mayContinue() }
  }

  // MARK: - Computations

  private func begin(_ computation: EngineState.Computation) {
    misses.wrappingAdd(1, ordering: .relaxed)
    guard isLarge(computation) else { return run(computation, within: limits()) }
    do throws(WaitingLimitReached) {
      let ticket = try threads.submit(for: computation.request.account) { [self] ticket in
        run(computation, within: limits(of: ticket))
      } drop: { [self] in
        end(computation, .tryAgain)
      }
      if !state.withLock({ $0.note(ticket, of: computation) }) { ticket.cancel() }
    } catch { end(computation, .refused(error)) }
  }

  private func isLarge(_ computation: EngineState.Computation) -> Bool {
    computation.request.contents.itemCount > configuration.largeItemCount
      || computation.key.variant.byteCount > Self.smallConfigurationBytes
  }

  private func run(_ computation: EngineState.Computation, within limits: LayoutWork) {
    do throws(LayoutWork.Stop) {
      let prepared = try computation.result(within: limits)
      if computation.base != nil { incrementalUpdates.wrappingAdd(1, ordering: .relaxed) }
      end(
        computation,
        .finished(
          SharedLayout(
            id: state.withLock { $0.makeID() },
            variant: computation.key.variant,
            version: computation.key.version,
            prepared: prepared
          )
        )
      )
    } catch { end(computation, error == .cancelled ? .tryAgain : .failed(error)) }
  }

  private func end(_ computation: EngineState.Computation, _ outcome: ComputationOutcome) {
    var layout: SharedLayout?
    if case .finished(let made) = outcome { layout = made }
    let ending = state.withLock { $0.finish(computation, with: layout) }
    ending.owner?.resolve(outcome)
    // That the one who began it may not ask for more does not concern the others.
    let others: ComputationOutcome = if case .refused = outcome { .tryAgain } else { outcome }
    for waiter in ending.waiters { waiter.resolve(others) }
    for next in ending.computations { begin(next) }
  }

  /// Drops what was used longest ago until so many bytes less are charged.
  private func makeRoom(for bytes: Int, in server: Account) {
    let used = server.used
    while server.used > used - bytes {
      // Released outside of the lock.
      guard let dropped = state.withLock({ $0.cache.evict() }) else { return }
      withExtendedLifetime(dropped) {}
    }
  }
}
