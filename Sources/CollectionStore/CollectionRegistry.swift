// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import ResourceAccounting
internal import Synchronization

/// All collections of a server.
///
/// At the start only what describes them is read. Contents are read when a collection is first
/// used. Those that nobody uses leave memory again, the least recently used first, when others need
/// the room (`StoreLimits.residentBytes`).
public final class CollectionRegistry: Sendable {
  private struct State {
    var entries: [String: CollectionEntry] = [:]
    /// The keys of `entries`, sorted.
    var ids: [String] = []
    /// Identifiers of collections that are being created.
    var reserved: Set<String> = []
  }

  public let limits: StoreLimits
  /// What collections take in memory. Whoever gathers contents for an import reserves room here.
  public let memory: StoreMemory
  private let storage: any CollectionStorage
  private let codec: any ContentsCodec
  private let account: @Sendable (_ id: String) -> Account?
  private let now: @Sendable () -> CollectionTime
  private let state = Mutex(State())

  /// - Parameters:
  ///   - account: makes the account that is charged while a collection is in memory; nil = none.
  ///   - now: the time of batches and records, and for how long request identifiers are remembered.
  public init(
    storage: any CollectionStorage,
    codec: any ContentsCodec,
    limits: StoreLimits = .init(),
    account: @escaping @Sendable (_ id: String) -> Account? = { _ in nil },
    now: @escaping @Sendable () -> CollectionTime = { .now }
  ) {
    self.storage = storage
    self.codec = codec
    self.limits = limits
    self.account = account
    self.now = now
    memory = StoreMemory(limits: limits, canRelease: storage.isDurable)
  }

  deinit { memory.close() }

  /// Whether the storage can do its work.
  public var health: StorageHealth { storage.health }

  /// Finds out what the storage holds. To be called once, before anything else.
  ///
  /// - Throws: `StoreError.storage`
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

  /// Collections, in memory or not, damaged ones included.
  public var count: Int { state.withLock { $0.ids.count } }

  /// Collections whose contents are in memory.
  public var residentCount: Int { state.withLock { $0.entries.values.count { $0.live != nil } } }

  /// The collection with its contents, which are read if they are not in memory.
  ///
  /// - Throws: `StoreError.notFound`, `.corrupt`, `.storage`, `.cancelled`, `.accountExceeded`, and
  ///   `.limitExceeded(.residentBytes, …)` where there is no room for it because all that is in memory
  ///   is being used.
  /// - Complexity: O(1); O(items) where it has to be read.
  public func collection(_ id: String) async throws(StoreError) -> LiveCollection {
    let entry = try entry(id)
    if let live = entry.live {
      memory.use(live)
      return live
    }
    return try await entry.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      if entry.isDeleted { throw .notFound(id: id) }
      if let live = entry.live { return live }
      if let fault = entry.fault { throw .corrupt(id: id, fault) }
      // Refused before it is read a second time for nothing.
      let room = try memory.reserve(entry.lastByteCount)
      let loaded = try await CollectionLoader(
        storage: storage,
        codec: codec,
        limits: limits,
        now: now()
      ).load(id)
      room.release()
      let lease = try charge(loaded.contents.residentByteCount, for: id)
      let live = makeLive(loaded, entry, lease)
      guard memory.shrink(besides: live) else {
        memory.forget(live)
        throw .limitExceeded(
          .residentBytes,
          found: memory.byteCount,
          limit: limits.residentBytes
        )
      }
      return live
    }
  }

  private func makeLive(
    _ loaded: LoadedCollection,
    _ entry: CollectionEntry,
    _ lease: Lease?
  ) -> LiveCollection {
    let live = LiveCollection(
      loaded,
      record: entry.record,
      storage: storage,
      codec: codec,
      limits: limits,
      memory: memory,
      lease: lease,
      now: now
    )
    entry.remember(live)
    memory.use(live)
    return live
  }

  /// - Throws: `StoreError.accountExceeded`
  private func charge(_ bytes: Int, for id: String) throws(StoreError) -> Lease? {
    do throws(LimitExceeded) { return try account(id)?.charge(bytes) } catch {
      throw .accountExceeded(error)
    }
  }

  /// What is known of a collection without reading its contents.
  ///
  /// - Throws: `StoreError.notFound`, or `.corrupt` where its description is damaged.
  public func record(_ id: String) throws(StoreError) -> CollectionRecord {
    let entry = try entry(id)
    if let fault = entry.fault { throw .corrupt(id: id, fault) }
    return entry.record.value
  }

  /// Collections in order of their identifiers, from the first one after `id` on, without those
  /// whose description is damaged.
  ///
  /// - Parameter byteLimit: no more records than take so many bytes (`CollectionRecord.byteCount`), but
  ///   always one.
  /// - Complexity: O(log n + limit)
  public func records(
    after id: String,
    limit: Int,
    byteLimit: Int = .max
  ) -> [CollectionRecord] {
    state.withLock { state in
      let start = state.ids.insertionIndex(of: id, afterEqual: true)
      var records: [CollectionRecord] = []
      var bytes = 0
      for id in state.ids[start...] {
        if records.count >= limit { break }
        guard let entry = state.entries[id], entry.fault == nil else { continue }
        let record = entry.record.value
        bytes += record.byteCount
        if !records.isEmpty && bytes > byteLimit { break }
        records.append(record)
      }
      return records
    }
  }

  /// Creates a collection at version 0 with these contents.
  ///
  /// - Parameter reservation: room for the contents that was set aside while they were gathered.
  /// - Throws: `StoreError.exists`, `.tooManyCollections`, `.limitExceeded`, `.accountExceeded`,
  ///   `.storage`
  public func create(
    _ record: CollectionRecord,
    contents: CollectionContents,
    reservation: MemoryReservation? = nil
  ) async throws(StoreError) -> LiveCollection {
    let recordBytes = try limits.check(record)
    let contentsBytes = try limits.check(contents)
    let room: MemoryReservation
    if let reservation { room = reservation } else { room = try memory.reserve(contentsBytes) }
    defer { room.release() }
    let lease = try charge(contentsBytes, for: record.id)
    try memory.replaceRecord(of: 0, by: recordBytes)
    do throws(StoreError) {
      try reserve(record.id)
      return try await store(record, contents: contents, room: room, lease)
    } catch {
      memory.addRecord(-recordBytes)
      throw error
    }
  }

  /// Takes an identifier for a collection that is about to be created.
  private func reserve(_ id: String) throws(StoreError) {
    let limit = limits.collectionCount
    let refusal: StoreError? = state.withLock { state in
      if state.entries[id] != nil || state.reserved.contains(id) { return .exists(id: id) }
      if state.ids.count + state.reserved.count >= limit {
        return .tooManyCollections(limit: limit)
      }
      state.reserved.insert(id)
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Stores a collection whose identifier is reserved.
  private func store(
    _ record: CollectionRecord,
    contents: CollectionContents,
    room: MemoryReservation,
    _ lease: Lease?
  ) async throws(StoreError) -> LiveCollection {
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
    room.release()
    let collection = makeLive(loaded, entry, lease)
    insert(entry)
    _ = memory.shrink(besides: collection)
    return collection
  }

  /// Deletes a collection, damaged or not, without reading its contents.
  ///
  /// - Parameter etag: where it is not empty, deletes only if it is the current one.
  /// - Returns: what described the collection.
  /// - Throws: `StoreError.notFound`, `.etagConflict`, `.storage`, `.cancelled`
  @discardableResult
  public func delete(_ id: String, etag: String = "") async throws(StoreError) -> CollectionRecord {
    let entry = try entry(id)
    return try await entry.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      if entry.isDeleted { throw .notFound(id: id) }
      if let live = entry.live {
        try await live.delete(etag: etag)
        memory.forget(live)
      } else {
        guard etag.isEmpty || etag == entry.record.value.etag else {
          throw .etagConflict(expected: etag, current: entry.record.value.etag)
        }
        do { try await storage.delete(id) } catch { throw StoreError(error, id: id) }
      }
      entry.markDeleted()
      if entry.fault == nil { memory.addRecord(-entry.record.value.byteCount) }
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

  /// Adds a collection that was found in the storage.
  private func add(_ entry: CollectionEntry) {
    if entry.fault == nil { memory.addRecord(entry.record.value.byteCount) }
    insert(entry)
  }

  private func insert(_ entry: CollectionEntry) {
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
