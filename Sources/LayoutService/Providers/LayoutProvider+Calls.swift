// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import Logging
internal import ResourceAccounting
internal import Synchronization

// The calls to the provider.
extension LayoutProvider {
  private func client() throws -> GRPCClient<Transport> {
    guard let connection = state.withLock({ $0.connection }) else {
      throw RPCError(code: .unavailable, message: "the server is not running")
    }
    return connection.client
  }

  private func metadata(of configuration: LayoutProviderConfiguration) async throws -> Metadata {
    guard let path = configuration.tokenFile else { return [:] }
    return try await ProviderToken(path: path).metadata()
  }

  /// Asks for all elements, or only for what changed.
  ///
  /// - Throws: as `place`, and `RPCError`.
  func ask(
    _ context: LayoutContext,
    _ parameters: [String: CustomValue],
    _ base: FetchedBase?,
    on threads: any PlacementThreads,
    take: @escaping @Sendable (Int) throws -> Void
  ) async throws -> Placement {
    let configuration = configuration
    let client = try client()
    let metadata = try await metadata(of: configuration)
    let description = try await knownDescription(configuration.timeout)
    let count = context.contents.itemCount
    guard description.maxItems == 0 || count <= description.maxItems else {
      throw PlacementFault("\(count) items found; it places \(description.maxItems)")
    }
    var call = PlacementCall(
      layout: layout,
      parameters: parameters,
      context,
      scrollAxis: description.scrollAxis,
      elementLimit: configuration.elementLimit,
      take: take
    )
    call.metadata = metadata
    call.options = Self.options(configuration.timeout)
    call.threads = threads
    if let updated = try await update(call, client, base) { return updated }
    return try await call.prepare(client)
  }

  /// Asks the provider to place what changes moved.
  ///
  /// - Returns: nil = the provider cannot, and has to be asked to place everything (PrepareLayout).
  private func update(
    _ call: PlacementCall,
    _ client: GRPCClient<Transport>,
    _ base: FetchedBase?
  ) async throws -> Placement? {
    let contents = call.context.contents
    guard state.withLock({ $0.offersUpdates }), let base, let first = base.changes.first,
      let old = PlacedLayout.placement(of: base.prepared), !old.cookie.isEmpty,
      contents.cellKindNames.starts(with: old.contents.cellKindNames)
    else { return nil }
    let later = base.changes.dropFirst()
    // Each item that an operation names is looked at.
    let cost = base.changes.reduce(contents.sectionCount) { $0 + $1.insertedItemCount }
    let kept = try await call.threads.perform(cost: cost) { work in
      let kept = later.reduce(KeptItems(first, work: work)) {
        $0.followed(by: KeptItems($1, work: work))
      }
      if let stop = work.stop { throw stop }
      return kept
    }
    do {
      let placement = try await call.update(client, from: old, kept)
      state.withLock { state in
        state.status.updates += 1
        state.lastUpdateBrokeRule = false
      }
      return placement
    } catch let error as RPCError {
      // A provider that does not answer is not asked again in another way.
      guard error.code != .unavailable, error.code != .deadlineExceeded, error.code != .cancelled
      else { throw error }
      if error.code == .unimplemented { state.withLock { $0.offersUpdates = false } }
      return nil
    } catch let fault as PlacementFault {
      let isNew = state.withLock { state in
        defer { state.lastUpdateBrokeRule = true }
        return !state.lastUpdateBrokeRule
      }
      logger.log(
        level: isNew ? .warning : .debug,
        "a layout's provider broke a rule when it placed a change",
        metadata: metadata.merging(["reason": "\(fault)"]) { $1 }
      )
      return nil
    }
  }

  /// The provider's description of the layout, asked for once, and again after faults.
  private func knownDescription(_ limit: Duration) async throws -> Wire.ProvidedLayout {
    let (generation, known) = state.withLock { ($0.generation, $0.description) }
    if let known { return known }
    let found = try await describe(within: limit)
    note(generation) { $0.description = found }
    return found
  }

  func describe(within limit: Duration) async throws -> Wire.ProvidedLayout {
    let configuration = configuration
    let client = try Client(wrapping: client())
    let response = try await client.describeLayouts(
      Wire.DescribeLayoutsRequest(),
      metadata: try await metadata(of: configuration),
      options: Self.options(limit)
    )
    guard let found = response.layouts.first(where: { $0.name == layout }) else {
      throw PlacementFault("the provider has no layout of this name")
    }
    try Self.check(found.description_p, "description", atMost: 4096)
    try Self.check(found.parametersSchema, "parameters_schema", atMost: 65_536)
    return found
  }

  private static func check(
    _ text: String,
    _ field: String,
    atMost limit: Int
  ) throws(PlacementFault) {
    guard text.utf8.count > limit else { return }
    throw PlacementFault(
      "\(field) of its description has \(text.utf8.count) bytes; at most \(limit) are allowed"
    )
  }

  private static func options(_ limit: Duration) -> CallOptions {
    var options = CallOptions.defaults
    options.timeout = limit
    options.waitForReady = false
    options.maxResponseMessageBytes = 4 << 20
    return options
  }
}
