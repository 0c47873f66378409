// SPDX-License-Identifier: Apache-2.0

/// Limits events to a number per period, all of which may come at once.
///
/// A token bucket stored as one point in time: until when all events so far are paid for, each at
/// its share of the period (the "virtual scheduling" form of ITU-T I.371's generic cell rate
/// algorithm). Every operation is O(1).
///
/// `take` counts events even if they exceed the limit, `admit` only if they do not. Times are
/// nanoseconds of any clock.
struct TokenBucket: Hashable, Sendable {
  private let period: Int64
  private let cost: Int64
  private var paidUntil: Int64 = .min

  /// The sum of a time and two periods does not overflow, nor does the difference of two times:
  /// times are at most a quarter of the range, which is 73 years, and periods an eighth.
  private static let latest = Int64.max / 4
  private static let longestPeriod = Int64.max / 8

  /// - Parameters:
  ///   - tokens: the number of events, at least 1.
  ///   - nanoseconds: the period, at least one nanosecond for each token.
  init(tokens: Int, per nanoseconds: Int64) {
    period = min(max(1, nanoseconds), Self.longestPeriod)
    cost = max(1, period / Int64(max(1, tokens)))
  }

  /// - Parameters:
  ///   - tokens: the number of events per second, at least 1.
  ///   - burst: how many may come at once, at least 1.
  init(perSecond tokens: Int, burst: Int) {
    cost = max(1, 1_000_000_000 / Int64(max(1, tokens)))
    let (product, overflow) = cost.multipliedReportingOverflow(by: Int64(max(1, burst)))
    period = overflow ? Self.longestPeriod : min(product, Self.longestPeriod)
  }

  /// The same events under another limit. The part of the limit that is used up stays the same if
  /// both have the same period.
  func changed(toPerSecond tokens: Int, burst: Int) -> TokenBucket {
    var changed = TokenBucket(perSecond: tokens, burst: burst)
    changed.paidUntil = paidUntil
    return changed
  }

  /// Counts events, including those above the limit. A sender who does not slow down stays above
  /// it.
  ///
  /// The debt is at most one period, so that an hour of abuse is not followed by an hour of
  /// refusals.
  ///
  /// - Returns: whether they are within the limit.
  mutating func take(_ count: Int, at nanoseconds: Int64) -> Bool {
    let now = Self.bounded(nanoseconds)
    let price = cost.multipliedReportingOverflow(by: Int64(clamping: count))
    let limit = now + 2 * period
    let begin = max(paidUntil, now)
    paidUntil =
      price.overflow || price.partialValue > limit - begin
      ? limit : begin + price.partialValue
    return paidUntil - now <= period
  }

  /// Counts one event if it is within the limit.
  ///
  /// - Returns: how long until it is allowed, in nanoseconds; nil = it was within the limit and is
  ///   counted.
  mutating func admit(at nanoseconds: Int64) -> Int64? {
    let wait = wait(at: nanoseconds)
    guard wait == 0 else { return wait }
    _ = take(1, at: nanoseconds)
    return nil
  }

  /// How long until another event is allowed, in nanoseconds; 0 = it is allowed now.
  func wait(at nanoseconds: Int64) -> Int64 {
    let now = Self.bounded(nanoseconds)
    guard paidUntil > now else { return 0 }
    return max(0, paidUntil - now + cost - period)
  }

  /// The part of the limit that is used up, from 0 to 1; more if the limit is exceeded.
  func load(at nanoseconds: Int64) -> Double {
    let now = Self.bounded(nanoseconds)
    return paidUntil > now ? Double(paidUntil - now) / Double(period) : 0
  }

  private static func bounded(_ nanoseconds: Int64) -> Int64 {
    min(max(-latest, nanoseconds), latest)
  }
}

extension TokenBucket {
  /// A bucket for the events of one stream.
  init(_ limits: ServerLimits) {
    self.init(perSecond: limits.eventsPerSecond, burst: limits.eventBurst)
  }

  /// Counts one event if it is within the limit.
  ///
  /// - Returns: how long until it is allowed; nil = it was within the limit and is counted.
  mutating func admit(at instant: ContinuousClock.Instant) -> Duration? {
    admit(at: Self.origin.duration(to: instant).wholeNanoseconds).map { .nanoseconds($0) }
  }

  /// Whether another event is above the limit.
  func mustWait(at instant: ContinuousClock.Instant) -> Bool {
    wait(at: Self.origin.duration(to: instant).wholeNanoseconds) > 0
  }

  /// Whether any part of the limit is used up.
  func isUsed(at instant: ContinuousClock.Instant) -> Bool {
    load(at: Self.origin.duration(to: instant).wholeNanoseconds) > 0
  }

  /// The origin of instants, which may be earlier or later.
  private static let origin = ContinuousClock.now
}
