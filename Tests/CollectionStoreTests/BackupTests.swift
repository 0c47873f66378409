// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import StoreTesting
import Testing

@testable import CollectionStore

@Suite("Backups", .timeLimit(.minutes(3)))
struct BackupTests {
  /// Collections by identifier.
  private typealias Everything = [String: (record: CollectionRecord, heights: [[Double]])]

  private func everything(in registry: CollectionRegistry) async throws -> Everything {
    var all: Everything = [:]
    for record in registry.records(after: "", limit: .max) {
      all[record.id] = (record, try await registry.collection(record.id).heights)
    }
    return all
  }

  @Test("another server opens a backup and finds what was there, with new incarnations")
  func opening() async throws {
    let (store, copy) = (try TemporaryStore(), try TemporaryStore())
    let before = try await store.open { registry in
      let record = CollectionRecord(id: "a", displayName: "Ä")
      let contents = TestCodec.contents([(0 ..< 5000).map { Double($0 % 7) }, [2]])
      let collection = try await registry.create(record, contents: contents)
      _ = try await registry.create(CollectionRecord(id: "b"), contents: .empty)
      // Only in the log.
      _ = try await collection.commit(TestOperation(.insertItems, section: 1, count: 3, seed: 4))
      let before = try await everything(in: registry)
      let bytes = try await registry.backUp(to: copy.path)
      #expect(bytes > 10_000)
      _ = try await collection.commit(TestOperation(.insertItems, section: 1, count: 9, seed: 5))
      return before
    }
    try await copy.open { registry in
      let found = try await everything(in: registry)
      #expect(found.keys == before.keys)
      for (id, old) in before {
        #expect(found[id]?.heights == old.heights)
        #expect(found[id]?.record.dataVersion == old.record.dataVersion)
        #expect(found[id]?.record.displayName == old.record.displayName)
        #expect(found[id]?.record.incarnation != old.record.incarnation)
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: copy.folder)
    #expect(!files.contains { $0.contains("partial") })
  }

  @Test("commits go on while a backup is written, and it holds one moment")
  func meanwhile() async throws {
    let (store, copy) = (try TemporaryStore(), try TemporaryStore())
    let versions = try await store.open { registry in
      let contents = TestCodec.contents([(0 ..< 50_000).map { Double($0 % 9) }])
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: contents)
      let first = collection.dataVersion
      async let backup = registry.backUp(to: copy.path)
      for seed in 1 ... 20 {
        _ = try await collection.commit(
          TestOperation(.insertItems, section: 0, count: 1, seed: seed)
        )
      }
      _ = try await backup
      return first ... collection.dataVersion
    }
    try await copy.open { registry in
      let collection = try await registry.collection("a")
      #expect(versions.contains(collection.dataVersion))
      let added = Int(collection.dataVersion - versions.lowerBound)
      #expect(collection.heights.map(\.count) == [50_000 + added])
    }
  }

  @Test("no file is replaced, and none is left where a backup fails")
  func failures() async throws {
    let store = try TemporaryStore()
    try await store.open { registry in
      let path = store.folder + "/copy.sqlite"
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
      await #expect(throws: StorageFault.self) { try await registry.backUp(to: path) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
      let nowhere = store.folder + "/none/copy.sqlite"
      await #expect(throws: StorageFault.self) { try await registry.backUp(to: nowhere) }
      // The store itself is well.
      #expect(registry.health.fault == nil)
      _ = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      // What an earlier server has left is in nobody's way.
      let other = store.folder + "/other.sqlite"
      try Data([9]).write(to: URL(fileURLWithPath: other + ".partial"))
      let bytes = try await registry.backUp(to: other)
      #expect(bytes > 0)
      #expect(!FileManager.default.fileExists(atPath: other + ".partial"))
    }
  }

  @Test("a disk without room for a backup has none, and the store works on")
  func fullDisk() async throws {
    let store = try TemporaryStore()
    let system = StorageSystem(freeBytes: { _ in 17 << 20 }, checkInterval: nil)
    let storage = try SQLiteStorage(path: store.path, system: system) { _ in }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    let contents = TestCodec.contents([(0 ..< 200_000).map { Double($0 % 9) }])
    _ = try await registry.create(CollectionRecord(id: "a"), contents: contents)
    await #expect(throws: StorageFault.self) {
      try await registry.backUp(to: store.folder + "/copy.sqlite")
    }
    #expect(registry.health.fault == nil)
    try storage.close()
  }

  @Test("a store in memory has no backups")
  func memory() async throws {
    let registry = CollectionRegistry(storage: MemoryStorage(), codec: TestCodec())
    await #expect(throws: StorageFault.self) { try await registry.backUp(to: "copy.sqlite") }
  }
}
