// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// What a thread has worked: unlike the time on the wall, without what it waited for others.
enum ProcessorTime {
  /// The processor time of the calling thread, in seconds.
  static var ofThread: Double {
    var time = timespec()
    // It fails only for clocks that do not exist.
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
