// SPDX-License-Identifier: Apache-2.0

extension ViewportSession {
  /// Gives the frames that led to this state other numbers, as in a session in the same state.
  ///
  /// Nothing is lost: what happened before a session began has numbers below 1 in it, and its old
  /// numbers again in a session that is older.
  ///
  /// - Parameter lastFrame: the number of the newest frame.
  /// - Complexity: O(live elements)
  mutating func renumber(lastFrame: UInt64) {
    let shift = Self.shift(from: self.lastFrame, to: lastFrame)
    live.renumber(by: shift)
    adjustments.renumber(by: shift)
    rendererOffsets.value?.renumber(by: shift)
  }

  /// What the numbers of frames are above those in a session in which the newest frame has number
  /// `other`.
  static func shift(from other: UInt64, to lastFrame: UInt64) -> Int64 {
    Int64(clamping: lastFrame) - Int64(clamping: other)
  }
}
