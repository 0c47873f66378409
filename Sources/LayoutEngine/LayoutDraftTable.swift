// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The newest draft of each variant, while somebody uses it. Keeps neither drafts nor variants in
/// memory.
struct LayoutDraftTable {
  private struct Entry {
    /// The version of the whole layout that the draft derives from.
    let wholeVersion: UInt64
    weak let layout: SharedLayout?
  }

  /// By the hashes of the variants, of which few are the same.
  private var entries: [Int: [Entry]] = [:]
  /// When there are this many hashes, the entries that nobody uses are removed.
  private var sweepCount = 64

  /// The newest draft; nil = there is none, or nobody uses it any more.
  func newest(of variant: Variant) -> (layout: SharedLayout, wholeVersion: UInt64)? {
    for entry in entries[variant.hashValue] ?? [] {
      guard let layout = entry.layout, layout.variant == variant else { continue }
      return (layout, entry.wholeVersion)
    }
    return nil
  }

  /// Adds a draft, unless a newer one is known, or one of the same version that derives from a
  /// newer layout.
  ///
  /// - Complexity: O(1), amortised
  mutating func insert(_ layout: SharedLayout, wholeVersion: UInt64) {
    if let known = newest(of: layout.variant),
      (known.layout.version, known.wholeVersion) > (layout.version, wholeVersion)
    {
      return
    }
    let hash = layout.variant.hashValue
    let others = (entries[hash] ?? []).filter { entry in
      entry.layout.map { $0.variant != layout.variant } ?? false
    }
    entries[hash] = others + [Entry(wholeVersion: wholeVersion, layout: layout)]
    guard entries.count >= sweepCount else { return }
    keep { _ in true }
    sweepCount = max(64, entries.count * 2)
  }

  /// Removes all drafts of some contents.
  mutating func removeAll(of identity: ContentsIdentity) {
    keep { $0.variant.identity != identity }
  }

  /// Keeps the drafts that somebody uses and that meet a condition.
  private mutating func keep(_ isKept: (SharedLayout) -> Bool) {
    entries = entries.compactMapValues { entries in
      let kept = entries.filter { $0.layout.map(isKept) ?? false }
      return kept.isEmpty ? nil : kept
    }
  }

  var count: Int { entries.count }
}
