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
    clock_gettime(CLOCK_REALTIME, &time)
    return CollectionTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  public static func < (a: CollectionTime, b: CollectionTime) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }
}
