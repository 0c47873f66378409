// SPDX-License-Identifier: Apache-2.0

/// Keeps collections on disk, or only in memory.
///
/// Callers make one change to a collection at a time, unless the storage is shared (`SharedLog`).
/// They may read at any time, and a read sees the collection at one moment. The storage does not
/// interpret contents and batches: `ContentsCodec` encodes them. Methods throw `StorageFault`, or
/// the error of a closure or codec that was passed in.
public protocol CollectionStorage: Sendable {
  /// Whether collections outlive the process. If false, contents stay in memory, nothing is evicted
  /// and no snapshots are written.
  var isDurable: Bool { get }

  /// Whether the storage works now.
  var health: StorageHealth { get }

  /// At least 32 random bytes: the key for signing tokens that clients return later. A durable
  /// storage keeps it with the collections, others only until the process ends.
  var secret: [UInt8] { get }

  /// What is needed when several servers share the storage; nil = nobody else writes to it.
  var shared: (any SharedLog)? { get }

  /// The records of all collections. Contents are not read.
  ///
  /// - Complexity: O(collections)
  func collections() async throws -> [StoredCollection]

  /// Calls `body` with the stored state of a collection: in a database on a thread of its own,
  /// which `body` may keep busy; in memory on the storage's actor.
  ///
  /// - Parameter byteCount: the contents' size in memory, roughly. A storage may let small ones
  ///   overtake large ones.
  /// - Throws: `StorageFault.conflict` if there is no such collection, whatever the reason;
  ///   `.damaged` for what `body` finds wrong with what is stored; other faults of the storage.
  func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result

  /// Stores a new collection, whose identifier the caller has reserved.
  ///
  /// - Parameter snapshot: the contents; nil = empty.
  func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws

  /// Replaces the record of a collection; data version and contents stay.
  ///
  /// - Parameter old: the record that the change is based on; a shared storage refuses if it has
  ///   another.
  func update(_ record: CollectionRecord, after old: CollectionRecord) async throws

  /// Appends a batch to the log of each named collection and replaces their records, all in one
  /// transaction. If a collection is named several times, its batches follow each other. When it
  /// returns, a durable storage has written them to disk.
  func append(_ entries: [LogEntry]) async throws

  /// Replaces contents and record in one transaction.
  ///
  /// - Parameters:
  ///   - old: the record that the change is based on; a shared storage refuses if it has another.
  ///   - batch: the replacement as a batch of the log; nil = the log is emptied and continues after
  ///     it.
  ///   - retention: how much of the log is kept.
  func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    after old: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) async throws

  /// Writes a snapshot of the contents at a version that the log already reaches, then trims the
  /// log.
  ///
  /// Returns immediately and works in the background. Commits to this and other collections
  /// continue while the snapshot is written. Those that the storage writes one after another wait
  /// while it trims the log, in one piece.
  ///
  /// - Parameters:
  ///   - base: the contents of the stored snapshot, as they were read or written, so that only the
  ///     difference has to be written; nil = not known, the snapshot is written whole.
  ///   - completion: called once, with whether the snapshot is stored. The storage itself reports a
  ///     failure to the operator.
  func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (_ isStored: Bool) -> Void
  )

  /// Deletes a collection with its contents and log. Works for damaged ones too.
  func delete(_ id: String) async throws

  /// Deletes the collection that a record describes, with its contents and log.
  ///
  /// - Parameter isUnchanged: whether a storage that servers share refuses if the record has
  ///   changed.
  func delete(_ record: CollectionRecord, unlessChanged isUnchanged: Bool) async throws

  /// What collections take in the storage, by their identifiers. Those that it does not know are
  /// left out.
  ///
  /// - Complexity: O(chunks of their snapshots + batches in their logs), on a thread of the
  ///   storage's own
  func storedSizes(of ids: [String]) async throws -> [String: StoredSizes]

  /// The sizes of the storage's files; nil = it has none.
  var fileSizes: StorageFileSizes? { get }

  /// Writes everything that is stored at one moment to a new file, while others read and commit.
  ///
  /// - Parameter path: the path of the new file. An existing file is not replaced.
  /// - Returns: the size of the file in bytes.
  func backUp(to path: String) async throws -> Int64
}

extension CollectionStorage {
  /// None.
  public func storedSizes(of ids: [String]) async throws -> [String: StoredSizes] { [:] }

  /// None.
  public var fileSizes: StorageFileSizes? { nil }

  /// Refused: this storage has no backups.
  ///
  /// - Throws: `StorageFault.unsupported`
  public func backUp(to path: String) async throws -> Int64 {
    throw StorageFault(.unsupported, "this kind of store has no backups")
  }

  /// Deletes the collection from the shared log if there is one, else by its identifier.
  public func delete(_ record: CollectionRecord, unlessChanged isUnchanged: Bool) async throws {
    guard let shared else { return try await delete(record.id) }
    try await shared.delete(
      record.id,
      incarnation: record.incarnation,
      revision: isUnchanged ? record.revision : nil,
      itemCount: record.itemCount
    )
  }
}
