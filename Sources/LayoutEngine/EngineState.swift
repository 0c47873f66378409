// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import ResourceAccounting

/// The engine's state machine: the cache, and the pending computations with their waiters. Its
/// methods only update this state and return what the engine then does outside of its lock.
struct EngineState {
  /// Identifies a computation.
  struct Key: Hashable, Sendable {
    let variant: Variant
    let version: UInt64
    /// Whether a draft will do.
    var acceptsDraft = false
  }

  /// A prepared layout of an older version, from which a newer one is derived.
  struct Base: Sendable {
    var prepared: any PreparedLayout
    /// The changes from the older version to the wanted one, in order.
    var changes: ArraySlice<VersionedChange>
  }

  /// A computation for the engine to start now.
  struct Computation: Sendable {
    let id: UInt64
    let key: Key
    let request: PreparationRequest
    /// The layout to derive the new one from; nil = it is prepared from the contents alone.
    let base: Base?
    /// The version of the whole layout that a draft derives from; 0 = unknown, or this is not a
    /// draft.
    var wholeVersion: UInt64 = 0
    /// What was fetched for the layout; nil = nothing is needed, or it has not arrived.
    var source: FetchedSource?
  }

  /// What a caller that asks for a layout does next.
  enum Step {
    /// Use this layout from the cache.
    case take(SharedLayout)
    /// The computation is known to exceed a limit.
    case refuse(LayoutWork.Stop)
    /// Start `begin`, if it is not nil, then wait for the outcome. nil = the computation is in
    /// flight, or starts when a pending one of an older version ends.
    case wait(LayoutWaiter, begin: Computation?)
  }

  /// A computation that is pending or in flight.
  private struct Pending {
    let id: UInt64
    let request: PreparationRequest
    /// The waiter of the caller that asked first; its account's limits decide whether the
    /// computation is accepted.
    let owner: ObjectIdentifier
    var waiters: [ObjectIdentifier: LayoutWaiter] = [:]
    /// A pending computation of an older version, whose result this one is derived from; nil =
    /// none.
    var base: Key?
    /// Pending computations of newer versions that are derived from this one's result.
    var dependents: [Key] = []
    /// Set when the computation was passed to the engine's threads, and while its data is fetched.
    var ticket: (any AbandonedWork)?
    /// Whether the result goes into the cache; false once the contents have been purged.
    var isKept = true
  }

  var cache: PreparedLayoutCache
  private var refused: RefusedLayouts
  private var pending: [Key: Pending] = [:]
  /// The versions in `pending` of each variant.
  private var pendingVersions: [Variant: Set<UInt64>] = [:]
  private var drafts = LayoutDraftTable()
  private var nextID: UInt64 = 0

  init(cache: PreparedLayoutCache, refused: RefusedLayouts) {
    self.cache = cache
    self.refused = refused
  }

  /// A number for a layout or computation, never used before.
  mutating func makeID() -> UInt64 {
    nextID += 1
    return nextID
  }

  // MARK: - Asking

  /// Finds the layout in the cache, or makes the caller wait for its computation, unless that is
  /// known to exceed a limit.
  ///
  /// - Parameter key: of the request.
  mutating func step(for request: PreparationRequest, _ key: Key) -> Step {
    if let layout = cache.layout(of: key.variant, version: key.version) { return .take(layout) }
    let draft = key.acceptsDraft ? draftBase(for: request, key) : nil
    if let layout = draft?.known { return .take(layout) }
    let waiter = LayoutWaiter()
    if pending[key] != nil {
      pending[key]?.waiters[ObjectIdentifier(waiter)] = waiter
      return .wait(waiter, begin: nil)
    }
    let id = makeID()
    var new = Pending(id: id, request: request, owner: ObjectIdentifier(waiter))
    new.waiters[ObjectIdentifier(waiter)] = waiter
    var computation: Computation?
    let isDerived = !(request.configuration.layout is any FetchedLayout)
    let ready = isDerived ? readyBase(for: request, key) : (version: 0, base: nil)
    // If deriving the newer version takes as long as the older one, it does not wait for a result
    // that nobody may want then.
    let isLong = request.configuration.layout.hasDrafts && ready.base != nil
    if let draft {
      computation = Computation(
        id: id,
        key: key,
        request: request,
        base: draft.base,
        wholeVersion: draft.wholeVersion
      )
    } else if isDerived, !isLong, let version = pendingBaseVersion(for: request, key),
      version > ready.version
    {
      let base = Key(variant: key.variant, version: version)
      new.base = base
      pending[base]?.dependents.append(key)
    } else {
      let next = Computation(id: id, key: key, request: request, base: ready.base)
      if let stop = refused.stop(of: next.refusalKey) { return .refuse(stop) }
      computation = next
    }
    pending[key] = new
    if !key.acceptsDraft { pendingVersions[key.variant, default: []].insert(key.version) }
    return .wait(waiter, begin: computation)
  }

  /// The newest prepared layout that the request's changes lead on from: the one in the cache, or
  /// the one that came with the request. Version 0 and nil = there is none.
  func readyBase(
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
    if let own = request.base, prepared == nil, own.version == key.version, own.prepared.isDraft {
      (version, prepared) = (own.version, own.prepared)
    }
    guard let prepared else { return (0, nil) }
    return (version, Base(prepared: prepared, changes: request.changes(since: version)))
  }

  /// What a draft is derived from, and the version of the whole layout below it.
  ///
  /// - Returns: `known`, if that is a draft already; nil = there is nothing to derive a draft from.
  private func draftBase(
    for request: PreparationRequest,
    _ key: Key
  ) -> (known: SharedLayout?, base: Base?, wholeVersion: UInt64)? {
    let whole = cache.newest(of: key.variant).flatMap {
      request.leadsOn(from: $0.version) ? $0 : nil
    }
    // Drafts derive from a newer whole layout as soon as there is one, so that their runs do not
    // accumulate.
    if let draft = drafts.newest(of: key.variant), draft.wholeVersion >= whole?.version ?? 0 {
      if draft.layout.version == key.version { return (draft.layout, nil, draft.wholeVersion) }
      if request.leadsOn(from: draft.layout.version) {
        let changes = request.changes(since: draft.layout.version)
        return (nil, Base(prepared: draft.layout.prepared, changes: changes), draft.wholeVersion)
      }
    }
    if let whole {
      let changes = request.changes(since: whole.version)
      return (nil, Base(prepared: whole.prepared, changes: changes), whole.version)
    }
    guard let own = request.base,
      own.version == key.version || request.leadsOn(from: own.version)
    else { return nil }
    let changes = request.changes(since: own.version)
    return (
      nil, Base(prepared: own.prepared, changes: changes), own.prepared.isDraft ? 0 : own.version
    )
  }

  /// The newest pending version that the request's changes lead on from; nil = there is none.
  ///
  /// - Complexity: O(pending versions of the variant · changes)
  private func pendingBaseVersion(for request: PreparationRequest, _ key: Key) -> UInt64? {
    pendingVersions[key.variant]?.lazy.filter { request.leadsOn(from: $0) }.max()
  }

  // MARK: - Computations

  /// Notes the ticket of a computation that was passed to the engine's threads, or of its fetch.
  ///
  /// - Parameter isFetch: whether it is the fetch, which may have ended by now: the ticket of the
  ///   computation that follows it stays then.
  /// - Returns: false = it is no longer pending: it has finished, or all waiters have left. The
  ///   caller then cancels the ticket.
  mutating func note(
    _ ticket: any AbandonedWork,
    of computation: Computation,
    isFetch: Bool = false
  ) -> Bool {
    guard let known = pending[computation.key], known.id == computation.id,
      !abandons(computation)
    else { return false }
    if !isFetch || known.ticket == nil { pending[computation.key]?.ticket = ticket }
    return true
  }

  /// Whether all who wanted a computation have left before it had a ticket. It is pending no longer
  /// then, and need not begin.
  mutating func abandons(_ computation: Computation) -> Bool {
    guard let left = pending[computation.key], left.id == computation.id,
      left.waiters.isEmpty, left.dependents.isEmpty
    else { return false }
    remove(computation.key)
    return true
  }

  /// What the engine does after a computation has ended, outside of its lock.
  struct Ending {
    /// All waiters to resolve, except for the owner.
    var waiters: [LayoutWaiter] = []
    /// The caller that started the computation; nil = it no longer waits.
    var owner: LayoutWaiter?
    /// Computations that waited for this one's result, to start now.
    var computations: [Computation] = []
    /// Evicted entries. They are released outside of the lock, since that may free much memory.
    var dropped: [PreparedLayoutCache.Entry] = []
  }

  /// Ends a computation.
  ///
  /// - Parameters:
  ///   - layout: the result; nil = it was cancelled, refused or failed.
  ///   - stop: the limit that it exceeded, which is remembered; nil = none.
  mutating func finish(
    _ computation: Computation,
    with layout: SharedLayout?,
    exceeding stop: LayoutWork.Stop? = nil
  ) -> Ending {
    let key = computation.key
    guard let ended = pending[key], ended.id == computation.id else { return Ending() }
    remove(key)
    var ending = Ending()
    if let layout, ended.isKept, layout.prepared.isDraft {
      drafts.insert(layout, wholeVersion: computation.wholeVersion)
    } else if let layout, ended.isKept {
      ending.dropped = cache.insert(
        layout,
        contents: computation.request.contents.approximateByteCount
      )
    }
    if let stop, ended.isKept { refused.insert(computation.refusalKey, stop) }
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

  /// Removes a waiter whose task was cancelled. A computation without waiters and dependents is
  /// abandoned, and so is the one that it waited for if nobody else does.
  ///
  /// - Returns: what the engine cancels.
  mutating func leave(_ waiter: LayoutWaiter, _ key: Key) -> [any AbandonedWork] {
    pending[key]?.waiters[ObjectIdentifier(waiter)] = nil
    var tickets: [any AbandonedWork] = []
    var next: Key? = key
    while let key = next, let left = pending[key], left.waiters.isEmpty, left.dependents.isEmpty {
      // Without a ticket and a base it is small and already running, or it is about to begin: then
      // `abandons` finds out that nobody waits.
      guard left.ticket != nil || left.base != nil else { break }
      remove(key)
      if let ticket = left.ticket { tickets.append(ticket) }
      next = left.base
      if let base = left.base { pending[base]?.dependents.removeAll { $0 == key } }
    }
    return tickets
  }

  /// Removes everything of contents that no longer exist. Pending computations still finish for
  /// their waiters, but their results are not cached.
  ///
  /// - Returns: the evicted entries, for the engine to release outside of its lock.
  mutating func purge(_ identity: ContentsIdentity) -> [PreparedLayoutCache.Entry] {
    for key in pending.keys where key.variant.identity == identity {
      pending[key]?.isKept = false
    }
    refused.removeAll(of: identity)
    drafts.removeAll(of: identity)
    return cache.removeAll(of: identity)
  }

  private mutating func remove(_ key: Key) {
    pending[key] = nil
    guard !key.acceptsDraft else { return }
    pendingVersions[key.variant]?.remove(key.version)
    if pendingVersions[key.variant]?.isEmpty == true { pendingVersions[key.variant] = nil }
  }
}

extension EngineState.Computation {
  /// The key under which its refusal is remembered. `base` is older by one version for each of its
  /// changes.
  var refusalKey: RefusedLayouts.Key {
    RefusedLayouts.Key(
      variant: key.variant,
      version: key.version,
      base: base.map { key.version - UInt64($0.changes.count) }
    )
  }

  var context: LayoutContext {
    LayoutContext(
      contents: request.contents,
      container: key.variant.container,
      options: request.configuration.options
    )
  }

  /// Computes the layout: derives it from `base`, or prepares it from the contents.
  ///
  /// - Throws: `LayoutWork.Stop` if a limit is exceeded or the work is cancelled.
  func result(within limits: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
    let layout = source?.layout ?? request.configuration.layout
    guard let base else { return try layout.prepare(context, work: limits) }
    var prepared = base.prepared
    // Drafts suffice for all steps but the last: what lies behind an edit need not be placed before
    // that.
    for step in key.acceptsDraft ? base.changes : base.changes.dropLast() {
      prepared = try layout.draft(prepared, by: step.change, work: limits)
    }
    guard !key.acceptsDraft else { return prepared }
    if let last = base.changes.last {
      prepared = try layout.update(prepared, by: last.change, work: limits)
    }
    return try prepared.completed(work: limits)
  }
}
