// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import Dispatch
internal import GRDB
internal import Synchronization

/// A snapshot whose rows have been written, except for the last ones, but that no collection refers
/// to yet.
struct StagedSnapshot: Sendable {
  /// The staging number, under which its rows are garbage until it is attached.
  var number: Int64
  /// The row of `snapshot` that it will have. For a changed snapshot: before `edits` are applied.
  var root: SnapshotRoot
  /// The rows that have not been written yet.
  var rest: SnapshotWriter.Rows
  /// The sections to change in the stored snapshot; nil = the snapshot is written whole.
  var edits: [SectionEdit]?

  /// Makes this the snapshot of a collection. Rows of the previous snapshot that are not part of
  /// this one become garbage.
  ///
  /// - Throws: `StorageFault.conflict` if there is no such collection; `.damaged` if the stored
  ///   snapshot does not match `edits`.
  func attach(to record: CollectionRecord, in database: Database) throws {
    guard let row = try database.row("SELECT number FROM collection WHERE id = ?", [record.id])
    else { throw StorageFault.missing(record.id) }
    let collection = try row.integer(0)
    var root = root
    try database.insert(rest, into: root.number)
    if let edits { try database.apply(edits, to: &root) }
    try database.run("DELETE FROM garbage WHERE number = ?", [number])
    try database.discardContents(of: collection, but: root.number)
    try database.replaceRoot(root, of: collection)
  }
}

/// Hands out staging numbers, which number snapshots, their chunks and garbage, and keeps track of
/// those whose rows are being written and must not be swept.
final class StagingNumbers: Sendable {
  private struct State {
    /// The highest number that was ever used.
    var last: Int64
    /// The numbers that are being written.
    var active: Set<Int64> = []

    mutating func next() -> Int64 {
      last += 1
      return last
    }
  }

  private let state: Mutex<State>

  /// Continues after the highest number in the database.
  init(_ database: Database) throws {
    let row = try database.row(
      """
      SELECT max(
        ifnull((SELECT max(number) FROM garbage WHERE number < ?1), 0),
        ifnull((SELECT max(snapshot) FROM contents WHERE snapshot < ?1), 0),
        ifnull((SELECT max(number) FROM snapshot WHERE number < ?1), 0),
        ifnull((SELECT max(number) FROM chunk WHERE number < ?1 << 32), 0) >> 32,
        ifnull((SELECT max(chunk) FROM stale WHERE chunk < ?1 << 32), 0) >> 32)
      """,
      [Self.limit]
    )
    state = Mutex(State(last: try row?.integer(0) ?? 0))
  }

  /// Numbers in the database from this on can only be damage and are ignored: at one snapshot a
  /// second, 2³⁰ numbers last for 34 years. The chunks of number n are numbered from n · 2³² on,
  /// which fits 64 bits for all n below the limit.
  private static let limit: Int64 = 1 << 30

  /// A number that was never used.
  func next() -> Int64 { state.withLock { $0.next() } }

  /// A number that was never used, for a snapshot that is being written until the caller calls
  /// `end`.
  func begin() -> Int64 {
    state.withLock { state in
      let number = state.next()
      state.active.insert(number)
      return number
    }
  }

  /// Notes that a snapshot is no longer being written.
  func end(_ number: Int64) { state.withLock { _ = $0.active.remove(number) } }
  /// Whether a snapshot is being written.
  func isActive(_ number: Int64) -> Bool { state.withLock { $0.active.contains(number) } }
}

extension SQLiteStorage {
  typealias Attach = @Sendable (Database, StagedSnapshot) throws -> Void

  /// Writes a whole snapshot piece by piece as it is encoded, then runs `attach` in the transaction
  /// of the last piece. If that fails, the rows written before are swept.
  ///
  /// Snapshots are encoded one at a time. One that fits into a single piece may share its
  /// transaction with others.
  func stage(_ snapshot: ContentsSnapshot, _ attach: @escaping Attach) async throws {
    try await withCheckedThrowingContinuation { continuation in
      imports.async { [self] in
        let number = staging.begin()
        do {
          let (staged, hasPieces) = try write(snapshot, as: number)
          let write = adding { try attach($0, staged) }
          commits.submit(bytes: staged.rest.bytes, write) { [self] result in
            finish(number, hasPieces: hasPieces)
            continuation.resume(with: result)
          }
        } catch {
          finish(number, hasPieces: true)
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Writes a snapshot, or what differs from the stored one, blocking the calling thread.
  ///
  /// - Parameter changes: what differs; nil = the snapshot is written whole.
  func stageBlocking(
    _ snapshot: ContentsSnapshot,
    changes: SnapshotChanges?,
    _ attach: @escaping Attach
  ) throws {
    let number = staging.begin()
    defer { finish(number, hasPieces: true) }
    let staged =
      if let changes {
        try write(changes, to: snapshot, as: number)
      } else {
        try write(snapshot, as: number).staged
      }
    try commits.writeBlocking(bytes: staged.rest.bytes, adding { try attach($0, staged) })
  }

  /// Ends a writing, successful or not, and sweeps what may be left of it.
  ///
  /// - Parameter hasPieces: whether rows were written before the last transaction.
  private func finish(_ number: Int64, hasPieces: Bool) {
    staging.end(number)
    if hasPieces { background.async { [self] in sweep() } }
  }

  /// Writes a whole snapshot except for the last piece.
  private func write(
    _ snapshot: ContentsSnapshot,
    as number: Int64
  ) throws -> (staged: StagedSnapshot, hasPieces: Bool) {
    var writer = writer(
      number,
      root: SnapshotRoot(
        number: number,
        version: snapshot.version,
        cellKindNames: snapshot.contents.cellKindNames
      ),
      snapshot.codec
    )
    try snapshot.contents.forEachDifference(from: .empty) { try writer.add($0) }
    let staged = StagedSnapshot(number: number, root: writer.root, rest: writer.rest)
    return (staged, writer.hasPieces)
  }

  /// Writes the new chunks of a changed snapshot except for the last piece.
  private func write(
    _ changes: SnapshotChanges,
    to snapshot: ContentsSnapshot,
    as number: Int64
  ) throws -> StagedSnapshot {
    var root = changes.root
    root.version = snapshot.version
    root.cellKindNames = snapshot.contents.cellKindNames
    var writer = writer(number, root: root, snapshot.codec)
    for section in changes.sections { try writer.change(section) }
    return StagedSnapshot(number: number, root: root, rest: writer.rest, edits: writer.edits)
  }

  /// A writer that commits each full piece, as garbage until the snapshot is attached.
  private func writer(
    _ number: Int64,
    root: SnapshotRoot,
    _ codec: any ContentsCodec
  ) -> SnapshotWriter {
    SnapshotWriter(number, root: root, codec: codec, pieceBytes: pieceBytes) { [self] rows in
      if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
      let write = adding { [self] database in
        try system.checkSpace(
          for: rows.bytes,
          in: file,
          unusedBytes: database.freePagesByteCount()
        )
        try database.run("INSERT OR IGNORE INTO garbage (number) VALUES (?)", [number])
        try database.insert(rows, into: root.number)
      }
      try commits.writeBlocking(bytes: rows.bytes, write)
    }
  }
}

/// The difference between contents and a stored snapshot.
struct SnapshotChanges {
  /// The stored snapshot.
  var root: SnapshotRoot
  /// The sections that differ.
  var sections: [SectionDifference] = []

  /// - Returns: nil if more than about half of the snapshot changes; writing it whole then costs
  ///   little more.
  init?(to contents: CollectionContents, from old: CollectionContents, in root: SnapshotRoot) {
    self.root = root
    var count = 0
    contents.forEachDifference(from: old) { section in
      sections.append(section)
      count += 1 + max(section.newChunks.count, section.removedChunks.count)
    }
    // Divided before adding: the counts are from the database, each below 2⁶².
    guard count / 2 <= root.sectionCount / 4 + root.chunkCount / 4 + Self.smallChange else {
      return nil
    }
  }

  /// Added to the half, so that small snapshots are always changed rather than written whole.
  private static let smallChange = 64
}

extension Database {
  fileprivate func insert(_ rows: SnapshotWriter.Rows, into snapshot: Int64) throws {
    for chunk in rows.chunks { try insert(chunk, into: snapshot) }
    for place in rows.places { try insert(place, into: snapshot) }
    for section in rows.sections { try insert(section, into: snapshot) }
  }
}
