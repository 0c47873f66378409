// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// How large the store and each collection may grow.
///
/// Sizes in memory are estimates: exact for columns, and the usual overhead for objects and trees.
public struct StoreLimits: Sendable {
  /// Limits on the items, sections, operations and keys of one collection.
  public var contents: ContentsLimits
  /// Collections in the store, in memory or not.
  public var collectionCount: Int
  /// Committed batches that each collection keeps for clients that watch its updates.
  public var historyCount: Int
  /// Bytes of those batches in memory.
  public var historyBytes: Int
  /// Changes that each collection keeps for viewers that lag behind.
  public var changeCount: Int
  /// Bytes of those changes in memory, including the parts of older contents that they keep alive.
  public var changeBytes: Int
  /// Request identifiers that each collection remembers to recognise retries.
  public var requestCount: Int
  /// Bytes of those identifiers in memory.
  public var requestBytes: Int
  /// Seconds after which a request identifier is forgotten.
  public var requestSeconds: Int64
  /// Batches in the log after which a durable collection writes a new snapshot.
  public var snapshotBatchCount: Int
  /// Bytes of payloads in the log after which a durable collection writes a new snapshot, even if
  /// there are fewer batches. At four times as many bytes, or at 64 times `snapshotBatchCount`,
  /// batches are refused until a snapshot is written.
  public var snapshotLogBytes: Int
  /// Bytes that the contents of one collection may take in memory. Batches and imports that would
  /// exceed it are refused.
  public var collectionBytes: Int
  /// Bytes that all collections in memory may take together, with their histories, changes and
  /// request identifiers. To stay below, durable collections that nobody uses are evicted, the
  /// least recently used first; if that would not free enough, none is, and the request that needs
  /// memory is refused.
  public var residentBytes: Int
  /// Bytes of one collection's record: mainly its display name, labels and default layout.
  public var recordBytes: Int
  /// The most named layouts of one collection.
  public var layoutCount: Int
  /// Bytes of the named layouts of one collection together. They are written as a whole when one
  /// changes.
  public var layoutBytes: Int
  /// Bytes of the records of all collections, named layouts included, which stay in memory.
  public var totalRecordBytes: Int

  /// Limits for a server with a few gigabytes of memory.
  public init(
    contents: ContentsLimits = .init(),
    collectionCount: Int = 10_000,
    historyCount: Int = 1000,
    historyBytes: Int = 16 << 20,
    changeCount: Int = 256,
    changeBytes: Int = 16 << 20,
    requestCount: Int = 100_000,
    requestBytes: Int = 16 << 20,
    requestSeconds: Int64 = 24 * 60 * 60,
    snapshotBatchCount: Int = 1000,
    snapshotLogBytes: Int = 64 << 20,
    collectionBytes: Int = 1 << 30,
    residentBytes: Int = 1 << 30,
    recordBytes: Int = 256 << 10,
    layoutCount: Int = 64,
    layoutBytes: Int = 1 << 20,
    totalRecordBytes: Int = 64 << 20
  ) {
    self.contents = contents
    self.collectionCount = collectionCount
    self.historyCount = historyCount
    self.historyBytes = historyBytes
    self.changeCount = changeCount
    self.changeBytes = changeBytes
    self.requestCount = requestCount
    self.requestBytes = requestBytes
    self.requestSeconds = requestSeconds
    self.snapshotBatchCount = snapshotBatchCount
    self.snapshotLogBytes = snapshotLogBytes
    self.collectionBytes = collectionBytes
    self.residentBytes = residentBytes
    self.recordBytes = recordBytes
    self.layoutCount = layoutCount
    self.layoutBytes = layoutBytes
    self.totalRecordBytes = totalRecordBytes
  }
}
