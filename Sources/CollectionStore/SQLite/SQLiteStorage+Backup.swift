// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB

extension SQLiteStorage {
  /// How many pages are copied between two checks whether the storage is being closed.
  private static let stepPages: CInt = 1024

  /// The sizes of the database and its write-ahead log.
  public var fileSizes: StorageFileSizes? {
    StorageFileSizes(
      database: FileStatus(path: file)?.size ?? 0,
      log: FileStatus(path: FileGuard.log(of: file))?.size ?? 0
    )
  }

  /// Writes a backup, which another server can open. It reads one snapshot of the database. Commits
  /// continue, but SQLite cannot checkpoint the log until the backup is done, so the log grows.
  ///
  /// The backup appears under its name when it is complete and on the disk.
  ///
  /// - Parameter path: the path of the new file. An existing file is not replaced.
  /// - Returns: the size of the file in bytes.
  /// - Throws: `StorageFault.unsupported` if there is such a file, `.diskNearlyFull`, other faults
  ///   of the system.
  public func backUp(to path: String) async throws -> Int64 {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        backups.async { [self] in
          continuation.resume(with: Result { try writeBackup(to: path) })
        }
      }
    } catch { throw failedBackup(error) }
  }

  private func writeBackup(to path: String) throws -> Int64 {
    guard FileStatus(path: path) == nil else {
      throw StorageFault(.unsupported, "\(path) exists already; a backup does not replace it")
    }
    let partial = path + ".partial"
    // Left by a server that ended while it wrote a backup.
    for file in [partial, partial + "-journal"] { _ = FilePath.remove(file) }
    defer { for file in [partial, partial + "-journal"] { _ = FilePath.remove(file) } }
    try checkBackupSpace(beside: path)
    do {
      let copy = try DatabaseQueue(path: partial)
      try pool.backup(to: copy, pagesPerStep: Self.stepPages) { [isClosing] _ in
        if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
      }
      try copy.close()
    }
    // Fails if the file was created meanwhile.
    do throws(SystemError) { try FilePath.link(partial, as: path) } catch {
      throw StorageFault(.unsupported, "\(path) cannot be made: \(error)")
    }
    return FileStatus(path: path)?.size ?? 0
  }

  /// Checks that enough space remains for commits and deletions.
  private func checkBackupSpace(beside path: String) throws {
    let folder = FilePath.folder(of: path)
    let sizes = fileSizes
    guard let sizes, let free = system.freeBytes(folder) else { return }
    let needed = sizes.database + sizes.log + StorageSystem.reservedBytes
    guard free < needed else { return }
    throw StorageFault(
      .diskNearlyFull,
      "\(free) bytes are free on the file system of \(folder); \(needed) are needed for a backup"
    )
  }

  /// Not `failed(_:)`: a failed backup does not mean that the store is unhealthy.
  private func failedBackup(_ error: any Error) -> any Error {
    if isClosing.isSet { return StorageFault(.closed, "\(path) is closed") }
    return StorageFault.describing(error, path: path)
  }
}
