// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Allows so many events in a period, and as many at once.
///
/// A token bucket that is kept as one point in time: until when all events so far are paid for, each
/// of them costing its share of the period (the "virtual scheduling" form of ITU-T I.371's generic
/// cell rate algorithm). Every operation is O(1).
struct TokenBucket: Hashable, Sendable {
  private let period: Int64
  private let cost: Int64
  private var paidUntil: Int64 = .min

  /// - Parameters:
  ///   - tokens: at least 1.
  ///   - period: at least a nanosecond for each token.
  init(tokens: Int, period: TimeAmount) {
    self.period = max(1, period.nanoseconds)
    cost = max(1, self.period / Int64(max(1, tokens)))
  }

  /// A limit for a second, of which a fifth may come at once.
  init(perSecond tokens: Int) {
    self.init(tokens: max(1, tokens / 5), period: .milliseconds(200))
  }

  /// Counts events, also those that are too many: whoever goes on does not come back into the limit.
  ///
  /// What is owed is at most one period, so that an hour of abuse is not paid for by an hour.
  ///
  /// - Returns: whether they are within the limit.
  mutating func take(_ count: Int, at now: NIODeadline) -> Bool {
    let now = Self.time(now)
    let price = cost.multipliedReportingOverflow(by: Int64(clamping: count))
    let limit = now + 2 * period
    let begin = max(paidUntil, now)
    paidUntil =
      price.overflow || price.partialValue > limit - begin
      ? limit : begin + price.partialValue
    return paidUntil - now <= period
  }

  /// How long until another event is within the limit; zero = it is.
  func wait(at now: NIODeadline) -> TimeAmount {
    let now = Self.time(now)
    guard paidUntil > now else { return .zero }
    return .nanoseconds(max(0, paidUntil - now + cost - period))
  }

  /// The part of the limit that is used up, from 0 to 1, and more where it is exceeded.
  func load(at now: NIODeadline) -> Double {
    let now = Self.time(now)
    return paidUntil > now ? Double(paidUntil - now) / Double(period) : 0
  }

  private static func time(_ deadline: NIODeadline) -> Int64 {
    // Half the range is 146 years: sums of a time and two periods do not overflow.
    Int64(clamping: min(deadline.uptimeNanoseconds, UInt64(Int64.max / 2)))
  }
}
