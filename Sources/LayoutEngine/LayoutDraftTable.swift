// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The newest draft of each variant, while somebody uses it.
struct LayoutDraftTable {
  private struct Entry {
    /// The version of the whole layout that the draft derives from.
    let wholeVersion: UInt64
    weak let layout: SharedLayout?
  }

  private var entries: [Variant: Entry] = [:]
  /// Bytes of the variants, which the entries keep in memory.
  private var byteCount = 0
  /// When there are more bytes, the entries that nobody uses are removed.
  private var sweepBytes = Self.leastSweepBytes
  private static let leastSweepBytes = 128 << 10

  /// The newest draft; nil = there is none, or nobody uses it any more.
  func newest(of variant: Variant) -> (layout: SharedLayout, wholeVersion: UInt64)? {
    guard let entry = entries[variant], let layout = entry.layout else { return nil }
    return (layout, entry.wholeVersion)
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
    let entry = Entry(wholeVersion: wholeVersion, layout: layout)
    guard entries.updateValue(entry, forKey: layout.variant) == nil else { return }
    byteCount += layout.variant.byteCount
    guard byteCount > sweepBytes else { return }
    keep { $0.value.layout != nil }
    sweepBytes = max(Self.leastSweepBytes, byteCount * 2)
  }

  private mutating func keep(_ isKept: ((key: Variant, value: Entry)) -> Bool) {
    entries = entries.filter(isKept)
    byteCount = entries.keys.reduce(0) { $0 + $1.byteCount }
  }

  /// Removes all drafts of some contents.
  mutating func removeAll(of identity: ContentsIdentity) {
    keep { $0.key.identity != identity }
  }

  var count: Int { entries.count }
}
