// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore

/// A row of `snapshot`: the totals of a collection's sections and chunks.
struct SnapshotRoot: Hashable, Sendable {
  var version: UInt64
  var kindNames: [String] = [""]
  var sectionCount: Int64 = 0
  var chunkCount: Int64 = 0
  /// The wrapping sum of the sections' checksums; it reveals a missing or surplus section.
  var digest: Int64 = 0

  /// Empty contents at version 0.
  static let empty = SnapshotRoot(version: 0)

  static let columns = "version, kind_names, section_count, chunk_count, digest, checksum"

  /// - Parameter first: the index of the first of `columns`.
  /// - Throws: `StorageFault.damaged`
  init(_ row: ResultRow, from first: Int = 0, in collection: Int64) throws {
    version = try row.unsigned(first)
    kindNames = try FieldReader.texts(row.bytes(first + 1))
    sectionCount = try row.integer(first + 2)
    chunkCount = try row.integer(first + 3)
    digest = try row.integer(first + 4)
    guard try row.integer(first + 5) == checksum(in: collection) else {
      throw StorageFault(.damaged, "the description of the snapshot differs from what was written")
    }
  }

  init(version: UInt64) { self.version = version }

  /// The values of `columns`.
  func parameters(in collection: Int64) -> [Parameter] {
    [
      .integer(version.stored), .bytes(FieldWriter.bytes(of: kindNames)), .integer(sectionCount),
      .integer(chunkCount), .integer(digest), .integer(checksum(in: collection)),
    ]
  }

  private func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(version)
    for name in kindNames { checksum.add(name) }
    checksum.add(sectionCount)
    checksum.add(chunkCount)
    checksum.add(digest)
    return checksum.value
  }
}

/// A row of `section`: a section of a snapshot without its chunks.
struct SectionRow: Sendable {
  var label: Int64
  var number: UInt32
  var header: [UInt8]
  var chunkCount: Int64 = 0
  /// The wrapping sum of the chunks' checksums; it reveals a missing or surplus chunk.
  var digest: Int64 = 0

  static let columns = "label, number, header, chunk_count, digest, checksum"

  init(label: UInt64, number: UInt32, header: [UInt8]) {
    self.label = label.stored
    self.number = number
    self.header = header
  }

  /// - Throws: `StorageFault.damaged`
  init(_ row: ResultRow, in collection: Int64) throws {
    label = try row.integer(0)
    number = UInt32(truncatingIfNeeded: try row.integer(1))
    header = try row.bytes(2)
    chunkCount = try row.integer(3)
    digest = try row.integer(4)
    guard try row.integer(5) == checksum(in: collection) else {
      throw StorageFault(.damaged, "section \(number) differs from what was written")
    }
  }

  func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(label)
    checksum.add(Int64(number))
    checksum.add(header)
    checksum.add(chunkCount)
    checksum.add(digest)
    return checksum.value
  }

  func insertion(into collection: Int64) -> Statement {
    Statement(
      """
      INSERT INTO section (collection, label, number, header, chunk_count, digest, checksum)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .integer(collection), .integer(label), .integer(Int64(number)), .bytes(header),
        .integer(chunkCount), .integer(digest), .integer(checksum(in: collection)),
      ]
    )
  }
}

/// A row of `chunk`: the encoded items of one chunk.
struct ChunkRow: Sendable {
  var section: UInt32
  var label: Int64
  var payload: [UInt8]

  func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(Int64(section))
    checksum.add(label)
    checksum.add(payload)
    return checksum.value
  }

  func insertion(into collection: Int64, checksum: Int64) -> Statement {
    Statement(
      """
      INSERT INTO chunk (collection, section, label, payload, checksum)
      VALUES ($1, $2, $3, $4, $5)
      """,
      [
        .integer(collection), .integer(Int64(section)), .integer(label), .bytes(payload),
        .integer(checksum),
      ]
    )
  }
}
