// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import GRDB

/// A row of `snapshot`: the snapshot of a collection, divided into sections and chunks.
struct SnapshotRoot: Sendable {
  /// The snapshot's number, its key in `section`, `place` and `chunk`. New if the snapshot was
  /// written whole, kept if only differences were written.
  var number: Int64
  /// The data version of the snapshot.
  var version: UInt64
  var cellKindNames: [String]
  var sectionCount = 0
  /// Chunks of all sections together.
  var chunkCount = 0
  /// The wrapping sum of the sections' checksums, by which a missing or surplus section is
  /// detected.
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

/// A row of `section`: a section of a snapshot without its chunks.
struct SectionRow: Sendable {
  /// Orders the sections of a snapshot; need not be dense.
  var label: UInt64
  /// Identifies the section while it exists, wherever it moves.
  var number: UInt32
  /// The section without its items, as `ContentsCodec` encodes it.
  var header: [UInt8]
  var chunkCount = 0
  /// The wrapping sum of the checksums of the section's places, by which a missing or surplus chunk
  /// is detected.
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

/// A row of `place`: a chunk's position in a section of a snapshot.
struct PlaceRow: Sendable {
  /// The section's number.
  var section: UInt32
  /// Orders the chunks of a section; need not be dense.
  var label: UInt64
  /// The chunk's number.
  var chunk: Int64
  /// Covers the place and the payload of its chunk.
  var checksum: Int64

  /// The checksum of a place.
  ///
  /// - Parameter payload: the payload of its chunk.
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

/// A row of `chunk`: the encoded items of one chunk.
struct ChunkRow: Sendable {
  /// From 2³² times the staging number on; never reused.
  var number: Int64
  /// The items, as `ContentsCodec` encodes them.
  var payload: [UInt8]
}

extension Database {
  // MARK: - Roots

  /// The snapshot of a collection; nil = it has none in this format.
  ///
  /// - Throws: `StorageFault.damaged`, `UnexpectedValue`, `FieldReader.UnexpectedEnd`.
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
      throw StorageFault(.damaged, "the place of the contents differs from what was written")
    }
    return root
  }

  /// Inserts or replaces the snapshot of a collection.
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

  /// Decodes a section.
  ///
  /// - Parameter row: has the columns of `sectionColumns`.
  /// - Throws: `StorageFault.damaged`, `UnexpectedValue`.
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
      throw StorageFault(.damaged, "section \(section.number) differs from what was written")
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
