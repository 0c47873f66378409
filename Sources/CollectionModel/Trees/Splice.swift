// SPDX-License-Identifier: Apache-2.0

/// A range of indices in an old sequence, and the range of the new sequence that takes its place.
///
/// Either range may be empty: an insertion has no old elements, a deletion no new ones.
@frozen
public struct Splice: Hashable, Sendable {
  /// The indices of the replaced elements, counted in the old sequence.
  public var old: Range<Int>
  /// The indices of their replacements, counted in the new sequence.
  public var new: Range<Int>

  /// Replaces `old` by `new`.
  @inlinable
  public init(old: Range<Int>, new: Range<Int>) {
    self.old = old
    self.new = new
  }
}

extension Range where Bound == Int {
  /// The number of indices in the range, or `Int.max` where the difference of the bounds overflows:
  /// a client chooses both bounds, so `count` could trap.
  var size: Int {
    let (size, overflows) = upperBound.subtractingReportingOverflow(lowerBound)
    return overflows ? Int.max : size
  }
}
