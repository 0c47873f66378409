// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Bytes charged to one account until the last reference to this is released.
///
/// The owner stores it together with the memory that it stands for.
public final class Lease: Sendable {
  /// The account that is charged.
  public let account: Account
  /// The bytes that are charged. Written only by `adjust`, under the ledger's lock.
  private let amount: Atomic<Int>

  init(_ bytes: Int, of account: Account) {
    self.account = account
    amount = Atomic(bytes)
  }

  deinit {
    account.ledger.giveBack(account.slot, amount.load(ordering: .relaxed))
  }

  /// The bytes that are charged.
  public var bytes: Int { amount.load(ordering: .relaxed) }

  /// Changes how many bytes are charged.
  ///
  /// - Parameter bytes: the new total; below 0 counts as 0.
  /// - Throws: `LimitExceeded` if there is no room for more; the charge is unchanged then. Charging
  ///   less never throws.
  /// - Complexity: O(accounts above)
  public func adjust(to bytes: Int) throws(LimitExceeded) {
    let bytes = max(0, bytes)
    // This difference is only for the error and the reclaimer; the ledger computes it again under
    // its lock.
    try account.take(max(0, bytes - self.bytes)) { ledger in
      ledger.adjust(account.slot, amount, to: bytes)
    }
  }

  /// Gives all bytes back now, even if other references to this lease remain.
  ///
  /// - Complexity: O(accounts above)
  public func end() {
    // Charging less never throws.
    try? adjust(to: 0)
  }

  /// Charges all that this stands for to another account in place of this one's, at once: accounts
  /// above both are never charged twice. Afterwards this stands for nothing.
  ///
  /// - Parameter other: of the same tree.
  /// - Throws: if the other account has no room; nothing has changed then.
  /// - Complexity: O(accounts above)
  public func move(to other: Account) throws(LimitExceeded) -> Lease {
    precondition(other.ledger === account.ledger, "the accounts are of different trees")
    let moved = Lease(0, of: other)
    try other.take(bytes) { ledger in
      ledger.move(from: account.slot, amount, to: other.slot, moved.amount)
    }
    return moved
  }
}

/// Memory that several accounts may hold at once. Each of them is charged once for all of it.
///
/// The object's identity stands for the memory: two objects are different memory even if their
/// counts are equal.
public final class SharedBytes: Sendable {
  /// The size in bytes, not negative.
  public let count: Int

  /// Memory that no account holds yet.
  ///
  /// - Parameter count: in bytes; below 0 counts as 0.
  public init(_ count: Int) { self.count = max(0, count) }
}

/// An account's share in memory that other accounts may hold too. It ends when the last reference
/// to this is released.
public final class Hold: Sendable {
  /// The account that holds the memory.
  public let account: Account
  private let held: Mutex<SharedBytes>

  init(_ shared: SharedBytes, of account: Account) {
    self.account = account
    held = Mutex(shared)
  }

  deinit { account.ledger.letGo(account.slot, shared) }

  /// The memory that is held.
  public var shared: SharedBytes { held.withLock { $0 } }

  /// Holds other memory in place of what is held, at once: accounts never have to have room for
  /// both.
  ///
  /// - Throws: `LimitExceeded` if an account has no room for it; then this holds what it held.
  /// - Complexity: O(accounts above), without allocating
  public func exchange(for other: SharedBytes) throws(LimitExceeded) {
    // The reclaimer may release other holds, and is not called under this one's lock.
    try account.take(other.count) { ledger in
      held.withLock { held in
        if held === other { return nil }
        if let refusal = ledger.exchange(account.slot, held, for: other) { return refusal }
        held = other
        return nil
      }
    }
  }

  /// Whether the account at the top has the bytes back once this is released, because no other
  /// account holds the memory. May change at any time.
  ///
  /// - Complexity: O(accounts above)
  public var isLast: Bool { account.ledger.isOnlyHolder(account.slot, shared) }
}
