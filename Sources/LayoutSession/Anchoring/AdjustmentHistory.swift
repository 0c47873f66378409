// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What offset adjustments later frames made, so that an offset read in an older one can be
/// brought up to date.
struct AdjustmentHistory: Sendable {
  /// The sum of all adjustments up to and including a frame.
  private var sums: [(frame: UInt64, sum: Point)] = []
  /// That of the frames before the first of `sums`.
  private var base = Point.zero
  private var total = Point.zero

  /// Clients lag a window's worth of frames behind, not hundreds.
  private static let capacity = 64

  /// What it keeps in memory, in bytes.
  var byteCount: Int { sums.capacity * MemoryLayout<(frame: UInt64, sum: Point)>.stride }

  mutating func record(_ adjustment: Point, of frame: UInt64) {
    guard adjustment != .zero else { return }
    total = total + adjustment
    sums.append((frame, total))
    if sums.count > Self.capacity { base = sums.removeFirst().sum }
  }

  /// Puts off to `frame` what the frames between `first` and `last` adjusted, both exclusive: the
  /// client applied none of them.
  ///
  /// - Precondition: `frame` comes after all that were recorded.
  /// - Returns: what was put off.
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

  /// What the frames after `frame` adjusted, all together.
  func adjustment(since frame: UInt64) -> Point {
    guard let last = sums.last, last.frame > frame else { return .zero }
    return total - (sums.last { $0.frame <= frame }?.sum ?? base)
  }
}
