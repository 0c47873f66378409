// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

/// Storage in one SQLite file.
///
/// What was acknowledged is on the disk: each commit waits for `fsync` of the write-ahead log.
/// Nothing blocks the threads of Swift's tasks: reading, writing and the making of snapshots have
/// threads of their own. Memory: a few chunks of contents at a time.
///
/// Where the file or its log is removed, replaced or cut by somebody else, nothing more is
/// acknowledged (`FileGuard`). Where the file was restored from a backup, all collections have new
/// incarnations (`StoreIdentity`).
public final class SQLiteStorage: CollectionStorage {
  /// When a commit counts as done.
  public enum Synchronization: String, Sendable {
    /// Once it is on the disk.
    case full = "FULL"
    /// Once the system has it: outlives the process, but not a loss of power.
    case normal = "NORMAL"
  }

  /// As it was given.
  public let path: String
  public let health: StorageHealth
  public let secret: [UInt8]
  /// Whether the file is another than the one that was there when a server last used it, so that all
  /// collections have got new incarnations.
  public let isRestored: Bool
  /// Without symbolic links.
  let file: String
  let pool: DatabasePool
  let commits: CommitQueue<Database>
  /// New contents, one after the other.
  let imports = DispatchQueue(label: "collection-store.imports")
  /// Compaction, and removal of what is no longer needed.
  let background = DispatchQueue(label: "collection-store.background", qos: .utility)
  let staging: StagingNumbers
  let pieceBytes: Int
  let system: StorageSystem
  let lock: FileLock
  let faults: FaultReports
  /// Set first when it is closed: what takes long gives up at its next step.
  let isClosing = Flag()
  /// Whether the last sweep failed.
  let needsSweep = Flag()

  public var isDurable: Bool { true }

  /// Opens the file, or creates it. Blocks meanwhile; to be called before anything is served.
  ///
  /// - Parameters:
  ///   - pieceBytes: contents are written in pieces of this size, between which others can commit.
  ///   - report: told of a fault that keeps it from working, once until it works again, and of
  ///     damage when it is found.
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
    lock = try FileLock(path: FilePath.resolved(path))
    let file = FilePath.resolved(path)
    self.file = file
    do {
      let logInode = FileStatus(path: FileGuard.log(of: file))?.key.inode
      pool = try Self.openPool(file, called: path, synchronization)
      let opening = try StoreOpening(pool, lock, file: file, logInode: logInode)
      secret = opening.secret
      isRestored = opening.renewedCount > 0
      staging = try pool.read { try StagingNumbers($0) }
      let guarding = try FileGuard(path: file)
      commits = CommitQueue(
        schedule: { [pool] in pool.asyncWriteWithoutTransaction($0) },
        transaction: { database, body in
          try guarding.check()
          try database.inTransaction(.immediate) {
            try body()
            return .commit
          }
          try guarding.confirm { try database.pagesByteCount() }
        }
      )
      for fault in opening.damage { faults.failed(fault) }
    } catch { throw StorageFault.describing(error, path: path) }
    background.async { [self] in sweep() }
    scheduleCheck()
  }

  /// Closes the file. Everything fails from then on. Takes as long as the piece that is being written
  /// and the reader's next chunk: imports and snapshots that are under way are given up, which leaves
  /// the contents as they were.
  ///
  /// - Throws: `StorageFault` where the log could not be moved into the database; it is read again at
  ///   the next start.
  public func close() throws {
    guard isClosing.set() else { return }
    commits.stop()
    imports.sync {}
    background.sync {}
    do {
      let token = try pool.writeWithoutTransaction { try leave($0) }
      try pool.close()
      if let token { try lock.noteClosed(token: token, file) }
      lock.release()
    } catch { throw StorageFault.describing(error, path: path) }
  }

  /// Waits until nothing is being imported, compacted or swept, for tests.
  package func finishBackgroundWork() {
    imports.sync {}
    background.sync {}
  }

  // MARK: - Reading

  public func collections() async throws -> [StoredCollection] {
    try await inDatabase { [faults] database in
      var found: [StoredCollection] = []
      // The table itself: an index may be damaged apart from it.
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

  public func read<Result: Sendable>(
    _ id: String,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result {
    try await inDatabase { [isClosing] database in
      do {
        guard try database.has(id) else {
          throw StorageFault(.damaged, "its row is missing")
        }
        return try body(DatabaseContents(database, id: id, isStopped: isClosing))
      } catch { throw StorageFault.damage(error, of: id) }
    }
  }

  private func inDatabase<Value: Sendable>(
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

  /// Runs what writes, and says what went wrong in words of the storage.
  func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch { throw failed(error) }
    faults.succeeded()
  }

  func failed(_ error: any Error) -> any Error {
    if isClosing.isSet { return StorageFault(.closed, "\(path) is closed") }
    let error = StorageFault.describing(error, path: path)
    guard let fault = error as? StorageFault else { return error }
    if fault.kind == .fileChanged && health.fault?.kind != .fileChanged { lock.noteLost(file) }
    faults.failed(fault)
    return error
  }
}
