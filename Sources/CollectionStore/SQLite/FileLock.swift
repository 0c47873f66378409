// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Prevents a second server from opening the same store. The system releases the locks when the
/// process ends, even if it crashes.
///
/// Two files are locked (`flock`): the database itself, because its inode is the same under every
/// name, and the lock file beside it (`.lock`), which holds the process ID of the server and the
/// line that `StoreIdentity` reads at the next start.
///
/// SQLite locks the database with `fcntl`. A process loses these locks when it closes any
/// descriptor of the file, so the descriptor here is opened before SQLite's and closed after it,
/// and a database that this process has locked already is not opened again.
final class FileLock: Sendable {
  private struct Held {
    var database: SystemFile
    /// The lock file.
    var note: SystemFile
    /// Where the line after the identity begins; nil = there is no identity yet.
    var end: Int64?
    /// The log size that is noted there; 0 = none.
    var loggedBytes: Int64 = 0
  }

  /// nil = released.
  private let held: Mutex<Held?>

  /// The databases that this process has locked.
  private static let ownKeys = Mutex<Set<FileStatus.Key>>([])

  /// The lock file as it was found, without the process ID; "" = there was none.
  let earlierNote: String
  /// The database that was locked, wherever its path leads to now.
  let key: FileStatus.Key

  /// Locks the store, and creates an empty database file if there is none.
  ///
  /// - Parameters:
  ///   - path: the database's path without symbolic links.
  ///   - check: called with `earlierNote` before the database is opened or created; what it throws
  ///     keeps that from happening.
  /// - Throws: `StorageFault.inUse`, with the owner's process ID if it is known; `.notAStore` for a
  ///   directory; `.readOnly` or `.unreachable` if a file cannot be opened or locked; what `check`
  ///   throws.
  init(
    path: String,
    check: (_ earlierNote: String) throws(StorageFault) -> Void
  ) throws(StorageFault) {
    if let status = FileStatus(path: path) {
      if status.isDirectory {
        throw StorageFault(.notAStore, "\(path) is a directory; give the path of a file")
      }
      if Self.ownKeys.withLock({ $0.contains(status.key) }) {
        throw Self.inUse(path, owner: FilePath.ownProcess)
      }
    }
    let note = try Self.open(Self.path(of: path), of: path)
    let database: SystemFile
    do throws(StorageFault) {
      try Self.lock(note, of: path, owner: Self.lines(note).owner)
      earlierNote = Self.lines(note).rest
      try check(earlierNote)
      database = try Self.open(path, of: path)
    } catch {
      note.closeFile()
      throw error
    }
    do throws(StorageFault) {
      // The owner may have opened the database under another name, with another lock file, so its
      // process ID is not known.
      try Self.lock(database, of: path, owner: "")
      let status: FileStatus
      do { status = try database.status() } catch {
        throw StorageFault(.unreachable, "cannot read the status of \(path): \(error)")
      }
      key = status.key
      Self.ownKeys.withLock { _ = $0.insert(status.key) }
      held = Mutex(Held(database: database, note: note))
    } catch {
      database.closeFile()
      note.closeFile()
      throw error
    }
  }

  deinit { release() }

  /// Replaces the line in the lock file, and returns once it is on the disk.
  ///
  /// - Parameter line: without line breaks.
  /// - Throws: `StorageFault.unreachable`
  func write(_ line: String) throws(StorageFault) {
    let error = held.withLock { held -> SystemError? in
      do throws(SystemError) {
        let bytes = Array("\(FilePath.ownProcess)\n\(line)\n".utf8)
        held?.end = nil
        try held?.note.overwrite(with: bytes)
        held?.end = Int64(bytes.count)
        held?.loggedBytes = 0
        return nil
      } catch { return error }
    }
    if let error { throw StorageFault(.unreachable, "cannot write the lock file: \(error)") }
  }

  /// Notes the size of the log after the line.
  ///
  /// Not synced: after a power loss an earlier size may be noted, or none, but never a later one,
  /// because the log was synced before.
  func noteLogged(_ bytes: Int64) {
    held.withLock { held in
      guard let end = held?.end, let noted = held?.loggedBytes, bytes > noted else { return }
      // Without the note a truncated log goes unnoticed; nothing else depends on it.
      try? held?.note.write(Array(LoggedBytes.line(bytes).utf8), at: end)
      held?.loggedBytes = bytes
    }
  }

  /// Releases the locks. Idempotent.
  func release() {
    guard let held = held.withLock({ $0.take() }) else { return }
    for file in [held.database, held.note] {
      file.unlock()
      file.closeFile()
    }
    Self.ownKeys.withLock { _ = $0.remove(key) }
  }

  // MARK: - Files

  /// The path of the lock file of the database at `path`.
  static func path(of path: String) -> String { path + ".lock" }

  /// Opens or creates a file for reading and writing.
  ///
  /// - Parameter store: the database's path, for messages.
  private static func open(_ path: String, of store: String) throws(StorageFault) -> SystemFile {
    do { return try SystemFile(path: path) } catch {
      throw StorageFault(
        error.isReadOnly ? .readOnly : .unreachable,
        error.isMissing
          ? "cannot create \(store): its directory does not exist; create the directory first"
          : "cannot open \(path): \(error)"
      )
    }
  }

  private static func lock(
    _ file: SystemFile,
    of store: String,
    owner: String
  ) throws(StorageFault) {
    let isLocked: Bool
    do { isLocked = try file.lock() } catch {
      throw StorageFault(.unreachable, "cannot lock \(store): \(error)")
    }
    guard isLocked else { throw inUse(store, owner: owner) }
  }

  /// - Parameter owner: the process ID of the other server; "" = not known.
  private static func inUse(_ store: String, owner: String) -> StorageFault {
    StorageFault(
      .inUse,
      "\(store) is in use by another server\(owner.isEmpty ? "" : ", process \(owner)"); "
        + "stop that server, or use another file"
    )
  }

  /// The process ID in the lock file and the text after it. Digits are filtered, because the file
  /// may hold anything.
  private static func lines(_ file: SystemFile) -> (owner: String, rest: String) {
    let text = String(decoding: file.start(512), as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let owner = lines.first.map { String($0.filter { "0" ... "9" ~= $0 }.prefix(20)) } ?? ""
    return (owner, lines.count > 1 ? String(lines[1]) : "")
  }
}
