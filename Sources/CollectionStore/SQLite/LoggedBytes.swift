// SPDX-License-Identifier: Apache-2.0

/// A line of the lock file with the size of the write-ahead log after a commit, which reveals a log
/// that was cut while no server ran. It follows the line of `StoreIdentity`.
enum LoggedBytes {
  private static let beginning = "log "
  /// The digits of the largest size. All lines have the same length, so that one replaces another.
  private static let digits = 19

  static func line(_ bytes: Int64) -> String {
    let number = String(max(0, bytes))
    return beginning + String(repeating: "0", count: digits - number.count) + number + "\n"
  }

  /// The size that the log of the last server must have at least; 0 = unknown.
  ///
  /// - Parameters:
  ///   - note: `FileLock.earlierNote`.
  ///   - file: the inode of the database that was found; nil = there is none.
  ///   - log: the same of its log.
  static func required(note: String, file: UInt64?, log: UInt64?) -> Int64 {
    guard let earlier = StoreIdentity(line: note), !earlier.isClosed, let log else { return 0 }
    // The note is about this log, or it was copied together with it and the database.
    guard earlier.logInode == log || earlier.inode != file else { return 0 }
    let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, lines[1].hasPrefix(beginning),
      lines[1].utf8.count == beginning.utf8.count + digits,
      let bytes = Int64(lines[1].dropFirst(beginning.count))
    else { return 0 }
    // SQLite itself truncates longer logs.
    return min(max(0, bytes), FileGuard.logSizeLimit)
  }
}
