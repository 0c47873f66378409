// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

/// Storage in one SQLite file.
///
/// What was acknowledged is on the disk: each commit waits for `fsync` of the write-ahead log.
/// Nothing blocks the threads of Swift's tasks: reading, writing and the making of snapshots have
/// threads of their own. Memory: a few parts of contents at a time.
public final class SQLiteStorage: CollectionStorage {
  /// When a commit counts as done.
  public enum Synchronization: String, Sendable {
    /// Once it is on the disk.
    case full = "FULL"
    /// Once the system has it: outlives the process, but not a loss of power.
    case normal = "NORMAL"
  }

  public let path: String
  let pool: DatabasePool
  let commits: CommitQueue
  /// New contents, one after the other.
  let imports = DispatchQueue(label: "collection-store.imports")
  /// Compaction, and removal of what is no longer needed.
  let background = DispatchQueue(label: "collection-store.background", qos: .utility)
  let staging: StagingNumbers
  let pieceBytes: Int
  private let lock: FileLock
  private let faults: FaultReports
  let isClosed = Mutex(false)

  public var isDurable: Bool { true }

  /// Opens the file, or creates it. Blocks meanwhile; to be called before anything is served.
  ///
  /// - Parameters:
  ///   - pieceBytes: contents are written in pieces of this size, between which others can commit.
  ///   - report: told of a fault that keeps it from working, once until it works again, and of
  ///     damage when it is found.
  /// - Throws: `StorageFault`
  public init(
    path: String,
    synchronization: Synchronization = .full,
    pieceBytes: Int = 2 << 20,
    report: @escaping @Sendable (StorageFault) -> Void = { _ in }
  ) throws {
    self.path = path
    self.pieceBytes = pieceBytes
    faults = FaultReports(report)
    lock = try FileLock(path: Self.resolved(path) + ".lock", of: path)
    do {
      var configuration = Configuration()
      configuration.maximumReaderCount = 4
      configuration.busyMode = .timeout(5)
      configuration.label = "collection-store"
      configuration.prepareDatabase { database in
        // Before GRDB writes anything.
        if !database.configuration.readonly { try Schema.check(database, path: path) }
        try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
      }
      pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { database in
        // GRDB chooses NORMAL.
        try database.execute(sql: "PRAGMA synchronous = \(synchronization.rawValue)")
        // A large import must not leave a large log for good.
        try database.execute(sql: "PRAGMA journal_size_limit = \(64 << 20)")
        try Schema.migrate(database)
      }
      staging = try pool.read { try StagingNumbers($0) }
    } catch { throw StorageFault.describing(error, path: path) }
    commits = CommitQueue(pool: pool)
    background.async { [self] in sweep() }
  }

  /// Waits for what is going on and closes the file. Everything fails from then on.
  public func close() throws {
    imports.sync {}
    // What is still to be swept waits behind this, and is left for the next time.
    try background.sync { try closeFile() }
  }

  private func closeFile() throws {
    isClosed.withLock { $0 = true }
    do {
      // GRDB closes readers last, which cannot do it.
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try pool.close()
      lock.release()
    } catch { throw StorageFault.describing(error, path: path) }
  }

  /// Where the file is, whatever links lead there, so that all servers lock the same file.
  private static func resolved(_ path: String) -> String { FilePath.resolved(path) }

  // MARK: - Reading

  public func collections() async throws -> [StoredCollection] {
    try await inDatabase { [faults] database in
      var found: [StoredCollection] = []
      let rows = try database.rows(CollectionRecord.selection + " ORDER BY id", [])
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
    try await inDatabase { database in
      do {
        return try body(DatabaseContents(database, id: id))
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
    let error = StorageFault.describing(error, path: path)
    if let fault = error as? StorageFault { faults.failed(fault) }
    return error
  }
}

/// Tells of the first of several like faults in a row, and once of each damage.
private final class FaultReports: Sendable {
  private let report: @Sendable (StorageFault) -> Void
  private let state = Mutex(State())

  private struct State {
    var last: StorageFault.Kind?
    /// Damage that was told of. It does not pass, and is found again each time one looks.
    var damage: Set<String> = []
  }

  /// Damage beyond this is told of again.
  private static let damageLimit = 1000

  init(_ report: @escaping @Sendable (StorageFault) -> Void) { self.report = report }

  func failed(_ fault: StorageFault) {
    guard fault.kind != .conflict else { return }
    let isNew = state.withLock { state in
      if fault.kind == .damaged {
        if state.damage.count >= Self.damageLimit { state.damage.removeAll() }
        return state.damage.insert(fault.description).inserted
      }
      defer { state.last = fault.kind }
      return state.last != fault.kind
    }
    if isNew { report(fault) }
  }

  func succeeded() { state.withLock { $0.last = nil } }
}
