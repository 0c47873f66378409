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
  let rules: ReadingRules
  let configuration: ServiceConfiguration
  let drain: DrainSignal
  let scratch = ScratchPool()
  let logger: Logger

  init(
    registry: CollectionRegistry,
    sessions: SessionRegistry,
    tokens: ResumeTokenSigner,
    engine: LayoutEngine,
    rules: ReadingRules,
    configuration: ServiceConfiguration,
    drain: DrainSignal,
    logger: Logger
  ) {
    self.registry = registry
    self.sessions = sessions
    self.tokens = tokens
    self.engine = engine
    self.rules = rules
    self.configuration = configuration
    self.drain = drain
    self.logger = logger
  }
}
