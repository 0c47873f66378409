// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Counts the bytes written to the client and not yet acknowledged.
struct BytesInFlight: Sendable {
  /// Up to this many bytes a write does not wait for the client: a stream accepts as many before
  /// the client has read anything.
  static let few = 8 << 10
  /// Beyond this many bytes no frame is built before the client has taken earlier writes: it would
  /// wait here and be stale once the client reads on. A client that reads has this much in flight.
  static let many = 64 << 10

  private var written = 0
  private var received = 0
  /// The bytes written up to each unacknowledged frame; a window holds eight frames.
  private var marks: Deque<(frame: UInt64, written: Int)> = []
  /// Whether the client has taken earlier writes, as far as the connection has room for more.
  private var isTaken = true

  var count: Int { written - received }
  /// All bytes ever written.
  var total: Int { written }

  mutating func add(_ bytes: Int) {
    written += bytes
    isTaken = false
  }

  /// Whether the client has to take earlier writes before a frame is built. The caller must then
  /// wait for that.
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
