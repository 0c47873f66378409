// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Time that this thread spent computing, so that other work on the machine counts less.
public enum Clock {
  /// Seconds.
  public static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Seconds that `body` takes.
  public static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = now
    try body()
    return now - start
  }

  /// Seconds that pass until `body` is done, for what several threads do. Other work on the machine
  /// counts too.
  public static func elapsed(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// The median of some runs, in seconds.
  public static func median(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0 ..< runs { times.append(try time(body)) }
    return times.median
  }
}

extension [Double] {
  public var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}
