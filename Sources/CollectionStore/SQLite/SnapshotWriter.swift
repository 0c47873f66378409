// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Encodes contents, or the difference from a stored snapshot, into rows.
///
/// The rows are written in pieces as they are made. Those of the last piece stay in `rest`, for the
/// transaction that attaches the snapshot to its collection.
struct SnapshotWriter {
  /// Rows to insert.
  struct Rows: Sendable {
    var chunks: [ChunkRow] = []
    var places: [PlaceRow] = []
    var sections: [SectionRow] = []
    /// Bytes of payloads and headers, and 64 for each row.
    fileprivate(set) var bytes = 0
  }

  private let codec: any ContentsCodec
  private let pieceBytes: Int
  private let writeRows: (Rows) throws -> Void
  private var nextChunk: Int64
  /// The root of a snapshot that is written whole, with counts and digest of the sections added so
  /// far. For a changed snapshot it stays as it was.
  private(set) var root: SnapshotRoot
  /// The rows that have not been written yet.
  private(set) var rest = Rows()
  /// The edits of a snapshot that is changed.
  private(set) var edits: [SectionEdit] = []
  /// Whether `writeRows` has been called.
  private(set) var hasPieces = false

  /// - Parameters:
  ///   - number: the staging number, never used before and below 2³⁰ (`StagingNumbers`). The chunks
  ///     are numbered from 2³² times this on.
  ///   - root: the root of the snapshot that is written or changed.
  ///   - pieceBytes: the fewest bytes of a piece.
  ///   - writeRows: commits a piece.
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

  /// Adds a section to a snapshot that is written whole.
  ///
  /// - Throws: errors of the codec and of `writeRows`.
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

  /// Adds the difference of a section to a snapshot that is changed. Only its chunks become rows,
  /// the rest becomes an edit.
  ///
  /// - Throws: errors of the codec and of `writeRows`.
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

  /// Encodes a chunk and adds its row.
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
