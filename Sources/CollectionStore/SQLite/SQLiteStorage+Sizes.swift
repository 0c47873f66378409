// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension SQLiteStorage {
  /// What collections take in the file. Reads only the lengths of chunks and batches.
  ///
  /// - Throws: `StorageFault`
  public func storedSizes(of ids: [String]) async throws -> [String: StoredSizes] {
    try await inDatabase { [isClosing] database in
      var sizes: [String: StoredSizes] = [:]
      for id in ids {
        if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
        sizes[id] = try Self.sizes(of: id, in: database)
      }
      return sizes
    }
  }

  /// nil = there is no such collection.
  private static func sizes(of id: String, in database: Database) throws -> StoredSizes? {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT
          coalesce((SELECT sum(length(chunk.payload)) FROM snapshot
            JOIN place ON place.snapshot = snapshot.number
            JOIN chunk ON chunk.number = place.chunk
            WHERE snapshot.collection = collection.number), 0)
          + coalesce((SELECT sum(length(part.payload)) FROM contents
            JOIN part ON part.snapshot = contents.snapshot
            WHERE contents.collection = collection.number), 0) AS snapshot,
          (SELECT count(*) FROM batch WHERE batch.collection = collection.number) AS batches,
          coalesce((SELECT sum(length(payload)) FROM batch
            WHERE batch.collection = collection.number), 0) AS log
        FROM collection WHERE id = ?
        """,
      arguments: [id]
    )
    guard let row else { return nil }
    return StoredSizes(
      snapshotBytes: row["snapshot"],
      logBatches: row["batches"],
      logBytes: row["log"]
    )
  }
}
