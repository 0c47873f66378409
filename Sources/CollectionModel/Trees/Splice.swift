// SPDX-License-Identifier: Apache-2.0

/// A range of an old sequence and the range of the new one that takes its place.
@frozen
public struct Splice: Hashable, Sendable {
  public var old: Range<Int>
  public var new: Range<Int>

  @inlinable
  public init(old: Range<Int>, new: Range<Int>) {
    self.old = old
    self.new = new
  }
}

extension Range where Bound == Int {
  /// How many places there are, or as many as an integer can say: bounds from outside may lie farther
  /// apart.
  var size: Int {
    let (size, overflows) = upperBound.subtractingReportingOverflow(lowerBound)
    return overflows ? Int.max : size
  }
}
