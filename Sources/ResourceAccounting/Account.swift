// SPDX-License-Identifier: Apache-2.0

/// Somebody on whose behalf the server keeps memory: a session, its connection, its peer, a
/// collection, and above all of them the server.
///
/// Accounts form a tree. Whatever is charged to one counts for every account above it as well, and
/// none of them may go beyond its limit: a charge is taken by all or refused by one, which the error
/// names. What is charged comes back by itself when the `Lease` or the `Hold` that stands for it is
/// released.
///
///     let server = Account(scope: .server, limit: 4 << 30)
///     let connection = server.child(.connection, named: "ipv4:10.0.0.7:51234", limit: 512 << 20)
///     let session = connection.child(.session, named: "sessions/x", limit: 256 << 20)
///     let lease = try session.charge(contents.approximateByteCount)
///
/// Memory that many share is charged by `hold(_:)`: each account counts it once, however many of
/// those below it hold it.
///
/// Every method may be called from any thread, returns at once and never calls back under its lock.
public final class Account: Sendable {
  /// Unlike that of any other account of the same tree, ever.
  public let id: UInt64
  public let scope: AccountScope
  /// For people; may be empty.
  public let name: String
  /// In bytes.
  public let limit: Int
  /// nil for the server.
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
  ///   - isCache: whether what is charged to it can be dropped at any time. A charge to such an
  ///     account is refused where there is no room: nothing else is dropped for it.
  public func child(
    _ scope: AccountScope,
    named name: String = "",
    limit: Int = .max,
    isCache: Bool = false
  ) -> Account {
    Account(self, scope, name, limit: max(0, limit), isCache)
  }

  /// What is charged to it and to all below it, in bytes.
  public var used: Int { ledger.used(slot) }

  /// The most that `used` has ever been.
  public var peak: Int { ledger.peak(slot) }

  /// This account and all above it, the server last.
  public var lineage: some Sequence<Account> {
    sequence(first: self) { $0.parent }
  }

  /// Charges memory that this account alone keeps.
  ///
  /// - Parameter bytes: below 0 counts as 0.
  /// - Returns: what gives the bytes back when it is released.
  /// - Throws: where this account or one above it has no room for them; nothing is charged then.
  /// - Complexity: O(accounts above)
  public func charge(_ bytes: Int) throws(LimitExceeded) -> Lease {
    let bytes = max(0, bytes)
    try take(bytes) { $0.charge(slot, bytes) }
    return Lease(bytes, of: self)
  }

  /// Charges memory that others may hold as well. An account that holds the same thing already,
  /// itself or by those below it, is not charged again.
  ///
  /// - Returns: what lets go of it when it is released.
  /// - Throws: where this account or one above it has no room for it; nothing is charged then.
  /// - Complexity: O(accounts above)
  public func hold(_ shared: SharedBytes) throws(LimitExceeded) -> Hold {
    try take(shared.count) { $0.hold(slot, shared) }
    return Hold(shared, of: self)
  }

  /// Sets what makes room when the server's own limit is reached, before a charge is refused: it is
  /// called with the bytes that are missing, may release leases and holds, and the charge is then
  /// tried once more.
  ///
  /// - Precondition: this is the account at the top.
  public func setReclaimer(_ reclaim: @escaping @Sendable (_ bytes: Int) -> Void) {
    precondition(parent == nil, "only the account at the top reclaims")
    ledger.setReclaimer(reclaim)
  }

  /// - Parameter attempt: nil = done, otherwise the account without room.
  func take(
    _ bytes: Int,
    _ attempt: (Ledger) -> Ledger.Refusal?
  ) throws(LimitExceeded) {
    guard var refusal = attempt(ledger) else { return }
    if refusal.canReclaim, let reclaim = ledger.reclaimer {
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

/// What kind of account it is. Open: modules may add their own.
public struct AccountScope: RawRepresentable, Hashable, Sendable {
  /// In lower_snake_case, as clients are told: "session".
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let server = AccountScope(rawValue: "server")
  /// Prepared layouts that may be dropped.
  public static let cache = AccountScope(rawValue: "cache")
  public static let collection = AccountScope(rawValue: "collection")
  /// A machine, however many connections it has.
  public static let peer = AccountScope(rawValue: "peer")
  public static let connection = AccountScope(rawValue: "connection")
  /// With a stream or waiting for one.
  public static let session = AccountScope(rawValue: "session")
  /// Any other call.
  public static let call = AccountScope(rawValue: "call")
}

/// An account had no room for a charge.
public struct LimitExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// Of the account without room.
  public var scope: AccountScope
  /// Of the account without room; may be empty.
  public var name: String
  /// In bytes.
  public var limit: Int
  /// Bytes that were charged to it at that moment.
  public var used: Int
  /// Bytes that were to be added.
  public var requested: Int

  public init(scope: AccountScope, name: String, limit: Int, used: Int, requested: Int) {
    self.scope = scope
    self.name = name
    self.limit = limit
    self.used = used
    self.requested = requested
  }

  public var description: String {
    let whose = name.isEmpty ? scope.rawValue : "\(scope.rawValue) \(name)"
    return "\(requested) bytes more are above the memory limit of the \(whose): "
      + "\(used) of \(limit) bytes are in use"
  }
}
