// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Synchronization

/// Counts the bytes that all collections keep in memory, and keeps them below
/// `StoreLimits.residentBytes`.
///
/// A collection is counted from when its contents are loaded until its `LiveCollection` is
/// deinitialised. This object keeps references to the collections that were used recently. When
/// memory is needed, it drops those to the least recently used ones that nobody else refers to,
/// which evicts them. If that would not free enough, nothing is evicted and the request that needs
/// memory is refused.
public final class StoreMemory: Sendable {
  private struct State {
    var byteCount = 0
    var recordByteCount = 0
    var recent = RecentCollections()
  }

  /// The outcome of one attempt to count bytes.
  private enum Claim {
    case granted
    /// The limit is reached; these references are dropped, and the attempt is repeated.
    case released([LiveCollection])
    /// The limit is reached, and somebody uses all collections that were visited. The next attempt
    /// visits others.
    case nothingYet
    /// The limit is reached and too little can be dropped; `needed` is the total with the new
    /// bytes.
    case refused(needed: Int)
  }

  /// `StoreLimits.residentBytes`.
  public let byteLimit: Int
  private let recordByteLimit: Int
  /// Whether an evicted collection can be loaded again.
  private let canRelease: Bool
  private let state = Mutex(State())
  let residents = ResidentCollections()

  init(limits: StoreLimits, canRelease: Bool) {
    byteLimit = limits.residentBytes
    recordByteLimit = limits.totalRecordBytes
    self.canRelease = canRelease
  }

  /// Bytes of all collections in memory, and of all reservations.
  public var byteCount: Int { state.withLock { $0.byteCount } }

  /// Bytes of the records of all collections, whether or not their contents are in memory.
  public var recordByteCount: Int { state.withLock { $0.recordByteCount } }

  // MARK: - Room

  /// Reserves bytes for contents that are still being received, such as those of an import.
  ///
  /// - Returns: the reservation, which gives the bytes back when it is released or deinitialised.
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`
  public func reserve(_ bytes: Int) throws(StoreError) -> MemoryReservation {
    let reservation = MemoryReservation(of: self)
    try reservation.resize(to: bytes)
    return reservation
  }

  /// Counts more bytes if the limit allows it, evicting collections if necessary. Counting fewer
  /// bytes always succeeds.
  ///
  /// - Parameters:
  ///   - bytes: the difference; may be negative.
  ///   - collection: is not evicted, because the caller uses it.
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`; nothing is counted then.
  func claim(_ bytes: Int, for collection: LiveCollection? = nil) throws(StoreError) {
    if bytes <= 0 { return change(by: bytes) }
    let needed = makeRoom(for: bytes, besides: collection)
    if let needed { throw .limitExceeded(.residentBytes, found: needed, limit: byteLimit) }
  }

  /// Counts more or fewer bytes regardless of the limit: for what is in memory already.
  func change(by bytes: Int) { state.withLock { $0.byteCount += bytes } }

  /// Evicts collections until the limit is kept.
  ///
  /// - Parameters:
  ///   - collection: is not evicted.
  ///   - isPartial: whether to evict also if that does not suffice.
  /// - Returns: whether the limit is kept.
  func shrink(besides collection: LiveCollection, isPartial: Bool = false) -> Bool {
    makeRoom(for: 0, besides: collection, isPartial: isPartial) == nil
  }

  /// Evicts all collections that nobody uses.
  package func releaseUnused() {
    guard canRelease else { return }
    // Their deinitialisers take the lock, so the last references are dropped outside of it.
    let all = state.withLock { $0.recent.removeAll() }
    _ = all
  }

  /// Counts bytes, evicting collections until they fit.
  ///
  /// - Returns: nil = they are counted; otherwise the total that would exceed the limit.
  private func makeRoom(
    for bytes: Int,
    besides collection: LiveCollection?,
    isPartial: Bool = false
  ) -> Int? {
    // Others take the lock between the attempts of one that is partial.
    var visits = 0
    while true {
      let claim = state.withLock { state -> Claim in
        let (needed, overflow) = state.byteCount.addingReportingOverflow(bytes)
        if !overflow && needed <= byteLimit {
          state.byteCount = needed
          return .granted
        }
        if canRelease, !overflow {
          let missing = needed - byteLimit
          let unused = state.recent.removeUnused(missing, but: collection, isPartial: isPartial)
          if !unused.isEmpty { return .released(unused) }
          visits += RecentCollections.mostUsedVisited
          if isPartial, visits < state.recent.count { return .nothingYet }
        }
        return .refused(needed: overflow ? .max : needed)
      }
      switch claim {
      case .granted: return nil
      // The references are dropped here, outside the lock. If one was the last one, the
      // collection's deinitialiser has counted its bytes back before the next attempt.
      case .released, .nothingYet: continue
      case .refused(let needed): return needed
      }
    }
  }

  // MARK: - Use

  /// Notes that a collection is used now, and keeps a reference to it.
  func use(_ collection: LiveCollection) { state.withLock { $0.recent.use(collection) } }

  /// Drops the reference to a collection.
  func forget(_ collection: LiveCollection) {
    let forgotten = state.withLock { $0.recent.remove(collection) }
    _ = forgotten
  }

  /// Drops all references. Collections refer to this object, so it would otherwise never be
  /// deinitialised.
  func close() {
    let all = state.withLock { $0.recent.removeAll() }
    _ = all
  }

  // MARK: - Records

  /// Counts a record in place of the one that it replaces.
  ///
  /// - Parameters:
  ///   - old: bytes of the record that is replaced; 0 = the collection is new.
  ///   - new: bytes of the new record.
  /// - Throws: `StoreError.limitExceeded(.totalRecordBytes, …)` if the record grows and the total
  ///   would exceed the limit; nothing is counted then.
  func replaceRecord(of old: Int, by new: Int) throws(StoreError) {
    let limit = recordByteLimit
    let refused: Int? = state.withLock { state in
      let total = state.recordByteCount - old + new
      if new > old && total > limit { return total }
      state.recordByteCount = total
      return nil
    }
    if let refused { throw .limitExceeded(.totalRecordBytes, found: refused, limit: limit) }
  }

  /// Counts more or fewer bytes of records regardless of the limit: for records that are stored
  /// already.
  func addRecord(_ bytes: Int) { state.withLock { $0.recordByteCount += bytes } }
}

/// Bytes reserved in a `StoreMemory`, given back when this is released or deinitialised.
public final class MemoryReservation: Sendable {
  private let memory: StoreMemory
  private let bytes = Mutex(0)

  fileprivate init(of memory: StoreMemory) { self.memory = memory }

  deinit { release() }

  /// Bytes that are reserved.
  public var byteCount: Int { bytes.withLock { $0 } }

  /// Changes how many bytes are reserved. Only one task at a time may call this.
  ///
  /// - Parameter new: below 0 counts as 0.
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`; the reservation is unchanged then.
  public func resize(to new: Int) throws(StoreError) {
    try memory.claim(max(0, new) - byteCount)
    bytes.withLock { $0 = max(0, new) }
  }

  /// Gives all bytes back. Idempotent.
  public func release() {
    let old = bytes.withLock { bytes in
      let old = bytes
      bytes = 0
      return old
    }
    if old != 0 { memory.change(by: -old) }
  }
}

/// References to collections, in the order of their last use.
private struct RecentCollections {
  private var uses: [ObjectIdentifier: (collection: LiveCollection, tick: UInt64)] = [:]
  /// Uses, oldest first. Entries whose tick differs from that in `uses` are stale: the collection
  /// was used again or removed since.
  private var order: Deque<(key: ObjectIdentifier, tick: UInt64)> = []
  private var tick: UInt64 = 0

  /// Makes a collection the most recently used one.
  ///
  /// - Complexity: O(1), amortised.
  mutating func use(_ collection: LiveCollection) {
    let key = ObjectIdentifier(collection)
    tick += 1
    uses[key] = (collection, tick)
    order.append((key, tick))
    if order.count > 2 * uses.count + 64 { order.removeAll { uses[$0.key]?.tick != $0.tick } }
  }

  mutating func remove(_ collection: LiveCollection) -> LiveCollection? {
    uses.removeValue(forKey: ObjectIdentifier(collection))?.collection
  }

  /// Removes the least recently used ones of the collections that nobody else refers to.
  ///
  /// - Parameters:
  ///   - bytes: the fewest bytes to free.
  ///   - spared: is not removed.
  ///   - isPartial: whether to remove collections even if they have fewer bytes together; otherwise
  ///     none is removed then. As every commit asks for that while memory is short, it visits few
  ///     that somebody uses, so that the lock is held for a short time; the next call visits the
  ///     next ones.
  /// - Complexity: O(1), amortised, for each that is visited: those that are removed, and those
  ///   that somebody uses before the last of them. All are visited where none is removed.
  mutating func removeUnused(
    _ bytes: Int,
    but spared: LiveCollection?,
    isPartial: Bool
  ) -> [LiveCollection] {
    var unused: [(key: ObjectIdentifier, tick: UInt64)] = []
    var freed = 0
    var (turns, rest) = (order.count, isPartial ? Self.mostUsedVisited : .max)
    while turns > 0, freed < bytes, rest > 0 {
      turns -= 1
      guard let oldest = order.popFirst() else { break }
      guard let index = uses.index(forKey: oldest.key), uses.values[index].tick == oldest.tick
      else { continue }
      if let countedBytes = Self.unusedBytes(of: &uses.values[index].collection, but: spared) {
        unused.append(oldest)
        freed += countedBytes
      } else {
        // The collection is in use, which counts as a use now: it moves to the end, and the next
        // call begins behind it.
        rest -= 1
        tick += 1
        uses.values[index].tick = tick
        order.append((oldest.key, tick))
      }
    }
    guard freed >= bytes || isPartial else {
      order.prepend(contentsOf: unused)
      return []
    }
    return unused.compactMap { uses.removeValue(forKey: $0.key)?.collection }
  }

  /// How many that somebody uses a partial removal visits.
  static var mostUsedVisited: Int { 256 }

  /// The number of references.
  var count: Int { uses.count }

  /// What an eviction would free; nil = somebody else refers to the collection, so it would free
  /// nothing.
  private static func unusedBytes(
    of collection: inout LiveCollection,
    but spared: LiveCollection?
  ) -> Int? {
    guard collection !== spared, isKnownUniquelyReferenced(&collection) else { return nil }
    return collection.countedByteCount
  }

  mutating func removeAll() -> [LiveCollection] {
    let all = uses.values.map(\.collection)
    uses.removeAll()
    order.removeAll()
    return all
  }
}
