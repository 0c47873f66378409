// SPDX-License-Identifier: Apache-2.0

/// Counts the memory that the server keeps on behalf of a session, a connection, a peer or a
/// collection.
///
/// Accounts form a tree with the server at the top. Bytes that are charged to an account count for
/// every account above it as well, and none of these may exceed its limit: either all take the
/// charge, or one refuses it, and the error names that one. A charge ends when its
/// `Lease` or `Hold` is released.
///
///     let server = Account(scope: .server, limit: 4 << 30)
///     let connection = server.child(.connection, named: "ipv4:10.0.0.7:51234", limit: 512 << 20)
///     let session = connection.child(.session, named: "sessions/x", limit: 256 << 20)
///     let lease = try session.charge(contents.approximateByteCount)
///
/// Shared memory is charged with `hold(_:)`: each account counts it once, however many accounts
/// below hold it.
///
/// Every method may be called from any thread, does not block, and calls nothing while it holds its
/// lock.
public final class Account: Sendable {
  /// At least 1, and unique in the tree, also among accounts that no longer exist.
  public let id: UInt64
  /// What kind of account it is.
  public let scope: AccountScope
  /// A name for people, such as the peer's address; may be empty.
  public let name: String
  /// The most bytes that may be charged to this account and those below it.
  public let limit: Int
  /// The account above; nil = this is the one at the top.
  public let parent: Account?
  let ledger: Ledger
  let slot: Int

  /// The account at the top of a new tree.
  ///
  /// - Parameter limit: in bytes; below 0 counts as 0.
  public init(scope: AccountScope = .server, named name: String = "", limit: Int = .max) {
    ledger = Ledger()
    (id, slot) = ledger.open(below: nil, limit: max(0, limit), isReclaimable: false)
    self.scope = scope
    self.name = name
    self.limit = max(0, limit)
    parent = nil
  }

  private init(
    _ parent: Account,
    _ scope: AccountScope,
    _ name: String,
    limit: Int,
    _ isCache: Bool
  ) {
    ledger = parent.ledger
    (id, slot) = ledger.open(below: parent.slot, limit: limit, isReclaimable: isCache)
    self.scope = scope
    self.name = name
    self.limit = limit
    self.parent = parent
  }

  deinit { ledger.close(slot) }

  /// A new account below this one.
  ///
  /// - Parameters:
  ///   - limit: in bytes; below 0 counts as 0.
  ///   - isCache: whether the memory charged to it can be reclaimed at any time. If the server's
  ///     limit is reached, a charge to such an account is refused without calling the reclaimer: a
  ///     cache does not evict entries to make room for others.
  public func child(
    _ scope: AccountScope,
    named name: String = "",
    limit: Int = .max,
    isCache: Bool = false
  ) -> Account {
    Account(self, scope, name, limit: max(0, limit), isCache)
  }

  /// Bytes charged to this account and those below it.
  public var used: Int { ledger.used(slot) }

  /// The highest value that `used` has had.
  public var peak: Int { ledger.peak(slot) }

  /// This account and all above it, the one at the top last.
  public var lineage: some Sequence<Account> {
    sequence(first: self) { $0.parent }
  }

  /// Charges memory that is not shared with other accounts.
  ///
  /// - Parameter bytes: below 0 counts as 0.
  /// - Returns: the lease, which ends the charge when it is released.
  /// - Throws: `LimitExceeded` if this account or one above it has no room; nothing is charged
  ///   then.
  /// - Complexity: O(accounts above)
  public func charge(_ bytes: Int) throws(LimitExceeded) -> Lease {
    let bytes = max(0, bytes)
    try take(bytes) { $0.charge(slot, bytes) }
    return Lease(bytes, of: self)
  }

  /// Charges memory that other accounts may share. An account is charged only once for the same
  /// `SharedBytes`, whether it holds them itself or accounts below it do.
  ///
  /// - Returns: the hold, which ends this share when it is released.
  /// - Throws: `LimitExceeded` if this account or one above it has no room; nothing is charged
  ///   then.
  /// - Complexity: O(accounts above)
  public func hold(_ shared: SharedBytes) throws(LimitExceeded) -> Hold {
    try take(shared.count) { $0.hold(slot, shared) }
    return Hold(shared, of: self)
  }

  /// Sets the reclaimer, which frees memory when the limit of the account at the top is reached.
  ///
  /// - Parameter reclaim: called before a charge is refused, outside of all locks, with the number
  ///   of missing bytes. It may release leases and holds. The charge is then tried once more.
  /// - Precondition: this is the account at the top.
  public func setReclaimer(_ reclaim: @escaping @Sendable (_ bytes: Int) -> Void) {
    precondition(
      parent == nil,
      "the reclaimer belongs to the account at the top, not to \(scope.rawValue)"
    )
    ledger.setReclaimer(reclaim)
  }

  /// Tries a charge, calls the reclaimer if that may help, and tries once more.
  ///
  /// - Parameters:
  ///   - bytes: the size of the charge.
  ///   - attempt: charges the ledger; returns nil on success.
  func take(
    _ bytes: Int,
    _ attempt: (Ledger) -> Ledger.Refusal?
  ) throws(LimitExceeded) {
    guard var refusal = attempt(ledger) else { return }
    if refusal.canReclaim, let reclaim = ledger.reclaimer {
      // No overflow: 0 ≤ used ≤ limit, and bytes ≥ 0.
      reclaim(bytes - (refusal.limit - refusal.used))
      guard let second = attempt(ledger) else { return }
      refusal = second
    }
    var account = self
    for _ in 0 ..< refusal.height { account = account.parent ?? account }
    throw LimitExceeded(
      scope: account.scope,
      name: account.name,
      limit: account.limit,
      used: refusal.used,
      requested: bytes
    )
  }
}

/// What kind of account it is. Modules may add kinds of their own.
public struct AccountScope: RawRepresentable, Hashable, Sendable {
  /// The name that clients see in errors, in lower_snake_case: "session".
  public let rawValue: String

  /// A scope with this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The whole server.
  public static let server = AccountScope(rawValue: "server")
  /// The cache of prepared layouts, whose memory can be reclaimed.
  public static let cache = AccountScope(rawValue: "cache")
  /// One collection while its contents are in memory.
  public static let collection = AccountScope(rawValue: "collection")
  /// One client machine with all of its connections.
  public static let peer = AccountScope(rawValue: "peer")
  /// One connection with its sessions and calls.
  public static let connection = AccountScope(rawValue: "connection")
  /// One session, whether its stream is open or may still be resumed.
  public static let session = AccountScope(rawValue: "session")
  /// One call that is not the stream of a session.
  public static let call = AccountScope(rawValue: "call")
}

/// A charge was refused because it would exceed an account's limit.
public struct LimitExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// The scope of the account that has no room.
  public var scope: AccountScope
  /// The name of that account; may be empty.
  public var name: String
  /// The limit of that account, in bytes.
  public var limit: Int
  /// Bytes that were charged to it at that moment.
  public var used: Int
  /// Bytes that were to be added.
  public var requested: Int

  /// The account of this scope and name has no room for `requested` bytes.
  public init(scope: AccountScope, name: String, limit: Int, used: Int, requested: Int) {
    self.scope = scope
    self.name = name
    self.limit = limit
    self.used = used
    self.requested = requested
  }

  /// The sizes and whose limit it is, for clients and operators.
  public var description: String {
    let whose = name.isEmpty ? scope.rawValue : "\(scope.rawValue) \(name)"
    return "\(requested) more bytes would exceed the memory limit of the \(whose): "
      + "\(used) of \(limit) bytes are in use"
  }
}
