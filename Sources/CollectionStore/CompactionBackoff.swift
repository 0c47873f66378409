// SPDX-License-Identifier: Apache-2.0

/// Decides when a snapshot that could not be written is retried: exponential backoff from 10
/// seconds, doubling with each failure, up to one hour.
struct CompactionBackoff: Sendable {
  private var failures = 0
  private var lastFailure = CollectionTime(seconds: 0)

  private static let firstDelay: Int64 = 10
  private static let longestDelay: Int64 = 3600

  /// Seconds from the last failure to the next try; defined only after a failure.
  private var delay: Int64 {
    min(Self.firstDelay << Int64(min(failures - 1, 20)), Self.longestDelay)
  }

  /// Whether compaction may run now. Also true if the clock was set back to before the last
  /// failure: a retry would otherwise wait until the clock has caught up.
  ///
  /// - Parameter isUrgent: whether it may run after the first delay, whatever failed since.
  func allowsTry(at now: CollectionTime, isUrgent: Bool = false) -> Bool {
    failures == 0 || now < lastFailure
      || now.seconds(since: lastFailure) >= (isUrgent ? Self.firstDelay : delay)
  }

  mutating func failed(at now: CollectionTime) {
    failures += 1
    lastFailure = now
  }

  mutating func succeeded() { failures = 0 }
}
