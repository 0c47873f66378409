// SPDX-License-Identifier: Apache-2.0

extension SQLiteStorage {
  /// Checks before SQLite opens the files that they exist and that the log is complete.
  ///
  /// - Parameters:
  ///   - file: the path without symbolic links.
  ///   - note: `FileLock.earlierNote`.
  /// - Throws: `StorageFault.damaged`; `.unreachable` if a file cannot be read.
  static func checkFiles(
    _ file: String,
    note: String,
    _ synchronization: Synchronization
  ) throws(StorageFault) {
    try checkFilesAreThere(file, note: note)
    // Without syncs a power loss may tear any number of transactions.
    guard synchronization == .full, let status = FileStatus(path: file), status.size > 0
    else { return }
    try checkLogIsWhole(file, note: note)
  }

  /// Checks that the log has everything that was acknowledged. SQLite silently drops what follows
  /// damage, or was cut off.
  private static func checkLogIsWhole(_ file: String, note: String) throws(StorageFault) {
    let (log, lock) = (FileGuard.log(of: file), FileLock.path(of: file))
    let found: LogRecovery?
    do { found = try LogRecovery.reading(log, of: file) } catch {
      throw StorageFault(.unreachable, "cannot read \(log) or \(file): \(error)")
    }
    guard let found else { return }
    let size = FileStatus(path: log)?.size ?? 0
    let noted = LoggedBytes.required(
      note: note,
      file: FileStatus(path: file)?.key.inode,
      log: FileStatus(path: log)?.key.inode
    )
    let finding: String
    if found.isDamaged {
      finding =
        "is damaged: SQLite would drop \(found.droppedCommits) transactions behind its first "
        + "\(found.recoveredBytes) bytes, and the batches in them were acknowledged"
    } else if size < noted {
      finding =
        "was cut: it has \(size) bytes, of at least \(noted) that the last server wrote, and batches that "
        + "were acknowledged are missing, unless \(file) and the log are both of a backup, for which "
        + "\(lock) has to be removed"
    } else {
      return
    }
    throw StorageFault(
      .damaged,
      "the write-ahead log \(log) \(finding); put an intact copy of it in its place, or remove \(log) and "
        + "\(lock) and restore a backup, or remove \(lock) and run `truncate -s \(found.recoveredBytes) "
        + "\(log)` to start without those batches"
    )
  }

  /// Checks that a database and its write-ahead log exist if other files refer to them. Otherwise
  /// the server would start without collections, or without acknowledged batches; and SQLite drops
  /// the log of an empty file.
  ///
  /// A log that a server had open is never empty: the first transaction writes the identity's
  /// token.
  ///
  /// A new database is never empty while its log is not, or while the lock file names it: SQLite
  /// writes the first page before it creates the log, and the server notes the database after that.
  ///
  /// - Parameters:
  ///   - file: the path without symbolic links.
  ///   - note: `FileLock.earlierNote`.
  /// - Throws: `StorageFault.damaged`
  private static func checkFilesAreThere(_ file: String, note: String) throws(StorageFault) {
    guard let status = FileStatus(path: file), status.size > 0 else {
      return try checkNoneWasThere(file, note: note)
    }
    let (log, lock) = (FileGuard.log(of: file), FileLock.path(of: file))
    guard let earlier = StoreIdentity(line: note), let logInode = earlier.logInode,
      !earlier.isClosed
    else { return }
    let logStatus = FileStatus(path: log)
    guard earlier.inode == status.key.inode else {
      guard let logStatus, logStatus.size > 0 else {
        throw StorageFault(
          .damaged,
          "\(file) is another file than the one that the last server had open, which was not stopped in "
            + "order, and there is no write-ahead log \(log): if the store was copied, copy its log too, or "
            + "batches that were acknowledged are missing; if \(file) is a backup, remove \(lock)"
        )
      }
      guard logStatus.key.inode == logInode else { return }
      throw StorageFault(
        .damaged,
        "\(file) was replaced by another file, but its write-ahead log \(log) was not: the log belongs to "
          + "the file before, and SQLite would apply it to this one; put the file before back, or remove "
          + "\(log) and \(lock) to start with what \(file) holds, without the last batches that were "
          + "acknowledged"
      )
    }
    guard (logStatus?.size ?? 0) == 0 else { return }
    throw StorageFault(
      .damaged,
      "the write-ahead log \(log) is missing or empty, although the last server had it open and was not "
        + "stopped in order: it was removed or truncated, and batches that were acknowledged are missing; "
        + "put it back, or restore a backup and remove \(lock), or remove \(lock) to start with what "
        + "\(file) holds"
    )
  }

  /// Checks that no other file refers to a database that is missing or empty.
  private static func checkNoneWasThere(_ file: String, note: String) throws(StorageFault) {
    let (log, lock) = (FileGuard.log(of: file), FileLock.path(of: file))
    if let bytes = FileStatus(path: log)?.size, bytes > 0 {
      throw StorageFault(
        .damaged,
        "\(file) is missing or empty, but its write-ahead log \(log) holds \(bytes) bytes: the file was "
          + "removed or truncated; put it back, or remove \(log) and restore a backup, or remove "
          + "\(log) and \(lock) to start without collections"
      )
    }
    if StoreIdentity.isNoted(in: note) {
      throw StorageFault(
        .damaged,
        "\(file) is missing or empty, but \(lock) names the database that was there: the file was "
          + "removed or truncated; put it back or restore a backup, or remove \(lock) to start without "
          + "collections"
      )
    }
  }
}
