// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import Synchronization

/// All collections of a server.
public final class CollectionRegistry: Sendable {
  private struct State {
    var collections: [String: LiveCollection] = [:]
    /// The keys of `collections`, sorted.
    var ids: [String] = []
    /// Being created: their identifiers are taken.
    var reserved: Set<String> = []
  }

  public let limits: StoreLimits
  private let storage: any CollectionStorage
  private let codec: any ContentsCodec
  private let now: @Sendable () -> CollectionTime
  private let state = Mutex(State())

  public init(
    storage: any CollectionStorage,
    codec: any ContentsCodec,
    limits: StoreLimits = .init(),
    now: @escaping @Sendable () -> CollectionTime = { .now }
  ) {
    self.storage = storage
    self.codec = codec
    self.limits = limits
    self.now = now
  }

  /// Reads everything that the storage holds. To be called once, before anything else.
  public func load() async throws(StoreError) {
    let records: [CollectionRecord]
    do { records = try await storage.records() } catch { throw .storage(error) }
    for record in records { try await load(record) }
  }

  public var count: Int { state.withLock { $0.ids.count } }

  public func collection(_ id: String) throws(StoreError) -> LiveCollection {
    guard let collection = state.withLock({ $0.collections[id] }) else { throw .notFound(id: id) }
    return collection
  }

  /// Collections in order of their identifiers, from the first one after `id` on.
  /// - Complexity: O(log n + limit)
  public func collections(after id: String, limit: Int) -> [LiveCollection] {
    state.withLock { state in
      let start = state.ids.insertionIndex(of: id, afterEqual: true)
      return state.ids[start...].prefix(limit).compactMap { state.collections[$0] }
    }
  }

  /// Creates a collection at version 0 with these contents.
  public func create(
    _ record: CollectionRecord,
    contents: CollectionContents
  ) async throws(StoreError) -> LiveCollection {
    let limit = limits.collectionCount
    let refusal: StoreError? = state.withLock { state in
      if state.collections[record.id] != nil || state.reserved.contains(record.id) {
        return .exists(id: record.id)
      }
      if state.ids.count + state.reserved.count >= limit {
        return .tooManyCollections(limit: limit)
      }
      state.reserved.insert(record.id)
      return nil
    }
    if let refusal { throw refusal }
    var record = record
    record.createTime = now()
    record.updateTime = record.createTime
    do {
      let parts = storage.isDurable && contents.sectionCount > 0 ? try codec.encode(contents) : []
      try await storage.create(
        record,
        snapshot: parts.isEmpty ? nil : StoredSnapshot(version: record.dataVersion, parts: parts)
      )
    } catch {
      state.withLock { _ = $0.reserved.remove(record.id) }
      throw .storage(error)
    }
    let collection = LiveCollection(
      record: record,
      contents: contents,
      storage: storage,
      codec: codec,
      limits: limits,
      now: now
    )
    add(collection)
    return collection
  }

  /// - Parameter etag: not empty: deletes only where it is the current one.
  /// - Returns: the collection that is no more.
  @discardableResult
  public func delete(_ id: String, etag: String = "") async throws(StoreError) -> LiveCollection {
    let collection = try collection(id)
    try await collection.delete(etag: etag)
    state.withLock { state in
      guard state.collections[id] === collection else { return }
      state.collections[id] = nil
      let index = state.ids.insertionIndex(of: id, afterEqual: false)
      if index < state.ids.count, state.ids[index] == id { state.ids.remove(at: index) }
    }
    return collection
  }

  private func add(_ collection: LiveCollection) {
    let id = collection.id
    state.withLock { state in
      state.reserved.remove(id)
      guard state.collections.updateValue(collection, forKey: id) == nil else { return }
      state.ids.insert(id, at: state.ids.insertionIndex(of: id, afterEqual: false))
    }
  }

  private func load(_ record: CollectionRecord) async throws(StoreError) {
    var contents = CollectionContents.empty
    var version: UInt64 = 0
    do {
      if let snapshot = try await storage.snapshot(of: record.id) {
        contents = try codec.decodeContents(snapshot.parts)
        version = snapshot.version
      }
    } catch { throw .corrupt(id: record.id, error) }
    let page = 256
    while version < record.dataVersion {
      let batches: [StoredBatch]
      do {
        batches = try await storage.batches(of: record.id, after: version, limit: page)
      } catch { throw .storage(error) }
      do {
        for batch in batches {
          guard batch.version == version + 1 else {
            throw LogGap(expected: version + 1, found: batch.version)
          }
          contents =
            try contents.applying(codec.decodeBatch(batch.payload), limits: limits.contents).new
          version = batch.version
        }
        if batches.isEmpty { throw LogGap(expected: version + 1, found: nil) }
      } catch { throw .corrupt(id: record.id, error) }
    }
    add(
      LiveCollection(
        record: record,
        contents: contents,
        storage: storage,
        codec: codec,
        limits: limits,
        now: now
      )
    )
  }
}

/// A stored log that lacks a version.
public struct LogGap: Error, Hashable, CustomStringConvertible {
  public var expected: UInt64
  /// nil = nothing more.
  public var found: UInt64?

  public var description: String {
    "version \(expected) is missing; \(found.map { "\($0) follows" } ?? "the log ends before it")"
  }
}

extension [String] {
  /// Where a string belongs in this sorted array.
  fileprivate func insertionIndex(of id: String, afterEqual: Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < id || (afterEqual && self[middle] == id) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
