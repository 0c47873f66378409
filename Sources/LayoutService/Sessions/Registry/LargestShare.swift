// SPDX-License-Identifier: Apache-2.0

internal import HeapModule

/// Finds who has the largest share of something.
///
/// A heap with lazy deletion: stale entries are skipped when they reach the top.
struct LargestShare<Key: Hashable & Sendable>: Sendable {
  private struct Entry: Comparable, Sendable {
    var share: Double
    /// Grows with each change; tells an entry from stale ones.
    var number: UInt64
    var key: Key

    /// Of equal shares, the one unchanged for longest ranks highest.
    static func < (a: Entry, b: Entry) -> Bool {
      a.share == b.share ? a.number > b.number : a.share < b.share
    }

    static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
  }

  private var shares: [Key: Entry] = [:]
  private var heap = Heap<Entry>()
  private var changes: UInt64 = 0

  /// - Parameter share: 0 = none.
  /// - Complexity: O(log n) on average.
  mutating func set(_ share: Double, of key: Key) {
    guard share > 0 else {
      shares[key] = nil
      return
    }
    changes += 1
    let entry = Entry(share: share, number: changes, key: key)
    shares[key] = entry
    heap.insert(entry)
    guard heap.count > 4 * shares.count + 64 else { return }
    heap = Heap(shares.values)
  }

  /// The owner with the largest share; of equal shares, the one unchanged for longest; nil = nobody
  /// has any.
  ///
  /// - Complexity: O(log n) on average.
  mutating func largest() -> Key? {
    while let top = heap.max {
      if shares[top.key] == top { return top.key }
      heap.removeMax()
    }
    return nil
  }
}
