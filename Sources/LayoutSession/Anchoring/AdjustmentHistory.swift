// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The offset adjustments of past frames. An offset that a client read in an older frame is brought
/// up to date by adding those of later frames. All points are vectors in content coordinates.
struct AdjustmentHistory: Sendable {
  /// For each frame with an adjustment, the oldest first, the sum of all adjustments up to and
  /// including it.
  private var sums: [(frame: Int64, sum: Point)] = []
  /// The sum of the adjustments of all frames before the first of `sums`.
  private var base = Point.zero
  /// The sum of all adjustments.
  private var total = Point.zero

  /// How many frames with an adjustment are kept. At most eight frames are in flight, so a client
  /// is never this far behind.
  private static let capacity = 64

  /// Roughly the memory in use, in bytes.
  var byteCount: Int { sums.capacity * MemoryLayout<(frame: Int64, sum: Point)>.stride }

  /// Records the adjustment of a frame, which is newer than all recorded before.
  mutating func record(_ adjustment: Point, of frame: UInt64) {
    guard adjustment != .zero else { return }
    total = total + adjustment
    sums.append((Int64(clamping: frame), total))
    if sums.count > Self.capacity { base = sums.removeFirst().sum }
  }

  /// Adds to the numbers of all frames. Those that are below 1 then are from before the session, in
  /// one that has joined others.
  mutating func renumber(by shift: Int64) {
    for index in sums.indices { sums[index].frame &+= shift }
  }

  /// Whether another history answers all questions about the frames of this one alike.
  ///
  /// - Parameters:
  ///   - shift: what the numbers of frames are here above those in `other`.
  ///   - first: the first frame that matters.
  func isSame(as other: AdjustmentHistory, shift: Int64, from first: Int64) -> Bool {
    // Most histories are empty.
    if sums.isEmpty, other.sums.isEmpty { return true }
    var renumbered = other
    renumbered.renumber(by: shift)
    let (mine, its) = (steps(from: first), renumbered.steps(from: first))
    return mine.count == its.count && zip(mine, its).allSatisfy { $0 == $1 }
  }

  /// The adjustment of each frame that has one.
  private func steps(from first: Int64) -> [(frame: Int64, step: Point)] {
    var before = base
    var steps: [(frame: Int64, step: Point)] = []
    for entry in sums {
      if entry.frame >= first { steps.append((entry.frame, entry.sum - before)) }
      before = entry.sum
    }
    return steps
  }

  /// Moves the adjustments of the frames between `first` and `last`, both exclusive, to `frame`,
  /// because the client did not apply those frames.
  ///
  /// - Precondition: `frame` is newer than all frames that were recorded.
  /// - Returns: the sum of the adjustments that were moved.
  mutating func postpone(after first: UInt64, before last: UInt64, to frame: UInt64) -> Point {
    var postponed = Point.zero
    let (first, last) = (Int64(clamping: first), Int64(clamping: last))
    var kept: [(frame: Int64, sum: Point)] = []
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
    let frame = Int64(clamping: frame)
    guard let last = sums.last, last.frame > frame else { return .zero }
    return total - (sums.last { $0.frame <= frame }?.sum ?? base)
  }
}
