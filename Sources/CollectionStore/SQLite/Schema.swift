// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables, and the migrations that bring files of older versions up to date.
///
/// - `collection`: one small row for each collection, which every batch rewrites. Its numbers are
///   never reused.
/// - `description`: display name, labels, default layout and, since schema 4, named layouts, which
///   seldom change.
/// - `snapshot`: the snapshot of each collection; none = empty at version 0. Its sections are rows
///   of `section`, ordered by label. The chunks of a section are rows of `chunk`, which rows of
///   `place` refer to, again ordered by label. Compaction changes only the rows that differ.
/// - `contents` and `part`: snapshots in the format of schema 1, until a collection's next
///   compaction.
/// - `batch`: the logs. `request`: request identifiers of batches that were trimmed from the logs.
/// - `garbage`: snapshots and logs to remove. A snapshot that is being written is garbage until the
///   transaction that attaches it to its collection, so that an interrupted one is removed.
/// - `stale`: chunks to remove, which a later snapshot replaced.
/// - `property`: values of the store as a whole (`StoreProperty`).
///
/// Every row of which something is read back has a CRC-32C over its values and keys (`Checksum`).
/// Two lists of what has to be removed have none: a damaged row of `garbage` cannot remove what is
/// in use (`Database.sweepPiece`); one of `stale` can remove a chunk of the same snapshot, but
/// never alter one. The checksums and the number of all chunks of a snapshot are stored with its
/// places, so a missing chunk is found as damage of its collection when that is read, and wrong
/// data are never returned.
enum Schema {
  /// `PRAGMA application_id`, which tells stores from other databases: "CLYT" at byte 68 of the
  /// file.
  static let applicationID: Int64 = 0x434C_5954

  /// Applied in order; `PRAGMA user_version` counts those applied. A released migration is never
  /// changed: later changes of the schema are new migrations.
  private static let migrations = [
    """
    CREATE TABLE collection (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      incarnation INTEGER NOT NULL,
      data_version INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      section_count INTEGER NOT NULL,
      item_count INTEGER NOT NULL,
      create_seconds INTEGER NOT NULL,
      create_nanoseconds INTEGER NOT NULL,
      update_seconds INTEGER NOT NULL,
      update_nanoseconds INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE description (
      collection INTEGER PRIMARY KEY,
      fields BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE contents (
      collection INTEGER PRIMARY KEY,
      snapshot INTEGER NOT NULL,
      version INTEGER NOT NULL,
      part_count INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE part (
      snapshot INTEGER NOT NULL,
      position INTEGER NOT NULL,
      payload BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX part_place ON part (snapshot, position);
    CREATE TABLE batch (
      collection INTEGER NOT NULL,
      version INTEGER NOT NULL,
      request_id BLOB NOT NULL,
      seconds INTEGER NOT NULL,
      nanoseconds INTEGER NOT NULL,
      payload BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX batch_place ON batch (collection, version);
    CREATE TABLE request (
      collection INTEGER NOT NULL,
      version INTEGER NOT NULL,
      request_id BLOB NOT NULL,
      seconds INTEGER NOT NULL,
      nanoseconds INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (collection, version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE garbage (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      collection INTEGER
    ) STRICT;
    """,
    """
    CREATE TABLE snapshot (
      collection INTEGER PRIMARY KEY,
      number INTEGER NOT NULL,
      version INTEGER NOT NULL,
      kind_names BLOB NOT NULL,
      section_count INTEGER NOT NULL,
      chunk_count INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE section (
      snapshot INTEGER NOT NULL,
      label INTEGER NOT NULL,
      number INTEGER NOT NULL,
      header BLOB NOT NULL,
      chunk_count INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (snapshot, label)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE place (
      snapshot INTEGER NOT NULL,
      section INTEGER NOT NULL,
      label INTEGER NOT NULL,
      chunk INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (snapshot, section, label)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE chunk (
      number INTEGER PRIMARY KEY,
      snapshot INTEGER NOT NULL,
      payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE stale (
      chunk INTEGER PRIMARY KEY,
      snapshot INTEGER NOT NULL
    ) STRICT;
    """,
    """
    CREATE TABLE property (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    """
    -- description.fields may hold named layouts, which older versions would lose.
    """,
  ]

  /// The version of the schema that this program writes.
  static var version: Int { migrations.count }

  /// Refuses files that are not stores, or have a newer schema, before anything is written to them.
  ///
  /// - Parameter path: for messages.
  /// - Throws: `StorageFault.notAStore`, `.newerSchema`
  static func check(_ database: Database, path: String) throws {
    let application = try pragma("application_id", in: database)
    let found = try pragma("user_version", in: database)
    let tables = try database.row("SELECT count(*) FROM sqlite_schema", [])?.integer(0) ?? 0
    guard application == applicationID || (application == 0 && found == 0 && tables == 0) else {
      throw StorageFault(
        .notAStore,
        "\(path) is a database of another program (application_id \(application), \(tables) tables); "
          + "use another file"
      )
    }
    guard found <= Int64(version) else {
      throw StorageFault(
        .newerSchema,
        "\(path) was written by a newer version of the server (schema \(found), up to \(version) are "
          + "supported); run that version, or restore a backup from before the upgrade"
      )
    }
  }

  /// Applies the migrations that the file lacks, in one transaction. `check` has been called
  /// before.
  static func migrate(_ database: Database) throws {
    let found = Int(clamping: try pragma("user_version", in: database))
    guard found < version else { return }
    try database.inTransaction(.immediate) {
      // An index of `migrations`: below `version`, and a damaged header with a negative number
      // counts as 0.
      for migration in migrations[max(0, found)...] { try database.execute(sql: migration) }
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(sql: "PRAGMA user_version = \(version)")
      return .commit
    }
  }

  private static func pragma(_ name: String, in database: Database) throws -> Int64 {
    try Row.fetchOne(database, sql: "PRAGMA \(name)")?.integer(0) ?? 0
  }
}
