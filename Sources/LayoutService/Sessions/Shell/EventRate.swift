// SPDX-License-Identifier: Apache-2.0

/// How many events a stream may still send: a bucket that fills at a steady rate.
struct EventRate {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  private var lastFill: ContinuousClock.Instant

  @inline(never)
  init(_ limits: ServerLimits, now: ContinuousClock.Instant) {
    self.init(perSecond: limits.eventsPerSecond, burst: limits.eventBurst, now: now)
  }

  init(perSecond: Int, burst: Int, now: ContinuousClock.Instant) {
    self.perSecond = Double(max(1, perSecond))
    self.burst = Double(max(1, burst))
    tokens = self.burst
    lastFill = now
  }

  /// Takes one event.
  ///
  /// - Returns: how long until there is room for it; nil = there is now.
  mutating func take(now: ContinuousClock.Instant) -> Duration? {
    let elapsed = max(.zero, now - lastFill)
    tokens = min(burst, tokens + elapsed / .seconds(1) * perSecond)
    lastFill = max(lastFill, now)
    guard tokens < 1 else {
      tokens -= 1
      return nil
    }
    return .seconds((1 - tokens) / perSecond)
  }
}
