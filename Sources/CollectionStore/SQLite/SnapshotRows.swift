// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Where the contents of a collection are: a snapshot that is divided into sections and chunks.
struct SnapshotRoot: Sendable {
  /// Of the snapshot: new where it was written whole, kept where only changes were.
  var number: Int64
  var version: UInt64
  var cellKindNames: [String]
  var sectionCount = 0
  var chunkCount = 0
  /// The sum of the sections' checksums, so that none can be missing or left over.
  var digest: Int64 = 0

  func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(number)
    checksum.add(version)
    for name in cellKindNames { checksum.add(name) }
    checksum.add(Int64(sectionCount))
    checksum.add(Int64(chunkCount))
    checksum.add(digest)
    return checksum.value
  }
}

/// A section of a snapshot, apart from its chunks.
struct SectionRow: Sendable {
  var label: UInt64
  var number: UInt32
  /// What `ContentsCodec` makes of the section without its items.
  var header: [UInt8]
  var chunkCount = 0
  /// The sum of the chunks' checksums.
  var digest: Int64 = 0

  func checksum(in snapshot: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(snapshot)
    checksum.add(label)
    checksum.add(Int64(number))
    checksum.add(header)
    checksum.add(Int64(chunkCount))
    checksum.add(digest)
    return checksum.value
  }
}

/// Which chunk stands where in a section of a snapshot.
struct PlaceRow: Sendable {
  var section: UInt32
  var label: UInt64
  var chunk: Int64
  var checksum: Int64

  /// - Parameter payload: of the chunk.
  static func checksum(
    of payload: [UInt8],
    chunk: Int64,
    at label: UInt64,
    section: UInt32,
    in snapshot: Int64
  ) -> Int64 {
    var checksum = Checksum()
    checksum.add(snapshot)
    checksum.add(Int64(section))
    checksum.add(label)
    checksum.add(chunk)
    checksum.add(payload)
    return checksum.value
  }
}

/// What `ContentsCodec` makes of some items.
struct ChunkRow: Sendable {
  var number: Int64
  var payload: [UInt8]
}

extension Database {
  // MARK: - Roots

  func root(of collection: Int64) throws -> SnapshotRoot? {
    guard
      let row = try row(
        """
        SELECT number, version, kind_names, section_count, chunk_count, digest, checksum
        FROM snapshot WHERE collection = ?
        """,
        [collection]
      )
    else { return nil }
    let root = SnapshotRoot(
      number: try row.integer(0),
      version: try row.unsigned(1),
      cellKindNames: try FieldReader.texts(row.bytes(2)),
      sectionCount: Int(try row.integer(3)),
      chunkCount: Int(try row.integer(4)),
      digest: try row.integer(5)
    )
    guard try row.integer(6) == root.checksum(in: collection),
      0 ..< Int(CollectionRecord.valueLimit) ~= root.sectionCount,
      0 ..< Int(CollectionRecord.valueLimit) ~= root.chunkCount
    else {
      throw StorageFault(.damaged, "the place of the contents is not what was written")
    }
    return root
  }

  func replaceRoot(_ root: SnapshotRoot, of collection: Int64) throws {
    try run(
      """
      INSERT OR REPLACE INTO snapshot (collection, number, version, kind_names, section_count,
        chunk_count, digest, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        collection, root.number, root.version.stored,
        FieldWriter.bytes(of: root.cellKindNames).stored, root.sectionCount, root.chunkCount,
        root.digest, root.checksum(in: collection),
      ]
    )
  }

  // MARK: - Sections

  /// - Parameter row: columns as in `sectionColumns`.
  static func section(_ row: Row, in snapshot: Int64) throws -> SectionRow {
    let section = SectionRow(
      label: try row.unsigned(0),
      number: UInt32(truncatingIfNeeded: try row.integer(1)),
      header: try row.bytes(2),
      chunkCount: Int(try row.integer(3)),
      digest: try row.integer(4)
    )
    guard try row.integer(5) == section.checksum(in: snapshot),
      0 ..< Int(CollectionRecord.valueLimit) ~= section.chunkCount
    else {
      throw StorageFault(.damaged, "section \(section.number) is not what was written")
    }
    return section
  }

  static let sectionColumns = "label, number, header, chunk_count, digest, checksum"

  func insert(_ section: SectionRow, into snapshot: Int64) throws {
    try run(
      """
      INSERT INTO section (snapshot, label, number, header, chunk_count, digest, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        snapshot, section.label.stored, Int64(section.number), section.header.stored,
        section.chunkCount, section.digest, section.checksum(in: snapshot),
      ]
    )
  }

  // MARK: - Chunks

  func insert(_ chunk: ChunkRow, into snapshot: Int64) throws {
    try run(
      "INSERT INTO chunk (number, snapshot, payload) VALUES (?, ?, ?)",
      [chunk.number, snapshot, chunk.payload.stored]
    )
  }

  func insert(_ place: PlaceRow, into snapshot: Int64) throws {
    try run(
      "INSERT INTO place (snapshot, section, label, chunk, checksum) VALUES (?, ?, ?, ?, ?)",
      [snapshot, Int64(place.section), place.label.stored, place.chunk, place.checksum]
    )
  }
}
