// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import GRDB

extension DatabaseContents {
  /// Decodes the sections and chunks of a snapshot.
  ///
  /// - Throws: `StorageFault.damaged` if a row is damaged, missing or left over; `.closed` if the
  ///   storage is being closed; the codec's or the model's error.
  func contents(
    of root: SnapshotRoot,
    _ codec: any ContentsCodec
  ) throws -> CollectionContents {
    var assembly = ContentsAssembly(
      cellKindNames: root.cellKindNames,
      limits: CollectionLoader.limitsOfStoredContents
    )
    let sections = try database.rows(
      "SELECT \(Database.sectionColumns) FROM section WHERE snapshot = ? ORDER BY label",
      [root.number]
    )
    let chunks = try database.cachedStatement(
      sql: """
        SELECT label, chunk, checksum, payload FROM place LEFT JOIN chunk ON chunk.number = chunk
        WHERE place.snapshot = ? AND section = ? ORDER BY label
        """
    )
    var (count, digest) = (0, Int64(0))
    while let row = try sections.next() {
      let section = try Database.section(row, in: root.number)
      count += 1
      digest &+= section.checksum(in: root.number)
      try assembly.addSection(
        codec.decodeSection(section.header),
        number: section.number,
        label: section.label
      )
      try addChunks(of: section, from: chunks, in: root.number, codec, to: &assembly)
    }
    guard count == root.sectionCount, digest == root.digest else {
      throw damage("the list of sections")
    }
    return assembly.finish()
  }

  /// Decodes the chunks of one section.
  private func addChunks(
    of section: SectionRow,
    from statement: Statement,
    in snapshot: Int64,
    _ codec: any ContentsCodec,
    to assembly: inout ContentsAssembly
  ) throws {
    let rows = try Row.fetchCursor(statement, arguments: [snapshot, Int64(section.number)])
    var (count, digest) = (0, Int64(0))
    while let row = try rows.next() {
      try giveUpIfStopped()
      let (label, checksum) = (try row.unsigned(0), try row.integer(2))
      guard !row.hasNull(atIndex: 3) else {
        throw damage("chunk \(count) of section \(section.number)")
      }
      let payload = try row.bytes(3)
      guard
        checksum
          == PlaceRow.checksum(
            of: payload,
            chunk: try row.integer(1),
            at: label,
            section: section.number,
            in: snapshot
          )
      else { throw damage("chunk \(count) of section \(section.number)") }
      count += 1
      digest &+= checksum
      try assembly.addChunk(codec.decodeItems(payload), label: label)
    }
    guard count == section.chunkCount, digest == section.digest else {
      throw damage("the list of chunks of section \(section.number)")
    }
  }
}
