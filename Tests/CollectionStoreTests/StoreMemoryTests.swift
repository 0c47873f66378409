// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import ResourceAccounting
import StoreTesting
import TestSupport
import Testing

@testable import CollectionStore

@Suite("StoreMemory", .timeLimit(.minutes(2)))
struct StoreMemoryTests {
  /// Contents with a height for each item: about four bytes each.
  private func contents(_ items: Int) -> CollectionContents {
    TestOperation(.replace, count: items, seed: 1).contents
  }

  private func limitName(
    _ body: () async throws -> Void
  ) async -> StoreError.ByteLimit? {
    do { try await body() } catch StoreError.limitExceeded(let name, let found, let limit) {
      #expect(found > limit)
      return name
    } catch { Issue.record("\(error)") }
    return nil
  }

  @Test("what was used least recently leaves when imports grow, not only when collections come")
  func growth() async throws {
    let store = try TemporaryStore()
    let size = contents(50_000).indexedByteCount
    let limits = StoreLimits(residentBytes: 4 * size)
    try await store.open(limits: limits) { registry in
      for index in 0 ..< 20 {
        _ = try await registry.create(CollectionRecord(id: "c\(index)"), contents: .empty)
      }
      #expect(registry.residentCount == 20)
      for index in 0 ..< 20 {
        _ = try await registry.collection("c\(index)").replaceContents(
          with: contents(50_000),
          expectedDataVersion: nil
        ) { _ in nil }
        #expect(registry.memory.byteCount <= limits.residentBytes)
      }
      #expect(registry.residentCount <= 4)
      for index in 0 ..< 20 {
        #expect(try await registry.collection("c\(index)").snapshot.contents.itemCount == 50_000)
        #expect(registry.memory.byteCount <= limits.residentBytes)
      }
    }
  }

  @Test("what is used stays, and what needs room meanwhile is refused by the name of the limit")
  func everythingInUse() async throws {
    let store = try TemporaryStore()
    let size = contents(50_000).indexedByteCount
    let limits = StoreLimits(residentBytes: 2 * size + size / 2)
    try await store.open(limits: limits) { registry in
      var held: [LiveCollection] = []
      for id in ["a", "b"] {
        held.append(try await registry.create(CollectionRecord(id: id), contents: contents(50_000)))
      }
      #expect(
        await limitName {
          _ = try await registry.create(CollectionRecord(id: "c"), contents: contents(50_000))
        } == .residentBytes
      )
      // A refused one leaves nothing, neither its name nor its bytes.
      _ = try await registry.create(CollectionRecord(id: "c"), contents: .empty)
      #expect(
        await limitName {
          _ = try await held[0].commit(TestOperation(.insertSection, count: 60_000, seed: 1))
        } == .residentBytes
      )
      #expect(held[0].dataVersion == 0)
      // Less is never refused.
      _ = try await held[0].commit(TestOperation(.deleteItems, item: 0, count: 40_000))
      _ = try await registry.collection("c").commit(
        TestOperation(.insertSection, count: 5_000, seed: 1)
      )
      #expect(registry.memory.byteCount <= limits.residentBytes)
      held.removeAll()
    }
  }

  @Test("an open beyond the limit is refused while all are used, and works once one is let go")
  func refusedOpening() async throws {
    let store = try TemporaryStore()
    let size = contents(50_000).indexedByteCount
    try await store.open { registry in
      for id in ["a", "b", "c"] {
        _ = try await registry.create(CollectionRecord(id: id), contents: contents(50_000))
      }
    }
    let limits = StoreLimits(residentBytes: 2 * size + size / 2)
    try await store.open(limits: limits) { registry in
      let first = try await registry.collection("a")
      var second: LiveCollection? = try await registry.collection("b")
      for _ in 0 ..< 3 {
        #expect(await limitName { _ = try await registry.collection("c") } == .residentBytes)
        #expect(registry.memory.byteCount <= limits.residentBytes)
      }
      #expect(second?.id == "b")
      second = nil
      #expect(try await registry.collection("c").snapshot.contents.itemCount == 50_000)
      #expect(first.snapshot.contents.itemCount == 50_000)
    }
  }

  @Test("nobody is evicted for what does not fit anyway, nor for who stays since he is used")
  func evictedInVain() async throws {
    let store = try TemporaryStore()
    let size = contents(50_000).indexedByteCount
    let limits = StoreLimits(residentBytes: 2 * size + size / 2)
    try await store.open(limits: limits) { registry in
      for index in 0 ..< 10 {
        _ = try await registry.create(CollectionRecord(id: "s\(index)"), contents: contents(10))
      }
      let first = try await registry.create(
        CollectionRecord(id: "a"),
        contents: contents(50_000)
      )
      _ = try await registry.create(CollectionRecord(id: "b"), contents: contents(50_000))
      for index in 0 ..< 10 { _ = try await registry.collection("s\(index)") }
      #expect(registry.residentCount == 12)
      var second: LiveCollection? = try await registry.collection("b")
      for _ in 0 ..< 3 {
        #expect(
          await limitName {
            _ = try await registry.create(CollectionRecord(id: "c"), contents: contents(50_000))
          } == .residentBytes
        )
      }
      #expect(registry.residentCount == 12)
      #expect(second?.dataVersion == 0 && first.dataVersion == 0)
      // It counts as used when somebody was passed over for it, so it is the last one to leave.
      for index in 0 ..< 5 { _ = try await registry.collection("s\(index)") }
      second = nil
      _ = try await registry.create(CollectionRecord(id: "c"), contents: contents(50_000))
      #expect(registry.memory.byteCount <= limits.residentBytes)
      #expect(first.dataVersion == 0)
    }
  }

  @Test("history, changes and request identifiers are counted, and given back")
  func counting() async throws {
    let store = try TemporaryStore()
    let limits = StoreLimits(historyCount: 50, changeCount: 50, requestCount: 50)
    try await store.open(limits: limits) { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: contents(10))
      let before = collection.byteCount
      #expect(registry.memory.byteCount == before)
      let payload = [UInt8](repeating: 0, count: 10_000)
      for index in 0 ..< 100 {
        let batch = TestOperation(.insertItems, count: 1, seed: index).batch(requestID: "r\(index)")
        _ = try await collection.commit(batch) { payload }
        #expect(registry.memory.byteCount == collection.byteCount)
      }
      // Fifty payloads in the history and what fifty changes pin.
      #expect(collection.byteCount > before + 50 * 10_000)
      #expect(collection.byteCount < before + 400 * 10_000)
      _ = try await collection.replaceContents(
        with: contents(10),
        expectedDataVersion: nil
      ) { _ in nil }
      #expect(collection.byteCount < before + 20_000)
      #expect(registry.memory.byteCount == collection.byteCount)
      try await registry.delete("a")
    }
  }

  @Test("bytes come back with the last user")
  func givingBack() async throws {
    let store = try TemporaryStore()
    try await store.open { registry in
      var held: LiveCollection? = try await registry.create(
        CollectionRecord(id: "a"),
        contents: contents(10_000)
      )
      registry.memory.releaseUnused()
      #expect(registry.memory.byteCount == held?.byteCount)
      #expect(registry.residentCount == 1)
      held = nil
      #expect(registry.memory.byteCount == 0)
      #expect(registry.residentCount == 0)
    }
  }

  @Test("a large change that nobody may keep is not kept")
  func pinnedContents() async throws {
    let limits = StoreLimits(changeBytes: 1 << 16)
    let registry = CollectionRegistry(
      storage: MemoryStorage(),
      codec: TestCodec(),
      limits: limits
    )
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: contents(100_000)
    )
    // Small as a batch, but the change holds on to all that was there before.
    _ = try await collection.replaceContents(
      with: contents(1),
      expectedDataVersion: nil
    ) { _ in [1] }
    #expect(try collection.catchUp(from: 0).changes == nil)
    #expect(try collection.history(after: 0, limit: 1).count == 1)
    #expect(collection.byteCount < 10_000)
  }

  @Test("a collection has a limit of its own")
  func collectionLimit() async throws {
    let registry = CollectionRegistry(
      storage: MemoryStorage(),
      codec: TestCodec(),
      limits: StoreLimits(collectionBytes: 100_000)
    )
    #expect(
      await limitName {
        _ = try await registry.create(CollectionRecord(id: "a"), contents: contents(60_000))
      } == .collectionBytes
    )
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: contents(10_000)
    )
    #expect(
      await limitName {
        _ = try await collection.commit(TestOperation(.insertItems, count: 60_000, seed: 1))
      } == .collectionBytes
    )
    #expect(
      await limitName {
        _ = try await collection.replaceContents(
          with: contents(60_000),
          expectedDataVersion: nil
        ) { _ in nil }
      } == .collectionBytes
    )
    #expect(collection.dataVersion == 0)
  }

  @Test("an import's reservation counts from the first part, and moves over to the collection")
  func reservations() async throws {
    let new = contents(50_000)
    let limits = StoreLimits(residentBytes: new.indexedByteCount + 10_000)
    let registry = CollectionRegistry(
      storage: MemoryStorage(),
      codec: TestCodec(),
      limits: limits
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    let before = registry.memory.byteCount
    let reservation = try registry.memory.reserve(100)
    try reservation.resize(to: new.indexedByteCount)
    #expect(registry.memory.byteCount == before + new.indexedByteCount)
    #expect(await limitName { _ = try registry.memory.reserve(20_000) } == .residentBytes)
    #expect(await limitName { try reservation.resize(to: .max) } == .residentBytes)
    _ = try await collection.replaceContents(
      with: new,
      expectedDataVersion: nil,
      reservation: reservation
    ) { _ in nil }
    #expect(reservation.byteCount == 0)
    #expect(registry.memory.byteCount == collection.byteCount)
  }

  @Test("what describes collections is limited, each and all, and counted down again")
  func records() async throws {
    let limits = StoreLimits(recordBytes: 2000, totalRecordBytes: 5000)
    let registry = CollectionRegistry(
      storage: MemoryStorage(),
      codec: TestCodec(),
      limits: limits
    )
    func record(_ id: String, _ bytes: Int) -> CollectionRecord {
      CollectionRecord(id: id, defaultLayout: [UInt8](repeating: 1, count: bytes))
    }
    #expect(
      await limitName { _ = try await registry.create(record("a", 3000), contents: .empty) }
        == .recordBytes
    )
    for id in ["a", "b"] { _ = try await registry.create(record(id, 1700), contents: .empty) }
    #expect(
      await limitName { _ = try await registry.create(record("c", 1700), contents: .empty) }
        == .totalRecordBytes
    )
    let third = try await registry.create(record("c", 500), contents: .empty)
    let grown = [UInt8](repeating: 1, count: 1700)
    #expect(
      await limitName { _ = try await third.updateRecord { $0.defaultLayout = grown } }
        == .totalRecordBytes
    )
    #expect(third.snapshot.record.defaultLayout?.count == 500)
    try await registry.delete("a")
    _ = try await third.updateRecord { $0.defaultLayout = grown }
    for id in ["b", "c"] { try await registry.delete(id) }
    #expect(registry.memory.recordByteCount == 0)
    for id in ["a", "b"] { _ = try await registry.create(record(id, 1000), contents: .empty) }
    #expect(registry.records(after: "", limit: 9, byteLimit: 1500).map(\.id) == ["a"])
    #expect(registry.records(after: "", limit: 9, byteLimit: 1).map(\.id) == ["a"])
    #expect(registry.records(after: "", limit: 9, byteLimit: 3000).map(\.id) == ["a", "b"])
  }

  @Test(
    "an account is charged while a collection is in memory, and refuses what it has no room for"
  )
  func accounts() async throws {
    let store = try TemporaryStore()
    let server = Account(limit: 1 << 20)
    let storage = try SQLiteStorage(path: store.path)
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      account: { server.child(.collection, named: $0, limit: 400_000) }
    )
    var collection: LiveCollection? = try await registry.create(
      CollectionRecord(id: "a"),
      contents: contents(50_000)
    )
    #expect(server.used == collection?.byteCount)
    await #expect {
      _ = try await collection?.commit(TestOperation(.insertSection, count: 60_000, seed: 1))
    } throws: { error in
      if case StoreError.accountExceeded(let error) = error {
        error.scope == .collection && error.name == "a"
      } else {
        false
      }
    }
    #expect(server.used == collection?.byteCount)
    _ = try await collection?.commit(TestOperation(.insertItems, count: 10, seed: 1))
    #expect(server.used == collection?.byteCount)
    collection = nil
    registry.memory.releaseUnused()
    #expect(server.used == 0)
    try storage.close()
  }
}
