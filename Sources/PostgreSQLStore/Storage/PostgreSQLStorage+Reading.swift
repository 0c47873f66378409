// SPDX-License-Identifier: Apache-2.0

public import CollectionStore
internal import Synchronization

extension PostgreSQLStorage {
  /// The records of all collections. A damaged record is reported and returned as damaged.
  ///
  /// - Throws: `StorageFault`
  /// - Complexity: O(collections)
  public func collections() async throws -> [StoredCollection] {
    let answers = try await reporting(isRead: true) {
      try await follower.perform(
        Exchange(Statement("SELECT \(RecordRow.columns) FROM \(RecordRow.tables)"))
      )
    }
    return try (answers.first?.rows ?? []).map { try collection($0, isWhole: true) }
  }

  /// Calls `body` in a read transaction, on the thread of a connection.
  ///
  /// - Throws: `StorageFault.damaged` for whatever `body` finds wrong with the stored data;
  ///   `.conflict` if there is no such collection; other faults of the storage.
  public func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result {
    try await reporting(isRead: true) {
      try await loadConnection(for: byteCount).session { [isClosing] session in
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

  /// What other servers announced since the last call; nil = any collection may have changed.
  public func takeChanged() -> Set<UInt64>? { wake.takeChanged() }

  /// The collections that changed. It returns all of them after a new connection, because another
  /// server of a cluster may have answered; and if deletions since the cursor may have been
  /// forgotten (`RecordStatements.removalSeconds`), because this server was stopped for long or the
  /// database's clock was set.
  ///
  /// - Throws: `StorageFault`
  public func changes(since cursor: ChangeCursor?) async throws -> StoredChanges {
    let connection = wake.connection
    if let cursor, cursor.connection == connection {
      let changes = try await changes(since: cursor, on: connection)
      let (seconds, overflow) = changes.cursor.seconds.subtractingReportingOverflow(cursor.seconds)
      if !overflow, seconds.magnitude <= RecordStatements.removalSeconds / 2 { return changes }
    }
    return try await changes(since: nil, on: connection)
  }

  /// - Parameters:
  ///   - cursor: nil = all collections are returned.
  ///   - connection: the number of the connection. If there is a newer one by now, the next call
  ///     notices.
  private func changes(
    since cursor: ChangeCursor?,
    on connection: UInt64
  ) async throws -> StoredChanges {
    let start = Parameter.integer((cursor?.position ?? 0).stored)
    let known = cursor.map { told.descriptions(of: $0) } ?? [:]
    // The cursor first: the next call then finds transactions that are running now.
    let answers = try await reporting(isRead: true) {
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
            SELECT \(RecordRow.columns(describedIf: Self.isNews)) FROM \(RecordRow.tables)
            LEFT JOIN unnest($2::bigint[], $3::bigint[]) AS known(collection, revision)
              ON known.collection = c.incarnation
            WHERE c.touched >= $1
            """,
            [start, .integers(Array(known.keys)), .integers(Array(known.values))]
          ),
          Statement(
            "SELECT incarnation, id FROM removed WHERE touched >= $1",
            // A caller that lists all collections sees which ones are missing.
            [cursor == nil ? .integer(.max) : start]
          ),
        ])
      )
    }
    guard answers.count == 3, let first = answers[0].rows.first else {
      throw StorageFault(.unreachable, "PostgreSQL returned other rows than were asked for")
    }
    let changed = try answers[1].rows.map {
      StoredChanges.Change(
        try collection($0, isWhole: cursor == nil),
        hasDescription: RecordRow.hasDescription($0)
      )
    }
    return StoredChanges(
      changed: changed,
      removed: try answers[2].rows.map {
        StoredChanges.Removal(id: try $0.text(1), incarnation: try $0.unsigned(0))
      },
      isComplete: cursor == nil,
      cursor: ChangeCursor(
        position: try first.unsigned(0),
        seconds: try first.integer(1),
        connection: connection,
        serial: told.note(changed)
      )
    )
  }

  /// Whether the caller of `changes` may lack a description.
  private static let isNews =
    "d.touched >= $1 AND (known.revision IS NULL OR d.revision > known.revision)"

  /// The most batches to read, and the most bytes; beyond that, reading the snapshot costs less.
  private static let mostBatches: Int64 = 1024
  private static let mostBytes: Int64 = 16 << 20
  /// The most bytes to read at once, because others wait for the same connection. A larger batch
  /// comes alone.
  private static let portionBytes: Int64 = 1 << 20

  /// The batches in a collection's log after a version.
  ///
  /// - Throws: `StorageFault`
  public func tail(after known: CollectionRecord, isDescribed: Bool) async throws -> LogTail {
    let collection = Parameter.integer(known.incarnation.stored)
    let version = known.dataVersion
    // The record first: batches that are committed in between are left for the next time.
    let answers = try await reporting(isRead: true) {
      try await tailConnection.perform(
        Exchange([
          Statement(
            """
            SELECT \(RecordRow.columns(describedIf: "d.revision > $2")), s.version
            FROM \(RecordRow.tables) LEFT JOIN snapshot s ON s.collection = c.incarnation
            WHERE c.incarnation = $1
            """,
            [collection, .integer(isDescribed ? -1 : known.revision.stored)]
          ),
          Statement(
            """
            SELECT count(*), coalesce(sum(octet_length(payload)), 0)::bigint FROM batch
            WHERE collection = $1 AND version > $2
            """,
            [collection, .integer(version.stored)]
          ),
        ])
      )
    }
    guard answers.count == 2, let found = answers[0].rows.first, let size = answers[1].rows.first
    else { return .gone }
    do {
      let record = try RecordRow.record(found, isWhole: false)
      guard record.mayFollow(known) else { return try await rewound(known) }
      guard try size.integer(0) <= Self.mostBatches, try size.integer(1) <= Self.mostBytes
      else { return .trimmed }
      switch try await batches(after: known, upTo: record) {
      case .some(let batches):
        return .batches(
          LogUpdate(
            batches: batches,
            record: record,
            hasDescription: RecordRow.hasDescription(found),
            snapshotVersion: try found.unsigned(RecordRow.columnCount)
          )
        )
      case nil: return .trimmed
      }
    } catch is OtherLineage {
      return try await rewound(known)
    } catch { throw failed(StorageFault.damage(Self.fault(error), of: known.id)) }
  }

  /// The answer to a caller who has what the database lacks, which the operator is told.
  private func rewound(_ known: CollectionRecord) async throws -> LogTail {
    let answers = try await reporting(isRead: true) {
      try await tailConnection.perform(
        Exchange(
          Statement(
            "SELECT \(RecordRow.columns) FROM \(RecordRow.tables) WHERE c.incarnation = $1",
            [.integer(known.incarnation.stored)]
          )
        )
      )
    }
    guard let row = answers.first?.rows.first else { return .gone }
    do {
      let record = try RecordRow.record(row)
      faults.failed(
        StorageFault(
          .rewound,
          "the database has lost commits: collection \(known.id) was at version "
            + "\(known.dataVersion) and is now at version \(record.dataVersion) without some of them; "
            + "this server goes on with what the database has",
          collection: known.id
        )
      )
      return .rewound(record)
    } catch { throw failed(StorageFault.damage(Self.fault(error), of: known.id)) }
  }

  /// The batches of the log do not lead from the one record to the other.
  private struct OtherLineage: Error {}

  /// The batches from the version of a record to that of another one, portion by portion.
  ///
  /// - Returns: nil = some of them are no longer stored.
  /// - Throws: `OtherLineage`
  private func batches(
    after known: CollectionRecord,
    upTo record: CollectionRecord
  ) async throws -> [StoredBatch]? {
    var batches: [StoredBatch] = []
    var (reached, lineage) = (known.dataVersion, known.lineage)
    while reached < record.dataVersion {
      let portion = Self.portion(of: record.incarnation.stored, after: reached)
      let rows = try await tailConnection.perform(Exchange(portion)).first?.rows ?? []
      let before = reached
      for row in rows where reached < record.dataVersion {
        let batch = try BatchRow.batch(row, in: record.incarnation.stored)
        guard batch.version > reached, batch.version - 1 == reached else { return nil }
        // Earlier releases left the lineage as it was.
        if let base = try BatchRow.base(row) {
          guard base == lineage else { throw OtherLineage() }
          lineage = record.lineage(after: batch, from: lineage)
        }
        batches.append(batch)
        reached = batch.version
      }
      guard reached > before else { return nil }
    }
    guard lineage == record.lineage else { throw OtherLineage() }
    return batches
  }

  /// Reads as many batches after a version as may be read at once; at least one, if there is one.
  static func portion(of collection: Int64, after version: UInt64) -> Statement {
    Statement(
      """
      SELECT \(BatchRow.columns) FROM (
        SELECT *, sum(octet_length(payload)) OVER (ORDER BY version) - octet_length(payload) AS before
        FROM (
          SELECT * FROM batch WHERE collection = $1 AND version > $2
          ORDER BY version LIMIT \(mostBatches)
        ) AS next
      ) AS portion WHERE before < \(portionBytes) ORDER BY version
      """,
      [.integer(collection), .integer(version.stored)]
    )
  }

  /// A request, even if its batch was trimmed from the log.
  ///
  /// - Throws: `StorageFault`
  public func request(_ id: String, in incarnation: UInt64) async throws -> StoredRequest? {
    let answers = try await reporting(isRead: true) {
      try await tailConnection.perform(
        Exchange(
          Statement(
            """
            SELECT version, seconds, nanoseconds, transfer, checksum FROM request
            WHERE collection = $1 AND request_id = $2
            """,
            [.integer(incarnation.stored), .bytes(Array(id.utf8))]
          )
        )
      )
    }
    guard let row = answers.first?.rows.first else { return nil }
    let request = StoredRequest(
      id: id,
      mark: RequestMark(text: try row.text(3)),
      version: try row.unsigned(0),
      time: try row.time(1)
    )
    guard try row.integer(4) == request.checksum(in: incarnation.stored) else {
      throw StorageFault(
        .damaged,
        "the request of version \(request.version) differs from what was written"
      )
    }
    return request
  }
}

/// The descriptions in the last answer of `changes`. While a transaction of the database is open,
/// each call finds the same changes again; their descriptions, which may be large, need not be sent
/// again.
final class ToldDescriptions: Sendable {
  private struct State {
    /// The number of that answer.
    var serial: UInt64 = 0
    /// Revisions by incarnation, as they are stored.
    var revisions: [Int64: Int64] = [:]
  }

  /// For more collections than this, nothing is remembered.
  private static let mostCollections = 10_000

  private let state = Mutex(State())

  /// The descriptions that a caller has if it took the answer with this cursor.
  func descriptions(of cursor: ChangeCursor) -> [Int64: Int64] {
    state.withLock { $0.serial == cursor.serial ? $0.revisions : [:] }
  }

  /// Remembers an answer.
  ///
  /// - Returns: its number, for its cursor.
  func note(_ changes: [StoredChanges.Change]) -> UInt64 {
    var revisions: [Int64: Int64] = [:]
    if changes.count <= Self.mostCollections {
      for case .intact(let record) in changes.map(\.collection) {
        revisions[record.incarnation.stored] = record.revision.stored
      }
    }
    return state.withLock { state in
      state = State(serial: state.serial + 1, revisions: revisions)
      return state.serial
    }
  }
}
