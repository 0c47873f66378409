// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Finds the object that stands for a variant with a large configuration, so that all requests for
/// it have the same one.
///
/// The engine's dictionaries are looked up under its lock. If two requests had decoded the same
/// configuration, each look-up would compare megabytes. Here they are compared once a request,
/// outside of all locks.
final class VariantTable: Sendable {
  private struct Reference {
    weak let variant: Variant?
  }

  private struct State {
    /// By their hashes. Few variants have the same one, because a client does not know the seed.
    var references: [Int: [Reference]] = [:]
    /// When there are this many hashes, those of variants that nobody uses are removed.
    var sweepCount = 64

    mutating func set(_ variants: [Variant], hash: Int) {
      references[hash] = variants.map { Reference(variant: $0) }
      guard references.count >= sweepCount else { return }
      references = references.filter { $0.value.contains { $0.variant != nil } }
      sweepCount = max(64, references.count * 2)
    }
  }

  /// Comparing configurations of up to this many bytes takes no time that matters.
  private static let smallBytes = 4096

  private let state = Mutex(State())

  /// The number of hashes, for tests.
  var count: Int { state.withLock { $0.references.count } }

  /// The object that stands for a variant: an equal one that is in use, or this one.
  ///
  /// - Complexity: O(size of the configuration)
  func known(_ variant: Variant) -> Variant {
    guard variant.byteCount > Self.smallBytes else { return variant }
    let hash = variant.hashValue
    var others: [Variant] = []
    while true {
      let (found, isAdded) = state.withLock { state in
        let found = (state.references[hash] ?? []).compactMap(\.variant)
        // Only those that were compared before.
        let isAdded = found.allSatisfy { new in others.contains { $0 === new } }
        if isAdded { state.set(found + [variant], hash: hash) }
        return (found, isAdded)
      }
      if isAdded { return variant }
      if let equal = found.first(where: { $0 == variant }) { return equal }
      others = found
    }
  }
}
