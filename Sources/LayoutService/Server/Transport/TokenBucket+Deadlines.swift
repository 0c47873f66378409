// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

// Token buckets in the time of event loops.
extension TokenBucket {
  /// - Parameter period: at least a nanosecond for each token.
  init(tokens: Int, period: TimeAmount) { self.init(tokens: tokens, per: period.nanoseconds) }

  /// A limit per second, a fifth of which may come at once.
  init(perSecond tokens: Int) {
    self.init(tokens: Self.burst(perSecond: tokens), period: .milliseconds(200))
  }

  /// How many of a limit per second may come at once.
  static func burst(perSecond tokens: Int) -> Int { max(1, tokens / 5) }

  mutating func take(_ count: Int, at now: NIODeadline) -> Bool { take(count, at: now.time) }

  /// Counts one event if it is within the limit.
  mutating func admits(at now: NIODeadline) -> Bool { admit(at: now.time) == nil }

  func wait(at now: NIODeadline) -> TimeAmount { .nanoseconds(wait(at: now.time)) }

  func load(at now: NIODeadline) -> Double { load(at: now.time) }
}

extension NIODeadline {
  fileprivate var time: Int64 { Int64(clamping: uptimeNanoseconds) }
}
