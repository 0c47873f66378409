// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import Synchronization

/// Holds on to collections whose contents are in memory, up to a number of bytes.
///
/// What it lets go of is gone only once nobody uses it any more.
final class ResidentCollections: Sendable {
  private struct State {
    var uses: [ObjectIdentifier: (collection: LiveCollection, tick: UInt64)] = [:]
    var tick: UInt64 = 0

    mutating func shrink(
      to byteLimit: Int,
      keeping newest: LiveCollection
    ) -> [LiveCollection] {
      let sizes = uses.mapValues { $0.collection.snapshot.contents.approximateByteCount }
      var bytes = sizes.values.reduce(0, +)
      guard bytes > byteLimit else { return [] }
      var released: [LiveCollection] = []
      for (key, use) in uses.sorted(by: { $0.value.tick < $1.value.tick }) {
        guard bytes > byteLimit else { break }
        guard use.collection !== newest else { continue }
        bytes -= sizes[key] ?? 0
        uses[key] = nil
        released.append(use.collection)
      }
      return released
    }
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// - Complexity: O(1); O(collections in memory) for one that is new.
  func use(_ collection: LiveCollection) {
    // Released outside the lock.
    var released: [LiveCollection] = []
    state.withLock { state in
      state.tick += 1
      let isNew =
        state.uses.updateValue((collection, state.tick), forKey: ObjectIdentifier(collection))
        == nil
      if isNew && byteLimit < .max {
        released = state.shrink(to: byteLimit, keeping: collection)
      }
    }
    released.removeAll()
  }

  func remove(_ collection: LiveCollection) {
    state.withLock { _ = $0.uses.removeValue(forKey: ObjectIdentifier(collection)) }
  }
}
