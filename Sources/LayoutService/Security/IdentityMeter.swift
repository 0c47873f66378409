// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutTrust
internal import ResourceAccounting
internal import Synchronization

/// Enforces the quotas of identities: the policy's, or else the server's.
///
/// `SessionRegistry` counts sessions, `CollectionRegistry` contents.
final class IdentityMeter: Sendable {
  fileprivate struct Use {
    /// The rate of `calls`; 0 = no call was counted yet.
    var rate = 0
    var calls = TokenBucket(perSecond: 1, burst: 1)
    /// Accounts by limit: tokens of one identity may have different quotas.
    var layouts: [Int: WeakAccount] = [:]
  }

  fileprivate struct WeakAccount {
    weak var account: Account?
  }

  fileprivate struct State {
    var uses: [String: Use] = [:]
    /// When this many identities are remembered, idle ones are forgotten.
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

  /// The caller's quotas; all nil on a server without identities.
  func quotas(of access: CallAccess) -> IdentityQuotas {
    guard let owner = access.owner else { return IdentityQuotas() }
    var quotas = access.quotas.completed(by: defaults)
    quotas.contentBytes = contentBytes(of: owner)
    return quotas
  }

  /// The most bytes of all contents that one identity created, including edits by others; nil =
  /// unlimited.
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
        // Tokens of one identity may have different quotas; the used part carries over.
        use.calls = use.calls.changed(toPerSecond: rate, burst: rate)
      }
      defer { state.uses[owner] = use }
      return rate > 0 ? use.calls.admit(at: time) : .seconds(1)
    }
    guard let wait else { return }
    throw .identityQuotaExceeded(
      .callRate,
      limit: rate,
      rate > 0
        ? "This identity may make \(rate) calls in a second." : "This identity may make no calls.",
      retryDelay: wait
    )
  }

  // MARK: - Layouts

  /// The account for the layouts that a caller's sessions use; nil = unlimited.
  func layoutAccount(of access: CallAccess) -> Account? {
    guard let owner = access.owner,
      let limit = access.quotas.layoutBytes ?? defaults.layoutBytes
    else { return nil }
    let time = now()
    return state.withLock { state in
      state.sweep(at: time)
      var use = state.uses[owner] ?? Use()
      defer { state.uses[owner] = use }
      // Sessions that were opened under another limit keep it.
      if let account = use.layouts[limit]?.account { return account }
      let account = Account(scope: .identity, limit: limit)
      use.layouts = use.layouts.filter { $0.value.account != nil }
      use.layouts[limit] = WeakAccount(account: account)
      return account
    }
  }
}

extension IdentityMeter.State {
  /// Forgets identities that use nothing. Amortised O(1) per call.
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
  /// RESOURCE_EXHAUSTED for a quota of the caller's identity. A quota of 0 has no retry delay:
  /// waiting is of no use.
  static func identityQuotaExceeded(
    _ quota: Quota,
    limit: Int,
    _ message: String,
    retryDelay: Duration? = nil
  ) -> LayoutProblem {
    var problem = quotaExceeded(
      quota,
      limit: UInt64(clamping: limit),
      retryDelay: limit > 0 ? retryDelay : nil
    )
    problem.message = message
    problem.metadata["scope"] = "identity"
    return problem
  }
}
