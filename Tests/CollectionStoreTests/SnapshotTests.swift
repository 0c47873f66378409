// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRDB
import StoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Snapshots", .timeLimit(.minutes(2)))
struct SnapshotTests {
  private static let snapshots = "SELECT version FROM snapshot"
  /// Chunks that the snapshot's own writing did not write, but a later one.
  private static let later =
    "SELECT count(*) FROM chunk WHERE number >> 32 > (SELECT number FROM snapshot)"

  private func insertion(_ item: Int, seed: Int, count: Int = 1) -> TestOperation {
    TestOperation(.insertItems, section: 0, item: item, count: count, seed: seed)
  }

  @Test("a snapshot writes the chunks that changed and no others, after a restart too")
  func changes() async throws {
    let store = try TemporaryStore()
    let limits = StoreLimits(historyCount: 5, snapshotBatchCount: 10)
    var model = TestCodec.heights(of: TestOperation(.replace, count: 60_000, seed: 1).contents)
    try await store.open(limits: limits) { registry in
      _ = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents(model)
      )
    }
    let chunks = try store.number("SELECT count(*) FROM chunk")
    let first = try store.number("SELECT number FROM snapshot")
    #expect(chunks > 150)
    for round in 1 ... 3 {
      try await store.open(limits: limits) { registry in
        let collection = try await registry.collection("a")
        for step in 0 ..< 10 {
          let operation = insertion(step * 5_900 + round, seed: step)
          _ = try await collection.commit(operation)
          operation.apply(to: &model)
        }
      }
      #expect(try store.number(Self.snapshots) == round * 10)
      #expect(try store.number("SELECT number FROM snapshot") == first)
      let later = try store.number(Self.later)
      #expect(10 ... 25 ~= later)
      #expect(
        try store.number("SELECT count(*) FROM chunk")
          == store.number("SELECT chunk_count FROM snapshot")
      )
    }
    #expect(try await store.heights() == model)
  }

  @Test(
    "contents are right after any changes, in any number of pieces, whole or not",
    arguments: 1 ... 4
  )
  func randomChanges(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let store = try TemporaryStore()
    let limits = StoreLimits(historyCount: 4, snapshotBatchCount: 4)
    var model: [[Double]] = (0 ..< 4).map { section in
      TestCodec.heights(of: TestOperation(.replace, count: 4_000, seed: section).contents)[0]
    }
    try await store.open { registry in
      _ = try await registry.create(CollectionRecord(id: "a"), contents: TestCodec.contents(model))
    }
    for _ in 0 ..< 4 {
      try await store.open(limits: limits, pieceBytes: 8 << 10) { registry in
        let collection = try await registry.collection("a")
        #expect(collection.heights == model)
        for _ in 0 ..< 14 {
          var operation = TestOperation.random(for: model.map(\.count), using: &generator)
          if operation.kind == .insertItems, generator.next() % 4 == 0 { operation.count = 3_000 }
          if operation.kind == .deleteItems, generator.next() % 4 == 0 {
            operation.count = model[operation.section].count - operation.item
          }
          _ = try await collection.commit(operation)
          operation.apply(to: &model)
        }
      }
      #expect(try store.number("SELECT count(*) FROM garbage") == 0)
      #expect(
        try store.number("SELECT count(*) FROM chunk")
          == store.number("SELECT sum(chunk_count) FROM section")
      )
      #expect(
        try store.number("SELECT count(*) FROM place")
          == store.number("SELECT count(*) FROM chunk")
      )
    }
    #expect(try await store.heights() == model)
  }

  @Test("what turns out to be damaged when changes are written is told of and written anew")
  func healing() async throws {
    let store = try TemporaryStore()
    let limits = StoreLimits(snapshotBatchCount: 3)
    let reports = Reports()
    let storage = try SQLiteStorage(path: store.path) { reports.add($0) }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec(), limits: limits)
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: TestOperation(.replace, count: 40_000, seed: 2).contents
    )
    try store.edit("UPDATE section SET digest = digest + 1")
    for step in 0 ..< 3 { _ = try await collection.commit(insertion(step * 9_000, seed: step)) }
    let heights = collection.heights
    // Closing gives up a snapshot that is being written.
    storage.finishBackgroundWork()
    try storage.close()
    #expect(
      reports.texts == [
        "collection a is damaged: section 0 differs from what was written; the server replaces what is stored "
          + "by the contents in memory, which are intact"
      ]
    )
    #expect(try store.number(Self.snapshots) == 3)
    #expect(try await store.heights() == heights)
  }

  @Test("a file of the first schema is read, and comes up to date with each collection's snapshot")
  func firstSchema() async throws {
    let store = try TemporaryStore()
    try store.edit(FirstSchemaFile.sql)
    var models: [[[Double]]] = []
    for index in 0 ..< FirstSchemaFile.collectionCount {
      var generator = SplitMix64(seed: FirstSchemaFile.seed + UInt64(index))
      var model: [[Double]] = []
      for _ in 0 ..< FirstSchemaFile.batchCount {
        TestOperation.random(for: model.map(\.count), using: &generator).apply(to: &model)
      }
      models.append(model)
    }
    try await store.open(limits: StoreLimits(), at: FirstSchemaFile.seconds) { registry in
      for (index, model) in models.enumerated() {
        let collection = try await registry.collection("c\(index)")
        #expect(collection.heights == model)
        #expect(try collection.history(after: 0, limit: 99).count == FirstSchemaFile.batchCount)
        let again = try await collection.commit(insertion(0, seed: 0), id: "c\(index)-3")
        #expect(again.dataVersion == 3 && again.isDuplicate)
      }
    }
    #expect(try store.number("SELECT count(*) FROM contents") == 2)
    let operation = insertion(1, seed: 5)
    for round in 1 ... 3 {
      try await store.open(
        limits: StoreLimits(snapshotBatchCount: 8),
        at: FirstSchemaFile.seconds
      ) { registry in
        let collection = try await registry.collection("c0")
        for _ in 0 ..< 8 {
          _ = try await collection.commit(operation)
          operation.apply(to: &models[0])
        }
      }
      #expect(try store.number(Self.snapshots) > 26)
      #expect(try store.number("SELECT count(*) FROM contents") == 1, "round \(round)")
      #expect(try store.number("SELECT count(DISTINCT snapshot) FROM part") == 1)
      #expect(try store.number("SELECT count(*) FROM garbage") == 0)
    }
    try store.edit("UPDATE part SET payload = x'01020304' WHERE position = 3")
    try await store.open(limits: StoreLimits(), at: FirstSchemaFile.seconds) { registry in
      let collection = try await registry.collection("c0")
      #expect(collection.heights == models[0])
      let finding = await Finding.of { _ = try await registry.collection("c1") }
      #expect(finding == .damage("c1"))
      try await registry.delete("c1")
    }
    #expect(try store.number("SELECT count(*) FROM part") == 0)
    #expect(try store.number("SELECT count(*) FROM contents") == 0)
  }

  @Test(
    "damage is reported with its collection and what was found, once",
    arguments: [
      ("DELETE FROM batch WHERE version = 2", "version 2 is missing; 3 follows"),
      (
        "UPDATE batch SET request_id = x'41' WHERE version = 3",
        "version 3 of the log differs from what was written"
      ),
      (
        "UPDATE chunk SET payload = x'00'",
        "chunk 0 of section 0 differs from what was written"
      ),
      (
        "UPDATE snapshot SET version = 7", "the place of the contents differs from what was written"
      ),
      (
        "UPDATE description SET fields = x'01' WHERE collection = 1",
        "its description differs from what was written"
      ),
    ]
  )
  func reports(damage: String, finding: String) async throws {
    let store = try TemporaryStore()
    try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      for step in 0 ..< 3 { _ = try await collection.commit(insertion(0, seed: step)) }
      _ = try await registry.create(CollectionRecord(id: "b"), contents: .empty)
    }
    try store.edit(damage)
    let reports = Reports()
    let storage = try SQLiteStorage(path: store.path) { reports.add($0) }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    for _ in 0 ..< 3 {
      let found = await Finding.of { _ = try await registry.collection("a") }
      #expect(found == .damage("a"))
      _ = try await registry.collection("b").commit(TestOperation(.insertSection, count: 1))
    }
    try storage.close()
    #expect(
      reports.texts == [
        "collection a is damaged: \(finding); restore a backup of the store, or delete the collection "
          + "and create it again"
      ]
    )
    #expect(reports.collections == ["a"])
  }
}

/// What a storage reported.
private final class Reports: Sendable {
  private let found = Mutex<[StorageFault]>([])
  var texts: [String] { found.withLock { $0.map(\.description) } }
  var collections: [String?] { found.withLock { $0.map(\.collection) } }
  func add(_ fault: StorageFault) { found.withLock { $0.append(fault) } }
}
