// SPDX-License-Identifier: Apache-2.0

/// The identity of the database that the server used last, as noted in the lock file. It reveals at
/// the next start that a database was restored from a backup or has lost its write-ahead log.
///
/// The database holds a random token, which the server replaces whenever it opens or closes the
/// file. The lock file, which is not part of a backup, notes the same token, the inode of the
/// database and, while a server has it open, the inode of the log. At the next start the database
/// is the same if
///
/// - its token is one of those noted; a backup from before the last start or stop has an older one,
/// - its inode is the one noted; a copy has another,
/// - and, unless the server was stopped in order, its log is the one noted.
///
/// If the log is missing, so are the last batches, and the database is not opened; nor is one that
/// has taken the place of the one to which the log belongs. Otherwise a database that is not the
/// same counts as restored. If the file was only moved to another disk, that is wrong, but costs
/// clients no more than reloading their collections.
struct StoreIdentity: Hashable, Sendable {
  /// Tokens of the database, in hexadecimal. Two while one replaces the other; none if acknowledged
  /// commits may be lost.
  var tokens: [String]
  /// The inode of the database.
  var inode: UInt64
  /// The inode of the write-ahead log; nil = not known, any log matches.
  var logInode: UInt64?
  /// Whether the server was stopped in order, which leaves no log.
  var isClosed: Bool

  /// Whether this identity is that of a database.
  ///
  /// - Parameters:
  ///   - token: the database's token.
  ///   - inode: the database's inode.
  ///   - logInode: the inode of the log before the database was opened; nil = there was no log.
  func matches(token: String, inode: UInt64, logInode: UInt64?) -> Bool {
    guard tokens.contains(token), inode == self.inode else { return false }
    if isClosed || self.logInode == nil { return true }
    return logInode == self.logInode
  }

  // MARK: - As a line

  private static let format = "identity-1"
  /// Stands for a missing word, since words are never empty.
  private static let none = "-"

  /// Whether a text begins with the line of any identity, even of one without tokens.
  static func isNoted(in text: String) -> Bool { text.hasPrefix(format + " ") }

  /// The identity as a line of the lock file: format, tokens, inodes, and "open" or "closed".
  var line: String {
    let tokens = tokens.isEmpty ? Self.none : tokens.joined(separator: ",")
    let log = logInode.map(String.init) ?? Self.none
    return [Self.format, tokens, String(inode), log, isClosed ? "closed" : "open"]
      .joined(separator: " ")
  }

  init(tokens: [String], inode: UInt64, logInode: UInt64?, isClosed: Bool) {
    self.tokens = tokens
    self.inode = inode
    self.logInode = logInode
    self.isClosed = isClosed
  }

  /// The identity that a text begins with; nil = the text does not begin with such a line.
  init?(line text: String) {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.count == 5, words[0] == Self.format, let inode = UInt64(words[2]),
      words[4] == "closed" || words[4] == "open"
    else { return nil }
    var log: UInt64?
    if words[3] != Self.none {
      guard let number = UInt64(words[3]) else { return nil }
      log = number
    }
    self.init(
      tokens: words[1] == Self.none ? [] : words[1].split(separator: ",").map(String.init),
      inode: inode,
      logInode: log,
      isClosed: words[4] == "closed"
    )
  }
}
