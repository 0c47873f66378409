// SPDX-License-Identifier: Apache-2.0

/// When a snapshot that could not be written is tried again: after 10 seconds, then after twice as
/// long each time, up to an hour.
struct CompactionBackoff: Sendable {
  private var failures = 0
  private var lastFailure = CollectionTime(seconds: 0)

  private static let firstDelay: Int64 = 10
  private static let longestDelay: Int64 = 3600

  /// Seconds from the last failure to the next try.
  private var delay: Int64 {
    min(Self.firstDelay << Int64(min(failures - 1, 20)), Self.longestDelay)
  }

  /// Also true where the clock was set back, so that no try waits for longer than an hour.
  func allowsTry(at now: CollectionTime) -> Bool {
    failures == 0 || now < lastFailure || now.seconds(since: lastFailure) >= delay
  }

  mutating func failed(at now: CollectionTime) {
    failures += 1
    lastFailure = now
  }

  mutating func succeeded() { failures = 0 }
}
