// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import StoreTesting
import Synchronization
import Testing

@testable import CollectionStore

@Suite("Batches that are stored together", .timeLimit(.minutes(2)))
struct CommitGroupingTests {
  /// Keeps appends waiting until they are let through.
  private final class HeldAppends: ForwardingStorage {
    struct Away: Error {}

    let memory = MemoryStorage(keepsContents: true)
    let changes = ChangeSignal()
    private let state = Mutex((sizes: [Int](), allowed: 0, isAway: false))

    /// How many batches each append had.
    var sizes: [Int] { state.withLock { $0.sizes } }

    func append(_ entries: [LogEntry]) async throws {
      let turn = state.withLock { state in
        state.sizes.append(entries.count)
        return state.sizes.count
      }
      changes.send()
      await changes.wait { state.withLock { $0.allowed >= turn } }
      if state.withLock({ $0.isAway }) { throw StorageFault(.unreachable, "away") }
      try await memory.append(entries)
    }

    /// Lets so many more appends through.
    func allow(_ count: Int) {
      state.withLock { $0.allowed += count }
      changes.send()
    }

    func goAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }
  }

  /// A collection whose first batch is being stored, while the others wait.
  private func withWaiting(
    _ operations: [(operation: TestOperation, id: String)],
    _ body: (HeldAppends, LiveCollection, [Task<Commit, any Error>]) async throws -> Void
  ) async throws {
    let storage = HeldAppends()
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: TestCodec.contents([[1]])
    )
    var tasks: [Task<Commit, any Error>] = []
    for (index, (operation, id)) in operations.enumerated() {
      tasks.append(
        // Runs until it has to wait, so they arrive in this order.
        Task.immediate {
          try await collection.commit(operation.batch(requestID: id)) {
            TestCodec.payload(operation)
          }
        }
      )
      if index == 0 { await storage.changes.wait { storage.sizes.count == 1 } }
      #expect(collection.gate.waitingCount == index)
    }
    try await body(storage, collection, tasks)
  }

  private func insertions(_ count: Int) -> [(operation: TestOperation, id: String)] {
    (0 ..< count).map { (TestOperation(.insertItems, count: 1, seed: $0), "r\($0)") }
  }

  @Test("those that arrive while others are being stored are one append of several versions")
  func together() async throws {
    try await withWaiting(insertions(100)) { storage, collection, tasks in
      storage.allow(10)
      var versions: [UInt64] = []
      for task in tasks { versions.append(try await task.value.dataVersion) }
      #expect(versions == Array(1 ... 100))
      #expect(storage.sizes == [1, 64, 35])
      let ids = try collection.history(after: 0, limit: 200).map(\.requestID)
      #expect(ids == (0 ..< 100).map { "r\($0)" })
      #expect(collection.snapshot.contents.itemCount == 101)
    }
  }

  @Test("one that is refused, and a retry among them, are answered as by themselves")
  func refusals() async throws {
    var operations = insertions(5)
    operations[2].operation = TestOperation(.deleteItems, item: 50, count: 1)
    operations[4] = operations[1]
    try await withWaiting(operations) { storage, collection, tasks in
      storage.allow(10)
      var results: [Result<Commit, any Error>] = []
      for task in tasks { results.append(await task.result) }
      #expect(results.compactMap { try? $0.get().dataVersion } == [1, 2, 3, 2])
      let again = try results[4].get()
      #expect(again.isDuplicate)
      #expect(throws: StoreError.self) { try results[2].get() }
      #expect(storage.sizes == [1, 2])
      #expect(collection.dataVersion == 3)
    }
  }

  @Test("if the storage is away all of them fail, and nothing is left of them")
  func absence() async throws {
    try await withWaiting(insertions(9)) { storage, collection, tasks in
      storage.goAway(true)
      storage.allow(10)
      for task in tasks { await #expect(throws: StoreError.self) { try await task.value } }
      #expect(collection.dataVersion == 0 && collection.snapshot.contents.itemCount == 1)
      storage.goAway(false)
      let operation = TestOperation(.insertItems, count: 1, seed: 1)
      let commit = try await collection.commit(operation.batch(requestID: "r1")) {
        TestCodec.payload(operation)
      }
      #expect(commit == Commit(dataVersion: 1, isDuplicate: false))
    }
  }

  @Test("whoever is cancelled before is left out; who is cancelled meanwhile is answered")
  func cancellation() async throws {
    try await withWaiting(insertions(9)) { storage, collection, tasks in
      tasks[3].cancel()
      await #expect(throws: StoreError.self) { try await tasks[3].value }
      storage.allow(1)
      // The second task stores the rest.
      await storage.changes.wait { storage.sizes.count == 2 }
      for index in [1, 4, 5] { tasks[index].cancel() }
      storage.allow(10)
      var versions: [UInt64] = []
      for index in [0, 1, 2, 4, 5, 6, 7, 8] {
        versions.append(try await tasks[index].value.dataVersion)
      }
      #expect(versions == Array(1 ... 8))
      #expect(storage.sizes == [1, 7])
      #expect(collection.dataVersion == 8)
    }
  }

  @Test("what names many items in few bytes is applied where that delays nobody")
  func costs() async throws {
    let registry = CollectionRegistry(storage: MemoryStorage(), codec: TestCodec())
    try await registry.load()
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 100_000)])])
    )
    let applied = Mutex(0)
    let applier = BatchApplier(isLarge: false) { apply in
      applied.withLock { $0 += 1 }
      apply()
    }
    func commit(_ operation: UpdateOperation) async throws {
      _ = try await collection.commit(UpdateBatch([operation]), applier: applier) { [] }
    }
    try await commit(.deleteItems(section: 0, items: 0 ..< 1))
    #expect(applied.withLock { $0 } == 0)
    try await commit(
      .reconfigureItems(
        section: 0,
        items: 0 ..< 99_999,
        blocks: [ItemBlock(count: 99_999, widths: [1])]
      )
    )
    #expect(applied.withLock { $0 } == 1)
  }

  @Test("a large batch is one of its own, and what is put back keeps its place")
  func queue() async throws {
    let queue = WaitingBatches()
    let large = BatchApplier(isLarge: true) { apply in apply() }
    let batches = (0 ..< 6).map { index in
      WaitingBatch(
        TestOperation(.insertItems, count: 1, seed: index).batch(requestID: "r\(index)"),
        index == 2 ? large : nil
      ) { [] }
    }
    for batch in batches { queue.add(batch) }
    func take() -> [String] { queue.takeGroup().map(\.batch.requestID) }
    #expect(take() == ["r0", "r1"])
    #expect(take() == ["r2"])
    #expect(queue.abandon(batches[3]))
    #expect(!queue.abandon(batches[1]))
    queue.putBack([batches[0], batches[1], batches[2]])
    // Nobody waits for it in turn any more.
    #expect(throws: StoreError.self) { try batches[1].outcome?.get() }
    #expect(take() == ["r0"])
    #expect(take() == ["r2"])
    #expect(take() == ["r4", "r5"])
    #expect(take().isEmpty)
    batches[4].settle(.success(Commit(dataVersion: 7, isDuplicate: false)))
    batches[4].settle(.failure(.cancelled))
    #expect(try await batches[4].settled().get().dataVersion == 7)
  }
}
