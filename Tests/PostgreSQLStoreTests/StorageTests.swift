// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting
import TestSupport
import Testing

/// What all storages have in common.
@Suite("Storages", .serialized, .timeLimit(.minutes(3)))
struct StorageTests {
  @Test(
    "what was committed is there when the store is opened again",
    arguments: StorageKind.available
  )
  func reopening(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    var generator = SplitMix64(seed: 1)
    var model: [[Double]] = []
    let record = try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(
          id: "a",
          displayName: "ä",
          labels: ["k": "v"],
          defaultLayout: [0, 1, 255],
          sharesMeasurements: true
        ),
        contents: .empty
      )
      try await collection.commitRandom(40, to: &model, using: &generator)
      return collection.snapshot.record
    }
    try await store.open { registry in
      let collection = try await registry.collection("a")
      #expect(collection.heights == model)
      #expect(collection.snapshot.record == record)
      let versions = try collection.history(after: 10, limit: 100).map(\.version)
      #expect(versions == Array(11 ... 40))
    }
  }

  @Test(
    "snapshots are written as differences, and the log is trimmed",
    arguments: StorageKind.available
  )
  func compaction(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let limits = StoreLimits(historyCount: 5, snapshotBatchCount: 8)
    var generator = SplitMix64(seed: 2)
    var model = [(0 ..< 5000).map { Double($0 % 100) }, [], [1]]
    var operations: [TestOperation] = []
    try await store.open(limits: limits) { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents(model)
      )
      operations = try await collection.commitRandom(100, to: &model, using: &generator)
    }
    try await store.open(limits: limits) { registry in
      let collection = try await registry.collection("a")
      #expect(collection.heights == model)
      if kind != .memory { #expect(collection.logSize.batches < 100) }
      // The request of a batch that may be trimmed.
      let again = try await collection.commit(operations[2], id: "a-3")
      #expect(again.isDuplicate && again.dataVersion == 3)
      try await collection.commitRandom(20, to: &model, using: &generator)
    }
    try await store.open(limits: limits) { registry in
      let heights = try await registry.collection("a").heights
      #expect(heights == model)
    }
  }

  @Test(
    "contents are replaced, with and without a batch in the log",
    arguments: StorageKind.available
  )
  func replacement(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let operation = TestOperation(.replace, count: 700, seed: 3)
    try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1, 2, 3]])
      )
      try await collection.commit(.append(7))
      _ = try await collection.replaceContents(
        with: operation.contents,
        expectedDataVersion: 1
      ) { _ in TestCodec.payload(operation) }
      try await collection.commit(.append(8))
    }
    let heights = try await store.open { registry in
      let collection = try await registry.collection("a")
      #expect(collection.dataVersion == 3)
      #expect(collection.heights.first?.count == 701)
      _ = try await collection.replaceContents(
        with: TestCodec.contents([[5], [6]]),
        expectedDataVersion: nil
      ) { _ in nil }
      return collection.heights
    }
    try await store.open { registry in
      let collection = try await registry.collection("a")
      #expect(collection.dataVersion == 4)
      #expect(collection.heights == heights)
    }
  }

  @Test(
    "a collection that was deleted and created again is another one",
    arguments: StorageKind.available
  )
  func recreation(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let (first, second) = try await store.open { registry in
      let first = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      try await first.commit(.append(1), id: "x")
      try await registry.delete("a")
      let second = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      return (first.incarnation, second.incarnation)
    }
    #expect(first != second)
    try await store.open { registry in
      let collection = try await registry.collection("a")
      #expect(collection.incarnation == second)
      #expect(collection.heights.isEmpty && collection.dataVersion == 0)
      let insertion = TestOperation(.insertSection, count: 1, seed: 1)
      let isDuplicate = try await collection.commit(insertion, id: "x").isDuplicate
      #expect(isDuplicate == false)
    }
  }

  @Test("a batch for a version that is over is a conflict", arguments: StorageKind.available)
  func conflicts(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let (storage, close) = try store.openStorage()
    defer { close() }
    var record = CollectionRecord(id: "a")
    try await storage.create(record, snapshot: nil)
    let old = record
    record.dataVersion = 1
    record.revision += 1
    let batch = StoredBatch(version: 1, requestID: "", payload: [1], time: record.updateTime)
    try await storage.append([LogEntry(batch, record: record, after: old)])
    do {
      try await storage.append([LogEntry(batch, record: record, after: old)])
      Issue.record("a second batch of the same version was stored")
    } catch let fault as StorageFault { #expect(fault.kind == .conflict) }
  }

  @Test("transfers change both collections or none", arguments: StorageKind.available)
  func transfers(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let transfer = TestTransfer(source: 0, destination: 1, items: [0, 2], place: 1)
    let heights = try await store.open(codec: TransferCodec()) { registry in
      for id in ["c0", "c1"] {
        _ = try await registry.create(
          CollectionRecord(id: id),
          contents: TestCodec.contents([[1, 2, 3]])
        )
      }
      let first = try await transfer.make(in: registry, requestID: "t")?.isDuplicate
      #expect(first == false)
      let second = try await transfer.make(in: registry, requestID: "t")?.isDuplicate
      #expect(second == true)
      return try await [registry.collection("c0").heights, registry.collection("c1").heights]
    }
    #expect(heights == [[[2]], [[1, 1, 3, 2, 3]]])
    try await store.open(codec: TransferCodec()) { registry in
      let found = try await [registry.collection("c0").heights, registry.collection("c1").heights]
      #expect(found == heights)
    }
  }

  @Test("records and named layouts are kept", arguments: StorageKind.available)
  func records(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let record = try await store.open { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      _ = try await collection.updateRecord { $0.displayName = "A" }
      return try await collection.createLayout(NamedLayout(id: "grid", layout: [1, 2, 3]))
    }
    let found = try await store.open { try $0.record("a") }
    #expect(found == record)
  }

  @Test("reading a collection that is not stored is a conflict", arguments: StorageKind.available)
  func missing(kind: StorageKind) async throws {
    let store = try TestStore(kind)
    let (storage, close) = try store.openStorage()
    defer {
      close()
      withExtendedLifetime(store) {}
    }
    let fault = await #expect(throws: StorageFault.self) {
      try await storage.read("nobody", byteCount: 0) { $0.snapshotVersion }
    }
    #expect(fault?.kind == .conflict)
  }
}
