// SPDX-License-Identifier: Apache-2.0

extension Range<Int> {
  /// The first number for which a condition holds; `upperBound` = it holds for none. If it holds
  /// for a number, it must hold for all greater ones.
  ///
  /// - Complexity: O(log n)
  @inlinable
  package func partitioningIndex(where condition: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array {
  /// The index of the first element for which a condition holds; `count` = it holds for none. If it
  /// holds for an element, it must hold for all later ones.
  ///
  /// - Complexity: O(log n)
  @inlinable
  package func partitioningIndex(where condition: (Element) -> Bool) -> Int {
    indices.partitioningIndex { condition(self[$0]) }
  }
}
