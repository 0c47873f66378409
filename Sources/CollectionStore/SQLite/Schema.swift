// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables, and how files of older versions come up to date.
///
/// - `collection`: one small row each, rewritten by every batch. Numbers are never used again.
/// - `description`: what seldom changes about a collection.
/// - `snapshot`: which snapshot a collection starts from; none = empty at version 0. A snapshot is
///   made of rows in `section`, in order of their labels, and in `place`: which row of `chunk`
///   stands where in a section, again in order of labels. A later snapshot changes only rows that
///   differ.
/// - `contents` and `part`: snapshots as schema 1 had them, until a collection's next one.
/// - `batch`: the log. `request`: identifiers of batches that were trimmed from it.
/// - `garbage`: what is to be removed. What is written for a snapshot is garbage from the first
///   piece on until the transaction that makes it a collection's contents, so that nothing is left
///   of one that was interrupted.
/// - `stale`: chunks that a later snapshot replaced, to be removed.
/// - `property`: what belongs to the store as a whole (`StoreProperty`).
///
/// Every row that is read back has a CRC-32C over its meaning.
enum Schema {
  /// "CLYT", at byte 68 of the file.
  static let applicationID: Int64 = 0x434C_5954

  /// Applied in order; `PRAGMA user_version` says how many have been. Never change one that was
  /// released: add another.
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
  ]

  static var version: Int { migrations.count }

  /// Refuses files that are something else, before anything is written to them.
  static func check(_ database: Database, path: String) throws {
    let application = try pragma("application_id", in: database)
    let found = try pragma("user_version", in: database)
    let tables = try database.row("SELECT count(*) FROM sqlite_schema", [])?.integer(0) ?? 0
    guard application == applicationID || (application == 0 && found == 0 && tables == 0) else {
      throw StorageFault(.notAStore, "\(path) is a database of some other program")
    }
    guard found <= Int64(version) else {
      throw StorageFault(
        .newerSchema,
        "\(path) was written by a newer version (schema \(found); this one knows up to \(version))"
      )
    }
  }

  static func migrate(_ database: Database) throws {
    let found = Int(clamping: try pragma("user_version", in: database))
    guard found < version else { return }
    try database.inTransaction(.immediate) {
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
