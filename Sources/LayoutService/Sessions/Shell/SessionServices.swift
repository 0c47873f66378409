// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import Logging

/// What every session needs of its server.
///
/// A class, so that what keeps it keeps one reference.
final class SessionServices: Sendable {
  let registry: CollectionRegistry
  let sessions: SessionRegistry
  let tokens: ResumeTokenSigner
  let engine: LayoutEngine
  let accounts: ServerAccounts
  let rules: ReadingRules
  let configuration: ServiceConfiguration
  let drain: DrainSignal
  let clock: SessionClock
  let scratch = ScratchPool()
  let layouts: NamedLayouts
  let logger: Logger
  let metrics: ServiceMetrics
  /// Whether callers have to say who they are.
  let isGuarded: Bool
  let identities: IdentityMeter

  /// - Parameters:
  ///   - clock: has to be the registry's.
  ///   - isGuarded: whether callers have to say who they are.
  init(
    registry: CollectionRegistry,
    sessions: SessionRegistry,
    tokens: ResumeTokenSigner,
    engine: LayoutEngine,
    accounts: ServerAccounts,
    rules: ReadingRules,
    configuration: ServiceConfiguration,
    drain: DrainSignal,
    clock: SessionClock,
    logger: Logger,
    isGuarded: Bool,
    identities: IdentityMeter,
    metrics: ServiceMetrics
  ) {
    self.registry = registry
    self.sessions = sessions
    self.tokens = tokens
    self.engine = engine
    self.accounts = accounts
    self.rules = rules
    layouts = NamedLayouts(rules: rules)
    self.configuration = configuration
    self.drain = drain
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
    self.isGuarded = isGuarded
    self.identities = identities
  }
}
