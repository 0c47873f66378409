// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// How large the store and each collection may grow.
public struct StoreLimits: Sendable {
  public var contents: ContentsLimits
  public var collectionCount: Int
  /// Committed batches that each collection keeps for those who watch its updates…
  public var historyCount: Int
  /// …and their bytes.
  public var historyBytes: Int
  /// Changes that each collection keeps for viewers that lag behind. Each holds on to the parts of
  /// older contents that it replaced.
  public var changeCount: Int
  public var changeBytes: Int
  /// Request identifiers that each collection remembers…
  public var requestCount: Int
  /// …and for how many seconds.
  public var requestSeconds: Int64
  /// Batches after which what changed in a durable collection goes into its snapshot…
  public var snapshotBatchCount: Int
  /// …or their bytes.
  public var snapshotLogBytes: Int
  /// Contents of durable collections that stay in memory although nobody uses them.
  public var residentBytes: Int

  public init(
    contents: ContentsLimits = .init(),
    collectionCount: Int = 10_000,
    historyCount: Int = 1000,
    historyBytes: Int = 16 << 20,
    changeCount: Int = 256,
    changeBytes: Int = 16 << 20,
    requestCount: Int = 100_000,
    requestSeconds: Int64 = 24 * 60 * 60,
    snapshotBatchCount: Int = 1000,
    snapshotLogBytes: Int = 64 << 20,
    residentBytes: Int = 1 << 30
  ) {
    self.contents = contents
    self.collectionCount = collectionCount
    self.historyCount = historyCount
    self.historyBytes = historyBytes
    self.changeCount = changeCount
    self.changeBytes = changeBytes
    self.requestCount = requestCount
    self.requestSeconds = requestSeconds
    self.snapshotBatchCount = snapshotBatchCount
    self.snapshotLogBytes = snapshotLogBytes
    self.residentBytes = residentBytes
  }
}
