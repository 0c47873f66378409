// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// How large the store and each collection may grow.
///
/// Sizes in memory are estimates: of columns exactly, of objects and trees by their usual overhead.
public struct StoreLimits: Sendable {
  public var contents: ContentsLimits
  public var collectionCount: Int
  /// Committed batches that each collection keeps for those who watch its updates…
  public var historyCount: Int
  /// …and their bytes.
  public var historyBytes: Int
  /// Changes that each collection keeps for viewers that lag behind…
  public var changeCount: Int
  /// …and their bytes, which include the parts of older contents that they replaced.
  public var changeBytes: Int
  /// Request identifiers that each collection remembers…
  public var requestCount: Int
  /// …their bytes…
  public var requestBytes: Int
  /// …and for how many seconds.
  public var requestSeconds: Int64
  /// Batches after which what changed in a durable collection goes into its snapshot…
  public var snapshotBatchCount: Int
  /// …or their bytes.
  public var snapshotLogBytes: Int
  /// Bytes that the contents of one collection may take in memory. Batches and imports beyond are
  /// refused.
  public var collectionBytes: Int
  /// Bytes that all collections in memory may take together, with their history, changes and request
  /// identifiers. For room, durable collections that nobody uses leave memory, the least recently
  /// used first; where that does not suffice, what needs room is refused.
  public var residentBytes: Int
  /// Bytes of what describes one collection: its display name, labels and default layout.
  public var recordBytes: Int
  /// Bytes of what describes all collections, which stays in memory.
  public var totalRecordBytes: Int

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
    self.totalRecordBytes = totalRecordBytes
  }
}
