// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The processor time of a thread, which excludes the time that it waited.
package enum ProcessorTime {
  /// The processor time of the calling thread, in seconds.
  package static var ofThread: Double {
    var time = timespec()
    // Fails only for clocks that do not exist.
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
