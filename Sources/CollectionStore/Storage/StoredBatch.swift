// SPDX-License-Identifier: Apache-2.0

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
