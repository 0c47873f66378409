// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore

/// Writes contents, or their difference from the stored ones, within the caller's transaction.
struct SnapshotWriting {
  private let session: PostgresConnection.Session
  private let collection: Int64
  private let codec: any ContentsCodec
  /// Checked between pieces.
  private let isClosing: Flag
  private var pending: [Statement] = []
  private var pendingBytes = 0
  /// The totals of the rows.
  private(set) var root: SnapshotRoot

  /// Statements are sent together until they have about this many bytes.
  private static let pieceBytes = 1 << 20

  /// - Parameter root: of the snapshot that is changed; `.empty` if there are no rows.
  init(
    _ session: PostgresConnection.Session,
    collection: Int64,
    root: SnapshotRoot,
    codec: any ContentsCodec,
    isClosing: Flag
  ) {
    self.session = session
    self.collection = collection
    self.root = root
    self.codec = codec
    self.isClosing = isClosing
  }

  /// Removes all rows.
  mutating func clear() throws {
    try SnapshotRemoval(session, collection: collection, isClosing: isClosing).run()
    root = .empty
  }

  /// Writes the difference between the rows, which have the contents `old`, and newer contents.
  ///
  /// - Throws: `StorageFault.damaged` if the rows are not those of `old`; other faults; the codec's
  ///   error.
  mutating func write(_ contents: CollectionContents, since old: CollectionContents) throws {
    // Rows are removed first: labels that become free may be used again.
    var changes: [Change] = []
    var waiting: [Change] = []
    var labels = 0
    try contents.forEachDifference(from: old) { section in
      let row = SectionRow(
        label: section.newLabel ?? 0,
        number: section.number,
        header: try codec.encode(section.contents)
      )
      waiting.append((row, section))
      labels += section.removedChunks.count
      guard waiting.count == Self.sectionsAtOnce || labels >= Self.chunksAtOnce else { return }
      changes += try removing(waiting)
      (waiting, labels) = ([], 0)
    }
    changes += try removing(waiting)
    for (row, section) in changes { try insert(section, row) }
    try send()
    root.kindNames = contents.cellKindNames
  }

  private typealias Change = (row: SectionRow, section: SectionDifference)

  /// Sections whose rows are removed together, and about as many chunks, so that a change of all
  /// sections does not wait for an answer for each.
  private static let (sectionsAtOnce, chunksAtOnce) = (256, 16_384)

  /// Removes the rows of sections and their chunks that are gone.
  ///
  /// - Returns: the sections with what is left of their chunks.
  private mutating func removing(_ sections: [Change]) throws -> [Change] {
    if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
    var statements: [Statement] = []
    for (_, section) in sections {
      guard let label = section.oldLabel else { continue }
      statements.append(removal(ofSectionAt: label))
      if !section.removedChunks.isEmpty { statements.append(removal(ofChunksOf: section)) }
    }
    if statements.isEmpty { return sections }
    var answers = try session.perform(Exchange(statements))[...]
    return try sections.map { change in
      guard change.section.oldLabel != nil else { return change }
      var change = change
      try noteRemoved(answers.popFirst(), &change)
      if !change.section.removedChunks.isEmpty {
        try noteRemovedChunks(answers.popFirst()?.rows ?? [], &change)
      }
      return change
    }
  }

  private func removal(ofSectionAt label: UInt64) -> Statement {
    Statement(
      "DELETE FROM section WHERE collection = $1 AND label = $2 RETURNING \(SectionRow.columns)",
      [.integer(collection), .integer(label.stored)]
    )
  }

  private func removal(ofChunksOf section: SectionDifference) -> Statement {
    Statement(
      """
      DELETE FROM chunk WHERE collection = $1 AND section = $2 AND label = ANY ($3)
      RETURNING checksum
      """,
      [
        .integer(collection), .integer(Int64(section.number)),
        .integers(section.removedChunks.map(\.stored)),
      ]
    )
  }

  private mutating func noteRemoved(_ answer: Answer?, _ change: inout Change) throws {
    let number = change.section.number
    guard let old = try answer?.rows.first.map({ try SectionRow($0, in: collection) }),
      old.number == number
    else { throw StorageFault(.damaged, "section \(number) is missing") }
    root.sectionCount &-= 1
    root.digest &-= old.checksum(in: collection)
    (change.row.chunkCount, change.row.digest) = (old.chunkCount, old.digest)
  }

  private mutating func noteRemovedChunks(_ removed: [ResultRow], _ change: inout Change) throws {
    guard removed.count == change.section.removedChunks.count else {
      throw StorageFault(.damaged, "chunks of section \(change.section.number) are missing")
    }
    for chunk in removed { change.row.digest &-= try chunk.integer(0) }
    // The counts are from outside; they are compared with those in memory once all is written.
    change.row.chunkCount &-= Int64(removed.count)
    root.chunkCount &-= Int64(removed.count)
  }

  private mutating func insert(_ section: SectionDifference, _ row: SectionRow) throws {
    guard section.newLabel != nil else { return }
    var row = row
    for (label, chunk) in section.newChunks {
      let items = ChunkRow(
        section: section.number,
        label: label.stored,
        payload: try codec.encode(ItemBlock(chunk, in: 0 ..< chunk.count))
      )
      let checksum = items.checksum(in: collection)
      row.chunkCount &+= 1
      row.digest &+= checksum
      root.chunkCount &+= 1
      try add(items.insertion(into: collection, checksum: checksum), bytes: items.payload.count)
    }
    guard row.chunkCount == Int64(section.contents.items.chunkCount) else {
      throw StorageFault(
        .damaged,
        "section \(section.number) has \(row.chunkCount) chunks after a change instead of "
          + "\(section.contents.items.chunkCount)"
      )
    }
    root.sectionCount &+= 1
    root.digest &+= row.checksum(in: collection)
    try add(row.insertion(into: collection), bytes: row.header.count)
  }

  private mutating func add(_ statement: Statement, bytes: Int) throws {
    pending.append(statement)
    pendingBytes += 128 + bytes
    if pendingBytes >= Self.pieceBytes { try send() }
  }

  private mutating func send() throws {
    if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
    if pending.isEmpty { return }
    _ = try session.perform(Exchange(pending))
    pending.removeAll(keepingCapacity: true)
    pendingBytes = 0
  }
}
