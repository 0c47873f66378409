// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The system's status of a file (`stat`).
struct FileStatus: Hashable, Sendable {
  /// Identifies a file on this machine, whatever its path.
  struct Key: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  var key: Key
  /// Size in bytes.
  var size: Int64
  var isDirectory: Bool

  /// - Returns: nil if there is no such file, or its status cannot be read.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: CInt) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    key = Key(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino)
    )
    size = Int64(status.st_size)
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
  }
}

enum FilePath {
  /// The absolute path without symbolic links; unchanged if there is no such file yet.
  static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Bytes available on the file system of a file; nil = not known.
  static func freeBytes(besides path: String) -> Int64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize)
    )
    return overflow ? .max : Int64(clamping: bytes)
  }
}
