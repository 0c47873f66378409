// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// The index of the first element for which a condition holds; `count` = it holds for none. If it
  /// holds for an element, it must hold for all later ones.
  ///
  /// - Complexity: O(log n)
  func partitioningIndex(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
