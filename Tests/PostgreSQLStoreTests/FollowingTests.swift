// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting
import Synchronization
import TestSupport
import Testing

/// What a server makes of readings that overlap with what happens.
@Suite("Following other servers", .timeLimit(.minutes(3)))
struct FollowingTests {
  private let memory = MemoryStorage(keepsContents: true)
  private let log: HeldChanges
  private let first: CollectionRegistry
  private let second: CollectionRegistry

  init() async throws {
    log = HeldChanges(memory)
    first = CollectionRegistry(storage: memory, codec: TestCodec())
    second = CollectionRegistry(storage: log, codec: TestCodec())
    try await second.load()
  }

  private func create(_ id: String, by server: CollectionRegistry) async throws {
    _ = try await server.create(CollectionRecord(id: id), contents: TestCodec.contents([[1]]))
  }

  @Test("what is created and deleted here does not hide what others have created")
  func overlapping() async throws {
    try await create("old", by: second)
    try await create("new", by: first)
    log.hold(true)
    let before = log.count
    let asking = Task.immediate { try await second.collection("new").heights }
    await log.signal.wait { log.count == before + 1 }
    try await create("mine", by: second)
    try await second.delete("old")
    log.hold(false)
    let heights = try await asking.value
    #expect(heights == [[1]])
    // The reading was older than both.
    #expect(second.records(after: "", limit: 9).map(\.id) == ["mine", "new"])
    try await second.catchUp()
    #expect(second.records(after: "", limit: 9).map(\.id) == ["mine", "new"])
  }

  @Test("what was created again elsewhere is found, though it was deleted here meanwhile")
  func createdAgain() async throws {
    try await create("a", by: second)
    log.hold(true)
    let before = log.count
    let asking = Task.immediate { try? await second.collection("nobody") }
    await log.signal.wait { log.count == before + 1 }
    try await second.delete("a")
    try await create("a", by: first)
    log.hold(false)
    #expect(await asking.value == nil)
    let found = try await second.collection("a").incarnation
    let stored = try first.record("a").incarnation
    #expect(found == stored)
  }

  @Test("the description of a collection is found as soon as somebody asks for it")
  func descriptions() async throws {
    try await create("a", by: first)
    #expect(throws: StoreError.self) { try second.record("a") }
    let record = try await second.currentRecord("a")
    let stored = try first.record("a")
    #expect(record == stored)
  }

  @Test("a collection that is deleted between two reads of it is gone, and that is no fault")
  func deletedBetweenReads() async throws {
    try await create("a", by: first)
    let two = try await second.collection("a")
    try await first.collection("a").commit(.append(1))
    log.tails.withLock { tails in
      tails = { memory in
        await memory.delete("a")
        return .trimmed
      }
    }
    try await two.refresh()
    #expect(two.isDeleted)
    do {
      try await two.commit(.append(2))
      Issue.record("a batch was stored nowhere")
    } catch StoreError.notFound {}
  }

  @Test("a collection that was missing for a moment is served when it is back")
  func missing() async throws {
    try await create("a", by: first)
    let two = try await second.collection("a")
    log.tails.withLock { $0 = { _ in .gone } }
    try await two.refresh()
    #expect(two.isDeleted)
    log.tails.withLock { $0 = nil }
    let again = try await second.collection("a")
    #expect(again !== two)
    try await again.commit(.append(1))
    #expect(again.dataVersion == 1)
  }

  /// A registry whose costly batches of other servers are counted.
  private func counting() async throws -> (CollectionRegistry, count: () -> Int) {
    let count = Counted()
    let registry = CollectionRegistry(
      storage: memory,
      codec: TestCodec(),
      followApplier: BatchApplier(isLarge: false) { apply in
        count.value.withLock { $0 += 1 }
        apply()
      }
    )
    try await registry.load()
    return (registry, { count.value.withLock { $0 } })
  }

  private final class Counted: Sendable {
    let value = Mutex(0)
  }

  @Test("costly batches of others are applied where this server's own are, however few bytes")
  func costlyBatches() async throws {
    try await create("a", by: first)
    let (third, count) = try await counting()
    let one = try await first.collection("a")
    let three = try await third.collection("a")
    // 2,048 is the price of about a millisecond (`BatchApplier.littleCost`).
    try await one.commit(TestOperation(.insertItems, count: 1500, seed: 1))
    try await three.refresh()
    #expect(count() == 0)
    try await one.commit(TestOperation(.insertItems, count: 3000, seed: 2))
    try await three.refresh()
    #expect(count() == 1)
    // Each is cheap, and all that are applied in one turn are not.
    for seed in 0 ..< 3 {
      try await one.commit(TestOperation(.insertItems, count: 1000, seed: seed))
    }
    try await three.refresh()
    #expect(count() == 2)
    #expect(three.dataVersion == 5 && three.heights == one.heights)
    let changes = try three.catchUp(from: 0).changes
    #expect(changes?.map(\.version) == [1, 2, 3, 4, 5])
  }

  @Test("batches of many bytes are decoded there as well")
  func largeBatches() async throws {
    try await create("a", by: first)
    let (third, count) = try await counting()
    let one = try await first.collection("a")
    let three = try await third.collection("a")
    for seed in 0 ..< 900 { try await one.commit(.append(seed)) }
    try await three.refresh()
    #expect(count() == 1)
    #expect(three.heights == one.heights)
  }
}
