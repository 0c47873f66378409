// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Handling of a full disk: writes that extend the file must leave room to move the log into it,
/// and deletions may use reserved space.
extension SQLiteStorage {
  /// Whether there is no space for the database or its log.
  static func isDiskFull(_ error: any Error) -> Bool {
    if let fault = error as? StorageFault { return fault.kind == .diskFull }
    return (error as? DatabaseError)?.isDiskFull ?? false
  }

  /// Runs `body`, and once more if the disk is full and `makeRoom` returns true.
  static func retryingIfFull<Result>(
    after makeRoom: () -> Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch {
      guard isDiskFull(error), makeRoom() else { throw error }
      return try body()
    }
  }

  /// Runs a transaction. If there is no space for it, the log is moved into the database, and the
  /// transaction is written from the log's beginning.
  static func transact(_ body: () throws -> Void, in database: Database) throws {
    try retryingIfFull {
      // If the file has no room for what the log holds, the transaction's own error is the one to
      // report.
      (try? database.checkpoint(.passive)) != nil
    } _: {
      try database.inTransaction(.immediate) {
        try body()
        return .commit
      }
    }
  }

  /// A write that adds to the file, as a job of `commits`. It is refused while a deletion makes
  /// room, so that it does not take the room first, and if a checkpoint could then not move the log
  /// into the database.
  func adding(
    _ write: @escaping CommitQueue<Database>.Write
  ) -> CommitQueue<Database>.Write {
    { [self] database in
      if isMakingRoom.isSet { throw StorageFault.diskFull(path) }
      try write(database)
      try checkRoom(in: database)
    }
  }

  /// Checks, inside a transaction, that the disk has room for all pages that are not in the
  /// database's file yet. Passes if the free space is unknown.
  ///
  /// So the log can always be moved into the file and rewritten from its beginning: batches
  /// that fit into free pages, and deletions, need no space on the disk. If no reserve is set aside
  /// for deletions, the same amount is left free.
  ///
  /// - Parameter more: bytes to be written after this transaction.
  /// - Throws: `StorageFault.diskFull`
  func checkRoom(for more: Int64 = 0, in database: Database) throws {
    guard let free = system.freeBytes(file), free < StorageSystem.plentifulBytes else { return }
    let unused = more == 0 ? 0 : try database.freePagesByteCount()
    // No overflow: sizes of files are below 2⁶², and `more` is small.
    let growth = try bytesOnlyInLog(database) + max(0, more - unused)
    guard growth > 0, growth > free - (reserve.isFull ? 0 : system.deletionBytes) else { return }
    throw StorageFault.diskFull(path)
  }

  /// What a checkpoint of the whole log would add to the file.
  private func bytesOnlyInLog(_ database: Database) throws -> Int64 {
    guard let pages = try database.pagesByteCount(), let size = FileStatus(path: file)?.size
    else { return 0 }
    return max(0, pages - size)
  }

  /// Gives the reserve to a deletion or a sweep that finds the disk full. Writes that extend the
  /// file are refused until the next sweep has ended.
  ///
  /// - Returns: whether there was a reserve.
  func takeReserve() -> Bool {
    guard reserve.release() else { return false }
    isMakingRoom.set()
    return true
  }

  /// Ends a sweep: if the disk has no room for the log but the file has free pages, moves the log
  /// into the file, because the pages could not be used otherwise; then allows other writes again.
  func finishMakingRoom() {
    guard !isClosing.isSet else { return }
    do {
      try pool.writeWithoutTransaction { database in
        guard try isMakingRoom.isSet || isBlocked(database) else { return }
        try Self.retryingIfFull(after: takeReserve) { _ = try database.checkpoint(.passive) }
      }
    } catch { _ = failed(error) }
    isMakingRoom.clear()
  }

  private func isBlocked(_ database: Database) throws -> Bool {
    guard let free = system.freeBytes(file), free < StorageSystem.plentifulBytes
    else { return false }
    return try free < bytesOnlyInLog(database)
      && database.freePagesByteCount() >= StorageSystem.smallBytes
  }
}

extension DatabaseError {
  /// Whether the disk was full. SQLite reports an I/O error if the space was for the log's index.
  var isDiskFull: Bool {
    resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
  }
}
