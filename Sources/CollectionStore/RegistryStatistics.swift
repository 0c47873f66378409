// SPDX-License-Identifier: Apache-2.0

/// Sizes of all collections of a registry together.
public struct RegistryStatistics: Hashable, Sendable {
  /// Collections, in memory or not.
  public var collections = 0
  /// Collections whose contents are in memory.
  public var resident = 0
  /// Bytes of these collections and of reservations for imports.
  public var residentBytes = 0
  /// Bytes of the records of all collections.
  public var recordBytes = 0
  /// Batches in the logs of collections in memory, after their stored snapshots.
  public var logBatches = 0
  /// Bytes of these batches.
  public var logBytes = 0
  /// The sizes of the storage's files; nil = it has none.
  public var files: StorageFileSizes?

  /// Creates statistics with all zeros.
  public init() {}
}

/// One collection as an operator sees it.
public struct CollectionStatus: Sendable {
  /// What a collection takes in memory.
  public struct Residency: Hashable, Sendable {
    /// Bytes of contents, history and changes.
    public var bytes: Int
    /// The number of subscribers: sessions, and calls that watch or wait.
    public var subscribers: Int
    /// Batches in the log after the stored snapshot.
    public var logBatches: Int
    /// Bytes of these batches.
    public var logBytes: Int
  }

  /// Its record.
  public var record: CollectionRecord
  /// nil = its contents are not in memory.
  public var residency: Residency?

  init(record: CollectionRecord, live: LiveCollection?) {
    self.record = record
    residency = live.map { live in
      let log = live.logSize
      return Residency(
        bytes: live.byteCount,
        subscribers: live.subscriberCount,
        logBatches: log.batches,
        logBytes: log.bytes
      )
    }
  }
}

extension CollectionRegistry {
  /// The collections after `id`, by identifier, without damaged ones; with their sizes, if they are
  /// in memory.
  ///
  /// - Parameters:
  ///   - id: need not exist; "" = from the first collection on.
  ///   - limit: the most to return.
  /// - Complexity: O(log n + limit + damaged records among them)
  public func statuses(after id: String, limit: Int) -> [CollectionStatus] {
    records(after: id, limit: limit).map { record in
      CollectionStatus(record: record, live: known(record.id)?.live)
    }
  }
}
