// SPDX-License-Identifier: Apache-2.0

/// How much one identity may use. nil = the same as everybody.
public struct IdentityQuotas: Hashable, Sendable {
  /// Sessions with an open stream.
  public var sessions: Int?
  /// Calls in a second, opened streams included; a burst may have that many.
  public var callsPerSecond: Int?
  /// Bytes of the contents of all collections that it has created.
  public var contentBytes: Int?
  /// Bytes of the prepared layouts that its sessions use. A layout that several of them use counts
  /// once.
  public var layoutBytes: Int?

  /// Quotas; nil = none.
  public init(
    sessions: Int? = nil,
    callsPerSecond: Int? = nil,
    contentBytes: Int? = nil,
    layoutBytes: Int? = nil
  ) {
    self.sessions = sessions
    self.callsPerSecond = callsPerSecond
    self.contentBytes = contentBytes
    self.layoutBytes = layoutBytes
  }

  /// These quotas, completed by `others` where this has none.
  public func completed(by others: IdentityQuotas) -> IdentityQuotas {
    IdentityQuotas(
      sessions: sessions ?? others.sessions,
      callsPerSecond: callsPerSecond ?? others.callsPerSecond,
      contentBytes: contentBytes ?? others.contentBytes,
      layoutBytes: layoutBytes ?? others.layoutBytes
    )
  }
}

extension Policy {
  /// Quotas for some callers.
  struct QuotaRule: Hashable, Sendable {
    /// nil = all callers with one of the roles.
    var subjects: [Subject]?
    /// The highest role that a caller has anywhere; nil = any.
    var roles: Set<Role>?
    var quotas: IdentityQuotas

    func matches(_ identities: [Identity], _ role: Role?) -> Bool {
      if let roles { guard let role, roles.contains(role) else { return false } }
      guard let subjects else { return true }
      return subjects.contains { subject in identities.contains { subject.matches($0) } }
    }
  }

  /// The quotas of these identities together: each quota is from the first rule that applies to
  /// them and has it.
  ///
  /// - Complexity: O(rules)
  func quotas(of identities: [Identity], _ rights: Rights) -> IdentityQuotas {
    guard !quotaRules.isEmpty else { return IdentityQuotas() }
    let role = rights.grants.map(\.role).max()
    return quotaRules.reduce(IdentityQuotas()) { quotas, rule in
      rule.matches(identities, role) ? quotas.completed(by: rule.quotas) : quotas
    }
  }
}

extension Identity {
  /// The identity that has a key, without its claims and expiry.
  init?(key: String) {
    let parts = key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let name = String(parts[1])
    switch parts[0] {
    case "token": self.init(.token(name: name))
    case "subject": self.init(.signedToken(subject: name))
    case "certificate": self.init(.certificate(names: [name]))
    default: return nil
    }
  }
}
