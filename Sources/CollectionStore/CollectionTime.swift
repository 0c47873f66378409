// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A moment of the calendar, as seconds since 1970 and the nanoseconds beyond.
public struct CollectionTime: Hashable, Comparable, Sendable {
  public var seconds: Int64
  /// 0 ..< 1,000,000,000.
  public var nanoseconds: Int32

  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// What the system's clock says.
  public static var now: CollectionTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return CollectionTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  public static func < (a: CollectionTime, b: CollectionTime) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }

  /// Whole seconds from an earlier moment to this one, negative where it is later. Clamped, since
  /// moments are read from files and may be any.
  func seconds(since earlier: CollectionTime) -> Int64 {
    let (difference, overflow) = seconds.subtractingReportingOverflow(earlier.seconds)
    return overflow ? (seconds < 0 ? .min : .max) : difference
  }

  /// The moment so many seconds before, clamped.
  func earlier(by amount: Int64) -> CollectionTime {
    let (difference, overflow) = seconds.subtractingReportingOverflow(amount)
    return CollectionTime(
      seconds: overflow ? (amount > 0 ? .min : .max) : difference,
      nanoseconds: nanoseconds
    )
  }
}
