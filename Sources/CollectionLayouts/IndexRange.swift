// SPDX-License-Identifier: Apache-2.0

extension Range where Bound == Int {
  /// The integers from `lowest` through `highest` that lie in `0..<count`.
  ///
  /// **Edge cases:** −∞ and NaN as `lowest`, ∞ and NaN as `highest` do not limit the range.
  /// `Int(_:)` cannot trap, because it only converts numbers from 0 to `count`.
  init(from lowest: Double, through highest: Double, count: Int) {
    let first = lowest > 0 ? (lowest < Double(count) ? Int(lowest.rounded(.up)) : count) : 0
    let end =
      highest >= 0
      ? (highest < Double(count) ? Int(highest.rounded(.down)) + 1 : count)
      : (highest.isNaN ? count : 0)
    self = first ..< Swift.max(first, Swift.min(end, count))
  }
}
