// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting
import TestSupport
import Testing

/// Items that go from one collection to another.
@Suite("Transfers", .timeLimit(.minutes(2)))
struct TransferTests {
  /// Refuses every append after the first ones.
  private struct FailingStorage: ForwardingStorage {
    let memory = MemoryStorage(keepsContents: true)

    func append(_ entries: [LogEntry]) async throws {
      if entries.count > 1 { throw StorageFault(.unreachable, "no transfers today") }
      try await memory.append(entries)
    }
  }

  private func collections(
    _ storage: any CollectionStorage = MemoryStorage(),
    limits: StoreLimits = .init()
  ) async throws -> CollectionRegistry {
    let registry = CollectionRegistry(storage: storage, codec: TransferCodec(), limits: limits)
    try await registry.load()
    for index in 0 ..< 2 {
      let heights = (0 ..< 10).map { Double(index * 100 + $0) }
      _ = try await registry.create(
        CollectionRecord(id: "c\(index)"),
        contents: TestCodec.contents([heights])
      )
    }
    return registry
  }

  private func heights(_ registry: CollectionRegistry) async throws -> [[Double]] {
    [
      try await registry.collection("c0").heights[0],
      try await registry.collection("c1").heights[0],
    ]
  }

  private let there = TestTransfer(source: 0, destination: 1, items: [3, 1, 2, 1], place: 5)

  @Test(
    "the items leave one collection and lie in the other, in the order in which they were named"
  )
  func order() async throws {
    let registry = try await collections()
    let done = try #require(try await there.make(in: registry, requestID: "x"))
    #expect(done.sourceVersion == 1 && done.destinationVersion == 1 && !done.isDuplicate)
    #expect(
      try await heights(registry) == [
        [0, 4, 5, 6, 7, 8, 9], [100, 101, 102, 103, 104, 3, 1, 2, 105, 106, 107, 108, 109],
      ]
    )
    for id in ["c0", "c1"] {
      let collection = try await registry.collection(id)
      let logged = try collection.history(after: 0, limit: 9)
      #expect(logged.map(\.requestID) == ["x"])
      #expect(collection.snapshot.record.itemCount == collection.snapshot.contents.itemCount)
    }
  }

  @Test("a retry is told the versions and changes nothing, also after a restart")
  func retries() async throws {
    let storage = MemoryStorage(keepsContents: true)
    let registry = try await collections(storage)
    let done = try #require(try await there.make(in: registry, requestID: "x"))
    _ = try await TestTransfer(source: 0, destination: 1, items: [0], place: 0)
      .make(in: registry, requestID: "y")
    let after = try await heights(registry)
    let restarted = CollectionRegistry(storage: storage, codec: TransferCodec())
    try await restarted.load()
    for registry in [registry, restarted] {
      let again = try #require(try await there.make(in: registry, requestID: "x"))
      #expect(again.isDuplicate && again.sourceVersion == done.sourceVersion)
      #expect(again.destinationVersion == done.destinationVersion)
      #expect(try await heights(registry) == after)
    }
  }

  @Test("an identifier that only one of the collections knows is refused")
  func foreignIdentifier() async throws {
    let registry = try await collections()
    _ = try await registry.collection("c1").commit(
      UpdateBatch(requestID: "x", change: .operations([]))
    ) { [] }
    let refusal = await refusal { _ = try await there.make(in: registry, requestID: "x") }
    #expect(refusal?.reason == .fieldInvalid)
    #expect(refusal?.violations.first?.field == "request_id")
    #expect(try await registry.collection("c0").dataVersion == 0)
  }

  @Test("an identifier that both know from other batches is refused, also after a restart")
  func strangeIdentifiers() async throws {
    let file = try TemporaryStore()
    let memory = MemoryStorage(keepsContents: true)
    // Snapshots move identifiers out of the log.
    let limits = StoreLimits(historyCount: 0, snapshotBatchCount: 2)
    let back = TestTransfer(source: 1, destination: 0, items: [0], place: 0)
    for isOnDisk in [false, true] {
      let first: any CollectionStorage = isOnDisk ? try SQLiteStorage(path: file.path) : memory
      let registry = try await collections(first, limits: limits)
      let done = try await there.make(in: registry, requestID: "once")
      _ = try await back.make(in: registry, requestID: "other way")
      let (a, b) = (try await registry.collection("c0"), try await registry.collection("c1"))
      for (collection, id) in [(a, "both"), (b, "one"), (b, "both")] {
        let batch = UpdateBatch(requestID: id, change: .operations([]))
        _ = try await collection.commit(batch) { try TransferCodec.payload(batch) }
      }
      let before = try await heights(registry)
      try await check(registry, done, back, before)
      if let first = first as? SQLiteStorage {
        first.finishBackgroundWork()
        try first.close()
      }
      let second: any CollectionStorage = isOnDisk ? try SQLiteStorage(path: file.path) : memory
      let restarted = CollectionRegistry(storage: second, codec: TransferCodec(), limits: limits)
      try await restarted.load()
      try await check(restarted, done, back, before)
      try (second as? SQLiteStorage)?.close()
    }
    #expect(try file.number("SELECT count(*) FROM request WHERE length(request_id) > 16") > 0)
  }

  /// Refuses what is no retry, and recognises what is one.
  private func check(
    _ registry: CollectionRegistry,
    _ done: TransferCommit?,
    _ back: TestTransfer,
    _ before: [[Double]]
  ) async throws {
    let strange = [
      (there, "both"), (there, "one"), (there, "other way"), (back, "once"), (back, "both"),
    ]
    for (transfer, id) in strange {
      let refusal = await refusal { _ = try await transfer.make(in: registry, requestID: id) }
      #expect(refusal?.reason == .fieldInvalid, "\(id)")
      #expect(refusal?.violations.first?.field == "request_id", "\(id)")
    }
    let again = try #require(try await there.make(in: registry, requestID: "once"))
    #expect(again.isDuplicate && again.sourceVersion == done?.sourceVersion)
    #expect(again.destinationVersion == done?.destinationVersion)
    #expect(try await heights(registry) == before)
  }

  @Test(
    "a storage that fails leaves both as they were, and the memory that was claimed is free again"
  )
  func failure() async throws {
    let registry = try await collections(FailingStorage())
    let before = (try await heights(registry), registry.memory.byteCount)
    await #expect(throws: StoreError.self) {
      _ = try await there.make(in: registry, requestID: "x")
    }
    #expect(try await heights(registry) == before.0)
    #expect(registry.memory.byteCount == before.1)
    #expect(try await registry.collection("c0").dataVersion == 0)
    // It was not made, so it can be.
    await #expect(throws: StoreError.self) {
      _ = try await there.make(in: registry, requestID: "x")
    }
  }

  @Test("what the destination has no room for stays where it is")
  func limits() async throws {
    let limits = StoreLimits(contents: ContentsLimits(items: 12))
    let registry = try await collections(limits: limits)
    let refusal = await refusal { _ = try await there.make(in: registry, requestID: "") }
    #expect(refusal?.reason == .quotaItems)
    #expect(refusal?.violations.first?.field == "destination")
    #expect(try await heights(registry).map(\.count) == [10, 10])
  }

  @Test("a version that is not expected, the same collection and a deleted one are refused")
  func refusals() async throws {
    let registry = try await collections()
    let (a, b) = (try await registry.collection("c0"), try await registry.collection("c1"))
    func refused(
      _ change: (inout ItemTransfer) -> Void,
      to target: LiveCollection
    ) async -> Refusal? {
      var transfer = there.transfer(requestID: "")
      change(&transfer)
      let changed = transfer
      return await refusal {
        _ = try await a.transfer(changed, to: target, payload: { try TransferCodec.payload($0) })
      }
    }
    let old = await refused({ $0.expectedSourceVersion = 7 }, to: b)
    #expect(old?.reason == .versionConflict)
    #expect(old?.violations.first?.field == "source.expected_data_version")
    let new = await refused({ $0.expectedDestinationVersion = 7 }, to: b)
    #expect(new?.violations.first?.field == "destination.expected_data_version")
    let same = await refused({ _ in }, to: a)
    #expect(same?.violations.first?.field == "destination.name")
    try await registry.delete("c1")
    await #expect {
      _ = try await a.transfer(
        there.transfer(requestID: ""),
        to: b,
        payload: { try TransferCodec.payload($0) }
      )
    } throws: { error in
      if case StoreError.notFound(id: "c1") = error { true } else { false }
    }
    #expect(a.dataVersion == 0)
  }

  @Test("transfers in opposite directions never wait for one another for ever")
  func opposites() async throws {
    let registry = try await collections()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0 ..< 8 {
        let transfer = TestTransfer(
          source: task % 2,
          destination: 1 - task % 2,
          items: [0, 2],
          place: 1
        )
        group.addTask {
          for number in 0 ..< 200 {
            _ = try await transfer.make(in: registry, requestID: "\(task)-\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
    let found = try await heights(registry)
    let all: [Double] = (0 ..< 10).map { Double($0) } + (100 ..< 110).map { Double($0) }
    #expect(found.flatMap(\.self).sorted() == all)
    let versions = [
      try await registry.collection("c0").dataVersion,
      try await registry.collection("c1").dataVersion,
    ]
    #expect(versions[0] == versions[1])
  }

  private func refusal(_ body: () async throws -> Void) async -> Refusal? {
    do { try await body() } catch {
      if case StoreError.refused(let refusal) = error { return refusal }
      Issue.record("\(error)")
    }
    return nil
  }
}
