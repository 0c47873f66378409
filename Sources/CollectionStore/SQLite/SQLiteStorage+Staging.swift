// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import Dispatch
internal import GRDB
internal import Synchronization

/// A snapshot whose rows are in the database, or about to be, but which is no collection's yet.
struct StagedSnapshot: Sendable {
  /// Of this writing.
  var number: Int64
  /// As it is once `edits` are made.
  var root: SnapshotRoot
  /// The rows that are not in the database yet.
  var rest: SnapshotWriter.Rows
  /// nil = the snapshot was written whole.
  var edits: [SectionEdit]?

  /// Makes it the contents of a collection; what was that before, and is no part of it, is garbage.
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

/// Numbers of snapshots. Those that are being written must not be swept.
final class StagingNumbers: Sendable {
  private struct State {
    var last: Int64
    var active: Set<Int64> = []

    mutating func next() -> Int64 {
      last += 1
      return last
    }
  }

  private let state: Mutex<State>

  /// Goes on after all numbers that are in the database.
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

  /// Chunks are numbered from 2³² times these numbers on. No store lives long enough to reach the
  /// limit: what is beyond is damaged.
  private static let limit: Int64 = 1 << 30

  /// A number that was never used.
  func next() -> Int64 { state.withLock { $0.next() } }

  /// The same, for a snapshot that is being written until `end`.
  func begin() -> Int64 {
    state.withLock { state in
      let number = state.next()
      state.active.insert(number)
      return number
    }
  }

  func end(_ number: Int64) { state.withLock { _ = $0.active.remove(number) } }
  func isActive(_ number: Int64) -> Bool { state.withLock { $0.active.contains(number) } }
}

extension SQLiteStorage {
  typealias Attach = @Sendable (Database, StagedSnapshot) throws -> Void

  /// Writes the rows of a snapshot as they are made, then runs `attach` in the transaction that
  /// has the last of them. Leaves nothing where it fails.
  ///
  /// Snapshots are made one after the other, but those of one piece share transactions.
  func stage(_ snapshot: ContentsSnapshot, _ attach: @escaping Attach) async throws {
    try await withCheckedThrowingContinuation { continuation in
      imports.async { [self] in
        let number = staging.begin()
        do {
          let (staged, hasPieces) = try write(snapshot, as: number)
          commits.submit(bytes: staged.rest.bytes) {
            try attach($0, staged)
          } completion: { [self] result in
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

  /// The same, on a thread that may wait.
  ///
  /// - Parameter changes: nil = the snapshot is written whole.
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
    try commits.writeBlocking(bytes: staged.rest.bytes) { try attach($0, staged) }
  }

  /// Whatever became of it, it is no longer in the making.
  private func finish(_ number: Int64, hasPieces: Bool) {
    staging.end(number)
    if hasPieces { background.async { [self] in sweep() } }
  }

  /// Writes all of a snapshot but the last piece.
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

  /// Writes the new chunks of a snapshot but the last piece.
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

  private func writer(
    _ number: Int64,
    root: SnapshotRoot,
    _ codec: any ContentsCodec
  ) -> SnapshotWriter {
    SnapshotWriter(number, root: root, codec: codec, pieceBytes: pieceBytes) { [self] rows in
      if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
      try system.checkSpace(for: rows.bytes, besides: file)
      try commits.writeBlocking(bytes: rows.bytes) { database in
        try database.run("INSERT OR IGNORE INTO garbage (number) VALUES (?)", [number])
        try database.insert(rows, into: root.number)
      }
    }
  }
}

/// In what contents differ from those of a stored snapshot.
struct SnapshotChanges {
  var root: SnapshotRoot
  var sections: [SectionDifference] = []

  /// - Returns: nil where the snapshot had better be written whole: half of it changes.
  init?(to contents: CollectionContents, from old: CollectionContents, in root: SnapshotRoot) {
    self.root = root
    var count = 0
    contents.forEachDifference(from: old) { section in
      sections.append(section)
      count += 1 + max(section.newChunks.count, section.removedChunks.count)
    }
    guard count / 2 <= root.sectionCount / 4 + root.chunkCount / 4 + Self.alwaysFew else {
      return nil
    }
  }

  private static let alwaysFew = 64
}

extension Database {
  fileprivate func insert(_ rows: SnapshotWriter.Rows, into snapshot: Int64) throws {
    for chunk in rows.chunks { try insert(chunk, into: snapshot) }
    for place in rows.places { try insert(place, into: snapshot) }
    for section in rows.sections { try insert(section, into: snapshot) }
  }
}
