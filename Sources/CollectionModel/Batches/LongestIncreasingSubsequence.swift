// SPDX-License-Identifier: Apache-2.0

/// The positions of a longest strictly increasing subsequence, in ascending order: these elements
/// can stay while the others are moved.
///
/// Patience sorting (Fredman, "On computing the length of longest increasing subsequences", 1975).
///
/// - Complexity: O(n log n); O(n) for a sequence that already increases.
func longestIncreasingSubsequence(_ values: [Int]) -> [Int] {
  /// For each length, the position of the last element of that increasing subsequence which ends
  /// with the lowest value.
  var tails: [Int] = []
  var previous = [Int](repeating: -1, count: values.count)
  for (i, value) in values.enumerated() {
    var length = tails.count
    if let last = tails.last, values[last] >= value {
      length = tails.indices.partitioningIndex { values[tails[$0]] >= value }
    }
    previous[i] = length > 0 ? tails[length - 1] : -1
    if length == tails.count { tails.append(i) } else { tails[length] = i }
  }
  var result: [Int] = []
  result.reserveCapacity(tails.count)
  var next = tails.last ?? -1
  while next >= 0 {
    result.append(next)
    next = previous[next]
  }
  return result.reversed()
}
