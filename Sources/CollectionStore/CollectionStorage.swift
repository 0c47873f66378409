// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

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
}

/// What one collection takes in a storage.
public struct StoredSizes: Hashable, Sendable {
  /// Bytes of the snapshot's chunks.
  public var snapshotBytes: Int64
  /// Batches in the log. Some of them may be older than the snapshot.
  public var logBatches: Int64
  /// Bytes of these batches.
  public var logBytes: Int64

  /// Sizes of a snapshot and a log.
  public init(snapshotBytes: Int64, logBatches: Int64, logBytes: Int64) {
    self.snapshotBytes = snapshotBytes
    self.logBatches = logBatches
    self.logBytes = logBytes
  }
}

extension CollectionStorage {
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

/// The sizes of a storage's files, in bytes.
public struct StorageFileSizes: Hashable, Sendable {
  /// The database.
  public var database: Int64
  /// Its write-ahead log.
  public var log: Int64

  /// Sizes of a database and its log.
  public init(database: Int64, log: Int64) {
    self.database = database
    self.log = log
  }
}

/// One collection as the storage finds it when the server starts.
public enum StoredCollection: Sendable {
  /// The record was read.
  case intact(CollectionRecord)
  /// The record cannot be read. The collection can only be deleted.
  case damaged(id: String, StorageFault)
}

/// The stored state of one collection at one moment. Valid only within the closure that it is
/// passed to.
public protocol StoredContents {
  /// The collection's record.
  var record: CollectionRecord { get }

  /// The version of the stored snapshot; 0 without one. Later versions are in the log.
  var snapshotVersion: UInt64 { get }

  /// Whether the snapshot is stored in sections and chunks, so that `CollectionStorage.compact` can
  /// write only the difference from it.
  var isDivided: Bool { get }

  /// Decodes the snapshot.
  ///
  /// - Throws: `StorageFault.damaged`, or the codec's error.
  /// - Complexity: O(items)
  func contents(_ codec: any ContentsCodec) throws -> CollectionContents

  /// Calls `body` with the batches of the log, oldest first: all that follow the snapshot, and some
  /// from before it.
  ///
  /// - Throws: `StorageFault.damaged` at a damaged batch, or what `body` throws. Gaps between
  ///   versions are for the caller to notice.
  func forEachBatch(_ body: (StoredBatch) throws -> Void) throws

  /// Calls `body` with the versions and payload sizes of the batches in the log, newest first,
  /// until it returns false.
  func forEachSizeBackwards(_ body: (_ version: UInt64, _ bytes: Int) -> Bool) throws

  /// Calls `body` with the request identifiers of batches that were trimmed from the log, oldest
  /// first.
  func forEachRequest(_ body: (StoredRequest) throws -> Void) throws
}

/// One committed batch as it is stored in the log.
public struct StoredBatch: Hashable, Sendable {
  /// The data version that the batch leads to; at least 1.
  public var version: UInt64
  /// The client's identifier of the batch, by which a retry is recognised; "" = none.
  public var requestID: String
  /// Tells the batch from others with the same identifier; nil = it has none, or an earlier release
  /// stored it.
  public var mark: RequestMark?
  /// The batch as `ContentsCodec` encoded it.
  public var payload: [UInt8]
  /// When it was committed.
  public var time: CollectionTime

  /// A batch that leads to `version`.
  public init(
    version: UInt64,
    requestID: String,
    mark: RequestMark? = nil,
    payload: [UInt8],
    time: CollectionTime
  ) {
    self.version = version
    self.requestID = requestID
    self.mark = mark
    self.payload = payload
    self.time = time
  }
}

/// A batch for the log of a collection, with the collection's record after it.
public struct LogEntry: Hashable, Sendable {
  /// The batch.
  public var batch: StoredBatch
  /// The record at the version that the batch leads to.
  public var record: CollectionRecord
  /// The record before, which a shared storage has to have still.
  public var old: CollectionRecord

  /// A batch for the collection that the record describes.
  public init(_ batch: StoredBatch, record: CollectionRecord, after old: CollectionRecord) {
    self.batch = batch
    self.record = record
    self.old = old
  }
}

/// The request identifier of a batch that is no longer in the log, kept to recognise retries.
public struct StoredRequest: Hashable, Sendable {
  /// The client's identifier of the batch; not empty.
  public var id: String
  /// Tells the batch from others with the same identifier; nil = an earlier release stored it.
  public var mark: RequestMark?
  /// The data version that the batch led to.
  public var version: UInt64
  /// When the batch was committed.
  public var time: CollectionTime

  /// The request of the batch that led to `version`.
  public init(
    id: String,
    mark: RequestMark? = nil,
    version: UInt64,
    time: CollectionTime
  ) {
    self.id = id
    self.mark = mark
    self.version = version
    self.time = time
  }

  /// The request of a batch.
  init(_ batch: StoredBatch) {
    self.init(
      id: batch.requestID,
      mark: batch.mark,
      version: batch.version,
      time: batch.time
    )
  }
}

/// Contents at one version, together with the codec that encodes them for storage.
public struct ContentsSnapshot: Sendable {
  /// The data version of the contents.
  public let version: UInt64
  /// The contents at that version.
  public let contents: CollectionContents
  /// Encodes the contents.
  public let codec: any ContentsCodec

  /// The contents at `version`. Copying them is O(1).
  public init(version: UInt64, contents: CollectionContents, codec: any ContentsCodec) {
    self.version = version
    self.contents = contents
    self.codec = codec
  }
}

/// How much of a collection's log is kept when it is trimmed. Batches after the stored snapshot are
/// kept in any case.
public struct LogRetention: Hashable, Sendable {
  /// The most batches to keep, those after the snapshot included.
  public var batchCount: Int
  /// The most bytes of payloads to keep, those after the snapshot included.
  public var batchBytes: Int
  /// The most request identifiers to keep of batches that are trimmed.
  public var requestCount: Int
  /// Request identifiers of batches committed before this moment are dropped.
  public var requestsSince: CollectionTime

  /// A retention with these limits.
  public init(
    batchCount: Int,
    batchBytes: Int,
    requestCount: Int,
    requestsSince: CollectionTime
  ) {
    self.batchCount = batchCount
    self.batchBytes = batchBytes
    self.requestCount = requestCount
    self.requestsSince = requestsSince
  }
}

/// Encodes contents and batches for storage, and decodes them.
///
/// Decoding throws for bytes that are malformed, never traps: they come from a file.
public protocol ContentsCodec: Sendable {
  /// Encodes a section without its items.
  func encode(_ section: SectionContents) throws -> [UInt8]
  /// Decodes a section without its items.
  func decodeSection(_ bytes: [UInt8]) throws -> SectionContents

  /// Encodes the items of one chunk.
  func encode(_ items: ItemBlock) throws -> [UInt8]
  /// Decodes the items of one chunk.
  func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock

  /// A decoder for snapshots in parts, the format of schema 1, which is read but no longer written.
  func makeDecoder() throws -> any ContentsDecoder

  /// Decodes a batch of the log.
  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch
}

/// Decodes a snapshot that was stored in parts.
public protocol ContentsDecoder {
  /// Adds the next part. The caller passes all parts in the order in which they were written.
  mutating func add(_ part: [UInt8]) throws
  /// Returns the contents. The caller calls this once, after the last part.
  mutating func finish() throws -> CollectionContents
}
