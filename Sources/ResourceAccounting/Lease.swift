// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Bytes charged to one account, given back when the last reference to this is released.
///
/// Keep it beside what it pays for.
public final class Lease: Sendable {
  public let account: Account
  /// Written only by `adjust`, and there under the ledger's lock.
  private let amount: Atomic<Int>

  init(_ bytes: Int, of account: Account) {
    self.account = account
    amount = Atomic(bytes)
  }

  deinit {
    account.ledger.giveBack(account.slot, amount.load(ordering: .relaxed))
  }

  public var bytes: Int { amount.load(ordering: .relaxed) }

  /// Charges more, or gives some back, so that it stands for `bytes`.
  ///
  /// - Parameter bytes: below 0 counts as 0.
  /// - Throws: where there is no room for more; it then stands for what it stood for. Less is never
  ///   refused.
  /// - Complexity: O(accounts above)
  public func adjust(to bytes: Int) throws(LimitExceeded) {
    let bytes = max(0, bytes)
    // `requested` is for the error alone; the difference is taken again under the lock.
    try account.take(max(0, bytes - self.bytes)) { ledger in
      ledger.adjust(account.slot, amount, to: bytes)
    }
  }
}

/// Memory that several accounts may hold at once, of which each is charged with all of it, once.
///
/// Told from others by its identity, not by its size.
public final class SharedBytes: Sendable {
  public let count: Int

  /// - Parameter count: below 0 counts as 0.
  public init(_ count: Int) { self.count = max(0, count) }
}

/// An account's share in memory that it may hold together with others, let go when the last
/// reference to this is released.
public final class Hold: Sendable {
  public let account: Account
  public let shared: SharedBytes

  init(_ shared: SharedBytes, of account: Account) {
    self.account = account
    self.shared = shared
  }

  deinit { account.ledger.letGo(account.slot, shared) }
}
