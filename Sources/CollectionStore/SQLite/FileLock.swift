// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Keeps a second server off a file. The system lets go of it when the process ends, however it
/// ends.
///
/// A file of its own is locked: closing any descriptor of the database's would drop the locks that
/// SQLite itself has on it.
final class FileLock: Sendable {
  /// nil = let go of.
  private let held: Mutex<CInt?>

  /// - Parameter path: of the lock file, which stays behind.
  /// - Throws: `StorageFault.inUse` with the process that has it, if it is known.
  init(path: String, of store: String) throws(StorageFault) {
    var status = stat()
    if stat(store, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw StorageFault(.notAStore, "\(store) is a directory; a file is needed")
    }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw StorageFault(
        errno == EROFS || errno == EACCES ? .readOnly : .unreachable,
        errno == ENOENT
          ? "cannot make \(store): its directory does not exist"
          : "cannot open \(path): \(Self.reason(errno))"
      )
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let reason = Self.reason(errno)
      let owner = Self.text(descriptor)
      close(descriptor)
      guard isTaken else {
        throw StorageFault(.unreachable, "cannot lock \(path): \(reason)")
      }
      throw StorageFault(
        .inUse,
        "\(store) is in use by another server\(owner.isEmpty ? "" : ", process \(owner)")"
      )
    }
    let owner = Array(String(getpid()).utf8)
    // For the message above; the lock does not depend on it.
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, owner, owner.count, 0) }
    held = Mutex(descriptor)
  }

  deinit { release() }

  func release() {
    let descriptor = held.withLock { $0.take() }
    guard let descriptor else { return }
    // Closing alone would leave it with a child process that has not yet called exec.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func text(_ descriptor: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)).filter { 48 ... 57 ~= $0 }, as: UTF8.self)
  }

  private static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }
}
