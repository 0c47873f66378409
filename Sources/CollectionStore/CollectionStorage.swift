// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Where collections outlive the process, or do not.
///
/// Calls that change one collection come one after the other; reading may happen at any time and
/// sees one moment. The storage keeps bytes that it does not look into: `ContentsCodec` makes them.
/// What it throws is a `StorageFault`, or the error of a closure or codec that was handed in.
public protocol CollectionStorage: Sendable {
  /// Whether anything outlives the process. Where not, contents stay in memory and no snapshots are
  /// made.
  var isDurable: Bool { get }

  /// Whether it can do its work.
  var health: StorageHealth { get }

  /// At least 32 random bytes for signing what clients bring back later. Made once and kept as
  /// collections are: by a durable storage for good, by others until the process ends.
  var secret: [UInt8] { get }

  /// What describes each collection. Contents are not read.
  func collections() async throws -> [StoredCollection]

  /// Hands what is stored of a collection to `body`, which may take its time: it runs on a thread
  /// of the storage's own.
  func read<Result: Sendable>(
    _ id: String,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result

  /// - Parameter snapshot: nil = empty.
  func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws

  /// Replaces what describes a collection.
  func update(_ record: CollectionRecord) async throws

  /// Appends a batch and replaces the record in one step. Once it returns, both outlive a loss of
  /// power.
  func append(_ batch: StoredBatch, record: CollectionRecord) async throws

  /// Replaces contents and record in one step.
  ///
  /// - Parameter batch: the replacement as a part of the log; nil = the log starts anew after it.
  func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) async throws

  /// Stores the contents at a version that the log already leads to, and trims the log. Returns at
  /// once; commits go on meanwhile. `completion` is told whether that succeeded, which the storage
  /// reports by itself where it did not.
  ///
  /// - Parameter base: the contents that were stored before, as they were read or written, so that
  ///   only what differs needs to be written; nil = not known.
  func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (_ isStored: Bool) -> Void
  )

  func delete(_ id: String) async throws
}

/// One collection as it is found at the start.
public enum StoredCollection: Sendable {
  case intact(CollectionRecord)
  /// What describes it cannot be read.
  case damaged(id: String, StorageFault)
}

/// What is stored of one collection, at one moment. To be used within the closure that gets it.
public protocol StoredContents {
  /// What describes the collection at this moment.
  var record: CollectionRecord { get }

  /// The version of the stored contents, from which the log leads on.
  var snapshotVersion: UInt64 { get }

  /// Whether `CollectionStorage.compact` can store what differs from these contents.
  var isDivided: Bool { get }

  /// The contents at that version.
  func contents(_ codec: any ContentsCodec) throws -> CollectionContents

  /// The log, oldest first, without gaps: what leads on from the snapshot, and some of what led
  /// there.
  func forEachBatch(_ body: (StoredBatch) throws -> Void) throws

  /// The versions and sizes of the log's batches, newest first, until `body` returns false.
  func forEachSizeBackwards(_ body: (_ version: UInt64, _ bytes: Int) -> Bool) throws

  /// Identifiers of batches that are no longer in the log, oldest first.
  func forEachRequest(_ body: (StoredRequest) throws -> Void) throws
}

/// One committed batch as it is stored.
public struct StoredBatch: Hashable, Sendable {
  /// The version that it led to.
  public var version: UInt64
  /// Empty = none.
  public var requestID: String
  public var payload: [UInt8]
  public var time: CollectionTime

  public init(version: UInt64, requestID: String, payload: [UInt8], time: CollectionTime) {
    self.version = version
    self.requestID = requestID
    self.payload = payload
    self.time = time
  }
}

/// The identifier of a committed batch.
public struct StoredRequest: Hashable, Sendable {
  public var id: String
  /// The version that the batch led to.
  public var version: UInt64
  public var time: CollectionTime

  public init(id: String, version: UInt64, time: CollectionTime) {
    self.id = id
    self.version = version
    self.time = time
  }
}

/// Contents at one version, and how they are written.
public struct ContentsSnapshot: Sendable {
  public let version: UInt64
  public let contents: CollectionContents
  public let codec: any ContentsCodec

  public init(version: UInt64, contents: CollectionContents, codec: any ContentsCodec) {
    self.version = version
    self.contents = contents
    self.codec = codec
  }
}

/// How much of the past a collection's log keeps when it is trimmed. What leads on from the newest
/// snapshot is always kept.
public struct LogRetention: Hashable, Sendable {
  public var batchCount: Int
  public var batchBytes: Int
  public var requestCount: Int
  /// Identifiers of batches from before this moment are forgotten.
  public var requestsSince: CollectionTime

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

/// Turns contents and batches into bytes and back.
public protocol ContentsCodec: Sendable {
  /// A section without its items.
  func encode(_ section: SectionContents) throws -> [UInt8]
  func decodeSection(_ bytes: [UInt8]) throws -> SectionContents

  /// The items of a chunk.
  func encode(_ items: ItemBlock) throws -> [UInt8]
  func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock

  /// For contents in parts, as older versions of this program stored them.
  func makeDecoder() throws -> any ContentsDecoder

  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch
}

/// Puts contents together from their parts, in order.
public protocol ContentsDecoder {
  mutating func add(_ part: [UInt8]) throws
  mutating func finish() throws -> CollectionContents
}
