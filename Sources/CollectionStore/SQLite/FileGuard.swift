// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Detects that the database or its write-ahead log was removed, replaced or truncated while the
/// server uses them. What SQLite writes after that would be lost at a restart.
///
/// The commit queue calls `check` before and `confirm` after each transaction, on the writing
/// thread, so that the server itself changes no file between the two. Both call `stat` for both
/// paths, which takes a few microseconds: the paths must still lead to the files that were opened,
/// and these must be no smaller than SQLite left them.
final class FileGuard: Sendable {
  private struct State {
    /// The database after the last transaction.
    var main: FileStatus
    /// The write-ahead log after the last transaction.
    var log: FileStatus
    /// Set by a failed `confirm`; every later check throws it.
    var fault: StorageFault?
  }

  private let path: String
  /// The path that a restart opens, if that leads over symbolic links.
  private let link: String?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - path: the database's path without symbolic links. The log must exist.
  ///   - given: the path by which the server was told of it, perhaps with symbolic links: if they
  ///     lead elsewhere later, a restart opens another file.
  /// - Throws: `StorageFault.fileChanged`
  init(path: String, given: String? = nil) throws(StorageFault) {
    self.path = path
    link = given == path ? nil : given
    guard let main = FileStatus(path: path) else { throw Self.missing(path) }
    guard let log = FileStatus(path: Self.log(of: path)) else {
      throw Self.missing(Self.log(of: path))
    }
    state = Mutex(State(main: main, log: log))
  }

  /// The path of the write-ahead log of the database at `path`.
  static func log(of path: String) -> String { path + "-wal" }

  /// The size in bytes to which SQLite truncates a longer log when it restarts the log from its
  /// beginning (`PRAGMA journal_size_limit`).
  static let logSizeLimit: Int64 = 64 << 20

  /// Checks, before a transaction, that the files are the ones that the last transaction left.
  ///
  /// - Throws: `StorageFault.fileChanged`. Nothing has been written, so the caller may retry once
  ///   the files are back.
  func check() throws(StorageFault) {
    let (main, log, fault) = state.withLock { ($0.main, $0.log, $0.fault) }
    if let fault { throw fault }
    try followLink(to: main)
    _ = try find(path, expecting: main)
    _ = try find(Self.log(of: path), expecting: log)
  }

  /// Checks, after a transaction, that it went into the files that the paths lead to, and notes
  /// their sizes.
  ///
  /// - Parameter databaseBytes: the size of all pages in bytes; nil = not known. Called only if the
  ///   database file has shrunk: a checkpoint may truncate it, but not below this size.
  /// - Returns: the size of the log in bytes.
  /// - Throws: `StorageFault.fileChanged`, and so does every later check until the server restarts:
  ///   the transaction may be lost although SQLite reported success.
  @discardableResult
  func confirm(databaseBytes: () throws -> Int64?) throws(StorageFault) -> Int64 {
    var (main, log) = state.withLock { ($0.main, $0.log) }
    log.size = min(log.size, Self.logSizeLimit)
    if let found = FileStatus(path: path), found.size < main.size,
      let least = try? databaseBytes()
    {
      main.size = min(main.size, least)
    }
    do throws(StorageFault) {
      try followLink(to: main)
      let (main, log) = (
        try find(path, expecting: main), try find(Self.log(of: path), expecting: log)
      )
      state.withLock { ($0.main, $0.log) = (main, log) }
      return log.size
    } catch {
      state.withLock { $0.fault = error }
      throw error
    }
  }

  /// Checks that the path with symbolic links still leads to the database.
  private func followLink(to expected: FileStatus) throws(StorageFault) {
    guard let link else { return }
    guard let found = FileStatus(path: link) else { throw Self.missing(link) }
    guard found.key == expected.key else {
      throw StorageFault(
        .fileChanged,
        "\(link) leads to another file than \(path), which the server uses; "
          + "set the link back, or restart the server"
      )
    }
  }

  /// The current status of a file, if it is the expected one and no smaller.
  private func find(
    _ path: String,
    expecting expected: FileStatus
  ) throws(StorageFault) -> FileStatus {
    guard let found = FileStatus(path: path) else { throw Self.missing(path) }
    guard found.key == expected.key else {
      throw StorageFault(
        .fileChanged,
        "\(path) was replaced by another file while the server used it; restart the server"
      )
    }
    guard found.size >= expected.size else {
      throw StorageFault(
        .fileChanged,
        "\(path) was truncated from \(expected.size) to \(found.size) bytes while the server used it; "
          + "restart the server"
      )
    }
    return found
  }

  private static func missing(_ path: String) -> StorageFault {
    StorageFault(
      .fileChanged,
      "\(path) was removed while the server used it; put it back, or restart the server"
    )
  }
}
