// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which a condition holds; `endIndex` = it holds for none. If
  /// it holds for an element, it must hold for all later ones.
  ///
  /// - Complexity: O(log n)
  @inlinable
  package func partitioningIndex(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
