// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import Synchronization

/// All collections of a server.
///
/// At the start only what describes them is read. Contents are read when a collection is first
/// used, and let go of again, the least recently used first, when together they have grown beyond
/// `StoreLimits.residentBytes` and nobody else holds on to them.
public final class CollectionRegistry: Sendable {
  private struct State {
    var entries: [String: CollectionEntry] = [:]
    /// The keys of `entries`, sorted.
    var ids: [String] = []
    /// Being created: their identifiers are taken.
    var reserved: Set<String> = []
  }

  public let limits: StoreLimits
  private let storage: any CollectionStorage
  private let codec: any ContentsCodec
  private let now: @Sendable () -> CollectionTime
  private let state = Mutex(State())
  private let residents: ResidentCollections

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
    residents = ResidentCollections(byteLimit: storage.isDurable ? limits.residentBytes : .max)
  }

  /// Finds out what the storage holds. To be called once, before anything else.
  ///
  /// - Complexity: O(collections), however large they are.
  public func load() async throws(StoreError) {
    let stored: [StoredCollection]
    do { stored = try await storage.collections() } catch { throw .storage(error) }
    for collection in stored {
      switch collection {
      case .intact(let record): add(CollectionEntry(record))
      case .damaged(let id, let fault): add(CollectionEntry(damaged: id, fault))
      }
    }
  }

  public var count: Int { state.withLock { $0.ids.count } }

  /// Collections whose contents are in memory.
  public var residentCount: Int { state.withLock { $0.entries.values.count { $0.live != nil } } }

  /// The collection with its contents, which are read if they are not in memory.
  public func collection(_ id: String) async throws(StoreError) -> LiveCollection {
    let entry = try entry(id)
    if let live = entry.live {
      residents.use(live)
      return live
    }
    return try await entry.gate.run { () throws(StoreError) in
      if entry.isDeleted { throw .notFound(id: id) }
      if let live = entry.live { return live }
      if let fault = entry.fault { throw .corrupt(id: id, fault) }
      let live = LiveCollection(
        try await CollectionLoader(storage: storage, codec: codec, limits: limits, now: now())
          .load(id),
        record: entry.record,
        storage: storage,
        codec: codec,
        limits: limits,
        now: now
      )
      entry.hold(live)
      residents.use(live)
      return live
    }
  }

  /// What is known of a collection without reading its contents.
  public func record(_ id: String) throws(StoreError) -> CollectionRecord {
    let entry = try entry(id)
    if let fault = entry.fault { throw .corrupt(id: id, fault) }
    return entry.record.value
  }

  /// Collections in order of their identifiers, from the first one after `id` on, without those
  /// whose description is damaged.
  /// - Complexity: O(log n + limit)
  public func records(after id: String, limit: Int) -> [CollectionRecord] {
    state.withLock { state in
      let start = state.ids.insertionIndex(of: id, afterEqual: true)
      var records: [CollectionRecord] = []
      for id in state.ids[start...] where records.count < limit {
        guard let entry = state.entries[id], entry.fault == nil else { continue }
        records.append(entry.record.value)
      }
      return records
    }
  }

  /// Creates a collection at version 0 with these contents.
  public func create(
    _ record: CollectionRecord,
    contents: CollectionContents
  ) async throws(StoreError) -> LiveCollection {
    let limit = limits.collectionCount
    let refusal: StoreError? = state.withLock { state in
      if state.entries[record.id] != nil || state.reserved.contains(record.id) {
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
    record.sectionCount = contents.sectionCount
    record.itemCount = contents.itemCount
    let isEmpty = contents.sectionCount == 0 && contents.cellKindNames == [""]
    let snapshot =
      isEmpty
      ? nil : ContentsSnapshot(version: record.dataVersion, contents: contents, codec: codec)
    do {
      try await storage.create(record, snapshot: snapshot)
    } catch {
      state.withLock { _ = $0.reserved.remove(record.id) }
      throw .storage(error)
    }
    let entry = CollectionEntry(record)
    var loaded = LoadedCollection(record: record, contents: contents, limits: limits)
    if storage.isDurable { loaded.base = snapshot }
    let collection = LiveCollection(
      loaded,
      record: entry.record,
      storage: storage,
      codec: codec,
      limits: limits,
      now: now
    )
    entry.hold(collection)
    add(entry)
    residents.use(collection)
    return collection
  }

  /// Deletes a collection, damaged or not, without reading its contents.
  ///
  /// - Parameter etag: not empty: deletes only where it is the current one.
  /// - Returns: what described the collection that is no more.
  @discardableResult
  public func delete(_ id: String, etag: String = "") async throws(StoreError) -> CollectionRecord {
    let entry = try entry(id)
    return try await entry.gate.run { () throws(StoreError) in
      if entry.isDeleted { throw .notFound(id: id) }
      if let live = entry.live {
        try await live.delete(etag: etag)
        residents.remove(live)
      } else {
        guard etag.isEmpty || etag == entry.record.value.etag else {
          throw .etagConflict(expected: etag, current: entry.record.value.etag)
        }
        do { try await storage.delete(id) } catch { throw StoreError(error, id: id) }
      }
      entry.markDeleted()
      state.withLock { state in
        state.entries[id] = nil
        let index = state.ids.insertionIndex(of: id, afterEqual: false)
        if index < state.ids.count, state.ids[index] == id { state.ids.remove(at: index) }
      }
      return entry.record.value
    }
  }

  private func entry(_ id: String) throws(StoreError) -> CollectionEntry {
    guard let entry = state.withLock({ $0.entries[id] }) else { throw .notFound(id: id) }
    return entry
  }

  private func add(_ entry: CollectionEntry) {
    let id = entry.id
    state.withLock { state in
      state.reserved.remove(id)
      guard state.entries.updateValue(entry, forKey: id) == nil else { return }
      state.ids.insert(id, at: state.ids.insertionIndex(of: id, afterEqual: false))
    }
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
