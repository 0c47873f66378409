// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The statistics of the streams of one connection. These are few enough that they rarely contend
/// for the lock. A histogram for each stream would take more memory than the stream itself.
final class LoadShard: Sendable {
  private let statistics: Mutex<LoadStatistics>

  init(start: Duration, end: Duration) {
    statistics = Mutex(LoadStatistics(start: start, end: end))
  }

  func update(_ body: (inout sending LoadStatistics) -> Void) {
    statistics.withLock { body(&$0) }
  }

  var current: LoadStatistics { statistics.withLock { $0 } }

  func takeRecent() -> LatencyHistogram { statistics.withLock { $0.takeRecent() } }
}

/// The time since the beginning of a run.
struct LoadClock: Sendable {
  private let start = ContinuousClock.now

  var now: Duration { start.duration(to: .now) }

  /// Sleeps until a time of the run.
  ///
  /// - Throws: `CancellationError`.
  func sleep(until time: Duration) async throws {
    try await Task.sleep(until: start + time, tolerance: .zero)
  }
}
