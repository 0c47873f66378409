// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import CollectionStore
internal import Synchronization

extension PostgreSQLStorage {
  /// Stores a new collection, in one transaction.
  ///
  /// - Throws: `StorageFault`, `.conflict` if there is one of that name; the codec's error.
  /// - Complexity: O(items)
  public func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws {
    let statements = RecordStatements.create(record)
    try await reporting {
      guard let snapshot else {
        _ = try await recordConnection.perform(Exchange(statements, isWrite: true))
        return
      }
      let connection = contentConnection(for: snapshot.contents.approximateByteCount)
      try await connection.session { [isClosing] session in
        try session.inTransaction {
          _ = try session.perform(Exchange(statements))
          try Self.write(snapshot, of: record, session, isClosing)
        }
      }
    }
    tellEverybody()
  }

  /// Replaces the record of a collection.
  ///
  /// - Throws: `StorageFault`; `.conflict` unless the record before is stored.
  public func update(_ record: CollectionRecord, after old: CollectionRecord) async throws {
    try await reporting {
      let statement = RecordStatements.update(record, after: old)
      _ = try await recordConnection.perform(Exchange(statement, isWrite: true))
    }
    notifier?.add([record.incarnation])
  }

  /// Appends batches to logs and replaces the records in one transaction.
  ///
  /// - Throws: `StorageFault`; `.conflict` unless each collection is stored at the version before
  ///   its batch's, and if a request identifier is stored already. Nothing is stored then.
  public func append(_ entries: [LogEntry]) async throws {
    try await reporting { try await appends.append(entries) }
    notifier?.add(entries.map(\.record.incarnation))
  }

  /// Replaces the contents in one transaction.
  ///
  /// - Throws: `StorageFault`, `.conflict` unless the collection is stored at the version before;
  ///   the codec's error.
  /// - Complexity: O(items)
  public func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    after old: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) async throws {
    let connection = contentConnection(for: snapshot.contents.approximateByteCount)
    try await havingSnapshot {
      try await connection.session { [isClosing] session in
        try session.inTransaction {
          _ = try session.perform(Exchange(RecordStatements.lockSnapshot(record.incarnation)))
          // Known before much is written for nothing; whether it still is so counts in the end.
          guard try Self.isNewest(old, session) else { throw StorageFault.missing(record.id) }
          try Self.write(snapshot, of: record, session, isClosing)
          if let batch {
            let append = RecordStatements.append(LogEntry(batch, record: record, after: old))
            _ = try session.perform(Exchange(append))
          } else {
            let restart = RecordStatements.restart(record, after: old)
            let changed = try session.perform(Exchange(restart))
            guard changed.first?.count == 1 else { throw StorageFault.missing(record.id) }
          }
          try Self.trim(record, retention, keepsLog: batch != nil, session, isClosing)
        }
      }
    }
    notifier?.add([record.incarnation])
  }

  /// Deletes the collection of this name, whatever its incarnation, damaged or not.
  ///
  /// - Throws: `StorageFault`; `.conflict` if there is none.
  public func delete(_ id: String) async throws {
    let found = try await reporting {
      try await follower.perform(
        Exchange(
          Statement("SELECT incarnation, item_count FROM collection WHERE id = $1", [.text(id)])
        )
      )
    }
    guard let row = found.first?.rows.first else { throw StorageFault.missing(id) }
    try await delete(
      id,
      incarnation: row.unsigned(0),
      revision: nil,
      itemCount: Int(clamping: row.unsigned(1))
    )
  }

  /// Deletes a collection.
  ///
  /// - Throws: `StorageFault`; `.conflict` if it is not stored, or has another revision.
  public func delete(
    _ id: String,
    incarnation: UInt64,
    revision: UInt64?,
    itemCount: Int
  ) async throws {
    let statements = RecordStatements.delete(incarnation, revision: revision)
    try await havingSnapshot {
      guard itemCount > Self.fewItems else {
        _ = try await recordConnection.perform(Exchange(statements, isWrite: true))
        return
      }
      // Many rows take seconds; records of other collections must not wait for that.
      try await contentConnection(for: .max).session { [isClosing] session in
        try session.inTransaction {
          _ = try session.perform(Exchange(RecordStatements.lockSnapshot(incarnation)))
          // Known before much is removed for nothing; whether it still is so counts in the end.
          guard try Self.isStored(incarnation, revision: revision, session) else {
            throw StorageFault.missing(id)
          }
          // Before the record, which appends to the collection would have to wait for.
          let collection = incarnation.stored
          try SnapshotRemoval(session, collection: collection, isClosing: isClosing).run()
          _ = try session.perform(Exchange(statements))
        }
      }
    }
    tellEverybody()
  }

  /// This many items are deleted in milliseconds.
  private static let fewItems = 100_000

  /// Runs a write that needs the lock on a collection's snapshot, which another write or a
  /// compaction may hold until it is done. It polls for the lock and keeps no connection in
  /// between, so nobody else waits.
  ///
  /// - Throws: as `reporting`; `StorageFault.contended` if it does not get the lock in time.
  private func havingSnapshot(_ write: () async throws -> Void) async throws {
    let end = ContinuousClock.now + Self.patience
    var pause = Duration.milliseconds(20)
    while true {
      do { return try await reporting(write) } catch let fault as StorageFault {
        guard fault.kind == .contended, ContinuousClock.now < end, !isClosing.isSet,
          (try? await Task.sleep(for: pause)) != nil
        else { throw fault }
      }
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  /// How long it waits for the writes of others: a snapshot of ten million items takes half of
  /// that.
  private static let patience = Duration.seconds(60)

  /// Wakes all servers to look for collections that were created or deleted.
  private func tellEverybody() { notifier?.addAll() }

  // MARK: - Snapshots

  /// Writes whole contents in place of the stored ones.
  private static func write(
    _ snapshot: ContentsSnapshot,
    of record: CollectionRecord,
    _ session: PostgresConnection.Session,
    _ isClosing: Flag
  ) throws {
    let collection = record.incarnation.stored
    // A server that is writing a snapshot of older contents then finds another epoch.
    let locked = try session.run(
      "UPDATE snapshot SET epoch = \(SnapshotTurn.nextEpoch), claimed = 0 WHERE collection = $1",
      [.integer(collection)]
    )
    guard locked == 1 else { throw StorageFault.missing(record.id) }
    var writing = SnapshotWriting(
      session,
      collection: collection,
      root: .empty,
      codec: snapshot.codec,
      isClosing: isClosing
    )
    try writing.clear()
    try writing.write(snapshot.contents, since: .empty)
    try replaceRoot(writing.root, version: snapshot.version, of: collection, session)
  }

  private static func replaceRoot(
    _ root: SnapshotRoot,
    version: UInt64,
    of collection: Int64,
    _ session: PostgresConnection.Session
  ) throws {
    var root = root
    root.version = version
    try session.run(
      """
      UPDATE snapshot SET version = $2, kind_names = $3, section_count = $4, chunk_count = $5,
        digest = $6, checksum = $7, claimed = 0 WHERE collection = $1
      """,
      [.integer(collection)] + root.parameters(in: collection)
    )
  }

  /// Writes a snapshot in the background, in one transaction, then trims the log. Only one server
  /// at a time writes a snapshot of a collection; for the others the call reports that theirs was
  /// not stored.
  public func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    let isClosing = isClosing
    let connection = contentConnection(for: snapshot.contents.approximateByteCount)
    connection.startSession { [weak self] (result: Result<Bool, any Error>) in
      switch result {
      case .success(let isStored): completion(isStored)
      case .failure(let error):
        _ = self?.failed(StorageFault.damage(Self.fault(error), of: record.id))
        completion(false)
      }
    } body: { session in
      let turn = SnapshotTurn(record.incarnation.stored)
      guard try Self.isStored(record, session),
        let epoch = try turn.claim(before: snapshot.version, session)
      else { return false }
      do {
        do {
          try Self.compact(
            snapshot,
            since: base,
            of: record,
            retention,
            turn,
            epoch,
            session,
            isClosing
          )
        } catch let fault as StorageFault where fault.kind == .damaged && base != nil {
          // The contents in memory are intact: writing all of them replaces the damaged snapshot.
          try Self.compact(
            snapshot,
            since: nil,
            of: record,
            retention,
            turn,
            epoch,
            session,
            isClosing
          )
        }
      } catch {
        // If the connection is lost, the claim ends by itself.
        try? turn.release(epoch, session)
        throw error
      }
      return true
    }
  }

  private static func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    _ retention: LogRetention,
    _ turn: SnapshotTurn,
    _ epoch: Int64,
    _ session: PostgresConnection.Session,
    _ isClosing: Flag
  ) throws {
    try session.inTransaction {
      let row = try turn.lock(epoch, session)
      // Nobody trims the log until the lock is released.
      guard try isStored(record, session) else {
        throw StorageFault(.conflict, "the version of the snapshot is not stored")
      }
      // Damaged rows are replaced below, if they are not needed for the difference.
      let stored = base == nil ? nil : try SnapshotRoot(row, in: record.incarnation.stored)
      let since = stored?.version == base?.version ? base : nil
      var writing = SnapshotWriting(
        session,
        collection: record.incarnation.stored,
        root: stored ?? .empty,
        codec: snapshot.codec,
        isClosing: isClosing
      )
      if since == nil { try writing.clear() }
      try writing.write(snapshot.contents, since: since?.contents ?? .empty)
      try replaceRoot(
        writing.root,
        version: snapshot.version,
        of: record.incarnation.stored,
        session
      )
      try trim(record, retention, keepsLog: true, session, isClosing)
    }
  }

  /// Whether a collection is stored.
  ///
  /// - Parameter revision: the revision that it must have; nil = any.
  private static func isStored(
    _ incarnation: UInt64,
    revision: UInt64?,
    _ session: PostgresConnection.Session
  ) throws -> Bool {
    let found = try session.row(
      "SELECT revision FROM collection WHERE incarnation = $1",
      [.integer(incarnation.stored)]
    )
    guard let found else { return false }
    return try revision == nil || found.unsigned(0) == revision
  }

  /// Whether a record is what is stored now.
  private static func isNewest(
    _ record: CollectionRecord,
    _ session: PostgresConnection.Session
  ) throws -> Bool {
    try session.row(
      """
      SELECT incarnation FROM collection WHERE incarnation = $1 AND data_version = $2
        AND revision = $3 AND lineage = $4
      """,
      [
        .integer(record.incarnation.stored), .integer(record.dataVersion.stored),
        .integer(record.revision.stored), .integer(record.lineage.stored),
      ]
    ) != nil
  }

  /// Whether the version of a record is one of those that led to what is stored, and not one that
  /// the database has lost. The batch after it is in the log, unless a snapshot is as new.
  private static func isStored(
    _ record: CollectionRecord,
    _ session: PostgresConnection.Session
  ) throws -> Bool {
    try session.row(
      """
      SELECT incarnation FROM collection WHERE incarnation = $1 AND (
        (data_version = $2 AND lineage = $3)
        OR (data_version > $2 AND EXISTS (
          SELECT FROM batch WHERE collection = $1 AND version = $2 + 1
            AND (base = $3 OR base IS NULL))))
      """,
      [
        .integer(record.incarnation.stored), .integer(record.dataVersion.stored),
        .integer(record.lineage.stored),
      ]
    ) != nil
  }

  /// Trims the log and the request identifiers.
  ///
  /// - Parameter keepsLog: false = the log is emptied.
  private static func trim(
    _ record: CollectionRecord,
    _ retention: LogRetention,
    keepsLog: Bool,
    _ session: PostgresConnection.Session,
    _ isClosing: Flag
  ) throws {
    let collection = Parameter.integer(record.incarnation.stored)
    let contents = try PostgreSQLContents(session, id: record.id, isClosing: isClosing)
    let start = keepsLog ? try contents.firstVersion(kept: retention) : .max
    _ = try session.perform(
      Exchange([
        Statement(
          "DELETE FROM batch WHERE collection = $1 AND version < $2",
          [collection, .integer(Int64(clamping: start))]
        ),
        Statement(
          "DELETE FROM request WHERE collection = $1 AND seconds < $2",
          [collection, .integer(retention.requestsSince.seconds)]
        ),
        Statement(
          """
          DELETE FROM request WHERE collection = $1 AND version <= (
            SELECT version FROM request WHERE collection = $1
            ORDER BY version DESC LIMIT 1 OFFSET $2)
          """,
          [collection, .integer(Int64(max(0, retention.requestCount)))]
        ),
      ])
    )
  }
}

/// The turn of one server to write the snapshot of a collection.
private struct SnapshotTurn {
  private let collection: Parameter

  /// Seconds after which the turn of a lost server counts as over. Once a server writes, it keeps
  /// the row locked until its transaction ends, however long that takes.
  private static let seconds = 30

  /// A damaged number must not stop all writes.
  static let nextEpoch = "CASE WHEN epoch BETWEEN 0 AND 1::bigint << 61 THEN epoch + 1 ELSE 1 END"

  init(_ collection: Int64) { self.collection = .integer(collection) }

  /// Begins a turn. A turn that began in the future counts as over: the number is damaged, or the
  /// database's clock was set.
  ///
  /// - Returns: its epoch; nil = another server writes, or has written a snapshot that is as new.
  func claim(before version: UInt64, _ session: PostgresConnection.Session) throws -> Int64? {
    try session.row(
      """
      UPDATE snapshot SET epoch = \(Self.nextEpoch), claimed = \(RecordStatements.seconds)
      WHERE collection = (
        SELECT collection FROM snapshot WHERE collection = $1 AND version < $2
          AND claimed NOT BETWEEN \(RecordStatements.seconds) - \(Self.seconds)
            AND \(RecordStatements.seconds) + \(Self.seconds)
        FOR UPDATE SKIP LOCKED)
      RETURNING epoch
      """,
      [collection, .integer(version.stored)]
    )?.integer(0)
  }

  /// Locks the snapshot until the transaction ends.
  ///
  /// - Returns: its row as it is stored.
  /// - Throws: `StorageFault.conflict` if the turn is over.
  func lock(_ epoch: Int64, _ session: PostgresConnection.Session) throws -> ResultRow {
    let row = try session.row(
      """
      UPDATE snapshot SET claimed = \(RecordStatements.seconds)
      WHERE collection = $1 AND epoch = $2 RETURNING \(SnapshotRoot.columns)
      """,
      [collection, .integer(epoch)]
    )
    guard let row else { throw StorageFault(.conflict, "another server writes the snapshot") }
    return row
  }

  /// Ends a turn without a snapshot.
  func release(_ epoch: Int64, _ session: PostgresConnection.Session) throws {
    try session.run(
      "UPDATE snapshot SET claimed = 0 WHERE collection = $1 AND epoch = $2",
      [collection, .integer(epoch)]
    )
  }
}
