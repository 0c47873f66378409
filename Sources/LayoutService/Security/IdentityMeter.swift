// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutTrust
internal import ResourceAccounting
internal import Synchronization

/// Keeps each identity within its quotas: those of the policy, and where it has none, those of the server.
///
/// Sessions are counted by `SessionRegistry`, contents by `CollectionRegistry`.
final class IdentityMeter: Sendable {
  fileprivate struct Use {
    /// Of `calls`; 0 = it was not needed yet.
    var rate = 0
    var calls = TokenBucket(perSecond: 1, burst: 1)
    /// By their limits: tokens of one identity may fall under different quotas.
    var layouts: [Int: WeakAccount] = [:]
  }

  fileprivate struct WeakAccount {
    weak var account: Account?
  }

  fileprivate struct State {
    var uses: [String: Use] = [:]
    /// Identities are looked through for idle ones when there are so many.
    var sweepCount = 64
  }

  private let defaults: IdentityQuotas
  /// nil = the server has no identities.
  private let trust: Trust?
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  init(
    defaults: IdentityQuotas,
    trust: Trust?,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.defaults = defaults
    self.trust = trust
    self.now = now
  }

  /// How much a caller may use; all nil on a server without identities.
  func quotas(of access: CallAccess) -> IdentityQuotas {
    guard let owner = access.owner else { return IdentityQuotas() }
    var quotas = access.quotas.completed(by: defaults)
    quotas.contentBytes = contentBytes(of: owner)
    return quotas
  }

  /// The bytes that all contents created by one identity may take; edits by others count too. nil = any.
  func contentBytes(of owner: String) -> Int? {
    trust?.quotas(ofOwner: owner).contentBytes ?? defaults.contentBytes
  }

  // MARK: - Calls

  /// Counts a call.
  ///
  /// - Throws: QUOTA_CALL_RATE
  func admitCall(by access: CallAccess) throws(LayoutProblem) {
    guard let owner = access.owner,
      let rate = access.quotas.callsPerSecond ?? defaults.callsPerSecond
    else { return }
    let time = now()
    let wait: Duration? = state.withLock { state in
      state.sweep(at: time)
      var use = state.uses[owner] ?? Use()
      if use.rate != rate {
        use.rate = rate
        // Tokens of one identity may fall under different quotas: what was used of one counts for the next.
        use.calls = use.calls.changed(toPerSecond: rate, burst: rate)
      }
      defer { state.uses[owner] = use }
      return rate > 0 ? use.calls.admit(at: time) : .seconds(1)
    }
    guard let wait else { return }
    throw .identityQuotaExceeded(
      .callRate,
      limit: rate,
      "This identity may make \(rate) calls in a second.",
      retryDelay: wait
    )
  }

  // MARK: - Layouts

  /// The account to which the layouts are charged that the sessions of a caller use; nil = they are not limited.
  func layoutAccount(of access: CallAccess) -> Account? {
    guard let owner = access.owner,
      let limit = access.quotas.layoutBytes ?? defaults.layoutBytes
    else { return nil }
    let time = now()
    return state.withLock { state in
      state.sweep(at: time)
      var use = state.uses[owner] ?? Use()
      defer { state.uses[owner] = use }
      // Sessions that were opened under another limit stay under that.
      if let account = use.layouts[limit]?.account { return account }
      let account = Account(scope: .identity, limit: limit)
      use.layouts = use.layouts.filter { $0.value.account != nil }
      use.layouts[limit] = WeakAccount(account: account)
      return account
    }
  }
}

extension IdentityMeter.State {
  /// Forgets identities that are as good as new. Amortised O(1) for a call.
  fileprivate mutating func sweep(at now: ContinuousClock.Instant) {
    guard uses.count >= sweepCount else { return }
    uses = uses.filter { use in
      use.value.calls.isUsed(at: now) || use.value.layouts.contains { $0.value.account != nil }
    }
    sweepCount = max(64, 2 * uses.count)
  }
}

extension AccountScope {
  /// One identity, with all that its sessions use.
  fileprivate static let identity = AccountScope(rawValue: "identity")
}

extension LayoutProblem {
  /// RESOURCE_EXHAUSTED for a quota of the caller's identity.
  static func identityQuotaExceeded(
    _ quota: Quota,
    limit: Int,
    _ message: String,
    retryDelay: Duration? = nil
  ) -> LayoutProblem {
    var problem = quotaExceeded(quota, limit: UInt64(clamping: limit), retryDelay: retryDelay)
    problem.message = message
    problem.metadata["scope"] = "identity"
    return problem
  }
}
