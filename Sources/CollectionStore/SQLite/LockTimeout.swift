// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Synchronization

/// Limits how long transactions wait while another program has locked the database: the first waits
/// as long as SQLite is configured to, the following ones not at all, until one of them finds the
/// database unlocked. Otherwise each pending commit would wait behind the one before it.
final class LockTimeout: Sendable {
  private let milliseconds: Int
  private let hasTimedOut = Flag()

  init(milliseconds: Int) { self.milliseconds = milliseconds }

  /// Runs a transaction on the writing connection.
  ///
  /// - Throws: what `body` throws.
  func run(on database: Database, _ body: () throws -> Void) throws {
    do { try body() } catch let error as DatabaseError where error.isLocked {
      if hasTimedOut.set() { try wait(0, database) }
      throw error
    } catch {
      // Refused for another reason after taking the lock.
      try restore(database)
      throw error
    }
    try restore(database)
  }

  private func restore(_ database: Database) throws {
    guard hasTimedOut.isSet else { return }
    try wait(milliseconds, database)
    hasTimedOut.clear()
  }

  private func wait(_ milliseconds: Int, _ database: Database) throws {
    try database.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
  }
}

extension DatabaseError {
  /// Whether another program has locked the database.
  fileprivate var isLocked: Bool {
    resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED
  }
}
