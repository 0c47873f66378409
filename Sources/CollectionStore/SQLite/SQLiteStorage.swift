// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

/// Storage in one SQLite file.
///
/// An acknowledged commit is on the disk: with `Synchronization.full`, each commit waits for
/// `fsync` of the write-ahead log. Reading, writing and encoding run on threads of their own, never
/// on the cooperative pool. Encoded contents are in memory a few chunks at a time.
///
/// If the file or its log is removed, replaced or truncated while the server runs, no commit is
/// acknowledged any more (`FileGuard`). If the file was restored from a backup, opening it gives
/// all collections new incarnations (`StoreIdentity`).
public final class SQLiteStorage: CollectionStorage {
  /// When a commit is acknowledged: the values of `PRAGMA synchronous`.
  public enum Synchronization: String, Sendable {
    /// Once it is on the disk.
    case full = "FULL"
    /// Once it is in the system's page cache: it survives a crash of the process, but not a loss of
    /// power.
    case normal = "NORMAL"
  }

  /// The path of the file as it was given.
  public let path: String
  /// The health of the file as a whole, updated after each write and by regular checks.
  public let health: StorageHealth
  /// 32 random bytes, stored in the file; new ones are drawn only if those are missing or damaged.
  public let secret: [UInt8]
  /// Whether the file was recognised as restored from a backup or moved, so that its collections
  /// have been given new incarnations. False if it holds no collections.
  public let isRestored: Bool
  /// The path without symbolic links.
  let file: String
  let pool: DatabasePool
  let commits: CommitQueue<Database>
  /// Encodes and writes new contents, one import at a time.
  let imports = DispatchQueue(label: "collection-store.imports")
  /// Compacts, and sweeps garbage.
  let background = DispatchQueue(label: "collection-store.background", qos: .utility)
  /// Writes backups, one at a time.
  let backups = DispatchQueue(label: "collection-store.backups", qos: .utility)
  let staging: StagingNumbers
  /// The size of a piece of a snapshot, in bytes.
  let pieceBytes: Int
  let system: StorageSystem
  let lock: FileLock
  let faults: FaultReports
  let reserve: SpaceReserve
  /// The inode of the log that this process opened; nil = not known.
  private let logInode: UInt64?
  /// Whether a deletion has taken the reserve, and the space that it frees is not available yet.
  let isMakingRoom = Flag()
  /// Set by `close`; long operations check it and stop at their next step.
  let isClosing = Flag()
  /// Whether the last sweep failed.
  let needsSweep = Flag()

  /// True.
  public var isDurable: Bool { true }

  /// Opens the file, or creates it. Blocks the calling thread, so servers call it before they
  /// accept connections.
  ///
  /// - Parameters:
  ///   - synchronization: when a commit is acknowledged.
  ///   - pieceBytes: snapshots are written in pieces of about this many bytes, between which others
  ///     commit.
  ///   - report: called for each fault that stops the storage, once until it works again, and once
  ///     for each damaged row that is found.
  /// - Throws: `StorageFault`
  public convenience init(
    path: String,
    synchronization: Synchronization = .full,
    pieceBytes: Int = 2 << 20,
    report: @escaping @Sendable (StorageFault) -> Void = { _ in }
  ) throws {
    try self.init(
      path: path,
      synchronization: synchronization,
      pieceBytes: pieceBytes,
      system: .real,
      report: report
    )
  }

  init(
    path: String,
    synchronization: Synchronization = .full,
    pieceBytes: Int = 2 << 20,
    system: StorageSystem,
    report: @escaping @Sendable (StorageFault) -> Void
  ) throws {
    self.path = path
    self.pieceBytes = pieceBytes
    self.system = system
    health = StorageHealth()
    faults = FaultReports(health, report)
    let linked = FilePath.resolved(path)
    lock = try FileLock(path: linked) { (note) throws(StorageFault) in
      try Self.checkFiles(linked, note: note, synchronization)
    }
    // The file exists only now, and a path over a link to a missing file can be resolved only now.
    let file = FilePath.resolved(path)
    self.file = file
    do {
      if file != linked { try Self.checkFiles(file, note: lock.earlierNote, synchronization) }
      let logInode = FileStatus(path: FileGuard.log(of: file))?.key.inode
      let reserve = SpaceReserve(besides: file, system)
      let (pool, opening) = try Self.retryingIfFull {
        // Left by a server that crashed. Without it there may be room too: that of the closed log.
        reserve.release()
        return true
      } _: { [lock] in
        let pool = try Self.openPool(file, called: path, synchronization, system)
        return (pool, try StoreOpening(pool, lock, file: file, logInode: logInode))
      }
      (self.pool, self.reserve) = (pool, reserve)
      secret = opening.secret
      isRestored = opening.renewedCount > 0
      staging = try pool.read { try StagingNumbers($0) }
      let guarding = try FileGuard(path: file, given: path)
      self.logInode = FileStatus(path: FileGuard.log(of: file))?.key.inode
      let lockTimeout = LockTimeout(milliseconds: system.lockMilliseconds)
      commits = CommitQueue(
        schedule: { pool.asyncWriteWithoutTransaction($0) },
        transaction: { [lock] database, body in
          try guarding.check()
          try lockTimeout.run(on: database) { try Self.transact(body, in: database) }
          let bytes = try guarding.confirm { try database.pagesByteCount() }
          if synchronization == .full { lock.noteLogged(bytes) }
        }
      )
      for fault in opening.damage { faults.failed(fault) }
    } catch { throw StorageFault.describing(error, path: path) }
    reserve.fill()
    background.async { [self] in sweep() }
    scheduleCheck()
  }

  /// Closes the file; every later call throws `StorageFault.closed`. Idempotent.
  ///
  /// Blocks until the transaction that is being written is done and readers have reached their next
  /// chunk. Imports and compactions in progress are abandoned, which leaves the contents as they
  /// were.
  ///
  /// - Throws: `StorageFault` if the write-ahead log could not be moved into the database. Nothing
  ///   is lost: the next start reads the log.
  public func close() throws {
    guard isClosing.set() else { return }
    commits.stop()
    imports.sync {}
    background.sync {}
    backups.sync {}
    do {
      reserve.release()
      let leaving = try pool.writeWithoutTransaction { try leave($0) }
      try pool.close()
      switch leaving {
      case .inOrder(let token): try lock.noteClosed(token: token)
      case .changed: lock.noteLost()
      case .replaced: lock.noteLost(logInode: logInode)
      }
      lock.release()
    } catch { throw StorageFault.describing(error, path: path) }
  }

  /// Blocks until no import, compaction or sweep is running, for tests.
  package func finishBackgroundWork() {
    imports.sync {}
    background.sync {}
  }

  // MARK: - Reading

  /// The records of all collections. A damaged record is reported and returned as damaged.
  ///
  /// - Throws: `StorageFault`
  /// - Complexity: O(collections)
  public func collections() async throws -> [StoredCollection] {
    try await inDatabase { [faults] database in
      var found: [StoredCollection] = []
      // Scans the table itself rather than an index, which may be damaged although the table is
      // intact.
      let rows = try database.rows(CollectionRecord.scan, [])
      while let row = try rows.next() {
        let id = try row.text(1)
        do {
          found.append(.intact(try CollectionRecord(row, id: id)))
        } catch {
          let fault = StorageFault(damageOf: id, error)
          faults.failed(fault)
          found.append(.damaged(id: id, fault))
        }
      }
      return found
    }
  }

  /// Calls `body` in a read transaction, on a thread of the database's own.
  ///
  /// - Throws: `StorageFault.conflict` if there is no such collection, which is reported as damage,
  ///   because nobody else deletes any; `.damaged` for anything that `body` finds wrong with what
  ///   is stored; other faults of the storage.
  public func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result {
    try await inDatabase { [isClosing, faults] database in
      do {
        guard try database.has(id) else {
          let missing = StorageFault.missing(id)
          faults.failed(StorageFault(damageOf: id, missing))
          throw missing
        }
        return try body(DatabaseContents(database, id: id, isStopped: isClosing))
      } catch { throw StorageFault.damage(error, of: id) }
    }
  }

  /// Runs `body` in a read transaction without blocking the calling task's thread.
  func inDatabase<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        pool.asyncRead { database in
          continuation.resume(with: Result { try body(database.get()) })
        }
      }
    } catch { throw failed(error) }
  }

  // MARK: - Faults

  /// Runs a write, and reports whether it failed or succeeded.
  ///
  /// - Throws: a `StorageFault` in place of the database's errors.
  func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch { throw failed(error) }
    faults.succeeded()
  }

  /// Reports an error.
  ///
  /// - Returns: the error to throw: a `StorageFault` in place of the database's errors.
  func failed(_ error: any Error) -> any Error {
    if isClosing.isSet { return StorageFault(.closed, "\(path) is closed") }
    let error = StorageFault.describing(error, path: path)
    guard let fault = error as? StorageFault else { return error }
    if fault.kind == .fileChanged && health.fault?.kind != .fileChanged {
      lock.noteLost(logInode: logInode)
    }
    faults.failed(fault)
    return error
  }
}
