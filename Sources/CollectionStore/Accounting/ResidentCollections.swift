// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The collections whose contents are in memory, by incarnation.
final class ResidentCollections: Sendable {
  private struct Reference {
    weak let collection: LiveCollection?
  }

  private let references = Mutex<[UInt64: Reference]>([:])

  /// The number of collections.
  ///
  /// - Complexity: O(1)
  var count: Int { references.withLock { $0.count } }

  /// All of them.
  ///
  /// - Complexity: O(collections in memory)
  var all: [LiveCollection] {
    references.withLock { $0.values.compactMap(\.collection) }
  }

  /// The collection of this incarnation; nil = its contents are not in memory.
  ///
  /// - Complexity: O(1)
  subscript(_ incarnation: UInt64) -> LiveCollection? {
    references.withLock { $0[incarnation]?.collection }
  }

  func add(_ collection: LiveCollection) {
    references.withLock {
      $0[collection.incarnation] = Reference(collection: collection)
    }
  }

  /// Removes a collection that is being deinitialised, unless its contents have been loaded again.
  func remove(_ incarnation: UInt64) {
    let loadedAgain = references.withLock { references -> LiveCollection? in
      let found = references[incarnation]?.collection
      if found == nil { references[incarnation] = nil }
      return found
    }
    // This may be its last reference, and its deinitialiser takes the lock.
    withExtendedLifetime(loadedAgain) {}
  }
}
