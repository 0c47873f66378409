// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Notices when the database or its write-ahead log is removed, replaced or cut while the server uses
/// them: what SQLite writes from then on is not there after a restart.
///
/// Both files are asked about by name before and after each group of commits, which costs some
/// microseconds: they must still be the files that were opened, and no smaller than SQLite left them.
/// To be called by whoever writes, so that nothing changes in between.
final class FileGuard: Sendable {
  private struct State {
    var main: FileStatus
    var log: FileStatus
    var fault: StorageFault?
  }

  private let path: String
  private let state: Mutex<State>

  /// - Parameter path: of the database, without symbolic links; its log exists by now.
  /// - Throws: `StorageFault.fileChanged`
  init(path: String) throws(StorageFault) {
    self.path = path
    guard let main = FileStatus(path: path) else { throw Self.missing(path) }
    guard let log = FileStatus(path: Self.log(of: path)) else {
      throw Self.missing(Self.log(of: path))
    }
    state = Mutex(State(main: main, log: log))
  }

  static func log(of path: String) -> String { path + "-wal" }

  /// SQLite cuts a longer log to this size, in bytes, where it begins the log anew.
  static let logSizeLimit: Int64 = 64 << 20

  /// Before writing: nothing has changed since the last time.
  ///
  /// - Throws: `StorageFault.fileChanged`; writing may be tried again once the files are back.
  func check() throws(StorageFault) {
    let (main, log, fault) = state.withLock { ($0.main, $0.log, $0.fault) }
    if let fault { throw fault }
    _ = try find(path, expecting: main)
    _ = try find(Self.log(of: path), expecting: log)
  }

  /// After writing: it went into the files that are there. Notes their sizes.
  ///
  /// - Parameter databaseBytes: the size of all pages. Called only where the database is smaller than
  ///   before: SQLite itself cuts it to this size at most.
  /// - Throws: `StorageFault.fileChanged`, from then on each time, since what was written and what is
  ///   known to be written are no longer the same.
  func confirm(databaseBytes: () throws -> Int64?) throws(StorageFault) {
    var (main, log) = state.withLock { ($0.main, $0.log) }
    log.size = min(log.size, Self.logSizeLimit)
    if let found = FileStatus(path: path), found.size < main.size,
      let least = try? databaseBytes()
    {
      main.size = min(main.size, least)
    }
    do throws(StorageFault) {
      let (main, log) = (
        try find(path, expecting: main), try find(Self.log(of: path), expecting: log)
      )
      state.withLock { ($0.main, $0.log) = (main, log) }
    } catch {
      state.withLock { $0.fault = error }
      throw error
    }
  }

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
        "\(path) was cut from \(expected.size) to \(found.size) bytes while the server used it; "
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
