// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import GRDB

/// A row of `contents`: a snapshot in parts, the format of schema 1. The next compaction of the
/// collection replaces it by sections and chunks.
struct PartsReference {
  /// The snapshot's number, its key in `part`.
  var number: Int64
  /// The data version of the snapshot.
  var version: UInt64
  var partCount: Int64

  init(number: Int64, version: UInt64, partCount: Int64) {
    self.number = number
    self.version = version
    self.partCount = partCount
  }

  /// The row of a collection; nil = it has none.
  ///
  /// - Throws: `StorageFault.damaged`
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
      throw StorageFault(.damaged, "the place of the contents differs from what was written")
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

extension DatabaseContents {
  /// Decodes the parts of a snapshot.
  ///
  /// - Throws: `StorageFault.damaged` if a part is damaged, missing or left over; `.closed` if the
  ///   storage is being closed; the codec's error.
  func contents(
    of parts: PartsReference,
    _ codec: any ContentsCodec
  ) throws -> CollectionContents {
    var decoder = try codec.makeDecoder()
    let rows = try database.rows(
      "SELECT position, payload, checksum FROM part WHERE snapshot = ? ORDER BY position",
      [parts.number]
    )
    var position: Int64 = 0
    while let row = try rows.next() {
      try giveUpIfStopped()
      let payload = try row.bytes(1)
      guard try row.integer(0) == position,
        try row.integer(2)
          == PartsReference.checksum(
            ofPart: payload,
            at: position,
            of: parts.number
          )
      else { throw damage("part \(position) of the contents") }
      position += 1
      try decoder.add(payload)
    }
    guard position == parts.partCount else { throw damage("the end of the contents") }
    return position == 0 ? .empty : try decoder.finish()
  }
}
