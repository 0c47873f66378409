// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// How much was written of which the client has not said that it has it.
struct BytesInFlight: Sendable {
  /// Up to that a write does not wait for the client: a stream takes as much before it has read
  /// anything.
  static let few = 8 << 10
  /// Beyond that no frame is built before the client has taken what was written: it would stay here, and be
  /// outdated when the client reads on. As much is on its way where a client reads.
  static let many = 64 << 10

  private var written = 0
  private var received = 0
  /// How much was written up to each frame that is not acknowledged; a window holds eight.
  private var marks: Deque<(frame: UInt64, written: Int)> = []
  /// Whether the client has taken what was written, as far as the connection has room for more.
  private var isTaken = true

  var count: Int { written - received }
  /// All that was written.
  var total: Int { written }

  mutating func add(_ bytes: Int) {
    written += bytes
    isTaken = false
  }

  /// Whether the client has to take what was written before a frame is built. What asks waits for that then.
  mutating func mustBeTaken() -> Bool {
    guard !isTaken, count > Self.many else { return false }
    isTaken = true
    return true
  }

  mutating func sent(frame: UInt64) { marks.append((frame, written)) }

  mutating func received(frame: UInt64) {
    while let first = marks.first, first.frame <= frame {
      received = first.written
      marks.removeFirst()
    }
  }
}
