// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Storage in memory, which ends with the process.
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
      requests.append(
        StoredRequest(id: batch.requestID, version: batch.version, time: batch.time)
      )
    }

    mutating func trim(_ retention: LogRetention) throws {
      let start = try firstVersion(kept: retention)
      log.removeAll { $0.version < start }
      requests.removeAll { $0.time < retention.requestsSince }
      requests.removeFirst(max(0, requests.count - retention.requestCount))
    }
  }

  /// Whether it keeps contents and log, so that a second registry can start from it, as tests do.
  public nonisolated let isDurable: Bool
  public nonisolated let health = StorageHealth()
  /// Of this process.
  public nonisolated let secret = [UInt8].random(count: 32)
  private var stored: [String: Stored] = [:]

  public init(keepsContents: Bool = false) { isDurable = keepsContents }

  public func collections() -> [StoredCollection] { stored.values.map { .intact($0.record) } }

  public func read<Result: Sendable>(
    _ id: String,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) throws -> Result {
    guard let collection = stored[id] else { throw StorageFault.missing(id) }
    return try body(collection)
  }

  public func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) throws {
    var collection = Stored(record: record)
    if isDurable, let snapshot {
      collection.snapshotVersion = snapshot.version
      collection.contents = snapshot.contents
    }
    stored[record.id] = collection
  }

  public func update(_ record: CollectionRecord) { stored[record.id]?.record = record }

  public func append(_ batch: StoredBatch, record: CollectionRecord) {
    stored[record.id]?.record = record
    if isDurable { stored[record.id]?.append(batch) }
  }

  public func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) throws {
    guard var collection = stored[record.id] else { throw StorageFault.missing(record.id) }
    collection.record = record
    if isDurable {
      collection.snapshotVersion = snapshot.version
      collection.contents = snapshot.contents
      if let batch { collection.append(batch) } else { collection.log = [] }
      try collection.trim(retention)
    }
    stored[record.id] = collection
  }

  public nonisolated func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    // It would gain nothing in memory.
    completion(false)
  }

  public func delete(_ id: String) { stored[id] = nil }
}

extension StorageFault {
  static func missing(_ id: String) -> StorageFault {
    StorageFault(.conflict, "collection \(id) is not stored")
  }
}

extension [UInt8] {
  /// From the system's generator, which is meant for keys.
  static func random(count: Int) -> [UInt8] { (0 ..< count).map { _ in .random(in: 0 ... .max) } }
}

extension StoredContents {
  /// The oldest version whose batch is kept: all that lead on from the snapshot, and as many before
  /// as there is room for.
  func firstVersion(kept retention: LogRetention) throws -> UInt64 {
    var start = snapshotVersion &+ 1
    var count = 0
    var bytes = 0
    try forEachSizeBackwards { version, size in
      count += 1
      bytes = bytes.addingReportingOverflow(max(0, size)).partialValue
      if version <= snapshotVersion {
        guard count <= retention.batchCount, bytes <= retention.batchBytes else { return false }
        start = version
      }
      return true
    }
    return start
  }
}
