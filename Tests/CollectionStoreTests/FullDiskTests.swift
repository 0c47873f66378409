// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRDB
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

/// The free space of a disk, which tests change.
final class FreeBytes: Sendable {
  private let value: Mutex<Int64>
  init(_ bytes: Int64) { value = Mutex(bytes) }
  var bytes: Int64 {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

@Suite("A full disk", .timeLimit(.minutes(1)))
struct FullDiskTests {
  private let free = FreeBytes(64 << 20)
  private let store: TemporaryStore
  private let storage: SQLiteStorage
  private let registry: CollectionRegistry

  init() throws {
    store = try TemporaryStore()
    storage = try SQLiteStorage(
      path: store.path,
      system: StorageSystem(freeBytes: { [free] _ in free.bytes }, checkInterval: nil)
    ) { _ in }
    registry = CollectionRegistry(storage: storage, codec: TestCodec())
  }

  /// Creates the collection "a", and a large one to delete.
  private func create() async throws -> LiveCollection {
    let large = TestOperation(.replace, count: 100_000, seed: 3).contents
    _ = try await registry.create(CollectionRecord(id: "large"), contents: large)
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    try await storage.pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    return collection
  }

  /// Commits a batch of 100,000 bytes.
  private func commit(to collection: LiveCollection) async -> Finding? {
    await Finding.of {
      let batch = TestOperation(.insertSection, count: 1, seed: 1).batch()
      _ = try await collection.commit(batch) { [UInt8](repeating: 7, count: 100_000) }
    }
  }

  private func delete(_ id: String) async throws {
    _ = try await registry.delete(id)
    storage.finishBackgroundWork()
  }

  private func checkUp() async -> Bool {
    await withCheckedContinuation { continuation in
      storage.checkUp { continuation.resume(returning: $0) }
    }
  }

  private var reserved: Int64 {
    FileStatus(path: SpaceReserve.path(of: store.path))?.size ?? 0
  }

  @Test("where SQLite finds no space, collections can be deleted, and others grow in their room")
  func deletion() async throws {
    let collection = try await create()
    try await storage.pool.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = 1")
    }
    #expect(await commit(to: collection) == .storage(.diskFull))
    #expect(storage.health.fault?.kind == .diskFull)
    try await delete("large")
    #expect(await commit(to: collection) == nil)
    #expect(storage.health.fault == nil)
    try storage.close()
  }

  @Test("what the log could not give to the file is refused; what fits into free pages is not")
  func growth() async throws {
    let collection = try await create()
    free.bytes = 0
    #expect(await commit(to: collection) == .storage(.diskFull))
    #expect(await !checkUp())
    #expect(storage.health.fault?.kind == .diskFull)
    try await delete("large")
    #expect(await commit(to: collection) == nil)
    #expect(storage.health.fault == nil)
    // The log had space for all that.
    #expect(reserved == 8 << 20)
    let version = collection.dataVersion
    while await commit(to: collection) == nil {}
    #expect(collection.dataVersion > version)
    free.bytes = 64 << 20
    #expect(await checkUp())
    #expect(await commit(to: collection) == nil)
    try storage.close()
  }

  @Test("where nothing could be set aside, batches leave as much of the disk free")
  func margin() async throws {
    let collection = try await create()
    #expect(SpaceReserve(besides: storage.file, storage.system).release())
    free.bytes = (8 << 20) + 50_000
    #expect(await commit(to: collection) == .storage(.diskFull))
    free.bytes = (8 << 20) + 200_000
    #expect(await commit(to: collection) == nil)
    try storage.close()
  }

  @Test("nothing is added while a deletion makes room, which the end of the sweep is")
  func makingRoom() async throws {
    let collection = try await create()
    free.bytes = 10 << 20
    #expect(storage.takeReserve())
    #expect(!storage.takeReserve())
    #expect(await commit(to: collection) == .storage(.diskFull))
    #expect(
      await Finding.of {
        _ = try await registry.create(CollectionRecord(id: "b"), contents: .empty)
      } == .storage(.diskFull)
    )
    try await delete("large")
    #expect(await commit(to: collection) == nil)
    #expect(reserved == 0)
    free.bytes = 24 << 20
    #expect(await checkUp())
    storage.finishBackgroundWork()
    #expect(reserved == 8 << 20)
    try storage.close()
    #expect(reserved == 0)
  }

  @Test("space is set aside if there is enough of it; what a server that crashed has left counts")
  func reserve() throws {
    var system = StorageSystem(freeBytes: { [free] _ in free.bytes }, checkInterval: nil)
    system.deletionBytes = 300_000
    let path = store.folder + "/other.sqlite"
    func size() -> Int64? { FileStatus(path: SpaceReserve.path(of: path))?.size }
    let reserve = SpaceReserve(besides: path, system)
    free.bytes = 16 << 20
    reserve.fill()
    #expect(size() == nil)
    #expect(!reserve.isFull)
    #expect(!reserve.release())
    free.bytes = 17 << 20
    reserve.fill()
    #expect(size() == 300_000)
    free.bytes = 0
    #expect(SpaceReserve(besides: path, system).isFull)
    #expect(reserve.release())
    #expect(size() == nil)
    try storage.close()
  }

  @Test("large contents may be written where the file has room for them")
  func roomInFile() throws {
    func check(unused: Int64) throws {
      try storage.system.checkSpace(for: 1 << 20, in: store.path, unusedBytes: unused)
    }
    free.bytes = 10 << 20
    #expect(throws: StorageFault.self) { try check(unused: 0) }
    #expect(throws: StorageFault.self) { try check(unused: (8 << 20) - 1) }
    try check(unused: 8 << 20)
    try check(unused: .max)
    try storage.close()
  }
}
