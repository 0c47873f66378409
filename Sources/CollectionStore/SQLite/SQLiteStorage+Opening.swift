// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension SQLiteStorage {
  /// Opens the database and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - file: the path without symbolic links.
  ///   - path: the path as it was given, for messages.
  /// - Throws: `StorageFault.notAStore`, `.newerSchema`; `DatabaseError`.
  static func openPool(
    _ file: String,
    called path: String,
    _ synchronization: Synchronization,
    _ system: StorageSystem
  ) throws -> DatabasePool {
    let restartsLog = restartsLog(of: file, system)
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    configuration.busyMode = .timeout(Double(system.lockMilliseconds) / 1000)
    configuration.label = "collection-store"
    configuration.prepareDatabase { database in
      // Runs before GRDB writes anything, so that another program's database is left untouched.
      if !database.configuration.readonly { try Schema.check(database, path: path) }
      // If SQLite is built to overwrite deleted data, it would write every freed page: a deletion
      // would need as much space in the log as the collection has in the file.
      try database.execute(
        sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = FAST"
      )
    }
    let pool = try DatabasePool(path: file, configuration: configuration)
    try pool.writeWithoutTransaction { database in
      // GRDB's default in WAL mode is NORMAL, which does not wait for the disk at each commit.
      try database.execute(sql: "PRAGMA synchronous = \(synchronization.rawValue)")
      // A large import makes the log grow; without the limit it would keep that size.
      try database.execute(sql: "PRAGMA journal_size_limit = \(FileGuard.logSizeLimit)")
      // If another program reads the database, the log is continued instead.
      if restartsLog { _ = try? database.checkpoint(.restart) }
      try Schema.migrate(database)
    }
    return pool
  }

  /// Whether to rewrite an existing log from its start, with other salts, so that what a crash
  /// has torn is not mistaken for this server's transactions (`LogRecovery`). False if the database
  /// might have no room for the contents of the log.
  private static func restartsLog(of file: String, _ system: StorageSystem) -> Bool {
    guard let bytes = FileStatus(path: FileGuard.log(of: file))?.size, bytes > 0 else {
      return false
    }
    return system.freeBytes(file).map { $0 > bytes + StorageSystem.reservedBytes } ?? true
  }

  /// How a storage leaves its files.
  enum Leaving {
    /// In order, with this token and without a log.
    case inOrder(token: String)
    /// The files were changed, but what the log held is in the database now.
    case changed
    /// The path leads to no file or to another one. The log stays as it is: together with the
    /// original file, it holds everything that was acknowledged.
    case replaced
  }

  /// Finishes writing when the storage is closed: replaces the identity token, so that backups made
  /// before now are recognised as such, then moves the whole write-ahead log into the database.
  func leave(_ database: Database) throws -> Leaving {
    guard FileStatus(path: file)?.key == lock.key else { return .replaced }
    var token: String?
    if health.fault?.kind != .fileChanged {
      let new = try lock.beginChange(of: database.identityToken() ?? "")
      try database.inTransaction(.immediate) {
        try database.setIdentityToken(new)
        return .commit
      }
      token = new
    }
    // SQLite checkpoints when the last connection closes, but GRDB closes readers last, which may
    // not write.
    _ = try database.checkpoint(.truncate)
    return token.map { .inOrder(token: $0) } ?? .changed
  }
}

/// The checks when the database is opened: whether it was restored from a backup, and whether what
/// it holds for the store as a whole is intact.
struct StoreOpening {
  /// `CollectionStorage.secret`.
  private(set) var secret: [UInt8] = []
  /// Collections that have been given new incarnations because the file was restored.
  private(set) var renewedCount = 0
  /// Damage of the store as a whole, which does not keep it from being opened.
  private(set) var damage: [StorageFault] = []

  /// Runs the checks, and writes a new identity token.
  ///
  /// - Parameter logInode: the inode of the write-ahead log before the database was opened; nil =
  ///   there was no log.
  init(_ pool: DatabasePool, _ lock: FileLock, file: String, logInode: UInt64?) throws {
    let found = try pool.read { database in Result { try database.identityToken() } }
    let stored = intact(found)
    let isSame = lock.isSame(token: stored, logInode: logInode, ifDamaged: found)
    let token =
      isSame ? try lock.beginChange(of: stored ?? "") : lock.makeToken()
    let opened = try pool.write { database in
      var opening = self
      if !isSame { opening.renewedCount = try database.renewIncarnations() }
      let secret = opening.intact(Result { try database.property(.secret) }) ?? .random(count: 32)
      opening.secret = secret
      try database.set(.secret, to: secret)
      try database.setIdentityToken(token)
      if let fault = try database.checkDigest() { opening.damage.append(fault) }
      return opening
    }
    self = opened
    try lock.noteOpen(token: token, file)
  }

  /// The value; nil = there is none, or it cannot be read. Damage is noted. Other errors are not,
  /// because the transaction that follows meets them again and throws them.
  private mutating func intact<Value>(_ result: Result<Value?, any Error>) -> Value? {
    switch result {
    case .success(let value): return value
    case .failure(let error):
      if let fault = error as? StorageFault, fault.kind == .damaged { damage.append(fault) }
      return nil
    }
  }
}

extension Database {
  /// The token of `StoreIdentity`; nil = the database has none.
  func identityToken() throws -> String? {
    try property(.identity).map { String(decoding: $0, as: UTF8.self) }
  }

  func setIdentityToken(_ token: String) throws { try set(.identity, to: Array(token.utf8)) }

  /// Draws a new incarnation for each collection whose record is intact.
  ///
  /// - Returns: the number of those collections.
  fileprivate func renewIncarnations() throws -> Int {
    var renewed: [(number: Int64, record: CollectionRecord)] = []
    let rows = try rows(CollectionRecord.scan, [])
    while let row = try rows.next() {
      guard let record = try? CollectionRecord(row, id: row.text(1)) else { continue }
      renewed.append((try row.integer(0), record))
    }
    for (number, old) in renewed {
      var record = old
      record.incarnation = .random(in: 1 ... .max)
      record.revision &+= 1
      try run(
        "UPDATE collection SET incarnation = ?, revision = ?, checksum = ? WHERE number = ?",
        [record.incarnation.stored, record.revision.stored, record.columnsChecksum, number]
      )
    }
    return renewed.count
  }
}

extension FileLock {
  /// A new identity token: 16 random bytes in hexadecimal.
  func makeToken() -> String {
    [UInt8].random(count: 16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  /// Whether the database is the one that the server used last, rather than a restored backup.
  ///
  /// - Parameters:
  ///   - token: the database's token; nil = it has none, or a damaged one.
  ///   - logInode: the inode of the write-ahead log before the database was opened; nil = there was
  ///     no log.
  ///   - found: what reading the token gave, which tells a missing token from a damaged one.
  fileprivate func isSame(
    token: String?,
    logInode: UInt64?,
    ifDamaged found: Result<String?, any Error>
  ) -> Bool {
    let earlier = StoreIdentity(line: earlierNote)
    guard let token else {
      // A database without a token was written by a version before schema 3, or has just been
      // created.
      guard case .success = found else { return false }
      return earlier == nil
    }
    return earlier?.matches(token: token, inode: key.inode, logInode: logInode) ?? false
  }

  /// Notes the old and a new token in the lock file. The caller then writes the new one to the
  /// database; if the process crashes before or after that, the next start recognises either.
  ///
  /// - Parameter token: the token that the database holds; "" = none.
  /// - Returns: the new token.
  fileprivate func beginChange(of token: String) throws(StorageFault) -> String {
    let new = makeToken()
    try note([token, new], logInode: nil, isClosed: false)
    return new
  }

  /// Notes that the database is in use, with its token and its write-ahead log.
  fileprivate func noteOpen(token: String, _ file: String) throws(StorageFault) {
    let log = FileStatus(path: FileGuard.log(of: file))
    try note([token], logInode: log?.key.inode, isClosed: false)
  }

  /// Notes that the database was closed in order. Called after closing it.
  func noteClosed(token: String) throws(StorageFault) {
    try note([token], logInode: nil, isClosed: true)
  }

  /// Notes that acknowledged commits may be lost, so that the next start treats the file as
  /// restored.
  ///
  /// - Parameter logInode: the log without which the next start would lack batches; nil = there is
  ///   none.
  func noteLost(logInode: UInt64? = nil) {
    // If the lock file cannot be written either, the next start depends on the inodes it holds.
    try? note([], logInode: logInode, isClosed: false)
  }

  private func note(
    _ tokens: [String],
    logInode: UInt64?,
    isClosed: Bool
  ) throws(StorageFault) {
    let identity = StoreIdentity(
      tokens: tokens,
      inode: key.inode,
      logInode: logInode,
      isClosed: isClosed
    )
    try write(identity.line)
  }
}
