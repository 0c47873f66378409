// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel

/// Makes prepared layouts and keeps them for all who need the same.
///
/// One computation for each (contents and version, layout, container) however many ask at once; a
/// newer version is derived from an older one where the changes between are known. The actor only
/// coordinates: the work runs elsewhere, for large contents on threads of its own.
public actor LayoutEngine {
  /// How large the engine may get, and where it works.
  public struct Configuration: Sendable {
    /// What all prepared layouts in the cache may keep in memory.
    public var byteLimit: Int
    /// Threads for large contents.
    public var threadCount: Int
    /// Contents with more items than this are worked on by those threads, smaller ones by the task
    /// that asks.
    public var largeItemCount: Int

    public init(byteLimit: Int = 512 << 20, threadCount: Int = 2, largeItemCount: Int = 20_000) {
      self.byteLimit = byteLimit
      self.threadCount = threadCount
      self.largeItemCount = largeItemCount
    }
  }

  private struct Key: Hashable {
    var variant: Variant
    var version: UInt64
  }

  /// Where a computation begins.
  private enum Start: Sendable {
    case nothing
    case prepared(any PreparedLayout, changes: ArraySlice<VersionedChange>)
    case flight(Flight, changes: ArraySlice<VersionedChange>)
  }

  private nonisolated let largeItemCount: Int
  private nonisolated let executor: PreparationExecutor
  private var cache: PreparedLayoutCache
  private var flights: [Key: Flight] = [:]
  private var flightVersions: [Variant: Set<UInt64>] = [:]
  private var hits: UInt64 = 0
  private var misses: UInt64 = 0
  private var incrementalUpdates: UInt64 = 0

  public init(configuration: Configuration = .init()) {
    largeItemCount = configuration.largeItemCount
    executor = PreparationExecutor(threadCount: configuration.threadCount)
    cache = PreparedLayoutCache(byteLimit: configuration.byteLimit)
  }

  public var statistics: EngineStatistics {
    var statistics = EngineStatistics()
    statistics.entries = cache.count
    statistics.bytes = cache.bytes
    statistics.hits = hits
    statistics.misses = misses
    statistics.incrementalUpdates = incrementalUpdates
    statistics.evictions = cache.evictions
    return statistics
  }

  /// The prepared layout for a request: from the cache, from a computation under way, or new.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first. The computation goes
  ///   on where others wait for it.
  public func preparedLayout(
    for request: PreparationRequest
  ) async throws(CancellationError) -> any PreparedLayout {
    let key = Key(variant: request.variant, version: request.version.number)
    while true {
      if Task.isCancelled { throw CancellationError() }
      if let prepared = cache.value(for: key.variant, version: key.version) {
        hits += 1
        return prepared
      }
      if let flight = flights[key] {
        if case .finished(let prepared) = await flight.value() {
          hits += 1
          return prepared
        }
        continue
      }
      if let prepared = await compute(request, key: key) { return prepared }
    }
  }

  /// Works on something that nobody shares, where such work belongs.
  ///
  /// - Parameter itemCount: of the contents that it is about.
  /// - Throws: `CancellationError` when the calling task was cancelled before the work began.
  public nonisolated func perform<Result: Sendable>(
    itemCount: Int,
    _ work: @escaping @Sendable () -> Result
  ) async throws(CancellationError) -> Result {
    let result: Result? = await withTaskExecutorPreference(
      itemCount > largeItemCount ? executor : nil
    ) { await Self.unlessCancelled(work) }
    guard let result else { throw CancellationError() }
    return result
  }

  @concurrent
  private nonisolated static func unlessCancelled<Result: Sendable>(
    _ work: @Sendable () -> Result
  ) async -> Result? {
    Task.isCancelled ? nil : work()
  }

  /// Forgets everything about contents that are no more.
  public func purge(_ identity: ContentsIdentity) {
    cache.removeAll(of: identity)
    // Their results still reach those who wait, but are not kept.
    for key in flights.keys where key.variant.identity == identity { removeFlight(key) }
  }

  // MARK: - Computations

  /// - Returns: nil when nobody wanted the result any more before the work began.
  private func compute(
    _ request: PreparationRequest,
    key: Key
  ) async -> (any PreparedLayout)? {
    let start = start(for: request, key: key)
    let flight = Flight()
    flights[key] = flight
    flightVersions[key.variant, default: []].insert(key.version)
    misses += 1

    let result = await withTaskCancellationHandler {
      await Self.run(
        request,
        container: key.variant.container,
        from: start,
        for: flight,
        on: request.contents.itemCount > largeItemCount ? executor : nil
      )
    } onCancel: {
      flight.loseInterest()
    }

    let isCurrent = flights[key] === flight
    if isCurrent { removeFlight(key) }
    guard let result else {
      flight.finish(.abandoned)
      return nil
    }
    if result.isDerived { incrementalUpdates += 1 }
    if isCurrent {
      cache.insert(result.prepared, for: key.variant, version: key.version)
      if result.isDerived, let base = cache.newest(of: key.variant, where: { $0 < key.version }) {
        cache.markSuperseded(key.variant, version: base.version)
      }
    }
    flight.finish(.finished(result.prepared))
    return result.prepared
  }

  private func start(for request: PreparationRequest, key: Key) -> Start {
    func isUsable(_ version: UInt64) -> Bool {
      version < key.version && request.changeCount(since: version) != nil
    }
    func changes(since version: UInt64) -> ArraySlice<VersionedChange> {
      request.changes.suffix(request.changeCount(since: version) ?? 0)
    }
    let cached = cache.newest(of: key.variant, where: isUsable)
    let underWay = (flightVersions[key.variant] ?? []).filter(isUsable).max()
    let own = request.base.flatMap { isUsable($0.version) ? $0 : nil }
    let newest = max(cached?.version ?? 0, underWay ?? 0, own?.version ?? 0)
    if let cached, cached.version == newest {
      return .prepared(cached.prepared, changes: changes(since: newest))
    }
    if let own, own.version == newest {
      return .prepared(own.prepared, changes: changes(since: newest))
    }
    if let underWay, let flight = flights[Key(variant: key.variant, version: underWay)] {
      return .flight(flight, changes: changes(since: underWay))
    }
    return .nothing
  }

  private func removeFlight(_ key: Key) {
    flights[key] = nil
    flightVersions[key.variant]?.remove(key.version)
    if flightVersions[key.variant]?.isEmpty == true { flightVersions[key.variant] = nil }
  }

  private struct Result: Sendable {
    var prepared: any PreparedLayout
    var isDerived: Bool
  }

  private nonisolated static func run(
    _ request: PreparationRequest,
    container: LayoutContainer,
    from start: Start,
    for flight: Flight,
    on executor: PreparationExecutor?
  ) async -> Result? {
    var base: (prepared: any PreparedLayout, changes: ArraySlice<VersionedChange>)?
    switch start {
    case .nothing: break
    case .prepared(let prepared, let changes): base = (prepared, changes)
    case .flight(let other, let changes):
      if case .finished(let prepared) = await other.value() { base = (prepared, changes) }
    }
    let begin = base
    return await withTaskExecutorPreference(executor) {
      await work(request, container: container, base: begin, for: flight)
    }
  }

  @concurrent
  private nonisolated static func work(
    _ request: PreparationRequest,
    container: LayoutContainer,
    base: (prepared: any PreparedLayout, changes: ArraySlice<VersionedChange>)?,
    for flight: Flight
  ) async -> Result? {
    guard flight.isWanted else { return nil }
    let layout = request.configuration.layout
    if let base {
      var prepared = base.prepared
      for step in base.changes { prepared = layout.update(prepared, by: step.change) }
      return Result(prepared: prepared, isDerived: true)
    }
    let context = LayoutContext(
      contents: request.contents,
      container: container,
      options: request.configuration.options
    )
    return Result(prepared: layout.prepare(context), isDerived: false)
  }
}
