// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension SQLiteStorage {
  /// - Parameter path: for messages.
  static func openPool(
    _ file: String,
    called path: String,
    _ synchronization: Synchronization
  ) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    configuration.busyMode = .timeout(5)
    configuration.label = "collection-store"
    configuration.prepareDatabase { database in
      // Before GRDB writes anything.
      if !database.configuration.readonly { try Schema.check(database, path: path) }
      try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }
    let pool = try DatabasePool(path: file, configuration: configuration)
    try pool.writeWithoutTransaction { database in
      // GRDB chooses NORMAL.
      try database.execute(sql: "PRAGMA synchronous = \(synchronization.rawValue)")
      // A large import must not leave a large log for good.
      try database.execute(sql: "PRAGMA journal_size_limit = \(FileGuard.logSizeLimit)")
      try Schema.migrate(database)
    }
    return pool
  }

  /// The last transaction: a new token, so that copies that were made until now are known for copies.
  /// Then moves all of the log into the database.
  ///
  /// - Returns: the token; nil where the file is not the one that was opened.
  func leave(_ database: Database) throws -> String? {
    var token: String?
    if health.fault?.kind != .fileChanged {
      let new = try lock.beginChange(of: database.identityToken() ?? "", file)
      try database.inTransaction(.immediate) {
        try database.setIdentityToken(new)
        return .commit
      }
      token = new
    }
    // GRDB closes readers last, which cannot do it.
    _ = try database.checkpoint(.truncate)
    return token
  }
}

/// What is found out and written when the database is opened.
struct StoreOpening {
  private(set) var secret: [UInt8] = []
  /// Collections that have got new incarnations, since the file was restored.
  private(set) var renewedCount = 0
  /// What is wrong with the store as a whole.
  private(set) var damage: [StorageFault] = []

  /// - Parameter logInode: of the log that was there before; nil = there was none.
  init(_ pool: DatabasePool, _ lock: FileLock, file: String, logInode: UInt64?) throws {
    let found = try pool.read { database in Result { try database.identityToken() } }
    let stored = intact(found)
    let isSame = lock.isSame(token: stored, file: file, logInode: logInode, ifDamaged: found)
    let token =
      isSame ? try lock.beginChange(of: stored ?? "", file) : lock.makeToken()
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

  /// Notes what is damaged; other errors are found again.
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
  func identityToken() throws -> String? {
    try property(.identity).map { String(decoding: $0, as: UTF8.self) }
  }

  func setIdentityToken(_ token: String) throws { try set(.identity, to: Array(token.utf8)) }

  /// Gives all collections other incarnations, damaged ones aside.
  ///
  /// - Returns: how many.
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
  func makeToken() -> String {
    [UInt8].random(count: 16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  /// - Parameters:
  ///   - token: that the database holds; nil = none, or damaged.
  ///   - logInode: of the log that was there before the database was opened; nil = there was none.
  fileprivate func isSame(
    token: String?,
    file: String,
    logInode: UInt64?,
    ifDamaged found: Result<String?, any Error>
  ) -> Bool {
    let earlier = StoreIdentity(line: earlierNote)
    guard let token else {
      // A file without a token was made by an older version, or just now.
      guard case .success = found else { return false }
      return earlier == nil
    }
    return earlier?.matches(token: token, inode: Self.inode(of: file), logInode: logInode) ?? false
  }

  /// To be called before a token is replaced in the database: a crash may come before that or after.
  ///
  /// - Returns: the new token.
  fileprivate func beginChange(of token: String, _ file: String) throws(StorageFault) -> String {
    let new = makeToken()
    try note([token, new], file, logInode: nil, isClosed: false)
    return new
  }

  fileprivate func noteOpen(token: String, _ file: String) throws(StorageFault) {
    let log = FileStatus(path: FileGuard.log(of: file))
    try note([token], file, logInode: log?.key.inode, isClosed: false)
  }

  /// To be called once the database is closed.
  func noteClosed(token: String, _ file: String) throws(StorageFault) {
    try note([token], file, logInode: nil, isClosed: true)
  }

  /// The next start takes the file for restored.
  func noteLost(_ file: String) {
    // Where it cannot be written either, the inodes have to tell.
    try? note([], file, logInode: nil, isClosed: false)
  }

  private func note(
    _ tokens: [String],
    _ file: String,
    logInode: UInt64?,
    isClosed: Bool
  ) throws(StorageFault) {
    let identity = StoreIdentity(
      tokens: tokens,
      inode: Self.inode(of: file),
      logInode: logInode,
      isClosed: isClosed
    )
    try write(identity.line)
  }

  private static func inode(of file: String) -> UInt64 { FileStatus(path: file)?.key.inode ?? 0 }
}
