// SPDX-License-Identifier: Apache-2.0

public import Metrics

/// A storage that measures how long another one takes.
public struct MeasuredStorage: CollectionStorage {
  /// What is measured. The raw value is the value of the metrics' label.
  private enum Operation: String, CaseIterable {
    case list, read, create, update, append, replace, compact, delete, backup
  }

  /// The handles of one operation.
  private struct Handles: Sendable {
    let duration: Timer
    let failures: Counter

    init(_ operation: Operation, _ metrics: any MetricsFactory) {
      let dimensions = [("operation", operation.rawValue)]
      duration = Timer(
        label: StoreMetricLabel.duration,
        dimensions: dimensions,
        factory: metrics
      )
      failures = Counter(
        label: StoreMetricLabel.failures,
        dimensions: dimensions,
        factory: metrics
      )
    }
  }

  /// Called after each operation, in the task that requested it: its name, its duration, and why it
  /// failed.
  public typealias Observer = @Sendable (String, Duration, (any Error)?) -> Void

  private let storage: any CollectionStorage
  private let observer: Observer?
  private let handles: [Operation: Handles]
  private let commits: Counter
  private let commitBytes: Counter

  /// - Parameters:
  ///   - storage: does all the work.
  ///   - metrics: makes the metrics, whose labels are in `StoreMetricLabel`.
  ///   - observer: called after operations other than compactions; nil = no observer.
  public init(
    _ storage: any CollectionStorage,
    metrics: any MetricsFactory,
    observer: Observer? = nil
  ) {
    self.storage = storage
    self.observer = observer
    handles = Dictionary(
      uniqueKeysWithValues: Operation.allCases.map { ($0, Handles($0, metrics)) }
    )
    commits = Counter(label: StoreMetricLabel.commits, factory: metrics)
    commitBytes = Counter(label: StoreMetricLabel.commitBytes, factory: metrics)
  }

  private func measured<Result>(
    _ operation: Operation,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let start = ContinuousClock.now
    do {
      let result = try await body()
      let duration = start.duration(to: .now)
      handles[operation]?.duration.record(duration: duration)
      observer?(operation.rawValue, duration, nil)
      return result
    } catch {
      handles[operation]?.failures.increment()
      observer?(operation.rawValue, start.duration(to: .now), error)
      throw error
    }
  }

  // MARK: - Measured

  /// As the measured storage does it.
  public func collections() async throws -> [StoredCollection] {
    try await measured(.list) { try await storage.collections() }
  }

  /// As the measured storage does it.
  public func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result {
    try await measured(.read) { try await storage.read(id, byteCount: byteCount, body) }
  }

  /// As the measured storage does it.
  public func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws {
    try await measured(.create) { try await storage.create(record, snapshot: snapshot) }
  }

  /// As the measured storage does it.
  public func update(_ record: CollectionRecord, after old: CollectionRecord) async throws {
    try await measured(.update) { try await storage.update(record, after: old) }
  }

  /// As the measured storage does it. Each batch counts as a commit.
  public func append(_ entries: [LogEntry]) async throws {
    try await measured(.append) { try await storage.append(entries) }
    commits.increment(by: Int64(entries.count))
    commitBytes.increment(by: Int64(entries.reduce(0) { $0 + $1.batch.payload.count }))
  }

  /// As the measured storage does it. It counts as a commit.
  public func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    after old: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) async throws {
    try await measured(.replace) {
      try await storage.replace(
        snapshot,
        record: record,
        after: old,
        batch: batch,
        retention: retention
      )
    }
    commits.increment()
    commitBytes.increment(by: batch?.payload.count ?? 0)
  }

  /// As the measured storage does it.
  public func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (_ isStored: Bool) -> Void
  ) {
    let start = ContinuousClock.now
    let handles = handles[.compact]
    storage.compact(snapshot, since: base, of: record, retention: retention) { isStored in
      if isStored {
        handles?.duration.record(duration: start.duration(to: .now))
      } else {
        handles?.failures.increment()
      }
      completion(isStored)
    }
  }

  /// As the measured storage does it.
  public func delete(_ id: String) async throws {
    try await measured(.delete) { try await storage.delete(id) }
  }

  /// As the measured storage does it.
  public func delete(_ record: CollectionRecord, unlessChanged isUnchanged: Bool) async throws {
    try await measured(.delete) { try await storage.delete(record, unlessChanged: isUnchanged) }
  }

  /// As the measured storage does it.
  public func backUp(to path: String) async throws -> Int64 {
    try await measured(.backup) { try await storage.backUp(to: path) }
  }

  // MARK: - Not measured

  /// That of the measured storage.
  public var isDurable: Bool { storage.isDurable }
  /// That of the measured storage.
  public var health: StorageHealth { storage.health }
  /// That of the measured storage.
  public var shared: (any SharedLog)? { storage.shared }
  /// That of the measured storage.
  public var secret: [UInt8] { storage.secret }
  /// Those of the measured storage.
  public func storedSizes(of ids: [String]) async throws -> [String: StoredSizes] {
    try await storage.storedSizes(of: ids)
  }
  /// Those of the measured storage.
  public var fileSizes: StorageFileSizes? { storage.fileSizes }
}

/// The labels of the metrics that a store makes.
public enum StoreMetricLabel {
  /// Durations of the operations of the storage that succeeded; the dimension "operation".
  public static let duration = "store.operation.duration"
  /// Operations that failed; the dimension "operation".
  public static let failures = "store.operation.failures"
  /// Batches and replacements that were committed.
  public static let commits = "layout.commits"
  /// Bytes of the batches that were committed.
  public static let commitBytes = "layout.commits.payload"
}
