// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import ResourceAccounting
internal import Synchronization

/// All collections of a server.
///
/// `load` reads the records of all collections; the contents of each are loaded when it is first
/// used. When memory runs short (`StoreLimits.residentBytes`), collections that nobody uses are
/// evicted, the least recently used first.
public final class CollectionRegistry: Sendable {
  /// The limits that the registry was made with.
  public let limits: StoreLimits
  /// Counts the memory of all collections. An import reserves memory here while it receives
  /// contents.
  public let memory: StoreMemory
  let storage: any CollectionStorage
  /// How far the registry has followed a storage that other servers write to.
  let following = FollowedChanges()
  private let codec: any ContentsCodec
  private let account: @Sendable (_ id: String) -> Account?
  private let owned: OwnedContents
  private let retire: @Sendable (CollectionContents) -> Void
  private let followApplier: BatchApplier
  private let now: @Sendable () -> CollectionTime
  private let state = Mutex(RegistryEntries())

  /// A registry without collections, until `load` is called.
  ///
  /// - Parameters:
  ///   - account: makes the account that a collection is charged to while it is in memory; nil =
  ///     the collection is not charged.
  ///   - ownerLimit: the most bytes of the contents of an owner's collections; nil = unlimited.
  ///   - retire: called with contents that a collection no longer has, because it was deleted or
  ///     its contents were replaced. Viewers may still refer to them for a while.
  ///   - followApplier: applies costly batches that other servers have committed; nil = a thread of
  ///     the system does.
  ///   - now: the clock for the times of batches and records, and for the age of request
  ///     identifiers.
  public init(
    storage: any CollectionStorage,
    codec: any ContentsCodec,
    limits: StoreLimits = .init(),
    account: @escaping @Sendable (_ id: String) -> Account? = { _ in nil },
    ownerLimit: @escaping @Sendable (_ owner: String) -> Int? = { _ in nil },
    retire: @escaping @Sendable (CollectionContents) -> Void = { _ in },
    followApplier: BatchApplier? = nil,
    now: @escaping @Sendable () -> CollectionTime = { .now }
  ) {
    self.storage = storage
    self.codec = codec
    self.limits = limits
    self.account = account
    owned = OwnedContents(limit: ownerLimit)
    self.retire = retire
    self.followApplier = followApplier ?? .onOwnThread
    self.now = now
    memory = StoreMemory(limits: limits, canRelease: storage.isDurable)
  }

  deinit { memory.close() }

  /// Whether the storage works now.
  public var health: StorageHealth { storage.health }

  /// Reads the records of all collections from the storage. The owner calls this once, before any
  /// other method.
  ///
  /// - Throws: `StoreError.storage`
  /// - Complexity: O(n log n) for n collections; their sizes do not matter.
  public func load() async throws(StoreError) {
    let stored: [StoredCollection]
    do { stored = try await storage.collections() } catch { throw .storage(error) }
    let entries = stored.map { collection in
      switch collection {
      case .intact(let record): CollectionEntry(record)
      case .damaged(let id, let fault): CollectionEntry(damaged: id, fault)
      }
    }
    for entry in entries { count(entry) }
    state.withLock { $0.insert(entries) }
  }

  /// The number of collections, in memory or not, including those whose record is damaged.
  public var count: Int { state.withLock { $0.ids.count } }

  /// Bytes of the contents of all collections that an owner has created, as they count against the
  /// owner's limit.
  public func ownedByteCount(of owner: String) -> Int { owned.byteCount(of: owner) }

  /// The number of collections whose contents are in memory, including deleted ones that are still
  /// in use.
  public var residentCount: Int { memory.residents.count }

  /// Sizes of all collections together, for metrics.
  ///
  /// - Complexity: O(collections in memory)
  public var statistics: RegistryStatistics {
    let residents = memory.residents.all
    var statistics = RegistryStatistics()
    statistics.collections = count
    statistics.resident = residents.count
    statistics.residentBytes = memory.byteCount
    statistics.recordBytes = memory.recordByteCount
    for collection in residents {
      let log = collection.logSize
      statistics.logBatches += log.batches
      statistics.logBytes += log.bytes
    }
    statistics.files = storage.fileSizes
    return statistics
  }

  /// What collections take in the storage; see `CollectionStorage.storedSizes(of:)`.
  public func storedSizes(of ids: [String]) async throws -> [String: StoredSizes] {
    try await storage.storedSizes(of: ids)
  }

  /// Writes a backup of all collections; see `CollectionStorage.backUp(to:)`.
  public func backUp(to path: String) async throws -> Int64 { try await storage.backUp(to: path) }

  /// The collection with its contents, which are loaded unless they are in memory.
  ///
  /// The first caller loads them; further callers wait for it and get the same object.
  ///
  /// - Parameter didLoad: called with the size in memory, in bytes, if they were loaded by this
  ///   call.
  /// - Throws: `StoreError.notFound`, `.corrupt`, `.storage`, `.cancelled`, `.accountExceeded`, and
  ///   `.limitExceeded(.residentBytes, …)` if the collection does not fit into memory and
  ///   everything else there is in use.
  /// - Complexity: O(1) if it is in memory, otherwise O(items + batches in the log).
  public func collection(
    _ id: String,
    didLoad: @Sendable (_ byteCount: Int) -> Void = { _ in }
  ) async throws(StoreError) -> LiveCollection {
    let entry = try await currentEntry(id)
    if let live = entry.live, !live.isDeleted {
      memory.use(live)
      return live
    }
    return try await entry.gate.run(cancelled: .cancelled) { () throws(StoreError) in
      if entry.isDeleted { throw .notFound(id: id) }
      if let live = entry.live {
        if live.isDeleted { throw .notFound(id: id) }
        return live
      }
      if let fault = entry.fault { throw .corrupt(id: id, fault) }
      // The size is known from an earlier load: without room for it, refuse before loading.
      let room = try memory.reserve(entry.lastByteCount)
      let loaded = try await load(entry)
      room.release()
      didLoad(loaded.contents.indexedByteCount)
      let lease = try charge(loaded.contents.indexedByteCount, for: id)
      let live = makeLive(loaded, entry, lease)
      guard memory.shrink(besides: live) else {
        memory.forget(live)
        throw .limitExceeded(
          .residentBytes,
          found: memory.byteCount,
          limit: limits.residentBytes
        )
      }
      await catchUp(live)
      return live
    }
  }

  /// Reads the contents of a collection.
  ///
  /// - Throws: as `CollectionLoader.load`. If the storage does not have the collection,
  ///   `StoreError.notFound`, because another server has deleted it; or `.corrupt` if no other
  ///   server can have done so.
  private func load(_ entry: CollectionEntry) async throws(StoreError) -> LoadedCollection {
    let loader = CollectionLoader(storage: storage, codec: codec, limits: limits, now: now())
    let loaded: LoadedCollection
    do throws(StoreError) {
      loaded = try await loader.load(entry.id, byteCount: entry.estimatedByteCount)
    } catch {
      guard case .storage(let fault as StorageFault) = error, fault.kind == .conflict else {
        throw error
      }
      throw storage.shared == nil ? .corrupt(id: entry.id, fault) : .notFound(id: entry.id)
    }
    // Another server may have changed it, or created it again.
    if loaded.record != entry.record.value {
      let old = entry.record.replace(by: loaded.record)
      memory.addRecord(loaded.record.byteCount - old.byteCount)
    }
    return loaded
  }

  /// Makes the live collection of an entry, and counts it as just used.
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
      owned: owned,
      lease: lease,
      followApplier: followApplier,
      now: now,
      retire: retire
    )
    entry.remember(live)
    memory.residents.add(live)
    memory.use(live)
    return live
  }

  /// Charges bytes to the account of a collection.
  ///
  /// - Returns: nil = the collection has no account.
  /// - Throws: `StoreError.accountExceeded`
  private func charge(_ bytes: Int, for id: String) throws(StoreError) -> Lease? {
    do throws(LimitExceeded) { return try account(id)?.charge(bytes) } catch {
      throw .accountExceeded(error)
    }
  }

  /// Contents of at most this many bytes are loaded and stored in a tenth of a second or so.
  public static let smallContents = 8 << 20

  /// Whether the next use of a collection has to load contents that are not small.
  public func hasMuchToLoad(_ id: String) -> Bool {
    guard let entry = known(id), entry.live == nil else { return false }
    return entry.estimatedByteCount > Self.smallContents
  }

  /// The record of a collection, without loading its contents.
  ///
  /// - Throws: `StoreError.notFound`, or `.corrupt` if the record is damaged.
  public func record(_ id: String) throws(StoreError) -> CollectionRecord {
    let entry = try entry(id)
    if let fault = entry.fault { throw .corrupt(id: id, fault) }
    return entry.record.value
  }

  /// The same of a collection that another server may have just created.
  ///
  /// - Throws: also `StoreError.storage`, `.cancelled`
  public func currentRecord(_ id: String) async throws(StoreError) -> CollectionRecord {
    _ = try await currentEntry(id)
    return try record(id)
  }

  /// `LiveCollection.contentsIdentity` of a collection; nil = it is not known.
  public func contentsIdentity(of id: String) -> UInt64? { known(id)?.record.identity }

  /// The records after `id`, by identifier, without damaged ones.
  ///
  /// - Parameters:
  ///   - id: need not exist; "" = from the first record on.
  ///   - beginning: the prefix of the identifiers.
  ///   - limit: the most records to return.
  ///   - byteLimit: the most bytes of records to return (`CollectionRecord.byteCount`); a single
  ///     record may exceed it.
  /// - Complexity: O(log n + limit + damaged records among them)
  public func records(
    after id: String,
    beginningWith beginning: String = "",
    limit: Int,
    byteLimit: Int = .max
  ) -> [CollectionRecord] {
    state.withLock {
      $0.records(after: id, beginningWith: beginning, limit: limit, byteLimit: byteLimit)
    }
  }

  /// Creates a collection at version 0 with these contents.
  ///
  /// - Parameter reservation: memory that an import reserved for the contents while it received
  ///   them; released here. nil = none was reserved.
  /// - Returns: the new collection; its times and counts are set here, whatever `record` says.
  /// - Throws: `StoreError.exists`, `.tooManyCollections`, `.limitExceeded`, `.accountExceeded`,
  ///   `.storage`
  /// - Complexity: O(items)
  public func create(
    _ record: CollectionRecord,
    contents: CollectionContents,
    reservation: MemoryReservation? = nil
  ) async throws(StoreError) -> LiveCollection {
    try limits.check(record)
    let recordBytes = record.byteCount
    let contentsBytes = try limits.check(contents)
    let room: MemoryReservation
    if let reservation { room = reservation } else { room = try memory.reserve(contentsBytes) }
    defer { room.release() }
    let lease = try charge(contentsBytes, for: record.id)
    let ownedBytes = contents.indexedByteCount
    try owned.claim(ownedBytes, of: record.owner)
    do throws(StoreError) {
      // Another server may have deleted it.
      if let log = storage.shared, known(record.id) != nil { try await findChanges(log) }
      try memory.replaceRecord(of: 0, by: recordBytes)
      do throws(StoreError) {
        try reserve(record.id)
        return try await store(record, contents: contents, room: room, lease)
      } catch {
        memory.addRecord(-recordBytes)
        throw error
      }
    } catch {
      owned.change(by: -ownedBytes, of: record.owner)
      throw error
    }
  }

  /// Reserves an identifier for a collection that is about to be created.
  ///
  /// - Throws: `StoreError.exists`, `.tooManyCollections`
  private func reserve(_ id: String) throws(StoreError) {
    let refusal = state.withLock { $0.reserve(id, limit: limits.collectionCount) }
    if let refusal { throw refusal }
  }

  /// Stores a collection whose identifier is reserved, and adds it to the registry.
  ///
  /// - Throws: `StoreError.storage`; the identifier is free again then.
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
      try await storage.storing(record, after: record) {
        try await storage.create(record, snapshot: snapshot)
      }
    } catch {
      state.withLock { $0.release(record.id) }
      following.note(record.id, all: true)
      let isTaken = storage.shared != nil && (error as? StorageFault)?.kind == .conflict
      throw isTaken ? .exists(id: record.id) : StoreError(error, id: record.id)
    }
    let entry = CollectionEntry(record)
    // The bytes were claimed before.
    _ = entry.record.count(owned: contents.indexedByteCount)
    var loaded = LoadedCollection(record: record, contents: contents, limits: limits)
    if storage.isDurable { loaded.base = snapshot }
    room.release()
    let collection = makeLive(loaded, entry, lease)
    following.note(record.id)
    state.withLock { $0.insert(entry) }
    _ = memory.shrink(besides: collection)
    return collection
  }

  /// Removes an entry whose collection was deleted.
  ///
  /// - Returns: false = it was removed before.
  func drop(_ entry: CollectionEntry) -> Bool {
    entry.markDeleted()
    let isDropped = state.withLock { $0.remove(entry) }
    guard isDropped else { return false }
    following.note(entry.id, dropped: entry.record.value.incarnation)
    if entry.fault == nil { memory.addRecord(-entry.record.value.byteCount) }
    owned.change(by: entry.record.count(owned: 0), of: entry.record.value.owner)
    return true
  }

  private func entry(_ id: String) throws(StoreError) -> CollectionEntry {
    guard let entry = known(id) else { throw .notFound(id: id) }
    return entry
  }

  /// The entry of a collection, even if another server has just created it.
  func currentEntry(_ id: String) async throws(StoreError) -> CollectionEntry {
    if let entry = known(id), entry.live?.isDeleted != true { return entry }
    guard let log = storage.shared else { return try entry(id) }
    try await findChanges(log)
    if let entry = known(id), entry.live?.isDeleted == true, drop(entry) {
      // It was not found when it was asked for, but nobody has told that it was deleted.
      following.note(id, all: true)
      try await findChanges(log)
    }
    return try entry(id)
  }

  /// The entry of a collection; nil = there is none.
  func known(_ id: String) -> CollectionEntry? { state.withLock { $0[id] } }

  /// The identifiers of all collections, sorted.
  ///
  /// - Complexity: O(n)
  var ids: [String] {
    // A copy of the tree, which is walked outside of the lock.
    state.withLock { $0.ids }.all
  }

  /// Those of some incarnations whose contents are in memory, without deleted ones.
  ///
  /// - Complexity: O(incarnations)
  func residents(_ incarnations: Set<UInt64>) -> [LiveCollection] {
    incarnations.compactMap { incarnation in
      memory.residents[incarnation].flatMap { known($0.id)?.live === $0 ? $0 : nil }
    }
  }

  /// Adds a collection that was found in the storage, whatever the present limits. A collection
  /// that is just being created here is added when that is done.
  func add(_ entry: CollectionEntry) {
    if state.withLock({ $0.isReserved(entry.id) }) { return }
    count(entry)
    state.withLock { $0.insert(entry) }
  }

  /// Counts the memory of an entry that is about to be added.
  private func count(_ entry: CollectionEntry) {
    guard entry.fault == nil else { return }
    let record = entry.record.value
    memory.addRecord(record.byteCount)
    owned.change(by: entry.record.count(owned: record.estimatedContentBytes), of: record.owner)
  }
}
