// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The number of items with a key, less the number of slots with that key in the indices of the
/// layers: a persistent table of the keys for which the two differ.
///
/// It knows keys and not cells, so it serves every zoom.
struct ClusterCounts: Sendable {
  private struct Entry: SummarizedElement {
    var key: UInt64
    var difference: Int

    var summary: Totals { Totals(lastKey: key, difference: difference) }
  }

  /// A summary of a run of entries, which are in the order of keys.
  private struct Totals: TreeSummary {
    var lastKey: UInt64
    var difference: Int

    static let zero = Totals(lastKey: 0, difference: 0)

    static func + (a: Totals, b: Totals) -> Totals {
      Totals(lastKey: max(a.lastKey, b.lastKey), difference: a.difference + b.difference)
    }
  }

  private var entries = SummaryTree<Entry>()

  /// The number of keys at which there is a difference.
  var count: Int { entries.count }

  /// The number of items with keys in a range less the number of slots.
  ///
  /// - Complexity: O(log keys)
  func difference(in keys: ClosedRange<UInt64>) -> Int {
    guard entries.count > 0 else { return 0 }
    func before(_ reaches: (Totals) -> Bool) -> Int {
      (entries.firstPosition(where: reaches)?.prefix ?? entries.summary).difference
    }
    return before { $0.lastKey > keys.upperBound } - before { $0.lastKey >= keys.lowerBound }
  }

  /// Adds to the differences.
  ///
  /// - Complexity: O(k log keys) for k changes, and O(k log k).
  mutating func add(_ changes: KeyChanges) {
    let changes = changes.summed()
    if changes.count >= Self.manyChanges, entries.count <= Self.entriesPerChange * changes.count {
      entries = SummaryTree(merged(with: changes))
      return
    }
    var replacements: [SummaryTree<Entry>.Replacement] = []
    for (key, change) in changes {
      let found = entries.firstPosition { $0.lastKey >= key }
      let index = found?.index ?? entries.count
      var (end, difference) = (index, change)
      if let entry = found?.element, entry.key == key {
        (end, difference) = (index + 1, entry.difference + change)
      }
      let new = difference == 0 ? [] : [Entry(key: key, difference: difference)]
      // Several keys may come before the same entry.
      if let last = replacements.indices.last, index == end,
        replacements[last].range == index ..< index
      {
        replacements[last].elements += new
      } else {
        replacements.append(SummaryTree<Entry>.Replacement(index ..< end, with: new))
      }
    }
    entries.replaceSubranges(replacements)
  }

  /// With fewer changes than this, entries are always replaced one by one.
  private static let manyChanges = 64
  /// Up to this many entries for each change, one pass over all entries is faster than a search for
  /// each change.
  private static let entriesPerChange = 32

  /// The entries with changes, which are in the order of keys, one for each key.
  private func merged(with changes: [(key: UInt64, difference: Int)]) -> [Entry] {
    var result: [Entry] = []
    result.reserveCapacity(entries.count + changes.count)
    var next = 0
    entries.forEachLeaf { entries in
      for var entry in entries {
        while next < changes.count, changes[next].key < entry.key {
          result.append(Entry(key: changes[next].key, difference: changes[next].difference))
          next += 1
        }
        if next < changes.count, changes[next].key == entry.key {
          entry.difference += changes[next].difference
          next += 1
        }
        if entry.difference != 0 { result.append(entry) }
      }
    }
    result += changes[next...].map { Entry(key: $0.key, difference: $0.difference) }
    return result
  }

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int { entries.count * MemoryLayout<Entry>.stride * 2 }
}
