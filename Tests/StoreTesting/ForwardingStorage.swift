// SPDX-License-Identifier: Apache-2.0

public import CollectionStore

/// A storage that passes every call on to a `MemoryStorage`. A test implements the calls in which
/// its storage differs.
public protocol ForwardingStorage: CollectionStorage {
  /// Takes the calls. It is made with `keepsContents` if registries are to treat it as durable.
  var memory: MemoryStorage { get }
}

extension ForwardingStorage {
  public var isDurable: Bool { memory.isDurable }
  public var health: StorageHealth { memory.health }
  public var secret: [UInt8] { memory.secret }

  public func collections() async throws -> [StoredCollection] { await memory.collections() }

  public func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result { try await memory.read(id, byteCount: byteCount, body) }

  public func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws {
    try await memory.create(record, snapshot: snapshot)
  }

  public func update(_ record: CollectionRecord, after old: CollectionRecord) async throws {
    try await memory.update(record, after: old)
  }

  public func append(_ entries: [LogEntry]) async throws { try await memory.append(entries) }

  public func replace(
    _ snapshot: ContentsSnapshot,
    record: CollectionRecord,
    after old: CollectionRecord,
    batch: StoredBatch?,
    retention: LogRetention
  ) async throws {
    try await memory.replace(
      snapshot,
      record: record,
      after: old,
      batch: batch,
      retention: retention
    )
  }

  public func compact(
    _ snapshot: ContentsSnapshot,
    since base: ContentsSnapshot?,
    of record: CollectionRecord,
    retention: LogRetention,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    memory.compact(
      snapshot,
      since: base,
      of: record,
      retention: retention,
      completion: completion
    )
  }

  public func delete(_ id: String) async throws { await memory.delete(id) }
}

/// A log that several servers share passes its calls on likewise.
extension ForwardingStorage where Self: SharedLog {
  public var shared: (any SharedLog)? { self }
  public var wakes: AsyncStream<Void> { memory.wakes }

  public func takeChanged() -> Set<UInt64>? { memory.takeChanged() }

  public func changes(since cursor: ChangeCursor?) async throws -> StoredChanges {
    await memory.changes(since: cursor)
  }

  public func tail(after record: CollectionRecord, isDescribed: Bool) async throws -> LogTail {
    await memory.tail(after: record, isDescribed: isDescribed)
  }

  public func request(_ id: String, in incarnation: UInt64) async throws -> StoredRequest? {
    await memory.request(id, in: incarnation)
  }

  public func delete(
    _ id: String,
    incarnation: UInt64,
    revision: UInt64?,
    itemCount: Int
  ) async throws {
    try await memory.delete(
      id,
      incarnation: incarnation,
      revision: revision,
      itemCount: itemCount
    )
  }
}
