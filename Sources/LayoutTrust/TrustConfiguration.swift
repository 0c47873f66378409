// SPDX-License-Identifier: Apache-2.0

/// Where a server's identities and rights come from. All files are reloaded when they change; if
/// one is bad then, that is logged, and what was read before stays in force.
public struct TrustConfiguration: Hashable, Sendable {
  /// The policy: see `Policy`.
  public var policy: String
  /// Tokens by their digests: see `StaticTokens`; nil = none.
  public var tokens: String?
  /// The JSON Web Key Set that verifies signed tokens; nil = none are accepted.
  public var keys: String?
  /// Which signed tokens are accepted.
  public var rules: SignedTokenRules
  /// Certificates of the authorities whose client certificates are accepted, in PEM form; nil =
  /// none are.
  public var clientAuthorities: String?
  /// Wrong signed tokens of one address that are verified in a second, in the long run; ten times
  /// as many in a burst. Beyond that only known tokens are accepted from the address.
  public var failedChecksPerSecond: Int
  /// How often files and times are checked. A change of rights takes effect within this time.
  public var interval: Duration

  /// A configuration.
  public init(
    policy: String,
    tokens: String? = nil,
    keys: String? = nil,
    rules: SignedTokenRules = .init(),
    clientAuthorities: String? = nil,
    failedChecksPerSecond: Int = 20,
    interval: Duration = .milliseconds(250)
  ) {
    self.policy = policy
    self.tokens = tokens
    self.keys = keys
    self.rules = rules
    self.clientAuthorities = clientAuthorities
    self.failedChecksPerSecond = failedChecksPerSecond
    self.interval = interval
  }
}
