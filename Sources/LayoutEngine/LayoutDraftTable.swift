// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The newest draft of each variant, while somebody uses it.
struct LayoutDraftTable {
  private struct Entry {
    /// The version of the whole layout that the draft derives from.
    let basis: UInt64
    weak let layout: SharedLayout?
  }

  private var entries: [Variant: Entry] = [:]
  /// When there are this many entries, those that nobody uses are removed.
  private var sweepCount = 64

  /// The newest draft; nil = there is none, or nobody uses it any more.
  func newest(of variant: Variant) -> (layout: SharedLayout, basis: UInt64)? {
    guard let entry = entries[variant], let layout = entry.layout else { return nil }
    return (layout, entry.basis)
  }

  /// Adds a draft, unless a newer one is known, or one of the same version that derives from a
  /// newer layout.
  ///
  /// - Complexity: O(1), amortised
  mutating func insert(_ layout: SharedLayout, basis: UInt64) {
    if let known = newest(of: layout.variant),
      (known.layout.version, known.basis) > (layout.version, basis)
    {
      return
    }
    entries[layout.variant] = Entry(basis: basis, layout: layout)
    guard entries.count >= sweepCount else { return }
    entries = entries.filter { $0.value.layout != nil }
    sweepCount = max(64, entries.count * 2)
  }

  /// Removes all drafts of some contents.
  mutating func removeAll(of identity: ContentsIdentity) {
    entries = entries.filter { $0.key.identity != identity }
  }

  var count: Int { entries.count }
}
