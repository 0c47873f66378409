// SPDX-License-Identifier: Apache-2.0

// All calls of the C library in this module.

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension CollectionTime {
  /// The current time of the system's clock, which may be set back.
  public static var now: CollectionTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return CollectionTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }
}

/// Why a call of the system failed.
struct SystemError: Error, CustomStringConvertible {
  private let code: CInt

  /// The error of the last call (`errno`).
  fileprivate static var last: SystemError { SystemError(code: errno) }

  var isMissing: Bool { code == ENOENT }
  var isReadOnly: Bool { code == EROFS || code == EACCES }
  var description: String { unsafe String(cString: strerror(code)) }
}

/// A file that is open for reading and writing until its owner closes it.
struct SystemFile: Sendable {
  private let descriptor: CInt

  /// Opens the file, or creates it.
  init(path: String) throws(SystemError) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .last }
  }

  /// Opens an existing file, for reading only.
  init(reading path: String) throws(SystemError) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
  }

  func closeFile() { close(descriptor) }

  /// - Throws: `SystemError` if the status cannot be read.
  func status() throws(SystemError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
    return FileStatus(status)
  }

  /// Locks the file (`flock`) against every other descriptor of it, without waiting.
  ///
  /// - Returns: false = it is locked.
  func lock() throws(SystemError) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
    guard errno == EWOULDBLOCK else { throw .last }
    return false
  }

  /// Unlocks the file. Closing it would not be enough while a child process holds a copy of the
  /// descriptor, between fork and exec.
  func unlock() { flock(descriptor, LOCK_UN) }

  /// The first bytes, at most `count`; empty if they cannot be read.
  func start(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = unsafe pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, found)))
  }

  /// The bytes from an offset on, fewer than `count` only at the end of the file.
  func bytes(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var found = 0
    while found < count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor,
          buffer.baseAddress.map { unsafe $0 + found },
          count - found,
          off_t(offset) + off_t(found)
        )
      }
      if more < 0 { throw .last }
      if more == 0 { break }
      found += more
    }
    return found == count ? bytes : Array(bytes.prefix(found))
  }

  /// Replaces some bytes, without waiting until they are on the disk.
  func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    guard unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
      throw .last
    }
  }

  /// Replaces the contents, and returns once they are on the disk.
  func overwrite(with bytes: [UInt8]) throws(SystemError) {
    // Overwritten first and truncated second, so that the file is not empty if the process crashes
    // in between.
    guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
      ftruncate(descriptor, off_t(bytes.count)) == 0, fsync(descriptor) == 0
    else { throw .last }
  }

  /// Takes `size` bytes of the file system, by writing zeros.
  func fill(to size: Int64) throws(SystemError) {
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    var end: Int64 = 0
    while end < size {
      let count = Int(min(size - end, Int64(zeros.count)))
      let written = unsafe pwrite(descriptor, zeros, count, off_t(end))
      guard written > 0 else { throw .last }
      end += Int64(written)
    }
  }
}

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

  fileprivate init(_ status: stat) {
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

  /// Gives a file a second name, which must not exist.
  static func link(_ path: String, as name: String) throws(SystemError) {
    guard systemLink(path, name) == 0 else { throw .last }
  }

  /// The folder that a file is in; "." if the path names none.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes a file.
  ///
  /// - Returns: false = there was none, or it cannot be removed.
  static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// The number of this process.
  static var ownProcess: String { String(getpid()) }
}

/// Calls the system's `link`, whose name a method above hides.
private func systemLink(_ path: String, _ name: String) -> CInt { unsafe link(path, name) }
