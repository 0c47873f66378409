// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Distinguishes one state of a file from another.
struct FileMark: Hashable, Sendable {
  private var device: UInt64
  private var number: UInt64
  private(set) var size: Int64
  /// Whether it is neither a folder nor a pipe, a socket or a device.
  let isRegular: Bool
  private var seconds: Int64
  private var nanoseconds: Int64

  /// The present state; nil = there is no such file, or it cannot be looked at.
  init?(_ path: String) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    #if canImport(Darwin)
    let time = info.st_mtimespec
    #else
    let time = info.st_mtim
    #endif
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
    size = Int64(info.st_size)
    isRegular = info.st_mode & S_IFMT == S_IFREG
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }
}
