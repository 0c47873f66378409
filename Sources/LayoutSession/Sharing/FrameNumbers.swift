// SPDX-License-Identifier: Apache-2.0

/// The numbers that the frames of one session have in another one, in which the newest frame has
/// another number.
struct FrameNumbers {
  private let last: UInt64
  private let otherLast: UInt64

  /// - Parameters:
  ///   - last: the number of the newest frame in the session whose numbers are given.
  ///   - otherLast: the number of the same frame in the other session.
  init(_ last: UInt64, as otherLast: UInt64) {
    self.last = last
    self.otherLast = otherLast
  }

  /// nil = the other session had no such frame: it began with a later one.
  subscript(frame: UInt64) -> UInt64? {
    guard frame <= last else { return nil }
    let age = last - frame
    return age < otherLast ? otherLast - age : nil
  }
}

extension ViewportSession {
  /// Gives the frames that led to this state other numbers, as in a session in the same state.
  ///
  /// - Parameter lastFrame: the number of the newest frame. Elements that are older than the
  ///   session with these numbers came with its first frame.
  /// - Complexity: O(live elements)
  mutating func renumber(lastFrame: UInt64) {
    let numbers = FrameNumbers(self.lastFrame, as: lastFrame)
    live.renumber { numbers[$0] ?? 1 }
    adjustments.renumber { numbers[$0] }
    rendererOffsets.value?.renumber { numbers[$0] ?? 1 }
  }
}
