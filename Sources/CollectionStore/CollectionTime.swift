// SPDX-License-Identifier: Apache-2.0

/// A point in wall-clock time.
public struct CollectionTime: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z; negative before.
  public var seconds: Int64
  /// Nanoseconds after `seconds`, 0 ..< 1,000,000,000.
  public var nanoseconds: Int32

  /// The moment `seconds` and `nanoseconds` after 1970-01-01T00:00:00Z.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Whether `a` is earlier than `b`.
  public static func < (a: CollectionTime, b: CollectionTime) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }

  /// Seconds from `earlier` to this moment, nanoseconds ignored; negative if `earlier` is later.
  /// Clamped to `Int64`, because times read from a file may hold any number.
  func seconds(since earlier: CollectionTime) -> Int64 {
    let (difference, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    return overflow ? (seconds < 0 ? .min : .max) : difference
  }

  /// The moment `amount` seconds before this one, clamped to what `Int64` seconds can express.
  func earlier(by amount: Int64) -> CollectionTime {
    let (difference, overflow) = seconds.subtractingReportingOverflow(amount)
    return CollectionTime(
      seconds: overflow ? (amount > 0 ? .min : .max) : difference,
      nanoseconds: nanoseconds
    )
  }
}
