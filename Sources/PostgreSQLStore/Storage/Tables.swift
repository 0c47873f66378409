// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore

/// The tables, and the migrations that bring them up to date.
///
/// - `collection`: one small row for each collection, which every batch rewrites. Its key in all
///   other tables is the incarnation, which is never reused. `touched` is the transaction that
///   wrote the row last. `lineage` tells the batches that led to the version from others
///   (`CollectionRecord.lineage`).
/// - `description`: display name, labels and layouts, and the revision that wrote them.
/// - `snapshot`: the version of the contents in `section` and `chunk`. `epoch` counts the servers
///   that began to write one; a write succeeds only in the epoch in which it began. `claimed` is
///   when that was, 0 = nobody writes.
/// - `batch`: the logs. `base` is the lineage of the version before. `request`: request identifiers
///   of batches, including trimmed ones.
/// - `removed`: collections that were deleted within the last hour, for servers that follow.
/// - `property`: the schema's version, and the secret that signs tokens.
///
/// Every row that is read back has a CRC-32C over its values and keys (`Checksum`), and as in
/// SQLite there are counts of sections and chunks and sums of their checksums. So altered, missing
/// and leftover rows are detected.
enum Tables {
  /// Applied in order; the property "schema" counts those that have been. A released migration is
  /// never changed.
  private static let migrations: [[String]] = [
    [
      """
      CREATE TABLE collection (
        incarnation bigint PRIMARY KEY,
        id text NOT NULL CONSTRAINT collection_id UNIQUE,
        data_version bigint NOT NULL,
        revision bigint NOT NULL,
        section_count bigint NOT NULL,
        item_count bigint NOT NULL,
        create_seconds bigint NOT NULL,
        create_nanoseconds bigint NOT NULL,
        update_seconds bigint NOT NULL,
        update_nanoseconds bigint NOT NULL,
        checksum bigint NOT NULL,
        touched bigint NOT NULL
      ) WITH (fillfactor = 50)
      """,
      """
      CREATE TABLE description (
        collection bigint PRIMARY KEY,
        fields bytea NOT NULL,
        checksum bigint NOT NULL,
        revision bigint NOT NULL,
        touched bigint NOT NULL
      )
      """,
      """
      CREATE TABLE snapshot (
        collection bigint PRIMARY KEY,
        version bigint NOT NULL,
        kind_names bytea NOT NULL,
        section_count bigint NOT NULL,
        chunk_count bigint NOT NULL,
        digest bigint NOT NULL,
        checksum bigint NOT NULL,
        epoch bigint NOT NULL DEFAULT 0,
        claimed bigint NOT NULL DEFAULT 0
      )
      """,
      """
      CREATE TABLE section (
        collection bigint NOT NULL,
        label bigint NOT NULL,
        number bigint NOT NULL,
        header bytea NOT NULL,
        chunk_count bigint NOT NULL,
        digest bigint NOT NULL,
        checksum bigint NOT NULL,
        PRIMARY KEY (collection, label)
      )
      """,
      """
      CREATE TABLE chunk (
        collection bigint NOT NULL,
        section bigint NOT NULL,
        label bigint NOT NULL,
        payload bytea NOT NULL,
        checksum bigint NOT NULL,
        PRIMARY KEY (collection, section, label)
      )
      """,
      """
      CREATE TABLE batch (
        collection bigint NOT NULL,
        version bigint NOT NULL,
        request_id bytea NOT NULL,
        transfer text NOT NULL,
        seconds bigint NOT NULL,
        nanoseconds bigint NOT NULL,
        payload bytea NOT NULL,
        checksum bigint NOT NULL,
        PRIMARY KEY (collection, version)
      )
      """,
      """
      CREATE TABLE request (
        collection bigint NOT NULL,
        request_id bytea NOT NULL,
        transfer text NOT NULL,
        version bigint NOT NULL,
        seconds bigint NOT NULL,
        nanoseconds bigint NOT NULL,
        checksum bigint NOT NULL,
        PRIMARY KEY (collection, request_id)
      )
      """,
      "CREATE INDEX request_version ON request (collection, version)",
      """
      CREATE TABLE removed (
        incarnation bigint PRIMARY KEY,
        id text NOT NULL,
        touched bigint NOT NULL,
        seconds bigint NOT NULL
      )
      """,
    ]
  ]

  /// Columns that older versions of the server need not know: they leave `lineage` as it is, and
  /// `base` empty.
  private static let columns = [
    (table: "collection", name: "lineage", type: "bigint NOT NULL DEFAULT 0"),
    (table: "batch", name: "base", type: "bigint"),
  ]

  /// Indexes that older versions of the server need not know.
  private static let indexes = [
    "CREATE INDEX IF NOT EXISTS removed_seconds ON removed (seconds)",
    "CREATE INDEX IF NOT EXISTS removed_touched ON removed (touched)",
  ]

  /// The version of the schema that this program writes.
  static var version: Int64 { Int64(migrations.count) }

  /// Creates the tables, or brings them up to date.
  ///
  /// - Parameter schema: the name of the schema, of letters, digits and underscores only.
  /// - Returns: the secret of the store.
  /// - Throws: `StorageFault.newerSchema` if another version of the server has migrated them
  ///   further; other faults.
  static func migrate(_ session: PostgresConnection.Session, schema: String) throws -> [UInt8] {
    // Servers that start at the same time take turns.
    try session.inTransaction {
      try session.run("SELECT pg_advisory_xact_lock(4873519261)")
      if try session.row("SELECT 1::bigint FROM pg_namespace WHERE nspname = $1", [.text(schema)])
        == nil
      {
        // The name is quoted, and its letters need no escaping.
        try session.run("CREATE SCHEMA \"\(schema)\"")
      }
      try session.run(
        """
        CREATE TABLE IF NOT EXISTS property (
          name text PRIMARY KEY, value bytea NOT NULL, checksum bigint NOT NULL
        )
        """
      )
      let found = try schemaVersion(session, schema: schema)
      for migration in migrations[max(0, Int(clamping: found ?? 0))...] {
        for statement in migration { try session.run(statement) }
      }
      if found != version { try set("schema", to: Array(String(version).utf8), session) }
      try addColumns(session)
      for statement in indexes { try session.run(statement) }
      try renumber(session)
      if let secret = try property("secret", session) { return secret }
      let secret = [UInt8].random(count: 32)
      try set("secret", to: secret, session)
      return secret
    }
  }

  /// The version of the tables in a schema, which are not changed; nil = there are none.
  ///
  /// - Throws: as `migrate` does.
  static func foundVersion(
    _ session: PostgresConnection.Session,
    schema: String
  ) throws -> Int64? {
    let table = try session.row(
      "SELECT 1::bigint FROM pg_tables WHERE schemaname = $1 AND tablename = 'property'",
      [.text(schema)]
    )
    return table == nil ? nil : try schemaVersion(session, schema: schema)
  }

  /// The version that the property says; nil = nothing has been migrated.
  private static func schemaVersion(
    _ session: PostgresConnection.Session,
    schema: String
  ) throws -> Int64? {
    let found = try property("schema", session).flatMap {
      Int64(String(decoding: $0, as: UTF8.self))
    }
    guard (found ?? 0) <= version else {
      throw StorageFault(
        .newerSchema,
        "the tables in schema \(schema) were written by a newer version of the server (schema "
          + "\(found ?? 0), up to \(version) are supported); run that version"
      )
    }
    return found
  }

  /// Adds the columns that are missing. To look first needs no lock: a table that somebody reads
  /// for long, as a dump does, cannot be altered meanwhile.
  private static func addColumns(_ session: PostgresConnection.Session) throws {
    for column in columns {
      let found = try session.row(
        """
        SELECT 1::bigint FROM pg_attribute
        WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped
        """,
        [.text(column.table), .text(column.name)]
      )
      if found != nil { continue }
      try session.run("ALTER TABLE \(column.table) ADD COLUMN \(column.name) \(column.type)")
    }
  }

  /// Marks rows as touched now if their transaction numbers are in the future: they were restored
  /// from another database with higher numbers, and would be found as changed again and again until
  /// this database reaches those numbers.
  private static func renumber(_ session: PostgresConnection.Session) throws {
    for table in ["collection", "description", "removed"] {
      try session.run(
        """
        UPDATE \(table) SET touched = \(RecordStatements.transaction)
        WHERE touched > \(RecordStatements.transaction)
        """
      )
    }
  }

  private static func property(
    _ name: String,
    _ session: PostgresConnection.Session
  ) throws -> [UInt8]? {
    guard
      let row = try session.row(
        "SELECT value, checksum FROM property WHERE name = $1",
        [.text(name)]
      )
    else { return nil }
    let value = try row.bytes(0)
    guard try row.integer(1) == checksum(of: value, as: name) else {
      throw StorageFault(.damaged, "the store's \(name) differs from what was written")
    }
    return value
  }

  private static func set(
    _ name: String,
    to value: [UInt8],
    _ session: PostgresConnection.Session
  ) throws {
    try session.run(
      """
      INSERT INTO property (name, value, checksum) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET value = $2, checksum = $3
      """,
      [.text(name), .bytes(value), .integer(checksum(of: value, as: name))]
    )
  }

  private static func checksum(of value: [UInt8], as name: String) -> Int64 {
    var checksum = Checksum()
    checksum.add(name)
    checksum.add(value)
    return checksum.value
  }
}

extension ConnectionDriver {
  /// Runs statements in one transaction, which is rolled back if one throws.
  ///
  /// - Parameter start: begins the transaction.
  func inTransaction<Value>(_ start: String = "BEGIN", _ body: () throws -> Value) throws -> Value {
    try run(start)
    let value: Value
    do { value = try body() } catch {
      // If the connection is lost, so is the transaction.
      _ = try? run("ROLLBACK")
      throw error
    }
    _ = try perform(Exchange(Statement("COMMIT"), isWrite: true))
    return value
  }

  /// Runs one statement.
  ///
  /// - Returns: how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ parameters: [Parameter] = []) throws -> Int {
    try perform(Exchange(Statement(sql, parameters))).first?.count ?? 0
  }

  /// The rows that a statement returns.
  func rows(_ sql: String, _ parameters: [Parameter] = []) throws -> [ResultRow] {
    try perform(Exchange(Statement(sql, parameters))).first?.rows ?? []
  }

  /// The first row that a statement returns; nil = it returns none.
  func row(_ sql: String, _ parameters: [Parameter] = []) throws -> ResultRow? {
    try rows(sql, parameters).first
  }
}
