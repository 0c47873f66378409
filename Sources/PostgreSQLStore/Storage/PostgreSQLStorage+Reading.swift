// SPDX-License-Identifier: Apache-2.0

public import CollectionStore

extension PostgreSQLStorage {
  /// The records of all collections. A damaged record is reported and returned as damaged.
  ///
  /// - Throws: `StorageFault`
  /// - Complexity: O(collections)
  public func collections() async throws -> [StoredCollection] {
    let answers = try await reporting {
      try await follower.perform(
        Exchange(Statement("SELECT \(RecordRow.columns) FROM \(RecordRow.tables)"))
      )
    }
    return try (answers.first?.rows ?? []).map { try collection($0, isWhole: true) }
  }

  /// Calls `body` in a read transaction, on the thread of a connection.
  ///
  /// - Throws: `StorageFault.damaged` for anything that `body` finds wrong with what is stored; `.conflict` if
  ///   there is no such collection; other faults of the storage.
  public func read<Result: Sendable>(
    _ id: String,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result {
    try await reporting {
      try await loadConnection.session { [isClosing] session in
        try session.inTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
          do {
            return try body(PostgreSQLContents(session, id: id, isClosing: isClosing))
          } catch { throw StorageFault.damage(Self.fault(error), of: id) }
        }
      }
    }
  }

  /// Refused: PostgreSQL has backups of its own.
  ///
  /// - Throws: `StorageFault.unsupported`
  public func backUp(to path: String) async throws -> Int64 {
    throw StorageFault(
      .unsupported,
      "back up the database with PostgreSQL's tools, such as pg_dump"
    )
  }

  private func collection(_ row: ResultRow, isWhole: Bool) throws -> StoredCollection {
    let id = try row.text(1)
    do { return .intact(try RecordRow.record(row, isWhole: isWhole)) } catch {
      let fault = StorageFault(damageOf: id, error)
      faults.failed(fault)
      return .damaged(id: id, fault)
    }
  }
}

// MARK: - Shared

extension PostgreSQLStorage: SharedLog {
  /// This storage.
  public var shared: (any SharedLog)? { self }

  /// An element for each notification, for each new connection, and each second.
  public var wakes: AsyncStream<Void> { wake.streams.stream() }

  /// What other servers told of since the last call; nil = any collection may have changed.
  public func takeChanged() -> Set<UInt64>? { wake.takeChanged() }

  /// The collections that changed, or all of them: after a new connection, because another server of a cluster may
  /// have answered, and if deletions since the cursor may be forgotten (`RecordStatements.removalSeconds`), because
  /// this server was stopped for long or the database's clock was set.
  ///
  /// - Throws: `StorageFault`
  public func changes(since cursor: ChangeCursor?) async throws -> StoredChanges {
    let connection = wake.connection
    if let cursor, cursor.connection == connection {
      let changes = try await changes(since: cursor.position, on: connection)
      let (seconds, overflow) = changes.cursor.seconds.subtractingReportingOverflow(cursor.seconds)
      if !overflow, seconds.magnitude <= RecordStatements.removalSeconds / 2 { return changes }
    }
    return try await changes(since: nil, on: connection)
  }

  /// - Parameters:
  ///   - position: of the cursor; nil = all collections are returned.
  ///   - connection: the number of the connection. If there is a newer one by now, the next call finds out.
  private func changes(since position: UInt64?, on connection: UInt64) async throws -> StoredChanges
  {
    let start = Parameter.integer((position ?? 0).stored)
    // The cursor first: what is running then is found again by the next call.
    let answers = try await reporting {
      try await follower.perform(
        Exchange([
          Statement(
            """
            SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
              \(RecordStatements.seconds)
            """
          ),
          Statement(
            """
            SELECT \(RecordRow.columns(describedIf: "d.touched >= $1")) FROM \(RecordRow.tables)
            WHERE c.touched >= $1
            """,
            [start]
          ),
          Statement("SELECT incarnation, id FROM removed WHERE touched >= $1", [start]),
        ])
      )
    }
    guard answers.count == 3, let first = answers[0].rows.first else {
      throw StorageFault(.unreachable, "PostgreSQL returned other rows than were asked for")
    }
    return StoredChanges(
      changed: try answers[1].rows.map {
        StoredChanges.Change(
          try collection($0, isWhole: position == nil),
          hasDescription: RecordRow.hasDescription($0)
        )
      },
      removed: try answers[2].rows.map {
        StoredChanges.Removal(id: try $0.text(1), incarnation: try $0.unsigned(0))
      },
      isComplete: position == nil,
      cursor: ChangeCursor(
        position: try first.unsigned(0),
        seconds: try first.integer(1),
        connection: connection
      )
    )
  }

  /// The most batches that are read at once; beyond, reading the snapshot costs less.
  private static let mostBatches: Int64 = 1024

  /// What the log of a collection has after a version.
  ///
  /// - Throws: `StorageFault`
  public func tail(
    of id: String,
    incarnation: UInt64,
    after version: UInt64,
    revision: UInt64
  ) async throws -> LogTail {
    let collection = Parameter.integer(incarnation.stored)
    // The record first: batches that are committed in between are left for the next time.
    let answers = try await reporting {
      try await follower.perform(
        Exchange([
          Statement(
            """
            SELECT \(RecordRow.columns(describedIf: "d.revision > $2")), s.version
            FROM \(RecordRow.tables) LEFT JOIN snapshot s ON s.collection = c.incarnation
            WHERE c.incarnation = $1
            """,
            [collection, .integer(revision.stored)]
          ),
          Statement(
            """
            SELECT \(BatchRow.columns) FROM batch WHERE collection = $1 AND version > $2
            ORDER BY version LIMIT \(Self.mostBatches)
            """,
            [collection, .integer(version.stored)]
          ),
        ])
      )
    }
    guard answers.count == 2, let found = answers[0].rows.first else { return .gone }
    do { return try Self.tail(found, answers[1].rows, after: version) } catch {
      throw failed(StorageFault.damage(error, of: id))
    }
  }

  private static func tail(
    _ found: ResultRow,
    _ rows: [ResultRow],
    after version: UInt64
  ) throws -> LogTail {
    let record = try RecordRow.record(found, isWhole: false)
    // The database was restored to an earlier state.
    guard record.dataVersion >= version else { return .gone }
    var batches: [StoredBatch] = []
    var reached = version
    for row in rows {
      let batch = try BatchRow.batch(row, in: record.incarnation.stored)
      guard batch.version > reached, batch.version <= record.dataVersion,
        batch.version - 1 == reached
      else { break }
      batches.append(batch)
      reached = batch.version
    }
    guard reached == record.dataVersion else { return .trimmed }
    return .batches(
      LogUpdate(
        batches: batches,
        record: record,
        hasDescription: RecordRow.hasDescription(found),
        snapshotVersion: try found.unsigned(RecordRow.columnCount)
      )
    )
  }

  /// A request, even if its batch was trimmed from the log.
  ///
  /// - Throws: `StorageFault`
  public func request(_ id: String, in incarnation: UInt64) async throws -> StoredRequest? {
    let answers = try await reporting {
      try await follower.perform(
        Exchange(
          Statement(
            """
            SELECT version, seconds, nanoseconds, transfer FROM request
            WHERE collection = $1 AND request_id = $2
            """,
            [.integer(incarnation.stored), .bytes(Array(id.utf8))]
          )
        )
      )
    }
    guard let row = answers.first?.rows.first else { return nil }
    return StoredRequest(
      id: id,
      mark: RequestMark(text: try row.text(3)),
      version: try row.unsigned(0),
      time: try row.time(1)
    )
  }
}
