// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import Logging

/// What every session needs of its server.
struct SessionServices: Sendable {
  let registry: CollectionRegistry
  let sessions: SessionRegistry
  let tokens: ResumeTokenSigner
  let engine: LayoutEngine
  let rules: ReadingRules
  let configuration: ServiceConfiguration
  let drain: DrainSignal
  let scratch = ScratchPool()
  let logger: Logger
}
