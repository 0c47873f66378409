// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Prevents a second server from opening the same store. The system releases the locks when the process
/// ends, even if it crashes.
///
/// Two files are locked (`flock`): the database itself, because its inode is the same under every name,
/// and the lock file beside it (`.lock`), which holds the process ID of the server and the line that
/// `StoreIdentity` reads at the next start.
///
/// SQLite locks the database with `fcntl`. A process loses these locks when it closes any descriptor of
/// the file, so the descriptor here is opened before SQLite's and closed after it, and a database that
/// this process has locked already is not opened again.
final class FileLock: Sendable {
  private struct Held {
    /// The descriptor of the database.
    var database: CInt
    /// The descriptor of the lock file.
    var note: CInt
    /// The identity of the database in `ownKeys`.
    var key: FileStatus.Key
  }

  /// nil = released.
  private let held: Mutex<Held?>

  /// The databases that this process has locked.
  private static let ownKeys = Mutex<Set<FileStatus.Key>>([])

  /// The lock file as it was found, without the process ID; "" = there was none.
  let earlierNote: String

  /// Locks the store, and creates an empty database file if there is none.
  ///
  /// - Parameters:
  ///   - path: the database's path without symbolic links.
  ///   - check: called with `earlierNote` before the database is opened or created; what it throws keeps
  ///     that from happening.
  /// - Throws: `StorageFault.inUse`, with the owner's process ID if it is known; `.notAStore` for a
  ///   directory; `.readOnly` or `.unreachable` if a file cannot be opened or locked; what `check` throws.
  init(
    path: String,
    check: (_ earlierNote: String) throws(StorageFault) -> Void
  ) throws(StorageFault) {
    if let status = FileStatus(path: path) {
      if status.isDirectory {
        throw StorageFault(.notAStore, "\(path) is a directory; give the path of a file")
      }
      if Self.ownKeys.withLock({ $0.contains(status.key) }) {
        throw Self.inUse(path, owner: String(getpid()))
      }
    }
    let note = try Self.open(Self.path(of: path), of: path)
    let database: CInt
    do throws(StorageFault) {
      try Self.lock(note, of: path, owner: Self.lines(note).owner)
      earlierNote = Self.lines(note).rest
      try check(earlierNote)
      database = try Self.open(path, of: path)
    } catch {
      close(note)
      throw error
    }
    do throws(StorageFault) {
      // The owner may have opened the database under another name, with another lock file, so its
      // process ID is not known.
      try Self.lock(database, of: path, owner: "")
      guard let key = FileStatus(descriptor: database)?.key else {
        throw StorageFault(.unreachable, "cannot read the status of \(path): \(Self.reason(errno))")
      }
      Self.ownKeys.withLock { _ = $0.insert(key) }
      held = Mutex(Held(database: database, note: note, key: key))
    } catch {
      close(database)
      close(note)
      throw error
    }
  }

  deinit { release() }

  /// Replaces the line in the lock file, and returns once it is on the disk.
  ///
  /// - Parameter line: without line breaks.
  /// - Throws: `StorageFault.unreachable`
  func write(_ line: String) throws(StorageFault) {
    let isWritten = held.withLock { held -> Bool in
      guard let held else { return false }
      let bytes = Array("\(getpid())\n\(line)\n".utf8)
      // Overwritten first and truncated second, so that the file is not empty if the process crashes in
      // between.
      return unsafe pwrite(held.note, bytes, bytes.count, 0) == bytes.count
        && ftruncate(held.note, off_t(bytes.count)) == 0 && fsync(held.note) == 0
    }
    guard isWritten else {
      throw StorageFault(.unreachable, "cannot write the lock file: \(Self.reason(errno))")
    }
  }

  /// Releases the locks. Idempotent.
  func release() {
    guard let held = held.withLock({ $0.take() }) else { return }
    // `close` alone would keep the locks while a child process holds a copy of the descriptors, between
    // fork and exec.
    flock(held.database, LOCK_UN)
    flock(held.note, LOCK_UN)
    close(held.database)
    close(held.note)
    Self.ownKeys.withLock { _ = $0.remove(held.key) }
  }

  // MARK: - Files

  /// The path of the lock file of the database at `path`.
  static func path(of path: String) -> String { path + ".lock" }

  /// Opens or creates a file for reading and writing.
  ///
  /// - Parameter store: the database's path, for messages.
  private static func open(_ path: String, of store: String) throws(StorageFault) -> CInt {
    let descriptor = systemOpen(path)
    guard descriptor >= 0 else {
      throw StorageFault(
        errno == EROFS || errno == EACCES ? .readOnly : .unreachable,
        errno == ENOENT
          ? "cannot create \(store): its directory does not exist; create the directory first"
          : "cannot open \(path): \(reason(errno))"
      )
    }
    return descriptor
  }

  private static func lock(
    _ descriptor: CInt,
    of store: String,
    owner: String
  ) throws(StorageFault) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
    throw errno == EWOULDBLOCK
      ? inUse(store, owner: owner)
      : StorageFault(.unreachable, "cannot lock \(store): \(reason(errno))")
  }

  /// - Parameter owner: the process ID of the other server; "" = not known.
  private static func inUse(_ store: String, owner: String) -> StorageFault {
    StorageFault(
      .inUse,
      "\(store) is in use by another server\(owner.isEmpty ? "" : ", process \(owner)"); "
        + "stop that server, or use another file"
    )
  }

  /// The process ID in the lock file and the text after it. Digits are filtered, because the file may
  /// hold anything.
  private static func lines(_ descriptor: CInt) -> (owner: String, rest: String) {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let owner = lines.first.map { String($0.filter { "0" ... "9" ~= $0 }.prefix(20)) } ?? ""
    return (owner, lines.count > 1 ? String(lines[1]) : "")
  }

  private static func reason(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}

/// Calls the system's `open`, which the static method of the same name hides inside `FileLock`.
private func systemOpen(_ path: String) -> CInt {
  unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
}
