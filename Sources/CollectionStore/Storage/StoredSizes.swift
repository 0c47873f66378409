// SPDX-License-Identifier: Apache-2.0

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
