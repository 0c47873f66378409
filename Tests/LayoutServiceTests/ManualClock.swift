// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that stands still until it is moved.
final class ManualClock: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
