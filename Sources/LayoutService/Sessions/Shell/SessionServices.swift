// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import Logging
internal import ResourceAccounting
internal import Tracing

/// What every session needs of its server.
///
/// A class, so that holders keep a single reference.
final class SessionServices: Sendable {
  let registry: CollectionRegistry
  let loads: CollectionLoads
  let sessions: SessionRegistry
  let tokens: ResumeTokenSigner
  let engine: LayoutEngine
  let accounts: ServerAccounts
  let rules: ReadingRules
  let configuration: ServiceConfiguration
  let drain: DrainSignal
  let clock: SessionClock
  let scratch = ScratchPool()
  let woken = WokenSessions<SessionShell>()
  let alike = AlikeSessions()
  let disposal: Disposal
  let layouts: StoredLayouts
  let logger: Logger
  let metrics: ServiceMetrics
  /// nil = nothing is traced.
  let tracer: (any Tracer)?
  /// Whether callers must present credentials.
  let isGuarded: Bool
  /// Waits until the transport has counted what was written to a connection.
  let settle: @Sendable (_ peer: String) async -> Void
  /// Cancels calls whose streams have ended.
  let streams: CallStreams
  let identities: IdentityMeter

  /// - Parameters:
  ///   - clock: must be the registry's.
  ///   - isGuarded: whether callers must present credentials.
  ///   - disposal: must be that of `sessions`.
  ///   - settle: waits until the transport has counted what was written to a connection; by default
  ///     nothing is counted.
  ///   - streams: must be that of the transport.
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
    disposal: Disposal,
    identities: IdentityMeter,
    metrics: ServiceMetrics,
    tracer: (any Tracer)? = nil,
    settle: @escaping @Sendable (_ peer: String) async -> Void = { _ in },
    streams: CallStreams = CallStreams()
  ) {
    self.registry = registry
    loads = CollectionLoads(of: registry)
    self.sessions = sessions
    self.tokens = tokens
    self.engine = engine
    self.accounts = accounts
    self.rules = rules
    layouts = StoredLayouts(
      rules: rules,
      account: accounts.server.child(.cache, isCache: true)
    )
    self.configuration = configuration
    self.drain = drain
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
    self.tracer = tracer
    self.isGuarded = isGuarded
    self.settle = settle
    self.streams = streams
    self.disposal = disposal
    self.identities = identities
  }
}
