// SPDX-License-Identifier: Apache-2.0

/// How a store that was restored from a backup, or has lost its log, is recognised at the start.
///
/// The database holds a random token, made anew whenever a server opens or closes it. The file beside
/// it, which is no part of a backup of the database, notes the same token, the inode of the database
/// and, while a server has it open, the inode of the write-ahead log. At the next start the database
/// is the one that was there before if
///
/// - its token is one that was noted, which that of a backup from before the last start or stop is
///   not,
/// - its inode is the one that was noted, which that of a copy is not,
/// - and, where the server was not stopped in order, the log is still there: without it the last
///   batches are missing.
///
/// Else it is taken for restored. That may be wrong where the file was merely moved; nothing is lost
/// then but that clients read the collections anew.
struct StoreIdentity: Hashable, Sendable {
  /// Tokens of the database, in hexadecimal: one, or two while one is replaced by the other.
  var tokens: [String]
  var inode: UInt64
  /// nil = not known; any will do.
  var logInode: UInt64?
  /// Whether the server was stopped in order, which leaves no log.
  var isClosed: Bool

  /// Whether the database is the one that this was noted of.
  ///
  /// - Parameters:
  ///   - token: that the database holds.
  ///   - logInode: of the log that was there before the database was opened; nil = there was none.
  func matches(token: String, inode: UInt64, logInode: UInt64?) -> Bool {
    guard tokens.contains(token), inode == self.inode else { return false }
    if isClosed || self.logInode == nil { return true }
    return logInode == self.logInode
  }

  // MARK: - As a line

  private static let format = "identity-1"

  var line: String {
    let log = logInode.map(String.init) ?? "-"
    return [
      Self.format, tokens.joined(separator: ","), String(inode), log, isClosed ? "closed" : "open",
    ].joined(separator: " ")
  }

  init(tokens: [String], inode: UInt64, logInode: UInt64?, isClosed: Bool) {
    self.tokens = tokens
    self.inode = inode
    self.logInode = logInode
    self.isClosed = isClosed
  }

  /// nil where the text is not such a line.
  init?(line text: String) {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.count == 5, words[0] == Self.format, let inode = UInt64(words[2]),
      words[4] == "closed" || words[4] == "open"
    else { return nil }
    var log: UInt64?
    if words[3] != "-" {
      guard let number = UInt64(words[3]) else { return nil }
      log = number
    }
    self.init(
      tokens: words[1].split(separator: ",").map(String.init),
      inode: inode,
      logInode: log,
      isClosed: words[4] == "closed"
    )
  }
}
