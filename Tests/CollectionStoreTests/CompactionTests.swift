// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import ResourceAccounting
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

@Suite("Compaction", .timeLimit(.minutes(1)))
struct CompactionTests {
  /// Keeps the compactions that it is asked for pending until the test answers them.
  private final class HeldCompactions: ForwardingStorage {
    let memory = MemoryStorage(keepsContents: true)
    let pending = Mutex<[@Sendable (Bool) -> Void]>([])
    /// Called instead of an append.
    let append = Mutex<(@Sendable () throws -> Void)?>(nil)

    func append(_ entries: [LogEntry]) async throws {
      guard let append = append.withLock({ $0 }) else { return try await memory.append(entries) }
      try append()
    }

    func compact(
      _ snapshot: ContentsSnapshot,
      since base: ContentsSnapshot?,
      of record: CollectionRecord,
      retention: LogRetention,
      completion: @escaping @Sendable (Bool) -> Void
    ) { pending.withLock { $0.append(completion) } }

    /// Answers the oldest compaction.
    ///
    /// - Returns: whether there was one.
    func answer(_ isStored: Bool) -> Bool {
      let completion = pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      completion?(isStored)
      return completion != nil
    }
  }

  private final class Clock: Sendable {
    private let seconds = Mutex<Int64>(1_000_000)
    var now: CollectionTime { CollectionTime(seconds: seconds.withLock { $0 }) }
    func advance(_ amount: Int64) { seconds.withLock { $0 += amount } }
  }

  private let operation = TestOperation(.insertSection, count: 1, seed: 1)

  @Test("one that fails is tried again after 10 s, then after twice as long, up to an hour")
  func backoff() async throws {
    let (storage, clock) = (HeldCompactions(), Clock())
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(snapshotBatchCount: 2),
      now: { clock.now }
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    _ = try await collection.commit(operation)
    #expect(!storage.answer(false))
    for delay: Int64 in [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600] {
      _ = try await collection.commit(operation)
      #expect(storage.answer(false))
      clock.advance(delay - 1)
      for _ in 0 ..< 3 { _ = try await collection.commit(operation) }
      #expect(!storage.answer(false), "before \(delay) s")
      clock.advance(1)
    }
    // A clock that is set back does not put it off for ever.
    _ = try await collection.commit(operation)
    #expect(storage.answer(false))
    clock.advance(-100_000)
    _ = try await collection.commit(operation)
    #expect(storage.answer(true))
    // Once it succeeded, the next is due with its batches.
    _ = try await collection.commit(operation)
    #expect(!storage.answer(true))
    _ = try await collection.commit(operation)
    #expect(storage.answer(false))
    clock.advance(9)
    _ = try await collection.commit(operation)
    #expect(!storage.answer(true))
  }

  @Test("one at a time, and what was replaced meanwhile stays counted right")
  func overtaken() async throws {
    let (storage, clock) = (HeldCompactions(), Clock())
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(snapshotBatchCount: 3),
      now: { clock.now }
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    for _ in 0 ..< 8 { _ = try await collection.commit(operation) }
    #expect(storage.pending.withLock { $0.count } == 1)
    _ = try await collection.replaceContents(
      with: .empty,
      expectedDataVersion: nil
    ) { _ in nil }
    for _ in 0 ..< 2 { _ = try await collection.commit(operation) }
    #expect(storage.answer(true))
    // The two batches since the replacement still count.
    _ = try await collection.commit(operation)
    #expect(storage.answer(true))
  }

  @Test("one that ends during a commit leaves what that commit has claimed of the account")
  func claims() async throws {
    let storage = HeldCompactions()
    let server = Account(limit: 1 << 30)
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(snapshotBatchCount: 1),
      account: { server.child(.collection, named: $0, limit: 1 << 30) }
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    _ = try await collection.commit(operation)
    let before = server.used
    #expect(before == collection.byteCount)
    let during = Mutex(0)
    storage.append.withLock { append in
      append = {
        #expect(storage.answer(true))
        during.withLock { $0 = server.used }
        throw StorageFault(.conflict, "another server was faster")
      }
    }
    await #expect(throws: StoreError.self) {
      _ = try await collection.commit(TestOperation(.insertSection, count: 60_000, seed: 1))
    }
    #expect(during.withLock { $0 } > before + 60_000)
    #expect(server.used == collection.byteCount)
    storage.append.withLock { $0 = nil }
    _ = try await collection.commit(operation)
    #expect(server.used == collection.byteCount)
  }

  @Test("a damaged row of the old log is reported once, dropped, and stops nothing")
  func damagedLog() async throws {
    let store = try TemporaryStore()
    let reports = Mutex<[String]>([])
    let report: @Sendable (StorageFault) -> Void = { fault in
      reports.withLock { $0.append("\(fault)") }
    }
    let storage = try SQLiteStorage(path: store.path, report: report)
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(historyCount: 2, snapshotBatchCount: 5)
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    for _ in 0 ..< 3 { _ = try await collection.commit(operation) }
    try store.edit("UPDATE batch SET request_id = x'41' WHERE version = 2")
    for _ in 0 ..< 20 {
      _ = try await collection.commit(operation)
      storage.finishBackgroundWork()
    }
    let heights = collection.heights
    try storage.close()
    #expect(
      reports.withLock { $0 }
        == [
          "collection a is damaged: version 2 of the log differs from what was written; the server replaces "
            + "what is stored by the contents in memory, which are intact"
        ]
    )
    #expect(try store.number("SELECT version FROM snapshot") >= 20)
    #expect(try store.number("SELECT min(version) FROM batch") > 2)
    #expect(try await store.heights() == heights)
  }

  @Test("a log of which no snapshot is written takes a bounded number of batches until one is")
  func fullLog() async throws {
    let (storage, clock) = (HeldCompactions(), Clock())
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(snapshotBatchCount: 2),
      now: { clock.now }
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    func isFull(_ batches: Int) async -> Bool {
      do { _ = try await collection.commit(operation) } catch StoreError.logFull("a", batches, _) {
        return true
      } catch { Issue.record("\(error)") }
      return false
    }
    for _ in 0 ..< 128 { _ = try await collection.commit(operation) }
    // The one that the second batch asked for is still pending.
    for _ in 0 ..< 3 { #expect(await isFull(128)) }
    #expect(collection.dataVersion == 128)
    #expect(storage.answer(false))
    // It is tried again without a commit, and after ten seconds however often it fails.
    for _ in 0 ..< 8 {
      #expect(await isFull(128))
      #expect(!storage.answer(false))
      clock.advance(10)
      #expect(await isFull(128))
      #expect(storage.answer(false))
    }
    clock.advance(10)
    #expect(await isFull(128))
    #expect(storage.answer(true))
    for _ in 0 ..< 128 { _ = try await collection.commit(operation) }
    #expect(await isFull(128))
    #expect(collection.dataVersion == 256)
  }

  @Test("four times the bytes of a snapshot's log are the end, too")
  func fullBytes() {
    let limits = StoreLimits(snapshotBatchCount: 10, snapshotLogBytes: 1000)
    #expect(!limits.isFull(batches: 639, bytes: 3999))
    #expect(limits.isFull(batches: 640, bytes: 0))
    #expect(limits.isFull(batches: 0, bytes: 4000))
  }
}
