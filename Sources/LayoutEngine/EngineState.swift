// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import ResourceAccounting

/// What the engine knows: the cache, and the computations that are under way with those who wait
/// for them. Its methods only keep the books and say what is to be done.
struct EngineState {
  struct Key: Hashable, Sendable {
    let variant: Variant
    let version: UInt64
  }

  /// Where a computation begins.
  struct Base: Sendable {
    var prepared: any PreparedLayout
    /// What leads from there to the wanted version.
    var changes: ArraySlice<VersionedChange>
  }

  /// A computation that is to be done now.
  struct Computation: Sendable {
    let id: UInt64
    let key: Key
    let request: PreparationRequest
    /// nil = from nothing.
    let base: Base?
  }

  /// What one who asks for a layout has to do.
  enum Step {
    case take(SharedLayout)
    /// - Parameter computation: to be begun by this one, before it waits; nil = somebody else did.
    case wait(LayoutWaiter, begin: Computation?)
  }

  /// A computation that is not finished.
  private struct Pending {
    let id: UInt64
    let request: PreparationRequest
    /// Whoever began it.
    let owner: ObjectIdentifier
    var waiters: [ObjectIdentifier: LayoutWaiter] = [:]
    /// An older version of the same variant that it waits for, to begin from that.
    var base: Key?
    /// Newer versions of the same variant that wait for it.
    var dependents: [Key] = []
    /// While it is in the hands of the engine's threads.
    var ticket: WorkTicket?
    /// Whether the contents are still there.
    var isKept = true
  }

  var cache: PreparedLayoutCache
  private var pending: [Key: Pending] = [:]
  private var pendingVersions: [Variant: Set<UInt64>] = [:]
  private var nextID: UInt64 = 0

  init(cache: PreparedLayoutCache) { self.cache = cache }

  mutating func makeID() -> UInt64 {
    nextID += 1
    return nextID
  }

  // MARK: - Asking

  mutating func step(for request: PreparationRequest, _ key: Key) -> Step {
    if let layout = cache.layout(of: key.variant, version: key.version) { return .take(layout) }
    let waiter = LayoutWaiter()
    if pending[key] != nil {
      pending[key]?.waiters[ObjectIdentifier(waiter)] = waiter
      return .wait(waiter, begin: nil)
    }
    let id = makeID()
    var new = Pending(id: id, request: request, owner: ObjectIdentifier(waiter))
    new.waiters[ObjectIdentifier(waiter)] = waiter
    var computation: Computation?
    let ready = readyBase(for: request, key)
    if let version = pendingBaseVersion(for: request, key), version > ready.version {
      let base = Key(variant: key.variant, version: version)
      new.base = base
      pending[base]?.dependents.append(key)
    } else {
      computation = Computation(id: id, key: key, request: request, base: ready.base)
    }
    pending[key] = new
    pendingVersions[key.variant, default: []].insert(key.version)
    return .wait(waiter, begin: computation)
  }

  /// The newest of those at hand that the changes lead on from: what the cache keeps, or what came
  /// with the request.
  private func readyBase(
    for request: PreparationRequest,
    _ key: Key
  ) -> (version: UInt64, base: Base?) {
    var version: UInt64 = 0
    var prepared: (any PreparedLayout)?
    if let cached = cache.newest(of: key.variant), request.leadsOn(from: cached.version) {
      (version, prepared) = (cached.version, cached.prepared)
    }
    if let own = request.base, request.leadsOn(from: own.version),
      prepared == nil || own.version > version
    {
      (version, prepared) = (own.version, own.prepared)
    }
    guard let prepared else { return (0, nil) }
    return (version, Base(prepared: prepared, changes: request.changes(since: version)))
  }

  /// - Complexity: O(versions of the variant that are being computed)
  private func pendingBaseVersion(for request: PreparationRequest, _ key: Key) -> UInt64? {
    pendingVersions[key.variant]?.lazy.filter { request.leadsOn(from: $0) }.max()
  }

  // MARK: - Computations

  /// Notes that the engine's threads have a computation.
  ///
  /// - Returns: false where nobody wants it any more.
  mutating func note(_ ticket: WorkTicket, of computation: Computation) -> Bool {
    guard pending[computation.key]?.id == computation.id else { return false }
    pending[computation.key]?.ticket = ticket
    return true
  }

  /// What is to be done once a computation has ended. Nothing of it is done under the lock.
  struct Ending {
    var waiters: [LayoutWaiter] = []
    /// Whoever began the computation, where that one still waits.
    var owner: LayoutWaiter?
    /// What waited for it, and begins now.
    var computations: [Computation] = []
    /// To be released.
    var dropped: [PreparedLayoutCache.Entry] = []
  }

  /// - Parameter layout: nil = it came to nothing.
  mutating func finish(_ computation: Computation, with layout: SharedLayout?) -> Ending {
    let key = computation.key
    guard let ended = pending[key], ended.id == computation.id else { return Ending() }
    remove(key)
    var ending = Ending()
    if let layout, ended.isKept {
      ending.dropped = cache.insert(
        layout,
        contents: computation.request.contents.approximateByteCount
      )
    }
    for dependent in ended.dependents {
      guard let waiting = pending[dependent] else { continue }
      pending[dependent]?.base = nil
      let request = waiting.request
      var base = readyBase(for: request, dependent)
      if let layout, base.version <= layout.version, request.leadsOn(from: layout.version) {
        base.base = Base(
          prepared: layout.prepared,
          changes: request.changes(since: layout.version)
        )
      }
      ending.computations.append(
        Computation(id: waiting.id, key: dependent, request: request, base: base.base)
      )
    }
    ending.owner = ended.waiters[ended.owner]
    ending.waiters = ended.waiters.filter { $0.key != ended.owner }.map(\.value)
    return ending
  }

  /// One who waited no longer does. A computation that nobody waits for is given up.
  ///
  /// - Returns: what is to be cancelled.
  mutating func leave(_ waiter: LayoutWaiter, _ key: Key) -> [WorkTicket] {
    pending[key]?.waiters[ObjectIdentifier(waiter)] = nil
    var tickets: [WorkTicket] = []
    var next: Key? = key
    while let key = next, let left = pending[key], left.waiters.isEmpty, left.dependents.isEmpty {
      // One that waits for another, or for one of the threads, can be given up; what has begun
      // where it was asked for is small and ends soon.
      guard left.ticket != nil || left.base != nil else { break }
      remove(key)
      if let ticket = left.ticket { tickets.append(ticket) }
      next = left.base
      if let base = left.base { pending[base]?.dependents.removeAll { $0 == key } }
    }
    return tickets
  }

  /// Forgets contents that are no more. Computations under way still reach those who wait.
  mutating func purge(_ identity: ContentsIdentity) -> [PreparedLayoutCache.Entry] {
    for key in pending.keys where key.variant.identity == identity {
      pending[key]?.isKept = false
    }
    return cache.removeAll(of: identity)
  }

  private mutating func remove(_ key: Key) {
    pending[key] = nil
    pendingVersions[key.variant]?.remove(key.version)
    if pendingVersions[key.variant]?.isEmpty == true { pendingVersions[key.variant] = nil }
  }
}

extension EngineState.Computation {
  /// The layout, derived where there is something to derive it from.
  func result(within limits: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
    let layout = request.configuration.layout
    guard let base else {
      return try layout.prepare(
        LayoutContext(
          contents: request.contents,
          container: key.variant.container,
          options: request.configuration.options
        ),
        work: limits
      )
    }
    var prepared = base.prepared
    for step in base.changes {
      prepared = try layout.update(prepared, by: step.change, work: limits)
    }
    return prepared
  }
}
