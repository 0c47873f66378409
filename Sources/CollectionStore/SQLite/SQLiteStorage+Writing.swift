// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

extension SQLiteStorage {
  /// Stores a new collection. A large snapshot is written in pieces, between which others commit;
  /// the collection exists once the last one is on the disk.
  ///
  /// - Throws: `StorageFault`, or the codec's error; nothing is stored then.
  /// - Complexity: O(items)
  public func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws {
    try await reporting {
      guard let snapshot else {
        let insert = adding { try $0.insert(record) }
        return try await commits.write(bytes: record.byteCount, insert)
      }
      try await stage(snapshot) { database, staged in
        try database.insert(record)
        try staged.attach(to: record, in: database)
      }
    }
  }

  /// Replaces the record of a collection, whose data version and incarnation must be those stored.
  ///
  /// - Throws: `StorageFault`; `.conflict` if they are not.
  public func update(_ record: CollectionRecord, after old: CollectionRecord) async throws {
    try await reporting {
      let write = adding { database in
        try database.update(record, from: record.dataVersion)
        let fields = record.fields
        try database.run(
          """
          UPDATE description SET fields = ?, checksum = ?
          WHERE collection = (SELECT number FROM collection WHERE id = ?)
          """,
          [fields.stored, CollectionRecord.fieldsChecksum(fields, id: record.id), record.id]
        )
      }
      try await commits.write(bytes: record.byteCount, write)
    }
  }

  /// Appends batches to logs and replaces the records in one transaction, which may hold commits of
  /// other collections as well.
  ///
  /// - Throws: `StorageFault`; `.conflict` unless each collection is stored at the version before
  ///   its batch's. Nothing is stored then.
  public func append(_ entries: [LogEntry]) async throws {
    try await reporting {
      guard entries.allSatisfy({ $0.batch.version > 0 }) else {
        throw StorageFault(.conflict, "a batch leads to version 0; versions start at 1")
      }
      let write = adding { database in
        for entry in entries {
          try database.update(entry.record, from: entry.batch.version - 1)
          try database.insert(entry.batch, into: database.number(of: entry.record))
        }
      }
      try await commits.write(bytes: entries.reduce(0) { $0 + $1.batch.byteCount }, write)
    }
  }

  /// Replaces the contents, writing large ones in pieces, between which others commit.
  ///
  /// - Throws: `StorageFault`, or the codec's error; the old contents stay then. `.conflict` unless
  ///   the collection is stored at the version before the snapshot's.
  /// - Complexity: O(items)
  public func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    after old: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) async throws {
    try await reporting {
      guard snapshot.version > 0 else {
        throw StorageFault(.conflict, "contents are replaced as version 0; versions start at 1")
      }
      let damage = Mutex<[StorageFault]>([])
      try await stage(snapshot) { database, staged in
        try database.update(record, from: snapshot.version - 1)
        try staged.attach(to: record, in: database)
        let contents = try DatabaseContents(database, id: record.id)
        if let batch { try database.insert(batch, into: contents.number) }
        let start = batch == nil ? .max : try contents.firstVersion(kept: retention)
        let found = try contents.trim(retention, before: start)
        damage.withLock { $0 = found }
      }
      report(damage.withLock { $0 }, of: record.id)
      background.async { [self] in sweep() }
    }
  }

  /// Deletes a collection, damaged or not; its rows are removed in the background. If the disk is
  /// full, the reserved space is used (`SpaceReserve`).
  ///
  /// - Throws: `StorageFault`; `.conflict` if there is no such collection.
  public func delete(_ id: String) async throws {
    try await reporting {
      defer { background.async { [self] in sweep() } }
      do { try await remove(id) } catch {
        guard Self.isDiskFull(error), takeReserve() else { throw error }
        try await remove(id)
      }
    }
  }

  private func remove(_ id: String) async throws {
    let garbage = staging.next()
    try await commits.write { database in
      guard let number = try database.row("SELECT number FROM collection WHERE id = ?", [id])
      else { throw StorageFault.missing(id) }
      let collection = try number.integer(0)
      // Checksums are not verified, so that a damaged collection can be deleted too.
      try database.discardContents(of: collection, but: 0)
      try database.run(
        "INSERT INTO garbage (number, collection) VALUES (?, ?)",
        [garbage, collection]
      )
      try database.run("DELETE FROM description WHERE collection = ?", [collection])
      try database.run("DELETE FROM collection WHERE number = ?", [collection])
      try database.updateDigest { $0.remove(id, number: collection) }
    }
  }

  /// Writes a snapshot in the background: what differs from `base` if that is what is stored,
  /// otherwise the whole contents. Then trims the log.
  ///
  /// If the stored snapshot is found damaged, the whole contents, which are intact in memory,
  /// replace it.
  public func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    background.async { [self] in
      let damage = Mutex<[StorageFault]>([])
      let result = Result {
        let attach: Attach = { database, staged in
          let contents = try DatabaseContents(database, id: record.id)
          guard contents.record.incarnation == record.incarnation,
            contents.record.dataVersion >= snapshot.version,
            contents.snapshotVersion < snapshot.version,
            staged.edits == nil || contents.snapshotVersion == base?.version
          else {
            throw StorageFault(
              .conflict,
              "collection \(record.id) was replaced or deleted while a snapshot of it was written"
            )
          }
          try staged.attach(to: record, in: database)
          let compacted = try DatabaseContents(database, id: record.id)
          let start = try compacted.firstVersion(kept: retention)
          let found = try compacted.trim(retention, before: start)
          damage.withLock { $0 = found }
        }
        do {
          let changes = try base.flatMap { try self.changes(to: snapshot, since: $0, of: record) }
          try stageBlocking(snapshot, changes: changes, attach)
        } catch let fault as StorageFault where fault.kind == .damaged {
          // The contents in memory are intact: written whole, they replace the damaged snapshot.
          report([fault], of: record.id)
          try stageBlocking(snapshot, changes: nil, attach)
        }
      }
      switch result {
      case .success:
        report(damage.withLock { $0 }, of: record.id)
        completion(true)
      case .failure(let error):
        _ = failed(StorageFault.damage(error, of: record.id))
        completion(false)
      }
      sweep()
    }
  }

  /// Reports damage found while writing a snapshot, which replaces the damaged data.
  private func report(_ damage: [StorageFault], of id: String) {
    for fault in damage { _ = failed(StorageFault.damage(fault, of: id, remedy: .byServer)) }
  }

  /// The difference from the stored snapshot; nil = it is large, or the stored snapshot is not
  /// `base`.
  private func changes(
    to snapshot: ContentsSnapshot,
    since base: ContentsSnapshot,
    of record: CollectionRecord
  ) throws -> SnapshotChanges? {
    let origin = try pool.read { try DatabaseContents($0, id: record.id).origin }
    guard case .snapshot(let root) = origin, root.version == base.version else { return nil }
    return SnapshotChanges(to: snapshot.contents, from: base.contents, in: root)
  }
}

extension Database {
  /// The number of the collection that a record describes.
  ///
  /// - Throws: `StorageFault.conflict` if it is not stored, or only another incarnation is.
  fileprivate func number(of record: CollectionRecord) throws -> Int64 {
    guard
      let row = try row(
        "SELECT number FROM collection WHERE id = ? AND incarnation = ?",
        [record.id, record.incarnation.stored]
      )
    else { throw StorageFault.missing(record.id) }
    return try row.integer(0)
  }

  fileprivate func insert(_ record: CollectionRecord) throws {
    try run(
      """
      INSERT INTO collection (id, incarnation, data_version, revision, section_count, item_count,
        create_seconds, create_nanoseconds, update_seconds, update_nanoseconds, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [record.id] + StatementArguments(record.columns) + [record.columnsChecksum]
    )
    let number = lastInsertedRowID
    let fields = record.fields
    try run(
      "INSERT INTO description (collection, fields, checksum) VALUES (?, ?, ?)",
      [number, fields.stored, CollectionRecord.fieldsChecksum(fields, id: record.id)]
    )
    try updateDigest { $0.add(record.id, number: number) }
  }

  /// Replaces a record.
  ///
  /// - Parameter version: the data version that must be stored now.
  /// - Throws: `StorageFault.conflict` if another version or incarnation is stored, or none.
  fileprivate func update(_ record: CollectionRecord, from version: UInt64) throws {
    let changed = try run(
      """
      UPDATE collection SET incarnation = ?, data_version = ?, revision = ?, section_count = ?,
        item_count = ?, create_seconds = ?, create_nanoseconds = ?, update_seconds = ?,
        update_nanoseconds = ?, checksum = ?
      WHERE id = ? AND incarnation = ? AND data_version = ?
      """,
      StatementArguments(record.columns)
        + [record.columnsChecksum, record.id, record.incarnation.stored, version.stored]
    )
    guard changed == 1 else {
      throw StorageFault(
        .conflict,
        "collection \(record.id) is not stored at version \(version) of incarnation "
          + "\(record.incarnation)"
      )
    }
  }

  fileprivate func insert(_ batch: StoredBatch, into collection: Int64) throws {
    try run(
      """
      INSERT INTO batch (collection, version, request_id, seconds, nanoseconds, payload, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        collection, batch.version.stored, batch.request.bytes.stored, batch.time.seconds,
        Int64(batch.time.nanoseconds), batch.payload.stored, batch.checksum(in: collection),
      ]
    )
  }
}

extension DatabaseContents {
  /// Removes the batches below a version from the log, keeps their request identifiers in
  /// `request`, and removes the identifiers that `retention` does not keep.
  ///
  /// - Returns: the faults of damaged batches among those removed. Their request identifiers are
  ///   lost.
  fileprivate func trim(
    _ retention: LogRetention,
    before version: UInt64
  ) throws -> [StorageFault] {
    var damage: [StorageFault] = []
    try forEachBatch(before: version) { found in
      let batch: StoredBatch
      switch found {
      case .success(let intact): batch = intact
      case .failure(let fault): return damage.append(fault)
      }
      guard !batch.requestID.isEmpty, batch.time >= retention.requestsSince else { return }
      let request = StoredRequest(batch)
      try database.run(
        """
        INSERT OR REPLACE INTO request (collection, version, request_id, seconds, nanoseconds,
          checksum)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          number, request.version.stored, request.request.bytes.stored, request.time.seconds,
          Int64(request.time.nanoseconds), request.checksum(in: number),
        ]
      )
    }
    try database.run(
      "DELETE FROM batch WHERE collection = ? AND version < ?",
      [number, Int64(clamping: version)]
    )
    try database.run(
      "DELETE FROM request WHERE collection = ? AND seconds < ?",
      [number, retention.requestsSince.seconds]
    )
    try database.run(
      """
      DELETE FROM request WHERE collection = ?1 AND version <= (
        SELECT version FROM request WHERE collection = ?1
        ORDER BY version DESC LIMIT 1 OFFSET ?2)
      """,
      [number, retention.requestCount]
    )
    return damage
  }
}
