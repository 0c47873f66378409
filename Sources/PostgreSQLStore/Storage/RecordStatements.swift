// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

/// The statements that change records and logs.
///
/// Some rows have to be as the caller knows them. The statement then selects a value from such a
/// row that must not be NULL: if the row is different, the statement fails, and with it the whole
/// transaction. It has to be a statement that inserts a row, because an UPDATE or a DELETE that
/// finds no row succeeds.
enum RecordStatements {
  /// The number of the running transaction; it grows.
  static let transaction = "pg_current_xact_id()::text::bigint"

  // MARK: - Commits

  /// Appends a batch, and replaces the record, if the collection is at the version and revision
  /// before.
  static func append(_ entry: LogEntry) -> Statement {
    let (batch, record) = (entry.batch, entry.record)
    let collection = record.incarnation.stored
    let request = StoredRequest(
      id: batch.requestID,
      mark: batch.mark,
      version: batch.version,
      time: batch.time
    )
    return Statement(
      """
      WITH moved AS (
        UPDATE collection SET data_version = $2, revision = $3, section_count = $4,
          item_count = $5, update_seconds = $6, update_nanoseconds = $7, checksum = $8,
          lineage = $16, touched = \(transaction)
        WHERE incarnation = $1 AND data_version = $2 - 1 AND revision = $3 - 1
          AND lineage = $17 AND update_seconds = $18 AND update_nanoseconds = $19
        RETURNING incarnation
      ), asked AS (
        INSERT INTO request
          (collection, request_id, transfer, version, seconds, nanoseconds, checksum)
        SELECT incarnation, $9, $15, $2, $10, $11, $14 FROM moved WHERE octet_length($9) > 0
      )
      INSERT INTO batch
        (collection, version, request_id, transfer, seconds, nanoseconds, payload, checksum, base)
      VALUES ((SELECT incarnation FROM moved), $2, $9, $15, $10, $11, $12, $13, $17)
      """,
      numbers(of: record) + [
        .bytes(Array(batch.requestID.utf8)), .integer(batch.time.seconds),
        .integer(Int64(batch.time.nanoseconds)), .bytes(batch.payload),
        .integer(batch.checksum(in: collection)), .integer(request.checksum(in: collection)),
        .text(batch.mark?.text ?? ""), .integer(record.lineage.stored),
      ] + state(of: entry.old)
    )
  }

  /// Replaces the record by the next version. Changes one row, or none if the collection is not at
  /// the version and revision before.
  static func restart(_ record: CollectionRecord, after old: CollectionRecord) -> Statement {
    Statement(
      """
      UPDATE collection SET data_version = $2, revision = $3, section_count = $4,
        item_count = $5, update_seconds = $6, update_nanoseconds = $7, checksum = $8,
        lineage = $9, touched = \(transaction)
      WHERE incarnation = $1 AND data_version = $2 - 1 AND revision = $3 - 1
        AND lineage = $10 AND update_seconds = $11 AND update_nanoseconds = $12
      """,
      numbers(of: record) + [.integer(record.lineage.stored)] + state(of: old)
    )
  }

  /// What tells a record from another one of the same version and revision, if the database has
  /// lost that and others have reached it again.
  private static func state(of record: CollectionRecord) -> [Parameter] {
    [
      .integer(record.lineage.stored), .integer(record.updateTime.seconds),
      .integer(Int64(record.updateTime.nanoseconds)),
    ]
  }

  private static func numbers(of record: CollectionRecord) -> [Parameter] {
    [
      .integer(record.incarnation.stored), .integer(record.dataVersion.stored),
      .integer(record.revision.stored), .integer(Int64(record.sectionCount)),
      .integer(Int64(record.itemCount)), .integer(record.updateTime.seconds),
      .integer(Int64(record.updateTime.nanoseconds)), .integer(record.columnsChecksum),
    ]
  }

  // MARK: - Records

  /// Replaces the record with its description, if the revision before is stored.
  ///
  /// The description is inserted, or replaced if it exists. An UPDATE alone would change nothing,
  /// and not fail either, if another server has deleted the collection.
  static func update(_ record: CollectionRecord, after old: CollectionRecord) -> Statement {
    let fields = record.fields
    return Statement(
      """
      WITH moved AS (
        UPDATE collection SET revision = $2, update_seconds = $4, update_nanoseconds = $5,
          checksum = $6, touched = \(transaction)
        WHERE incarnation = $1 AND data_version = $3 AND revision = $2 - 1
          AND lineage = $9 AND update_seconds = $10 AND update_nanoseconds = $11
        RETURNING incarnation
      )
      INSERT INTO description (collection, fields, checksum, revision, touched)
      VALUES ((SELECT incarnation FROM moved), $7, $8, $2, \(transaction))
      ON CONFLICT (collection) DO UPDATE SET fields = excluded.fields,
        checksum = excluded.checksum, revision = excluded.revision, touched = excluded.touched
      """,
      [
        .integer(record.incarnation.stored), .integer(record.revision.stored),
        .integer(record.dataVersion.stored), .integer(record.updateTime.seconds),
        .integer(Int64(record.updateTime.nanoseconds)), .integer(record.columnsChecksum),
        .bytes(fields), .integer(CollectionRecord.fieldsChecksum(fields, id: record.id)),
      ] + state(of: old)
    )
  }

  /// Stores a new record, with an empty snapshot.
  static func create(_ record: CollectionRecord) -> [Statement] {
    let collection = Parameter.integer(record.incarnation.stored)
    let fields = record.fields
    return [
      Statement(
        """
        INSERT INTO collection (incarnation, data_version, revision, section_count, item_count,
          create_seconds, create_nanoseconds, update_seconds, update_nanoseconds, id, checksum,
          lineage, touched)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \(transaction))
        """,
        record.columns.map { .integer($0) } + [
          .text(record.id), .integer(record.columnsChecksum), .integer(record.lineage.stored),
        ]
      ),
      Statement(
        """
        INSERT INTO description (collection, fields, checksum, revision, touched)
        VALUES ($1, $2, $3, $4, \(transaction))
        """,
        [
          collection, .bytes(fields),
          .integer(CollectionRecord.fieldsChecksum(fields, id: record.id)),
          .integer(record.revision.stored),
        ]
      ),
      Statement(
        """
        INSERT INTO snapshot (collection, \(SnapshotRoot.columns))
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """,
        [collection] + SnapshotRoot.empty.parameters(in: record.incarnation.stored)
      ),
    ]
  }

  /// Locks the snapshot of a collection until the transaction ends; fails at once if another
  /// transaction holds the lock. All transactions lock it before they change anything else of the
  /// collection, so appends do not wait behind transactions that wait.
  static func lockSnapshot(_ incarnation: UInt64) -> Statement {
    Statement(
      "SELECT collection FROM snapshot WHERE collection = $1 FOR UPDATE NOWAIT",
      [.integer(incarnation.stored)]
    )
  }

  /// Deletes a collection with all its rows.
  ///
  /// - Parameter revision: the revision that it must have; nil = any.
  static func delete(_ incarnation: UInt64, revision: UInt64?) -> [Statement] {
    let collection = Parameter.integer(incarnation.stored)
    let gone = Statement(
      """
      WITH gone AS (
        DELETE FROM collection WHERE incarnation = $1 AND (revision = $2 OR $3 = 0)
        RETURNING incarnation, id
      )
      INSERT INTO removed (incarnation, id, touched, seconds)
      VALUES ((SELECT incarnation FROM gone), (SELECT id FROM gone), \(transaction), \(seconds))
      """,
      [collection, .integer((revision ?? 0).stored), .integer(revision == nil ? 0 : 1)]
    )
    let rows = ["description", "snapshot", "section", "chunk", "batch", "request"].map {
      Statement("DELETE FROM \($0) WHERE collection = $1", [collection])
    }
    let old = Statement("DELETE FROM removed WHERE seconds < \(seconds) - \(removalSeconds)")
    return [lockSnapshot(incarnation), gone] + rows + [old]
  }

  /// How long `removed` keeps deletions at least. A server that has not read it for half of that
  /// time lists all collections.
  static let removalSeconds = 3600

  /// The database's clock in seconds since 1970.
  static let seconds = "extract(epoch FROM now())::bigint"
}
