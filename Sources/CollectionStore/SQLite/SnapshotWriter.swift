// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Turns contents, or what is new in them, into the rows of a snapshot.
///
/// Rows are handed out in pieces as they are made; what is left at the end is for the transaction
/// that makes them a collection's contents.
struct SnapshotWriter {
  /// Rows that are to be inserted.
  struct Rows: Sendable {
    var chunks: [ChunkRow] = []
    var places: [PlaceRow] = []
    var sections: [SectionRow] = []
    fileprivate(set) var bytes = 0
  }

  private let codec: any ContentsCodec
  private let pieceBytes: Int
  private let writeRows: (Rows) throws -> Void
  private var nextChunk: Int64
  /// What has been made so far; of a snapshot that is written whole.
  private(set) var root: SnapshotRoot
  private(set) var rest = Rows()
  /// Of a snapshot that is changed.
  private(set) var edits: [SectionEdit] = []
  /// Whether something was handed out.
  private(set) var hasPieces = false

  /// - Parameters:
  ///   - number: of this writing, never used before. Its chunks have numbers from 2³² times this on.
  ///   - root: of the snapshot that is written or changed.
  init(
    _ number: Int64,
    root: SnapshotRoot,
    codec: any ContentsCodec,
    pieceBytes: Int,
    writeRows: @escaping (Rows) throws -> Void
  ) {
    self.root = root
    self.codec = codec
    self.pieceBytes = pieceBytes
    self.writeRows = writeRows
    nextChunk = number << 32
  }

  /// A section of a snapshot that is written whole.
  mutating func add(_ section: SectionDifference) throws {
    var row = SectionRow(
      label: section.newLabel ?? 0,
      number: section.number,
      header: try codec.encode(section.contents)
    )
    for (label, chunk) in section.newChunks {
      let place = try makeChunk(chunk, at: label, of: section.number)
      rest.places.append(place)
      row.chunkCount += 1
      row.digest &+= place.checksum
      try handOutIfFull()
    }
    rest.sections.append(row)
    rest.bytes += 64 + row.header.count
    root.sectionCount += 1
    root.chunkCount += row.chunkCount
    root.digest &+= row.checksum(in: root.number)
    try handOutIfFull()
  }

  /// A section of a snapshot that is changed: only chunks are handed out.
  mutating func change(_ section: SectionDifference) throws {
    var edit = SectionEdit(
      number: section.number,
      oldLabel: section.oldLabel,
      newLabel: section.newLabel,
      header: try codec.encode(section.contents),
      chunkCount: section.newLabel == nil ? 0 : section.contents.items.chunkCount,
      removedChunks: section.removedChunks
    )
    for (label, chunk) in section.newChunks {
      edit.places.append(try makeChunk(chunk, at: label, of: section.number))
      try handOutIfFull()
    }
    edits.append(edit)
  }

  private mutating func makeChunk(
    _ chunk: ItemChunk,
    at label: UInt64,
    of section: UInt32
  ) throws -> PlaceRow {
    let row = ChunkRow(
      number: nextChunk,
      payload: try codec.encode(ItemBlock(chunk, in: 0 ..< chunk.count))
    )
    nextChunk += 1
    rest.chunks.append(row)
    rest.bytes += 64 + row.payload.count
    return PlaceRow(
      section: section,
      label: label,
      chunk: row.number,
      checksum: PlaceRow.checksum(
        of: row.payload,
        chunk: row.number,
        at: label,
        section: section,
        in: root.number
      )
    )
  }

  private mutating func handOutIfFull() throws {
    guard rest.bytes >= pieceBytes else { return }
    try writeRows(rest)
    rest = Rows()
    hasPieces = true
  }
}
