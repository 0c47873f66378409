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

  mutating func record(_ adjustment: Point, of frame: UInt64) {
    guard adjustment != .zero else { return }
    total = total + adjustment
    sums.append((frame, total))
    if sums.count > Self.capacity { base = sums.removeFirst().sum }
  }

  /// What the frames after `frame` adjusted, all together.
  func adjustment(since frame: UInt64) -> Point {
    guard let last = sums.last, last.frame > frame else { return .zero }
    return total - (sums.last { $0.frame <= frame }?.sum ?? base)
  }
}
