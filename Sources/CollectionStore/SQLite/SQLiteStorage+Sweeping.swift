// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

extension SQLiteStorage {
  /// Removes garbage in small transactions, between which commits proceed. If one fails, it is
  /// retried by the next `checkUp` that succeeds or finds the disk full; if the storage is being
  /// closed, by the next start.
  ///
  /// If the disk is full, the reserved space is used.
  func sweep() {
    needsSweep.clear()
    do {
      try Self.retryingIfFull(after: takeReserve) {
        while try !isClosing.isSet && sweepPiece() {}
      }
    } catch {
      needsSweep.set()
      _ = failed(error)
    }
    finishMakingRoom()
  }

  /// Runs `checkUp` every `checkInterval`, so that changes of the files are detected even while
  /// nothing is written.
  func scheduleCheck() {
    guard let interval = system.checkInterval else { return }
    background.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self, !isClosing.isSet else { return }
      checkUp { _ in }
      scheduleCheck()
    }
  }

  /// Checks the files by running an empty transaction; after a fault, writes a row to see whether
  /// the storage works again. Retries a failed sweep.
  ///
  /// - Parameter completion: called once, with whether the storage works.
  func checkUp(completion: @escaping @Sendable (Bool) -> Void) {
    let fault = health.fault?.kind
    commits.submit { [self] database in
      // Without a fault nothing is written: the checks around the transaction are enough.
      guard let fault else { return }
      try database.run("UPDATE property SET value = value WHERE name = 'identity'")
      if fault == .diskFull { try checkRoom(for: StorageSystem.smallBytes, in: database) }
    } completion: { [self] result in
      switch result {
      case .success:
        faults.succeeded()
        background.async { [self] in
          guard !isClosing.isSet else { return }
          reserve.fill()
          if needsSweep.isSet { sweep() }
        }
        completion(true)
      case .failure(let error):
        _ = failed(error)
        if Self.isDiskFull(error) { background.async { [self] in sweep() } }
        completion(false)
      }
    }
  }

  /// Removes some garbage in one transaction.
  ///
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
  /// Detaches a collection's snapshots, in either format, and makes them garbage.
  ///
  /// - Parameter snapshot: the snapshot that the collection keeps; 0 = none.
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

  /// Removes some rows of the first garbage that is not being written, or some stale chunks.
  ///
  /// Rows of `garbage` need no checksum: whatever number a damaged one holds, nothing in use is
  /// removed. Existing snapshots and collections are spared, and so are chunks that an existing
  /// snapshot refers to. What the damaged row had listed remains as unused space.
  ///
  /// - Parameter isActive: whether a staging number is being written.
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
      if try isUsed(found) {
        0
      } else if found.collection == 0 {
        try removeSnapshot(found.number)
      } else {
        try removeLog(of: found.collection)
      }
    if removed == 0 { try run("DELETE FROM garbage WHERE number = ?", [found.number]) }
    return true
  }

  /// Whether a snapshot or collection that `garbage` lists is in use after all: then the row is
  /// damaged, and is dropped without removing anything.
  private func isUsed(_ garbage: (number: Int64, collection: Int64)) throws -> Bool {
    let query =
      garbage.collection == 0
      ? "SELECT 1 FROM snapshot WHERE number = ?1 UNION ALL SELECT 1 FROM contents WHERE snapshot = ?1"
      : "SELECT 1 FROM collection WHERE number = ?1"
    let number = garbage.collection == 0 ? garbage.number : garbage.collection
    return try row(query, [number]) != nil
  }

  /// Removes up to 256 chunks that a later snapshot replaced.
  ///
  /// - Returns: how many rows of `stale` were removed; 0 = there are none left.
  private func removeStaleChunks() throws -> Int {
    // The snapshot must match too: a damaged row of `place` may have named a chunk of another
    // collection.
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

  /// Removes some rows of a snapshot.
  ///
  /// - Returns: how many; 0 = there are none left.
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
    // Chunks without a place, of a snapshot or a change to one whose writing was interrupted. Those
    // of a change that was completed have a place: they are found here only if the row of garbage
    // is damaged. The inner query runs once, and only if there are chunks to look at.
    count += try run(
      """
      DELETE FROM chunk WHERE number IN (
        SELECT number FROM chunk
        WHERE number BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295 AND number NOT IN (
          SELECT chunk FROM place WHERE snapshot IN (
            SELECT snapshot FROM chunk
            WHERE number BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295))
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

  /// Removes some batches or requests of a deleted collection.
  ///
  /// - Returns: how many; 0 = there are none left.
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
