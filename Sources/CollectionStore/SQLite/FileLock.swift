// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Keeps a second server off a store. The system lets go of the locks when the process ends, however
/// it ends.
///
/// Two files are locked (`flock`): the database itself, which has one inode whatever names lead to
/// it, and a file beside it, which says which process has the store and what `StoreIdentity` needs to
/// know at the next start.
///
/// SQLite has locks of another kind (`fcntl`) on the database, which a process loses when it closes
/// any descriptor of that file. So this one is opened before SQLite's and closed after it, and no
/// file is opened that this process has locked already.
final class FileLock: Sendable {
  private struct Held {
    var database: CInt
    var note: CInt
    var key: FileStatus.Key
  }

  /// nil = let go of.
  private let held: Mutex<Held?>

  /// Stores that this process has locked.
  private static let ownKeys = Mutex<Set<FileStatus.Key>>([])

  /// What the file beside the database said before, apart from the process.
  let earlierNote: String

  /// Locks the store, and creates the database as an empty file where there is none.
  ///
  /// - Parameter path: of the database, without symbolic links.
  /// - Throws: `StorageFault.inUse` with the process that has it, where that is known; others where
  ///   the file cannot be opened.
  init(path: String) throws(StorageFault) {
    if let status = FileStatus(path: path) {
      if status.isDirectory {
        throw StorageFault(.notAStore, "\(path) is a directory; a file is needed")
      }
      if Self.ownKeys.withLock({ $0.contains(status.key) }) {
        throw Self.inUse(path, owner: String(getpid()))
      }
    }
    let note = try Self.open(path + ".lock", of: path)
    let database: CInt
    do throws(StorageFault) {
      try Self.lock(note, of: path, owner: Self.lines(note).owner)
      earlierNote = Self.lines(note).rest
      database = try Self.open(path, of: path)
    } catch {
      close(note)
      throw error
    }
    do throws(StorageFault) {
      // Another name of the file has another file beside it, which does not say who has this one.
      try Self.lock(database, of: path, owner: "")
      guard let key = FileStatus(descriptor: database)?.key else {
        throw StorageFault(.unreachable, "cannot find out about \(path)")
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

  /// Replaces what the file beside the database says, and waits for the disk.
  ///
  /// - Parameter line: without line breaks.
  /// - Throws: `StorageFault.unreachable`
  func write(_ line: String) throws(StorageFault) {
    let isWritten = held.withLock { held -> Bool in
      guard let held else { return false }
      let bytes = Array("\(getpid())\n\(line)\n".utf8)
      // Longer first, then cut: what a reader finds after a crash is never empty.
      return unsafe pwrite(held.note, bytes, bytes.count, 0) == bytes.count
        && ftruncate(held.note, off_t(bytes.count)) == 0 && fsync(held.note) == 0
    }
    guard isWritten else {
      throw StorageFault(.unreachable, "cannot write the lock file: \(Self.reason(errno))")
    }
  }

  func release() {
    guard let held = held.withLock({ $0.take() }) else { return }
    // Closing alone would leave the locks with a child process that has not yet called exec.
    flock(held.database, LOCK_UN)
    flock(held.note, LOCK_UN)
    close(held.database)
    close(held.note)
    Self.ownKeys.withLock { _ = $0.remove(held.key) }
  }

  // MARK: - Files

  private static func open(_ path: String, of store: String) throws(StorageFault) -> CInt {
    let descriptor = systemOpen(path)
    guard descriptor >= 0 else {
      throw StorageFault(
        errno == EROFS || errno == EACCES ? .readOnly : .unreachable,
        errno == ENOENT
          ? "cannot make \(store): its directory does not exist"
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

  private static func inUse(_ store: String, owner: String) -> StorageFault {
    StorageFault(
      .inUse,
      "\(store) is in use by another server\(owner.isEmpty ? "" : ", process \(owner)")"
    )
  }

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

/// Outside the type, whose own `open` would be found first.
private func systemOpen(_ path: String) -> CInt {
  unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
}
