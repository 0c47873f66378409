// SPDX-License-Identifier: Apache-2.0

/// Storage that ends with the process.
public actor MemoryStorage: CollectionStorage {
  private struct Stored {
    var record: CollectionRecord
    var snapshot: StoredSnapshot?
    var log: [StoredBatch] = []
  }

  /// Whether it keeps contents and log, so that a second registry can start from it, as tests do.
  public nonisolated let isDurable: Bool
  private var collections: [String: Stored] = [:]

  public init(keepsContents: Bool = false) { isDurable = keepsContents }

  public func records() -> [CollectionRecord] { collections.values.map(\.record) }

  public func snapshot(of id: String) -> StoredSnapshot? { collections[id]?.snapshot }

  public func batches(of id: String, after version: UInt64, limit: Int) -> [StoredBatch] {
    Array((collections[id]?.log ?? []).lazy.filter { $0.version > version }.prefix(limit))
  }

  public func create(_ record: CollectionRecord, snapshot: StoredSnapshot?) {
    collections[record.id] = Stored(record: record, snapshot: snapshot)
  }

  public func update(_ record: CollectionRecord) { collections[record.id]?.record = record }

  public func append(_ batch: StoredBatch, record: CollectionRecord) {
    collections[record.id]?.record = record
    if isDurable { collections[record.id]?.log.append(batch) }
  }

  public func store(_ snapshot: StoredSnapshot, record: CollectionRecord) {
    collections[record.id]?.record = record
    collections[record.id]?.snapshot = snapshot
    collections[record.id]?.log.removeAll { $0.version <= snapshot.version }
  }

  public func delete(_ id: String) { collections[id] = nil }
}
