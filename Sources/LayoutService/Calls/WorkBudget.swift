// SPDX-License-Identifier: Apache-2.0

/// The units of work that one party may request, refilled at a steady rate up to a burst. Work is
/// charged when its cost is known, so the budget may be overdrawn, by one burst at most.
struct WorkBudget {
  private let perSecond: Double
  private let burst: Double
  private var units: Double
  private var lastFill: ContinuousClock.Instant

  init(perSecond: Int, burst: Int, now: ContinuousClock.Instant) {
    self.perSecond = Double(max(1, perSecond))
    self.burst = Double(max(1, burst))
    units = self.burst
    lastFill = now
  }

  /// How long until more work may begin; nil = it may begin now.
  mutating func wait(now: ContinuousClock.Instant) -> Duration? {
    fill(now)
    return units > 0 ? nil : .seconds((1 - units) / perSecond)
  }

  mutating func charge(_ cost: Double, now: ContinuousClock.Instant) {
    fill(now)
    units = max(-burst, units - max(0, cost))
  }

  /// Whether nothing is used up.
  mutating func isFull(now: ContinuousClock.Instant) -> Bool {
    fill(now)
    return units >= burst
  }

  private mutating func fill(_ now: ContinuousClock.Instant) {
    guard now > lastFill else { return }
    units = min(burst, units + (now - lastFill) / .seconds(1) * perSecond)
    lastFill = now
  }
}
