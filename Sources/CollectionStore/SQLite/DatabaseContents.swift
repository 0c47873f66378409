// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import GRDB

/// The stored state of one collection, read within one transaction.
struct DatabaseContents: StoredContents {
  let database: Database
  /// The collection's number in the database, its key in all tables.
  let number: Int64
  let record: CollectionRecord
  /// Where the snapshot is stored.
  let origin: Origin
  /// Once set, reading throws `StorageFault.closed`; nil = reading cannot be stopped.
  private let isStopped: Flag?

  /// The format of a stored snapshot.
  enum Origin {
    /// There is none: the collection starts empty at version 0.
    case none
    /// Divided into sections and chunks.
    case snapshot(SnapshotRoot)
    /// In parts, the format of schema 1.
    case parts(PartsReference)
  }

  /// Reads the record and finds the snapshot.
  ///
  /// - Parameter isStopped: once set, reading throws `StorageFault.closed`; nil = reading cannot be
  ///   stopped.
  /// - Throws: `StorageFault.conflict` if there is no such collection; `.damaged`.
  init(_ database: Database, id: String, isStopped: Flag? = nil) throws {
    self.database = database
    self.isStopped = isStopped
    guard
      let row = try database.row(
        CollectionRecord.selection + " WHERE id = ?",
        [id]
      )
    else { throw StorageFault.missing(id) }
    number = try row.integer(0)
    record = try CollectionRecord(row, id: id)
    if let root = try database.root(of: number) {
      origin = .snapshot(root)
    } else if let parts = try PartsReference(database, collection: number) {
      origin = .parts(parts)
    } else {
      origin = .none
    }
  }

  var snapshotVersion: UInt64 {
    switch origin {
    case .none: 0
    case .snapshot(let root): root.version
    case .parts(let parts): parts.version
    }
  }

  var isDivided: Bool { if case .snapshot = origin { true } else { false } }

  func contents(_ codec: any ContentsCodec) throws -> CollectionContents {
    switch origin {
    case .none: .empty
    case .snapshot(let root): try contents(of: root, codec)
    case .parts(let parts): try contents(of: parts, codec)
    }
  }

  func forEachBatch(_ body: (StoredBatch) throws -> Void) throws {
    try forEachBatch(before: .max) { try body($0.get()) }
  }

  /// Calls `body` for each batch of the log with a version below `end`, oldest first: with the
  /// batch, or with the fault if its checksum does not match.
  func forEachBatch(
    before end: UInt64,
    _ body: (Result<StoredBatch, StorageFault>) throws -> Void
  ) throws {
    let rows = try database.rows(
      """
      SELECT version, request_id, seconds, nanoseconds, payload, checksum FROM batch
      WHERE collection = ? AND version < ? ORDER BY version
      """,
      [number, Int64(clamping: end)]
    )
    while let row = try rows.next() {
      try giveUpIfStopped()
      let request = RequestBytes(bytes: try row.bytes(1))
      let batch = StoredBatch(
        version: try row.unsigned(0),
        requestID: request.id,
        mark: request.mark,
        payload: try row.bytes(4),
        time: try row.time(2)
      )
      let isIntact = try row.integer(5) == batch.checksum(in: number)
      try body(isIntact ? .success(batch) : .failure(damage("version \(batch.version) of the log")))
    }
  }

  /// - Throws: `StorageFault.closed` if the storage is being closed.
  func giveUpIfStopped() throws {
    if isStopped?.isSet == true { throw StorageFault(.closed, "the store is being closed") }
  }

  func forEachSizeBackwards(_ body: (UInt64, Int) -> Bool) throws {
    let rows = try database.rows(
      "SELECT version, length(payload) FROM batch WHERE collection = ? ORDER BY version DESC",
      [number]
    )
    while let row = try rows.next() {
      guard body(try row.unsigned(0), Int(clamping: try row.integer(1))) else { return }
    }
  }

  func forEachRequest(_ body: (StoredRequest) throws -> Void) throws {
    let rows = try database.rows(
      """
      SELECT version, request_id, seconds, nanoseconds, checksum FROM request
      WHERE collection = ? ORDER BY version
      """,
      [number]
    )
    while let row = try rows.next() {
      let bytes = RequestBytes(bytes: try row.bytes(1))
      let request = StoredRequest(
        id: bytes.id,
        mark: bytes.mark,
        version: try row.unsigned(0),
        time: try row.time(2)
      )
      guard try row.integer(4) == request.checksum(in: number) else {
        throw damage("the request of version \(request.version)")
      }
      try body(request)
    }
  }

  /// The fault of a row whose checksum does not match.
  ///
  /// - Parameter what: names the row, as the subject of a sentence.
  func damage(_ what: String) -> StorageFault {
    StorageFault(.damaged, "\(what) differs from what was written")
  }
}
