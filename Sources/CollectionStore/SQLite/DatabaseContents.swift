// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// What the database holds of one collection, within one transaction.
struct DatabaseContents: StoredContents {
  let database: Database
  let number: Int64
  let record: CollectionRecord
  /// nil = empty at version 0.
  let snapshot: SnapshotReference?

  init(_ database: Database, id: String) throws {
    self.database = database
    guard
      let row = try database.row(
        CollectionRecord.selection + " WHERE id = ?",
        [id]
      )
    else { throw StorageFault.missing(id) }
    number = try row.integer(0)
    record = try CollectionRecord(row, id: id)
    snapshot = try SnapshotReference(database, collection: number)
  }

  var snapshotVersion: UInt64 { snapshot?.version ?? 0 }

  func forEachPart(_ body: ([UInt8]) throws -> Void) throws {
    guard let snapshot else { return }
    let rows = try database.rows(
      "SELECT position, payload, checksum FROM part WHERE snapshot = ? ORDER BY position",
      [snapshot.number]
    )
    var position: Int64 = 0
    while let row = try rows.next() {
      let payload = try row.bytes(1)
      guard try row.integer(0) == position,
        try row.integer(2)
          == SnapshotReference.checksum(
            ofPart: payload,
            at: position,
            of: snapshot.number
          )
      else { throw damage("part \(position) of the contents") }
      position += 1
      try body(payload)
    }
    guard position == snapshot.partCount else { throw damage("the end of the contents") }
  }

  func forEachBatch(_ body: (StoredBatch) throws -> Void) throws {
    try forEachBatch(before: .max, body)
  }

  func forEachBatch(before end: UInt64, _ body: (StoredBatch) throws -> Void) throws {
    let rows = try database.rows(
      """
      SELECT version, request_id, seconds, nanoseconds, payload, checksum FROM batch
      WHERE collection = ? AND version < ? ORDER BY version
      """,
      [number, Int64(clamping: end)]
    )
    while let row = try rows.next() {
      let batch = StoredBatch(
        version: try row.unsigned(0),
        requestID: String(decoding: try row.bytes(1), as: UTF8.self),
        payload: try row.bytes(4),
        time: try row.time(2)
      )
      guard try row.integer(5) == batch.checksum(in: number) else {
        throw damage("version \(batch.version) of the log")
      }
      try body(batch)
    }
  }

  func forEachSizeBackwards(_ body: (UInt64, Int) -> Bool) throws {
    let rows = try database.rows(
      "SELECT version, length(payload) FROM batch WHERE collection = ? ORDER BY version DESC",
      [number]
    )
    while let row = try rows.next() {
      guard body(try row.unsigned(0), Int(try row.integer(1))) else { return }
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
      let request = StoredRequest(
        id: String(decoding: try row.bytes(1), as: UTF8.self),
        version: try row.unsigned(0),
        time: try row.time(2)
      )
      guard try row.integer(4) == request.checksum(in: number) else {
        throw damage("the request of version \(request.version)")
      }
      try body(request)
    }
  }

  private func damage(_ what: String) -> StorageFault {
    StorageFault(.damaged, "\(what) of collection \(record.id) is damaged")
  }
}

/// Which snapshot is a collection's.
struct SnapshotReference {
  var number: Int64
  var version: UInt64
  var partCount: Int64

  init(number: Int64, version: UInt64, partCount: Int64) {
    self.number = number
    self.version = version
    self.partCount = partCount
  }

  init?(_ database: Database, collection: Int64) throws {
    guard
      let row = try database.row(
        "SELECT snapshot, version, part_count, checksum FROM contents WHERE collection = ?",
        [collection]
      )
    else { return nil }
    self.init(
      number: try row.integer(0),
      version: try row.unsigned(1),
      partCount: try row.integer(2)
    )
    guard try row.integer(3) == checksum(in: collection) else {
      throw StorageFault(.damaged, "the place of the contents is damaged")
    }
  }

  func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(number)
    checksum.add(version)
    checksum.add(partCount)
    return checksum.value
  }

  static func checksum(ofPart payload: [UInt8], at position: Int64, of number: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(number)
    checksum.add(position)
    checksum.add(payload)
    return checksum.value
  }
}

extension StoredBatch {
  func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(version)
    checksum.add(requestID)
    checksum.add(time.seconds)
    checksum.add(Int64(time.nanoseconds))
    checksum.add(payload)
    return checksum.value
  }
}

extension StoredRequest {
  func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(version)
    checksum.add(id)
    checksum.add(time.seconds)
    checksum.add(Int64(time.nanoseconds))
    return checksum.value
  }
}
