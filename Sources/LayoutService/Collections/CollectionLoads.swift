// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol

/// Gets collections, which are loaded where they are not in memory: large ones one at a time, those that different
/// clients want in turn, and of one client those of different connections. To load one takes seconds of a processor, and memory that others have to leave.
final class CollectionLoads: Sendable {
  private let registry: CollectionRegistry
  private let turns = CallPermits(1, waitingLimit: .max)

  init(of registry: CollectionRegistry) { self.registry = registry }

  /// - Parameters:
  ///   - client: the address of the client that asks, as gRPC writes it.
  ///   - didLoad: called with the size in memory, in bytes, if the collection was loaded for this call.
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
