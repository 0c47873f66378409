// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The figures of all accounts of one tree, behind one lock, so that a charge is taken by all
/// accounts above or by none. Nothing is called while the lock is held.
final class Ledger: Sendable {
  /// An account had no room.
  struct Refusal {
    /// Steps from the account that was charged up to the one without room.
    var height: Int
    var limit: Int
    var used: Int
    /// Whether dropping what can be dropped might help.
    var canReclaim: Bool
  }

  fileprivate struct Record {
    var parent: Int?
    var limit: Int
    var isReclaimable: Bool
    var used = 0
    var peak = 0
    /// How often each shared thing is held: by this account itself, and once for each account right
    /// below that holds it.
    var holds: [ObjectIdentifier: Int] = [:]

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
    // What was set before is released outside the lock.
    let old = state.withLock { state in
      let old = state.reclaimer
      state.reclaimer = reclaim
      return old
    }
    withExtendedLifetime(old) {}
  }

  // MARK: - Accounts

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

  /// Leases and holds keep their account, so nothing is charged to it any more.
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

  /// - Parameter amount: of a lease, written here only.
  func adjust(_ slot: Int, _ amount: borrowing Atomic<Int>, to bytes: Int) -> Refusal? {
    state.withLock { state in
      let current = amount.load(ordering: .relaxed)
      if bytes > current, let refusal = state.charge(slot, bytes - current) { return refusal }
      if bytes < current { state.giveBack(slot, current - bytes) }
      amount.store(bytes, ordering: .relaxed)
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
      let refusal = state.refusal(from: slot, for: bytes) { $0.holds[key] == nil }
      if let refusal { return refusal }
      var next: Int? = slot
      while let index = next {
        let count = state.records[index].holds[key] ?? 0
        state.records[index].holds[key] = count + 1
        if count > 0 { break }
        state.records[index].add(bytes)
        next = state.records[index].parent
      }
      return nil
    }
  }

  func letGo(_ slot: Int, _ shared: SharedBytes) {
    let (key, bytes) = (ObjectIdentifier(shared), shared.count)
    state.withLock { state in
      var next: Int? = slot
      while let index = next {
        let count = state.records[index].holds[key] ?? 1
        guard count == 1 else {
          state.records[index].holds[key] = count - 1
          return
        }
        state.records[index].holds[key] = nil
        state.records[index].used -= bytes
        next = state.records[index].parent
      }
    }
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

  /// The first account from `slot` upwards without room for `bytes`.
  ///
  /// - Parameter isCharged: whether an account would be charged; those above one that is not would
  ///   not be either.
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
