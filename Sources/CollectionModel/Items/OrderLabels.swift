// SPDX-License-Identifier: Apache-2.0

/// Order labels: numbers that grow along a sequence, with gaps between them.
///
/// An edit elsewhere shifts the index of an element but not its label, so that a binary search for
/// the label still finds the element. New elements take labels from the gaps.
enum OrderLabels {
  /// The usual gap between neighbours of a new sequence: 2²⁴ elements fit at or above `first`, and
  /// about as many below it.
  static let step: UInt64 = 1 << 38
  /// The label of the first element of a new sequence.
  static let first: UInt64 = 1 << 62
  /// All labels are below this one, and above 0.
  static let end: UInt64 = 1 << 63

  /// The label of an element of a new sequence.
  ///
  /// The elements of a sequence of more than 2²⁴ are closer together than `step`, so that all
  /// labels are below `end`.
  ///
  /// - Parameter count: the number of elements in the new sequence, or an upper bound of it.
  /// - Precondition: `index` is within 0 ..< count.
  static func label(ofNew index: Int, of count: Int) -> UInt64 {
    // Does not overflow: index · gap < count · gap ≤ end − first.
    let gap = min(step, (end - first) / UInt64(max(count, 1)))
    return first + UInt64(index) * gap
  }

  /// `count` labels between two others, in ascending order and evenly spaced; nil if there is no
  /// room for so many.
  ///
  /// - Parameter previous: the label before them; nil = the sequence begins here.
  /// - Parameter next: the label after them; nil = the sequence ends here.
  /// - Precondition: `count` is not negative.
  static func labels(_ count: Int, between previous: UInt64?, and next: UInt64?) -> [UInt64]? {
    let needed = UInt64(count)
    switch (previous, next) {
    case (nil, nil):
      return (0 ..< count).map { label(ofNew: $0, of: count) }
    case (let previous?, nil):
      // A batch may bring so many elements that (needed + 1) · step would overflow, so this
      // divides.
      guard previous < end, needed < (end - previous - 1) / step else { return nil }
      return (0 ..< needed).map { previous + ($0 + 1) * step }
    case (nil, let next?):
      guard next > 0, needed < (next - 1) / step else { return nil }
      return (0 ..< needed).map { next - (needed - $0) * step }
    case (let previous?, let next?):
      guard previous < next else { return nil }
      let room = (next - previous) / (needed + 1)
      guard room > 0 else { return nil }
      return (0 ..< needed).map { previous + ($0 + 1) * room }
    }
  }
}
