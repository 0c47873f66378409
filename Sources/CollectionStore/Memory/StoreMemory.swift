// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Synchronization

/// Counts what all collections together keep in memory, and holds it within
/// `StoreLimits.residentBytes`.
///
/// Collections are counted from the moment when their contents are in memory until the last user
/// lets go of them. This object is one user: it holds on to those that were used lately, and lets go
/// of the least recently used when room is needed. Where everything is in use, the request that needs
/// room is refused.
public final class StoreMemory: Sendable {
  private struct State {
    var byteCount = 0
    var recordByteCount = 0
    var recent = RecentCollections()
  }

  private enum Claim {
    case granted
    case released(LiveCollection)
    case refused(needed: Int)
  }

  /// `StoreLimits.residentBytes`.
  public let byteLimit: Int
  private let recordByteLimit: Int
  /// Whether contents can be read again once they were let go of.
  private let canRelease: Bool
  private let state = Mutex(State())

  init(limits: StoreLimits, canRelease: Bool) {
    byteLimit = limits.residentBytes
    recordByteLimit = limits.totalRecordBytes
    self.canRelease = canRelease
  }

  /// Bytes of all collections that are in memory, and of what is reserved.
  public var byteCount: Int { state.withLock { $0.byteCount } }

  /// Bytes of what describes all collections, in memory or not.
  public var recordByteCount: Int { state.withLock { $0.recordByteCount } }

  // MARK: - Room

  /// Sets bytes aside for contents in the making, such as those of an import that has begun. The
  /// reservation gives them back when it is released or goes away.
  ///
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`
  public func reserve(_ bytes: Int) throws(StoreError) -> MemoryReservation {
    let reservation = MemoryReservation(of: self)
    try reservation.resize(to: bytes)
    return reservation
  }

  /// Counts more bytes if there is room for them, and makes room where that is possible. Fewer bytes
  /// are counted in any case.
  ///
  /// - Parameter collection: not to be let go of, since it is being used.
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`; nothing is counted then.
  func claim(_ bytes: Int, for collection: LiveCollection? = nil) throws(StoreError) {
    if bytes <= 0 { return change(by: bytes) }
    let needed = makeRoom(for: bytes, besides: collection)
    if let needed { throw .limitExceeded(.residentBytes, found: needed, limit: byteLimit) }
  }

  /// Counts more or fewer bytes, whether there is room or not: for what is in memory already.
  func change(by bytes: Int) { state.withLock { $0.byteCount += bytes } }

  /// Lets go of collections until the limit is kept.
  ///
  /// - Returns: whether it is kept.
  func shrink(besides collection: LiveCollection) -> Bool {
    makeRoom(for: 0, besides: collection) == nil
  }

  /// Lets go of all collections that nobody else uses.
  package func releaseUnused() {
    guard canRelease else { return }
    // Released outside the lock.
    let all = state.withLock { $0.recent.removeAll() }
    _ = all
  }

  /// Counts bytes once there is room for them.
  ///
  /// - Returns: nil = they are counted; else what all would take together.
  private func makeRoom(for bytes: Int, besides collection: LiveCollection?) -> Int? {
    while true {
      let claim = state.withLock { state -> Claim in
        let (needed, overflow) = state.byteCount.addingReportingOverflow(bytes)
        if !overflow && needed <= byteLimit {
          state.byteCount = needed
          return .granted
        }
        if canRelease, let oldest = state.recent.removeOldest(but: collection) {
          return .released(oldest)
        }
        return .refused(needed: overflow ? .max : needed)
      }
      switch claim {
      case .granted: return nil
      // It goes here, outside the lock, unless somebody uses it.
      case .released: continue
      case .refused(let needed): return needed
      }
    }
  }

  // MARK: - Use

  /// Notes that a collection is used now, and holds on to it.
  func use(_ collection: LiveCollection) { state.withLock { $0.recent.use(collection) } }

  /// Holds on to a collection no longer.
  func forget(_ collection: LiveCollection) {
    let forgotten = state.withLock { $0.recent.remove(collection) }
    _ = forgotten
  }

  /// Holds on to nothing any more, so that this object and the collections can go.
  func close() {
    let all = state.withLock { $0.recent.removeAll() }
    _ = all
  }

  // MARK: - Records

  /// Counts what describes a collection in place of what described it before.
  ///
  /// - Parameters:
  ///   - new: bytes of the new record; 0 = the collection goes.
  ///   - old: bytes of the record that is replaced; 0 = there was none.
  /// - Throws: `StoreError.limitExceeded(.totalRecordBytes, …)` where it would grow beyond the limit.
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

  /// Counts a record that was accepted once, whatever the limits are today.
  func addRecord(_ bytes: Int) { state.withLock { $0.recordByteCount += bytes } }
}

/// Bytes set aside in a `StoreMemory`.
public final class MemoryReservation: Sendable {
  private let memory: StoreMemory
  private let bytes = Mutex(0)

  fileprivate init(of memory: StoreMemory) { self.memory = memory }

  deinit { release() }

  /// Bytes that are set aside.
  public var byteCount: Int { bytes.withLock { $0 } }

  /// Sets aside more bytes or fewer. One task at a time may do so.
  ///
  /// - Throws: `StoreError.limitExceeded(.residentBytes, …)`; as many are set aside as before then.
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

/// Collections in the order in which they were last used.
private struct RecentCollections {
  private var uses: [ObjectIdentifier: (collection: LiveCollection, tick: UInt64)] = [:]
  /// Oldest first; those whose tick is not that of `uses` were used again or removed.
  private var order: Deque<(key: ObjectIdentifier, tick: UInt64)> = []
  private var tick: UInt64 = 0

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

  /// - Parameter spared: stays.
  /// - Complexity: O(1), amortised.
  mutating func removeOldest(but spared: LiveCollection?) -> LiveCollection? {
    var sparedEntry: (key: ObjectIdentifier, tick: UInt64)?
    defer { if let sparedEntry { order.prepend(sparedEntry) } }
    while let oldest = order.popFirst() {
      guard let use = uses[oldest.key], use.tick == oldest.tick else { continue }
      if use.collection === spared {
        sparedEntry = oldest
        continue
      }
      uses[oldest.key] = nil
      return use.collection
    }
    return nil
  }

  mutating func removeAll() -> [LiveCollection] {
    let all = uses.values.map(\.collection)
    uses.removeAll()
    order.removeAll()
    return all
  }
}
