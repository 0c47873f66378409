// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore

/// The stored state of one collection, read within one transaction.
struct PostgreSQLContents: StoredContents {
  let session: PostgresConnection.Session
  let record: CollectionRecord
  let root: SnapshotRoot
  /// Once set, reading throws `StorageFault.closed`.
  let isClosing: Flag

  private var collection: Int64 { record.incarnation.stored }

  /// - Throws: `StorageFault.conflict` if there is no such collection; `.damaged`.
  init(_ session: PostgresConnection.Session, id: String, isClosing: Flag) throws {
    self.session = session
    self.isClosing = isClosing
    let found = try session.row(
      "SELECT \(RecordRow.columns) FROM \(RecordRow.tables) WHERE c.id = $1",
      [.text(id)]
    )
    guard let found else { throw StorageFault.missing(id) }
    record = try RecordRow.record(found)
    let snapshot = try session.row(
      "SELECT \(SnapshotRoot.columns) FROM snapshot WHERE collection = $1",
      [.integer(record.incarnation.stored)]
    )
    guard let snapshot else { throw StorageFault(.damaged, "its snapshot is missing") }
    root = try SnapshotRoot(snapshot, in: record.incarnation.stored)
  }

  var snapshotVersion: UInt64 { root.version }

  /// True: empty contents also consist of rows, namely none.
  var isDivided: Bool { true }

  func contents(_ codec: any ContentsCodec) throws -> CollectionContents {
    var assembly = ContentsAssembly(
      cellKindNames: root.kindNames,
      limits: CollectionLoader.limitsOfStoredContents
    )
    var chunks = RowPages(
      session,
      """
      SELECT c.section, c.label, c.payload, c.checksum
      FROM section s JOIN chunk c ON c.collection = s.collection AND c.section = s.number
      WHERE s.collection = $1 ORDER BY s.label, c.label
      """,
      [.integer(collection)],
      name: "chunks"
    )
    var sections = RowPages(
      session,
      "SELECT \(SectionRow.columns) FROM section WHERE collection = $1 ORDER BY label",
      [.integer(collection)],
      name: "sections"
    )
    var total = SnapshotRoot.empty
    while let row = try sections.next() {
      let section = try SectionRow(row, in: collection)
      total.sectionCount += 1
      total.digest &+= section.checksum(in: collection)
      try assembly.addSection(
        codec.decodeSection(section.header),
        number: section.number,
        label: UInt64(bitPattern: section.label)
      )
      try addChunks(of: section, from: &chunks, codec, to: &assembly)
      total.chunkCount &+= section.chunkCount
    }
    guard total.sectionCount == root.sectionCount, total.digest == root.digest,
      total.chunkCount == root.chunkCount, try chunks.next() == nil
    else { throw damage("the list of sections") }
    return assembly.finish()
  }

  private func addChunks(
    of section: SectionRow,
    from rows: inout RowPages,
    _ codec: any ContentsCodec,
    to assembly: inout ContentsAssembly
  ) throws {
    var (count, digest) = (Int64(0), Int64(0))
    while count < section.chunkCount, let row = try rows.next() {
      try giveUpIfClosing()
      let chunk = ChunkRow(
        section: UInt32(truncatingIfNeeded: try row.integer(0)),
        label: try row.integer(1),
        payload: try row.bytes(2)
      )
      let checksum = chunk.checksum(in: collection)
      guard chunk.section == section.number, try row.integer(3) == checksum else {
        throw damage("chunk \(count) of section \(section.number)")
      }
      count += 1
      digest &+= checksum
      try assembly.addChunk(
        codec.decodeItems(chunk.payload),
        label: UInt64(bitPattern: chunk.label)
      )
    }
    guard count == section.chunkCount, digest == section.digest else {
      throw damage("the list of chunks of section \(section.number)")
    }
  }

  func forEachBatch(_ body: (StoredBatch) throws -> Void) throws {
    // A batch may have several MiB, so pages are cut by bytes.
    var reached: UInt64 = 0
    while true {
      try giveUpIfClosing()
      let portion = PostgreSQLStorage.portion(of: collection, after: reached)
      let rows = try session.perform(Exchange(portion)).first?.rows ?? []
      if rows.isEmpty { return }
      for row in rows {
        let batch = try BatchRow.batch(row, in: collection)
        // The first batch has at least version 1.
        guard batch.version > reached else { throw damage("the order of the log") }
        reached = batch.version
        try body(batch)
      }
    }
  }

  func forEachSizeBackwards(_ body: (UInt64, Int) -> Bool) throws {
    var rows = RowPages(
      session,
      """
      SELECT version, octet_length(payload)::bigint FROM batch
      WHERE collection = $1 ORDER BY version DESC
      """,
      [.integer(collection)],
      name: "sizes"
    )
    while let row = try rows.next() {
      guard body(try row.unsigned(0), Int(clamping: try row.integer(1))) else {
        return try rows.close()
      }
    }
  }

  func forEachRequest(_ body: (StoredRequest) throws -> Void) throws {
    var rows = RowPages(
      session,
      """
      SELECT request_id, version, seconds, nanoseconds, checksum, transfer FROM request
      WHERE collection = $1
        AND version < coalesce((SELECT min(version) FROM batch WHERE collection = $1), $2)
      ORDER BY version
      """,
      [.integer(collection), .integer(.max)],
      name: "requests"
    )
    while let row = try rows.next() {
      let request = StoredRequest(
        id: try row.text(0),
        mark: RequestMark(text: try row.text(5)),
        version: try row.unsigned(1),
        time: try row.time(2)
      )
      guard try row.integer(4) == request.checksum(in: collection) else {
        throw damage("the request of version \(request.version)")
      }
      try body(request)
    }
  }

  private func giveUpIfClosing() throws {
    if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
  }

  /// The fault of a row whose checksum does not match.
  ///
  /// - Parameter what: names the row, as the subject of a sentence.
  private func damage(_ what: String) -> StorageFault {
    StorageFault(.damaged, "\(what) differs from what was written")
  }
}

/// The rows of a query, read some at a time through a cursor of the transaction.
private struct RowPages {
  private let session: PostgresConnection.Session
  private let query: Statement
  private let name: String
  private var page: [ResultRow] = []
  private var index = 0
  private var isOpen = false
  private var isAtEnd = false

  /// Rows of one page. A chunk has a few KB, and up to 512 KiB if items have long keys and data.
  private static let count = 32

  init(
    _ session: PostgresConnection.Session,
    _ sql: String,
    _ parameters: [Parameter],
    name: String
  ) {
    self.session = session
    query = Statement("DECLARE \(name) NO SCROLL CURSOR FOR " + sql, parameters)
    self.name = name
  }

  /// The next row; nil = there is none.
  mutating func next() throws -> ResultRow? {
    if index == page.count {
      if isAtEnd { return nil }
      try fetch()
      if page.isEmpty { return nil }
    }
    defer { index += 1 }
    return page[index]
  }

  private mutating func fetch() throws {
    let fetching = Statement("FETCH FORWARD \(Self.count) FROM \(name)")
    let answers = try session.perform(Exchange(isOpen ? [fetching] : [query, fetching]))
    isOpen = true
    (page, index) = (answers.last?.rows ?? [], 0)
    if page.count < Self.count { try close() }
  }

  /// Ends reading before the last row.
  mutating func close() throws {
    guard isOpen, !isAtEnd else { return }
    isAtEnd = true
    try session.run("CLOSE \(name)")
  }
}

/// Rows of `collection`, joined with `description`.
enum RecordRow {
  static let tables = "collection c LEFT JOIN description d ON d.collection = c.incarnation"

  private static let numbers = """
    c.incarnation, c.id, c.data_version, c.revision, c.section_count, c.item_count,
    c.create_seconds, c.create_nanoseconds, c.update_seconds, c.update_nanoseconds, c.checksum
    """

  static let columns = numbers + ", d.fields, d.checksum, c.lineage"

  /// The columns with the description only if a condition is met.
  static func columns(describedIf condition: String) -> String {
    numbers + ", CASE WHEN \(condition) THEN d.fields END, d.checksum, c.lineage"
  }

  /// How many columns `columns` has.
  static let columnCount = 14

  /// Decodes a row.
  ///
  /// - Parameter isWhole: whether the description must not be left out.
  /// - Throws: `StorageFault.damaged`
  static func record(_ row: ResultRow, isWhole: Bool = true) throws -> CollectionRecord {
    guard !isWhole || hasDescription(row) else {
      throw StorageFault(.damaged, "its description is missing")
    }
    let columns = try [row.integer(0)] + (2 ... 9).map { try row.integer($0) }
    let fields = row.isNull(11) ? nil : (fields: try row.bytes(11), checksum: try row.integer(12))
    var record = try CollectionRecord(
      id: row.text(1),
      columns: columns,
      checksum: row.integer(10),
      description: fields
    )
    // No checksum covers it: if it is damaged, servers read the contents again.
    record.lineage = try row.unsigned(13)
    return record
  }

  static func hasDescription(_ row: ResultRow) -> Bool { !row.isNull(11) }
}

/// Rows of `batch`.
enum BatchRow {
  static let columns =
    "version, request_id, seconds, nanoseconds, payload, checksum, transfer, base"

  /// The lineage of the version before; nil = an earlier release wrote the row.
  static func base(_ row: ResultRow) throws -> UInt64? {
    row.isNull(7) ? nil : try row.unsigned(7)
  }

  /// - Throws: `StorageFault.damaged`
  static func batch(_ row: ResultRow, in collection: Int64) throws -> StoredBatch {
    let batch = StoredBatch(
      version: try row.unsigned(0),
      requestID: try row.text(1),
      mark: RequestMark(text: try row.text(6)),
      payload: try row.bytes(4),
      time: try row.time(2)
    )
    guard try row.integer(5) == batch.checksum(in: collection) else {
      throw StorageFault(
        .damaged,
        "version \(batch.version) of the log differs from what was written"
      )
    }
    return batch
  }
}
