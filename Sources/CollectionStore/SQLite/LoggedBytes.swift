// SPDX-License-Identifier: Apache-2.0

/// The line of the lock file that tells how large the write-ahead log was after a commit, so that a log that was cut
/// while no server ran is noticed. It follows that of `StoreIdentity`.
enum LoggedBytes {
  private static let beginning = "log "
  /// Digits of the largest size. All lines are equally long, so that one replaces the other.
  private static let digits = 19

  static func line(_ bytes: Int64) -> String {
    let number = String(max(0, bytes))
    return beginning + String(repeating: "0", count: digits - number.count) + number + "\n"
  }

  /// The least bytes that a log has which the last server left; 0 = not known.
  ///
  /// - Parameters:
  ///   - note: `FileLock.earlierNote`.
  ///   - inode: of the log that was found; nil = there is none.
  static func required(note: String, log inode: UInt64?) -> Int64 {
    guard let earlier = StoreIdentity(line: note), !earlier.isClosed, let inode,
      earlier.logInode == inode
    else { return 0 }
    let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, lines[1].hasPrefix(beginning),
      lines[1].utf8.count == beginning.utf8.count + digits,
      let bytes = Int64(lines[1].dropFirst(beginning.count))
    else { return 0 }
    // SQLite itself cuts a log that is longer.
    return min(max(0, bytes), FileGuard.logSizeLimit)
  }
}
