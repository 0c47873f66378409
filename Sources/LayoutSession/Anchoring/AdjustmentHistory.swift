// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The offset adjustments of past frames. An offset that a client read in an older frame is brought
/// up to date by adding those of later frames. All points are vectors in content coordinates.
struct AdjustmentHistory: Sendable {
  /// For each frame with an adjustment, the oldest first, the sum of all adjustments up to and
  /// including it.
  private var sums: [(frame: UInt64, sum: Point)] = []
  /// The sum of the adjustments of all frames before the first of `sums`.
  private var base = Point.zero
  /// The sum of all adjustments.
  private var total = Point.zero

  /// How many frames with an adjustment are kept. At most eight frames are in flight, so a client
  /// is never this far behind.
  private static let capacity = 64

  /// Roughly the memory in use, in bytes.
  var byteCount: Int { sums.capacity * MemoryLayout<(frame: UInt64, sum: Point)>.stride }

  /// Records the adjustment of a frame, which is newer than all recorded before.
  mutating func record(_ adjustment: Point, of frame: UInt64) {
    guard adjustment != .zero else { return }
    total = total + adjustment
    sums.append((frame, total))
    if sums.count > Self.capacity { base = sums.removeFirst().sum }
  }

  /// Gives all frames other numbers.
  ///
  /// - Parameter number: keeps their order; nil = the client never had that frame, as at the start
  ///   of a session, nor any before it.
  mutating func renumber(_ number: (UInt64) -> UInt64?) {
    for (frame, sum) in sums where number(frame) == nil { base = sum }
    sums = sums.compactMap { entry in number(entry.frame).map { ($0, entry.sum) } }
  }

  /// Whether another history answers all questions about these frames alike.
  ///
  /// - Parameter number: gives the frames of `other` the numbers that they have here, as for
  ///   `renumber`.
  func isSame(as other: AdjustmentHistory, _ number: (UInt64) -> UInt64?) -> Bool {
    // Most histories are empty.
    if sums.isEmpty, other.sums.isEmpty { return true }
    var renumbered = other
    renumbered.renumber(number)
    return sums.map(\.frame) == renumbered.sums.map(\.frame)
      && zip(sums, renumbered.sums).allSatisfy { $0.sum - base == $1.sum - renumbered.base }
      && total - base == renumbered.total - renumbered.base
  }

  /// Moves the adjustments of the frames between `first` and `last`, both exclusive, to `frame`,
  /// because the client did not apply those frames.
  ///
  /// - Precondition: `frame` is newer than all frames that were recorded.
  /// - Returns: the sum of the adjustments that were moved.
  mutating func postpone(after first: UInt64, before last: UInt64, to frame: UInt64) -> Point {
    var postponed = Point.zero
    var kept: [(frame: UInt64, sum: Point)] = []
    var before = base
    for entry in sums {
      let amount = entry.sum - before
      before = entry.sum
      if entry.frame > first, entry.frame < last {
        postponed = postponed + amount
      } else {
        kept.append((entry.frame, (kept.last?.sum ?? base) + amount))
      }
    }
    guard postponed != .zero else { return .zero }
    sums = kept
    total = kept.last?.sum ?? base
    record(postponed, of: frame)
    return postponed
  }

  /// The sum of the adjustments of all frames after `frame`.
  func adjustment(since frame: UInt64) -> Point {
    guard let last = sums.last, last.frame > frame else { return .zero }
    return total - (sums.last { $0.frame <= frame }?.sum ?? base)
  }
}
