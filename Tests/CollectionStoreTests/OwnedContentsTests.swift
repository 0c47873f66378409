// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import StoreTesting
import Synchronization
import Testing

@testable import CollectionStore

@Suite("Contents of an owner", .timeLimit(.minutes(1)))
struct OwnedContentsTests {
  private let limit = Limit()

  /// A limit that a test sets.
  private final class Limit: Sendable {
    let bytes = Mutex<Int?>(nil)
  }

  private func registry(_ storage: any CollectionStorage = MemoryStorage()) -> CollectionRegistry {
    let limit = limit
    return CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      ownerLimit: { owner in owner == "limited" ? limit.bytes.withLock { $0 } : nil }
    )
  }

  private func contents(_ count: Int) -> CollectionContents {
    TestCodec.contents([(0 ..< count).map { Double($0) }])
  }

  private func isRefused(_ body: () async throws -> Void) async throws -> Bool {
    do { try await body() } catch StoreError.limitExceeded(.identityBytes, let found, let limit) {
      #expect(found > limit)
      return true
    }
    return false
  }

  @Test("contents count for whoever created them, as long as they live")
  func counting() async throws {
    let registry = registry()
    let first = try await registry.create(
      CollectionRecord(id: "a", owner: "limited"),
      contents: contents(100)
    )
    func counted() -> Int { registry.ownedByteCount(of: "limited") }
    #expect(counted() == first.snapshot.contents.indexedByteCount)
    _ = try await registry.create(CollectionRecord(id: "b"), contents: contents(100))
    let second = try await registry.create(
      CollectionRecord(id: "c", owner: "limited"),
      contents: contents(500)
    )
    for _ in 0 ..< 20 {
      _ = try await first.commit(
        TestOperation(.insertItems, section: 0, item: 0, count: 3, seed: 1)
      )
    }
    func size(_ collection: LiveCollection) -> Int {
      collection.snapshot.contents.indexedByteCount
    }
    #expect(counted() == size(first) + size(second))
    _ = try await second.replaceContents(with: contents(10), expectedDataVersion: nil) { _ in nil }
    #expect(counted() == size(first) + size(second))
    try await registry.delete("a")
    #expect(counted() == size(second))
    try await registry.delete("c")
    #expect(counted() == 0)
  }

  @Test(
    "what would exceed the limit is refused, whoever asks for it, and nothing is counted for it"
  )
  func refusals() async throws {
    let registry = registry()
    let collection = try await registry.create(
      CollectionRecord(id: "a", owner: "limited"),
      contents: contents(100)
    )
    let before = registry.ownedByteCount(of: "limited")
    limit.bytes.withLock { $0 = before + 100 }
    let isCreated = try await !isRefused {
      _ = try await registry.create(
        CollectionRecord(id: "b", owner: "limited"),
        contents: contents(1000)
      )
    }
    #expect(!isCreated && registry.count == 1)
    let isCommitted = try await !isRefused {
      _ = try await collection.commit(
        TestOperation(.insertItems, section: 0, item: 0, count: 10_000, seed: 1)
      )
    }
    let isReplaced = try await !isRefused {
      _ = try await collection.replaceContents(
        with: contents(10_000),
        expectedDataVersion: nil
      ) { _ in nil }
    }
    #expect(!isCommitted && !isReplaced && collection.dataVersion == 0)
    #expect(registry.ownedByteCount(of: "limited") == before)
    // What others have created does not count, and what shrinks is not refused under a lower limit.
    _ = try await registry.create(
      CollectionRecord(id: "b", owner: "other"),
      contents: contents(1000)
    )
    limit.bytes.withLock { $0 = 1 }
    _ = try await collection.replaceContents(with: contents(5), expectedDataVersion: nil) { _ in
      nil
    }
    #expect(registry.ownedByteCount(of: "limited") < before)
  }

  @Test("the owner is stored, and what is not in memory counts about as much as if it were")
  func restart() async throws {
    let store = try TemporaryStore()
    let size = try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a", owner: "subject:eve"),
        contents: contents(50_000)
      )
      _ = try await registry.create(CollectionRecord(id: "b"), contents: contents(10))
      _ = try await collection.createLayout(
        NamedLayout(id: "x", displayName: "", layout: [1])
      )
      #expect(registry.ownedByteCount(of: "") == 0)
      return registry.ownedByteCount(of: "subject:eve")
    }
    try await store.open { registry in
      let estimate = registry.ownedByteCount(of: "subject:eve")
      #expect((size / 2 ... size * 2).contains(estimate))
      let record = try await registry.collection("a").snapshot.record
      #expect(record.owner == "subject:eve" && record.layouts.count == 1)
      #expect(try registry.record("b").owner == "")
      #expect(registry.ownedByteCount(of: "subject:eve") == size)
      try await registry.delete("a")
      #expect(registry.ownedByteCount(of: "subject:eve") == 0)
    }
  }
}
