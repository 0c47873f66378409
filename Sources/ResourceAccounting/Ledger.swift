// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The balances of all accounts of one tree, behind one lock, so that a charge is taken by an
/// account and all above it, or by none. Nothing is called while the lock is held.
final class Ledger: Sendable {
  /// A charge was refused.
  struct Refusal {
    /// The number of levels from the account that was charged up to the one without room.
    var height: Int
    /// The limit of the account without room, in bytes.
    var limit: Int
    /// Bytes charged to the account without room.
    var used: Int
    /// Whether the reclaimer might help: the account at the top has no room, and the charge is not
    /// for a cache.
    var canReclaim: Bool
  }

  /// The balance of one account. Invariant: 0 ≤ `used` ≤ `limit`, so no sum or difference
  /// overflows.
  fileprivate struct Record {
    /// The slot of the account above.
    var parent: Int?
    var limit: Int
    var isReclaimable: Bool
    var used = 0
    var peak = 0
    /// How often each `SharedBytes` is held: by this account itself, and once for each of its
    /// children that holds it.
    var holds = HoldCounts()

    func hasRoom(for bytes: Int) -> Bool { bytes <= limit - used }

    mutating func add(_ bytes: Int) {
      used += bytes
      peak = max(peak, used)
    }
  }

  fileprivate struct State {
    var records: [Record] = []
    var free: [Int] = []
    var nextID: UInt64 = 0
    var reclaimer: (@Sendable (Int) -> Void)?
  }

  private let state = Mutex(State())

  var reclaimer: (@Sendable (Int) -> Void)? { state.withLock { $0.reclaimer } }

  func setReclaimer(_ reclaim: @escaping @Sendable (Int) -> Void) {
    // The reclaimer set before is released outside the lock.
    let old = state.withLock { state in
      let old = state.reclaimer
      state.reclaimer = reclaim
      return old
    }
    withExtendedLifetime(old) {}
  }

  // MARK: - Accounts

  /// Opens an account.
  ///
  /// - Parameter parent: the slot of the account above; nil = it is the one at the top.
  func open(
    below parent: Int?,
    limit: Int,
    isReclaimable: Bool
  ) -> (id: UInt64, slot: Int) {
    state.withLock { state in
      let record = Record(parent: parent, limit: limit, isReclaimable: isReclaimable)
      state.nextID += 1
      if let slot = state.free.popLast() {
        state.records[slot] = record
        return (state.nextID, slot)
      }
      state.records.append(record)
      return (state.nextID, state.records.count - 1)
    }
  }

  /// Closes an account. Leases and holds refer to their account, so nothing is charged to it any
  /// more when it is deinitialised.
  func close(_ slot: Int) {
    state.withLock { state in
      assert(state.records[slot].used == 0 && state.records[slot].holds.isEmpty)
      state.free.append(slot)
    }
  }

  func used(_ slot: Int) -> Int { state.withLock { $0.records[slot].used } }
  func peak(_ slot: Int) -> Int { state.withLock { $0.records[slot].peak } }

  // MARK: - Bytes of one account

  func charge(_ slot: Int, _ bytes: Int) -> Refusal? {
    state.withLock { $0.charge(slot, bytes) }
  }

  /// Changes a charge.
  ///
  /// - Parameter amount: the bytes of a lease, written only here.
  func adjust(_ slot: Int, _ amount: borrowing Atomic<Int>, to bytes: Int) -> Refusal? {
    state.withLock { state in
      let current = amount.load(ordering: .relaxed)
      if bytes > current, let refusal = state.charge(slot, bytes - current) { return refusal }
      if bytes < current { state.giveBack(slot, current - bytes) }
      amount.store(bytes, ordering: .relaxed)
      return nil
    }
  }

  /// Moves what one lease stands for to another.
  ///
  /// Both amounts are of leases, written here only.
  func move(
    from slot: Int,
    _ amount: borrowing Atomic<Int>,
    to other: Int,
    _ moved: borrowing Atomic<Int>
  ) -> Refusal? {
    state.withLock { state in
      let bytes = amount.load(ordering: .relaxed)
      state.giveBack(slot, bytes)
      if let refusal = state.charge(other, bytes) {
        state.takeBack(slot, bytes)
        return refusal
      }
      amount.store(0, ordering: .relaxed)
      moved.store(moved.load(ordering: .relaxed) + bytes, ordering: .relaxed)
      return nil
    }
  }

  func giveBack(_ slot: Int, _ bytes: Int) {
    state.withLock { $0.giveBack(slot, bytes) }
  }

  // MARK: - Shared bytes

  func hold(_ slot: Int, _ shared: SharedBytes) -> Refusal? {
    let (key, bytes) = (ObjectIdentifier(shared), shared.count)
    return state.withLock { state in
      let refusal = state.refusal(from: slot, for: bytes) { $0.holds[key] == 0 }
      if let refusal { return refusal }
      state.hold(slot, key, bytes)
      return nil
    }
  }

  /// Holds other shared bytes in place of some that the account holds.
  func exchange(_ slot: Int, _ old: SharedBytes, for new: SharedBytes) -> Refusal? {
    let (oldKey, newKey) = (ObjectIdentifier(old), ObjectIdentifier(new))
    return state.withLock { state in
      state.letGo(slot, oldKey, old.count)
      let refusal = state.refusal(from: slot, for: new.count) { $0.holds[newKey] == 0 }
      if let refusal {
        // It fits, since it was charged when the lock was taken.
        state.hold(slot, oldKey, old.count)
        return refusal
      }
      state.hold(slot, newKey, new.count)
      return nil
    }
  }

  /// Whether shared bytes are held once by an account, and by nobody else in the tree.
  func isOnlyHolder(_ slot: Int, _ shared: SharedBytes) -> Bool {
    let key = ObjectIdentifier(shared)
    return state.withLock { state in
      var next: Int? = slot
      while let index = next {
        guard state.records[index].holds[key] == 1 else { return false }
        next = state.records[index].parent
      }
      return true
    }
  }

  func letGo(_ slot: Int, _ shared: SharedBytes) {
    state.withLock { $0.letGo(slot, ObjectIdentifier(shared), shared.count) }
  }
}

extension Ledger.State {
  fileprivate mutating func charge(_ slot: Int, _ bytes: Int) -> Ledger.Refusal? {
    if let refusal = refusal(from: slot, for: bytes, while: { _ in true }) { return refusal }
    var next: Int? = slot
    while let index = next {
      records[index].add(bytes)
      next = records[index].parent
    }
    return nil
  }

  fileprivate mutating func giveBack(_ slot: Int, _ bytes: Int) {
    var next: Int? = slot
    while let index = next {
      records[index].used -= bytes
      next = records[index].parent
    }
  }

  /// Counts shared bytes as held once more, where there is room for them.
  fileprivate mutating func hold(_ slot: Int, _ key: ObjectIdentifier, _ bytes: Int) {
    var next: Int? = slot
    while let index = next {
      guard records[index].holds.add(key) == 1 else { return }
      records[index].add(bytes)
      next = records[index].parent
    }
  }

  /// Counts shared bytes as held once less.
  fileprivate mutating func letGo(_ slot: Int, _ key: ObjectIdentifier, _ bytes: Int) {
    var next: Int? = slot
    while let index = next {
      guard records[index].holds.remove(key) == 0 else { return }
      records[index].used -= bytes
      next = records[index].parent
    }
  }

  /// Undoes `giveBack`, whether or not there is room.
  fileprivate mutating func takeBack(_ slot: Int, _ bytes: Int) {
    var next: Int? = slot
    while let index = next {
      records[index].used += bytes
      next = records[index].parent
    }
  }

  /// The refusal of the first account from `slot` upwards that has no room for `bytes`; nil = all
  /// have.
  ///
  /// - Parameter isCharged: whether an account would be charged. If one is not, those above it are
  ///   not either.
  fileprivate func refusal(
    from slot: Int,
    for bytes: Int,
    while isCharged: (Ledger.Record) -> Bool
  ) -> Ledger.Refusal? {
    var next: Int? = slot
    var height = 0
    while let index = next, isCharged(records[index]) {
      guard records[index].hasRoom(for: bytes) else {
        return Ledger.Refusal(
          height: height,
          limit: records[index].limit,
          used: records[index].used,
          canReclaim: records[index].parent == nil && !records[slot].isReclaimable
        )
      }
      next = records[index].parent
      height += 1
    }
    return nil
  }
}
