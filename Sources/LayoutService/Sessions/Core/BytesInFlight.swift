// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// How much was written of which the client has not said that it has it.
struct BytesInFlight: Sendable {
  /// Up to that a write does not wait for the client: a stream takes as much before it has read
  /// anything.
  static let few = 8 << 10

  private var written = 0
  private var received = 0
  /// How much was written up to each frame that is not acknowledged; a window holds eight.
  private var marks: Deque<(frame: UInt64, written: Int)> = []

  var count: Int { written - received }
  /// All that was written.
  var total: Int { written }

  mutating func add(_ bytes: Int) { written += bytes }

  mutating func sent(frame: UInt64) { marks.append((frame, written)) }

  mutating func received(frame: UInt64) {
    while let first = marks.first, first.frame <= frame {
      received = first.written
      marks.removeFirst()
    }
  }
}
