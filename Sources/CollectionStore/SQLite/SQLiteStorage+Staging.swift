// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GRDB
internal import Synchronization

/// A snapshot whose parts are in the database, or about to be, but which is no collection's yet.
struct StagedSnapshot: Sendable {
  var reference: SnapshotReference
  /// The parts that are not in the database yet, and the place of the first.
  var rest: [[UInt8]]
  var restPosition: Int64

  /// Makes it the contents of a collection; what was that before is garbage.
  func attach(to record: CollectionRecord, in database: Database) throws {
    try database.insertParts(rest, at: restPosition, of: reference.number)
    guard let row = try database.row("SELECT number FROM collection WHERE id = ?", [record.id])
    else { throw StorageFault.missing(record.id) }
    let collection = try row.integer(0)
    try database.run("DELETE FROM garbage WHERE number = ?", [reference.number])
    try database.run(
      "INSERT OR IGNORE INTO garbage (number) SELECT snapshot FROM contents WHERE collection = ?",
      [collection]
    )
    try database.run(
      """
      INSERT OR REPLACE INTO contents (collection, snapshot, version, part_count, checksum)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        collection, reference.number, reference.version.stored, reference.partCount,
        reference.checksum(in: collection),
      ]
    )
  }
}

/// Numbers of snapshots that are being written, which nobody may sweep.
final class StagingNumbers: Sendable {
  private struct State {
    var last: Int64
    var active: Set<Int64> = []
  }

  private let state: Mutex<State>

  /// Goes on after all numbers that are in the database.
  init(_ database: Database) throws {
    let row = try database.row(
      "SELECT max(ifnull((SELECT max(number) FROM garbage), 0),"
        + " ifnull((SELECT max(snapshot) FROM contents), 0))",
      []
    )
    state = Mutex(State(last: try row?.integer(0) ?? 0))
  }

  func next() -> Int64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  func begin() -> Int64 {
    state.withLock { state in
      state.last += 1
      state.active.insert(state.last)
      return state.last
    }
  }

  func end(_ number: Int64) { state.withLock { _ = $0.active.remove(number) } }
  func isActive(_ number: Int64) -> Bool { state.withLock { $0.active.contains(number) } }
}

extension SQLiteStorage {
  typealias Attach = @Sendable (Database, StagedSnapshot) throws -> Void

  /// Writes the parts of a snapshot as they are made, then runs `attach` in the transaction that
  /// has the last of them. Leaves nothing where it fails.
  ///
  /// Snapshots are made one after the other, but those of one piece share transactions.
  func stage(_ snapshot: ContentsSnapshot, _ attach: @escaping Attach) async throws {
    try await withCheckedThrowingContinuation { continuation in
      imports.async { [self] in
        let number = staging.begin()
        do {
          let staged = try writeParts(of: snapshot, as: number)
          commits.submit {
            try attach($0, staged)
          } completion: { [self] result in
            finish(number, hasPieces: staged.restPosition > 0)
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
  func stageBlocking(_ snapshot: ContentsSnapshot, _ attach: @escaping Attach) throws {
    let number = staging.begin()
    defer { finish(number, hasPieces: true) }
    let staged = try writeParts(of: snapshot, as: number)
    try commits.writeBlocking { try attach($0, staged) }
  }

  /// Whatever became of it, it is no longer in the making.
  private func finish(_ number: Int64, hasPieces: Bool) {
    staging.end(number)
    if hasPieces { background.async { [self] in sweep() } }
  }

  /// Writes all but the last piece.
  private func writeParts(
    of snapshot: ContentsSnapshot,
    as number: Int64
  ) throws -> StagedSnapshot {
    var piece: [[UInt8]] = []
    var bytes = 0
    var position: Int64 = 0
    try snapshot.forEachPart { part in
      piece.append(part)
      bytes += part.count
      guard bytes >= pieceBytes else { return }
      let (parts, first) = (piece, position)
      try commits.writeBlocking { database in
        try database.run("INSERT OR IGNORE INTO garbage (number) VALUES (?)", [number])
        try database.insertParts(parts, at: first, of: number)
      }
      position += Int64(piece.count)
      piece.removeAll()
      bytes = 0
    }
    let reference = SnapshotReference(
      number: number,
      version: snapshot.version,
      partCount: position + Int64(piece.count)
    )
    return StagedSnapshot(reference: reference, rest: piece, restPosition: position)
  }

  // MARK: - Sweeping

  /// Removes garbage in pieces, between which others can commit. On failure the rest is left for
  /// the next time.
  func sweep() {
    do {
      while try sweepPiece() {}
    } catch { _ = failed(error) }
  }

  /// - Returns: whether there is more.
  private func sweepPiece() throws -> Bool {
    let isMore = Mutex(false)
    try commits.writeBlocking { [staging] database in
      let more = try database.sweepPiece { staging.isActive($0) }
      isMore.withLock { $0 = more }
    }
    return isMore.withLock { $0 }
  }
}

extension CommitQueue {
  /// For threads that may wait.
  func writeBlocking(_ write: @escaping Write) throws {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Void, any Error>>(.success(()))
    submit(write) { outcome in
      result.withLock { $0 = outcome }
      done.signal()
    }
    done.wait()
    try result.withLock { $0 }.get()
  }
}

extension Database {
  fileprivate func insertParts(_ parts: [[UInt8]], at first: Int64, of number: Int64) throws {
    for (position, part) in zip(first..., parts) {
      try run(
        "INSERT INTO part (snapshot, position, payload, checksum) VALUES (?, ?, ?, ?)",
        [
          number, position, part.stored,
          SnapshotReference.checksum(ofPart: part, at: position, of: number),
        ]
      )
    }
  }

  /// Removes some of the garbage that is not in use.
  ///
  /// - Returns: whether there is more.
  fileprivate func sweepPiece(sparing isActive: (Int64) -> Bool) throws -> Bool {
    let rows = try rows("SELECT number, ifnull(collection, 0) FROM garbage", [])
    var found: (number: Int64, collection: Int64)?
    while let row = try rows.next() {
      let number = try row.integer(0)
      if !isActive(number) {
        found = (number, try row.integer(1))
        break
      }
    }
    guard let found else { return false }
    let removed =
      found.collection == 0
      ? try removeParts(of: found.number) : try removeLog(of: found.collection)
    if removed == 0 { try run("DELETE FROM garbage WHERE number = ?", [found.number]) }
    return true
  }

  private func removeParts(of snapshot: Int64) throws -> Int {
    try run(
      "DELETE FROM part WHERE rowid IN (SELECT rowid FROM part WHERE snapshot = ? LIMIT 32)",
      [snapshot]
    )
  }

  private func removeLog(of collection: Int64) throws -> Int {
    let batches = try run(
      "DELETE FROM batch WHERE rowid IN (SELECT rowid FROM batch WHERE collection = ? LIMIT 256)",
      [collection]
    )
    guard batches == 0 else { return batches }
    return try run(
      "DELETE FROM request WHERE collection = ?1 AND version IN "
        + "(SELECT version FROM request WHERE collection = ?1 LIMIT 10000)",
      [collection]
    )
  }
}
