// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Synchronization

extension SQLiteStorage {
  /// Removes garbage in pieces, between which others can commit. On failure the rest is left for
  /// the next time.
  func sweep() {
    do {
      while try !isClosed.withLock({ $0 }) && sweepPiece() {}
    } catch { _ = failed(error) }
  }

  /// - Returns: whether there is more.
  private func sweepPiece() throws -> Bool {
    let isMore = Mutex(false)
    try commits.writeBlocking { [staging] database in
      let more = try database.sweepPiece { staging.isActive($0) }
      isMore.withLock { $0 = more }
    }
    return isMore.withLock { $0 }
  }
}

extension Database {
  /// What was the contents of a collection is garbage, unless it is this snapshot.
  func discardContents(of collection: Int64, but snapshot: Int64) throws {
    try run(
      "INSERT OR IGNORE INTO garbage (number) SELECT snapshot FROM contents WHERE collection = ?",
      [collection]
    )
    try run(
      "INSERT OR IGNORE INTO garbage (number) SELECT number FROM snapshot "
        + "WHERE collection = ? AND number <> ?",
      [collection, snapshot]
    )
    try run("DELETE FROM contents WHERE collection = ?", [collection])
    try run("DELETE FROM snapshot WHERE collection = ? AND number <> ?", [collection, snapshot])
  }

  /// Removes some of the garbage that is not in use.
  ///
  /// - Returns: whether there is more.
  fileprivate func sweepPiece(sparing isActive: (Int64) -> Bool) throws -> Bool {
    let rows = try rows("SELECT number, ifnull(collection, 0) FROM garbage", [])
    var found: (number: Int64, collection: Int64)?
    while let row = try rows.next() {
      let number = try row.integer(0)
      if !isActive(number) {
        found = (number, try row.integer(1))
        break
      }
    }
    guard let found else { return try removeStaleChunks() > 0 }
    let removed =
      found.collection == 0
      ? try removeSnapshot(found.number) : try removeLog(of: found.collection)
    if removed == 0 { try run("DELETE FROM garbage WHERE number = ?", [found.number]) }
    return true
  }

  private func removeStaleChunks() throws -> Int {
    // Never one of another collection, however the place was damaged that named it.
    try run(
      """
      DELETE FROM chunk WHERE (number, snapshot) IN (
        SELECT chunk, snapshot FROM stale ORDER BY chunk LIMIT 256)
      """
    )
    return try run(
      "DELETE FROM stale WHERE chunk IN (SELECT chunk FROM stale ORDER BY chunk LIMIT 256)"
    )
  }

  private func removeSnapshot(_ number: Int64) throws -> Int {
    var count = try run(
      """
      DELETE FROM chunk WHERE snapshot = ?1 AND number IN (
        SELECT chunk FROM place WHERE snapshot = ?1 ORDER BY section, label LIMIT 512)
      """,
      [number]
    )
    count += try run(
      """
      DELETE FROM place WHERE snapshot = ?1 AND (section, label) IN (
        SELECT section, label FROM place WHERE snapshot = ?1 ORDER BY section, label LIMIT 512)
      """,
      [number]
    )
    if count > 0 { return count }
    // Of a writing that was given up, before they had places.
    count += try run(
      """
      DELETE FROM chunk WHERE number IN (
        SELECT number FROM chunk WHERE number BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295
        LIMIT 512)
      """,
      [number]
    )
    count += try run(
      """
      DELETE FROM section WHERE snapshot = ?1 AND label IN (
        SELECT label FROM section WHERE snapshot = ?1 LIMIT 4096)
      """,
      [number]
    )
    count += try run(
      "DELETE FROM part WHERE rowid IN (SELECT rowid FROM part WHERE snapshot = ? LIMIT 32)",
      [number]
    )
    return count
  }

  private func removeLog(of collection: Int64) throws -> Int {
    let batches = try run(
      "DELETE FROM batch WHERE rowid IN (SELECT rowid FROM batch WHERE collection = ? LIMIT 256)",
      [collection]
    )
    guard batches == 0 else { return batches }
    return try run(
      "DELETE FROM request WHERE collection = ?1 AND version IN "
        + "(SELECT version FROM request WHERE collection = ?1 LIMIT 10000)",
      [collection]
    )
  }
}
