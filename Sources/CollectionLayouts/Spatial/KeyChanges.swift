// SPDX-License-Identifier: Apache-2.0

/// By how much the numbers of items change, by key.
struct KeyChanges {
  private var changes: [(key: UInt64, difference: Int)] = []

  mutating func add(_ difference: Int, at key: UInt64) { changes.append((key, difference)) }

  mutating func add(_ other: KeyChanges) { changes += other.changes }

  /// The changes in the order of keys, one for each key. Those that cancel each other are left out.
  ///
  /// - Complexity: O(changes · log changes)
  func summed() -> [(key: UInt64, difference: Int)] {
    var sums: [(key: UInt64, difference: Int)] = []
    for change in changes.sorted(by: { $0.key < $1.key }) {
      if let last = sums.indices.last, sums[last].key == change.key {
        sums[last].difference += change.difference
      } else {
        if let last = sums.last, last.difference == 0 { sums.removeLast() }
        sums.append(change)
      }
    }
    if let last = sums.last, last.difference == 0 { sums.removeLast() }
    return sums
  }
}
