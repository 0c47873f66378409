// SPDX-License-Identifier: Apache-2.0

/// The positions of a longest strictly increasing subsequence: what may stay where it is when the
/// rest is moved.
///
/// - Complexity: O(n log n); O(n) for a sequence that already increases.
func longestIncreasingSubsequence(_ values: [Int]) -> [Int] {
  /// The position of the lowest last value of a subsequence of each length.
  var tails: [Int] = []
  var previous = [Int](repeating: -1, count: values.count)
  for (i, value) in values.enumerated() {
    var length = tails.count
    if let last = tails.last, values[last] >= value {
      length = firstIndex(tails.count) { values[tails[$0]] >= value }
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
