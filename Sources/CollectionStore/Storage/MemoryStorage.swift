// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Storage in memory: its collections are lost when the process ends.
public actor MemoryStorage: CollectionStorage {
  private struct Stored: StoredContents {
    var record: CollectionRecord
    var snapshotVersion: UInt64 = 0
    var contents = CollectionContents.empty
    var log: [StoredBatch] = []
    var requests: [StoredRequest] = []

    var isDivided: Bool { false }

    func contents(_ codec: any ContentsCodec) -> CollectionContents { contents }

    func forEachBatch(_ body: (StoredBatch) throws -> Void) throws { try log.forEach(body) }

    func forEachSizeBackwards(_ body: (UInt64, Int) -> Bool) throws {
      for batch in log.reversed() where !body(batch.version, batch.payload.count) { return }
    }

    func forEachRequest(_ body: (StoredRequest) throws -> Void) throws {
      let start = log.first?.version ?? .max
      for request in requests where request.version < start { try body(request) }
    }

    mutating func append(_ batch: StoredBatch) {
      log.append(batch)
      guard !batch.requestID.isEmpty else { return }
      requests.append(StoredRequest(batch))
    }

    mutating func trim(_ retention: LogRetention) throws {
      let start = try firstVersion(kept: retention)
      log.removeAll { $0.version < start }
      requests.removeAll { $0.time < retention.requestsSince }
      requests.removeFirst(max(0, requests.count - retention.requestCount))
    }
  }

  /// Whether the storage keeps contents and log, so that tests can start a second registry from it.
  /// If false it keeps records only.
  public nonisolated let isDurable: Bool
  /// Always healthy.
  public nonisolated let health = StorageHealth()
  /// 32 random bytes, new for each storage.
  public nonisolated let secret = [UInt8].random(count: 32)
  /// Wakes the registries that follow the storage.
  private nonisolated let followers = WakeStreams()
  private var stored: [String: Stored] = [:]

  /// An empty storage.
  ///
  /// - Parameter keepsContents: becomes `isDurable`.
  public init(keepsContents: Bool = false) { isDurable = keepsContents }

  /// All records, none of them damaged.
  public func collections() -> [StoredCollection] { stored.values.map { .intact($0.record) } }

  /// Calls `body` on the actor.
  ///
  /// - Throws: `StorageFault.conflict` if there is no such collection; what `body` throws.
  public func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) throws -> Result {
    guard let collection = stored[id] else { throw StorageFault.missing(id) }
    return try body(collection)
  }

  /// Keeps the record, and the contents if `isDurable`.
  ///
  /// - Throws: `StorageFault.conflict` if there is such a collection.
  public func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) throws {
    guard stored[record.id] == nil else {
      throw StorageFault(.conflict, "collection \(record.id) is stored already")
    }
    defer { followers.wake() }
    var collection = Stored(record: record)
    if isDurable, let snapshot {
      collection.snapshotVersion = snapshot.version
      collection.contents = snapshot.contents
    }
    stored[record.id] = collection
  }

  /// Replaces the record.
  ///
  /// - Throws: `StorageFault.conflict` unless the previous revision is stored.
  public func update(_ record: CollectionRecord, after old: CollectionRecord) throws {
    // There is none before 0: it wraps to a number that no record has.
    try check(record) { $0.revision == record.revision &- 1 && $0.isSameState(as: old) }
    stored[record.id]?.record = record
    followers.wake()
  }

  /// Replaces the records, and appends the batches if `isDurable`.
  ///
  /// - Throws: `StorageFault.conflict` unless each collection is stored at the previous version.
  public func append(_ entries: [LogEntry]) throws {
    // One collection may be named several times.
    var reached: [String: CollectionRecord] = [:]
    for entry in entries {
      try check(entry.record) { found in
        // There is none before 0: it wraps to a number that no record has.
        let before = reached[entry.record.id] ?? found
        return before.dataVersion == entry.batch.version &- 1
          && before.revision == entry.record.revision &- 1 && before.isSameState(as: entry.old)
      }
      reached[entry.record.id] = entry.record
    }
    defer { followers.wake() }
    for entry in entries {
      stored[entry.record.id]?.record = entry.record
      if isDurable { stored[entry.record.id]?.append(entry.batch) }
    }
  }

  /// Replaces the record, and contents and log if `isDurable`.
  ///
  /// - Throws: `StorageFault.conflict` if there is no such collection.
  public func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    after old: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) throws {
    // See `update`.
    try check(record) { $0.dataVersion == record.dataVersion &- 1 && $0.isSameState(as: old) }
    guard var collection = stored[record.id] else { throw StorageFault.missing(record.id) }
    defer { followers.wake() }
    collection.record = record
    if isDurable {
      collection.snapshotVersion = snapshot.version
      collection.contents = snapshot.contents
      if let batch { collection.append(batch) } else { collection.log = [] }
      try collection.trim(retention)
    }
    stored[record.id] = collection
  }

  /// Does nothing, and completes with false: replaying the log costs little in memory.
  public nonisolated func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    completion(false)
  }

  /// Removes the collection, if there is one.
  public func delete(_ id: String) {
    stored[id] = nil
    followers.wake()
  }

  /// - Throws: `StorageFault.conflict` unless the same incarnation is stored, and passes the test.
  private func check(_ record: CollectionRecord, _ test: (CollectionRecord) -> Bool) throws {
    guard let found = stored[record.id]?.record, found.incarnation == record.incarnation,
      test(found)
    else { throw StorageFault(.conflict, "collection \(record.id) has changed") }
  }
}

// MARK: - Shared

extension MemoryStorage: SharedLog {
  /// This storage, if it is durable: several registries may use it.
  public nonisolated var shared: (any SharedLog)? { isDurable ? self : nil }

  /// Yields an element after each change, including changes by the reader.
  public nonisolated var wakes: AsyncStream<Void> { followers.stream() }

  /// Always nil.
  public nonisolated func takeChanged() -> Set<UInt64>? { nil }

  /// All collections.
  public func changes(since cursor: ChangeCursor?) -> StoredChanges {
    StoredChanges(
      changed: stored.values.map { .init(.intact($0.record), hasDescription: true) },
      removed: [],
      isComplete: true,
      cursor: ChangeCursor()
    )
  }

  /// The batches after a version, if the log has all of them.
  public func tail(after record: CollectionRecord, isDescribed: Bool) -> LogTail {
    let version = record.dataVersion
    guard let found = stored[record.id], found.record.incarnation == record.incarnation
    else { return .gone }
    guard found.record.mayFollow(record) else { return .rewound(found.record) }
    let batches = found.log.filter { $0.version > version }
    guard UInt64(batches.count) == found.record.dataVersion - version else { return .trimmed }
    let lineage = batches.reduce(record.lineage) { record.lineage(after: $1, from: $0) }
    guard lineage == found.record.lineage else { return .rewound(found.record) }
    return .batches(
      LogUpdate(
        batches: batches,
        record: found.record,
        hasDescription: true,
        snapshotVersion: found.snapshotVersion
      )
    )
  }

  /// A request that the log or the list of requests has.
  public func request(_ id: String, in incarnation: UInt64) -> StoredRequest? {
    let found = stored.values.first { $0.record.incarnation == incarnation }
    return found?.requests.last { $0.id == id }
  }

  /// Removes the collection.
  ///
  /// - Throws: `StorageFault.conflict` if it has changed.
  public func delete(
    _ id: String,
    incarnation: UInt64,
    revision: UInt64?,
    itemCount: Int
  ) throws {
    guard let found = stored[id]?.record, found.incarnation == incarnation,
      revision == nil || revision == found.revision
    else { throw StorageFault(.conflict, "collection \(id) has changed") }
    delete(id)
  }
}

extension StorageFault {
  /// There is no collection with this identifier.
  package static func missing(_ id: String) -> StorageFault {
    StorageFault(.conflict, "collection \(id) is not stored")
  }
}

extension [UInt8] {
  /// Bytes from the system's generator, which is cryptographically secure.
  package static func random(count: Int) -> [UInt8] {
    (0 ..< count).map { _ in .random(in: 0 ... .max) }
  }
}

extension StoredContents {
  /// The oldest version whose batch is kept: all batches after the snapshot, and as many older ones
  /// as `retention` allows.
  ///
  /// - Complexity: O(batches kept)
  package func firstVersion(kept retention: LogRetention) throws -> UInt64 {
    // A damaged row could hold any number. No batch follows the highest version, and 0 precedes
    // all.
    var start = snapshotVersion &+ 1
    var count = 0
    var bytes = 0
    try forEachSizeBackwards { version, size in
      count += 1
      let (sum, overflow) = bytes.addingReportingOverflow(max(0, size))
      bytes = overflow ? .max : sum
      if version <= snapshotVersion {
        guard count <= retention.batchCount, bytes <= retention.batchBytes else { return false }
        start = version
      }
      return true
    }
    return start
  }
}
