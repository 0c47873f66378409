// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol

/// Returns collections, and loads those that are not in memory. Only one large collection is loaded
/// at a time: clients take turns, and so do the connections of a client. Loading takes seconds of a
/// processor, and memory that other collections may have to leave.
final class CollectionLoads: Sendable {
  private let registry: CollectionRegistry
  private let turns = CallPermits(1, waitingLimit: .max, subject: "collections")

  init(of registry: CollectionRegistry) { self.registry = registry }

  /// - Parameters:
  ///   - client: the address of the client that asks, in gRPC's form.
  ///   - didLoad: called with the size in memory, in bytes, if the collection was loaded for this
  ///     call.
  /// - Throws: as `CollectionRegistry.collection`.
  func collection(
    _ id: String,
    for client: String,
    didLoad: @Sendable (_ byteCount: Int) -> Void = { _ in }
  ) async throws(StoreError) -> LiveCollection {
    guard registry.hasMuchToLoad(id) else {
      return try await registry.collection(id, didLoad: didLoad)
    }
    do {
      return try await turns.perform(for: PeerHost.host(of: client), over: client) {
        try await registry.collection(id, didLoad: didLoad)
      }
    } catch let error as StoreError { throw error } catch { throw .cancelled }
  }
}
