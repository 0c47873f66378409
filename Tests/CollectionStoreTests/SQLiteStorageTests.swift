// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import GRDB
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

@Suite("SQLiteStorage", .timeLimit(.minutes(3)))
struct SQLiteStorageTests {
  @Test("everything is as it was after reopening")
  func reopening() async throws {
    let store = try TemporaryStore()
    let record = CollectionRecord(
      id: "a",
      displayName: "Ä\u{0}z",
      labels: ["b": "2", "a": "1"],
      defaultLayout: [1, 0, 2]
    )
    let contents = TestCodec.contents([[1, 2.25], [], [3]])
    let written = try await store.open { registry in
      let collection = try await registry.create(record, contents: contents)
      _ = try await registry.create(CollectionRecord(id: "empty"), contents: .empty)
      _ = try await collection.commit(TestOperation(.insertItems, section: 1, count: 3, seed: 4))
      return collection.snapshot.record
    }
    #expect(written.displayName == record.displayName && written.labels == record.labels)
    try await store.open { registry in
      #expect(registry.records(after: "", limit: 9).map(\.id) == ["a", "empty"])
      #expect(registry.residentCount == 0)
      #expect(try registry.record("a") == written)
      let collection = try await registry.collection("a")
      #expect(collection.snapshot.record == written)
      #expect(collection.heights.map(\.count) == [2, 3, 1])
      #expect(registry.residentCount == 1)
      #expect(try await registry.collection("empty").snapshot.contents.sectionCount == 0)
      _ = try await collection.updateRecord { $0.labels = [:] }
      try await registry.delete("empty")
    }
    try await store.open { registry in
      #expect(registry.count == 1)
      let record = try registry.record("a")
      #expect(record.labels == [:])
      #expect(record.revision == written.revision + 1)
    }
  }

  @Test(
    "does what memory does, whatever is done, snapshots and reopening included",
    arguments: 1 ... 4
  )
  func likeMemory(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let store = try TemporaryStore()
    let limits = StoreLimits(
      historyCount: 12,
      snapshotBatchCount: 7,
      residentBytes: 1 << 20
    )
    let memory = MemoryStorage(keepsContents: true)
    let time: @Sendable () -> CollectionTime = { CollectionTime(seconds: 5) }
    var ids: [String: UInt64] = [:]
    // What was sent to each collection.
    var sent: [String: [(request: String, operation: TestOperation)]] = [:]
    for _ in 0 ..< 6 {
      let reference = CollectionRegistry(
        storage: memory,
        codec: TestCodec(),
        limits: limits,
        now: time
      )
      try await reference.load()
      try await store.open(limits: limits, now: time) { registry in
        for step in 0 ..< 30 {
          if seed % 2 == 0 { registry.memory.releaseUnused() }
          let id = "c\(Int.random(in: 0..<4, using: &generator))"
          if ids[id] == nil {
            let record = CollectionRecord(id: id, incarnation: UInt64(step + 1))
            _ = try await registry.create(record, contents: .empty)
            _ = try await reference.create(record, contents: .empty)
            ids[id] = 0
          }
          let (one, other) = try await (registry.collection(id), reference.collection(id))
          let draw = Int.random(in: 0 ..< 30, using: &generator)
          if draw == 0 {
            try await registry.delete(id)
            try await reference.delete(id)
            (ids[id], sent[id]) = (nil, nil)
          } else if draw == 1 {
            let operation = TestOperation(.replace, count: step * 10, seed: step)
            for collection in [one, other] {
              _ = try await collection.replaceContents(
                with: operation.contents,
                expectedDataVersion: nil
              ) { _ in step % 2 == 0 ? [1] : nil }
            }
          } else if draw == 2 {
            for collection in [one, other] {
              _ = try await collection.updateRecord { $0.displayName = "\(step)" }
            }
          } else {
            let operation = TestOperation.random(
              for: one.heights.map(\.count),
              using: &generator
            )
            var batch = (
              request: "\(UInt32.random(in: 0 ... .max, using: &generator))", operation: operation
            )
            // Now and then one that was there before, or another one that takes its identifier.
            if draw < 8, let earlier = sent[id]?.randomElement(using: &generator) {
              batch.request = earlier.request
              if draw < 6 { batch.operation = earlier.operation }
            }
            sent[id, default: []].append(batch)
            let commit = try? await one.commit(batch.operation, id: batch.request)
            let same = try? await other.commit(batch.operation, id: batch.request)
            #expect(same == commit)
          }
        }
        for id in ids.keys.sorted() { try await expectEqual(id, registry, reference) }
      }
      try await store.open(limits: limits, now: time) { registry in
        #expect(Set(registry.records(after: "", limit: 99).map(\.id)) == Set(ids.keys))
        for id in ids.keys.sorted() { try await expectEqual(id, registry, reference) }
      }
    }
  }

  private func expectEqual(
    _ id: String,
    _ registry: CollectionRegistry,
    _ reference: CollectionRegistry
  ) async throws {
    let (one, other) = try await (registry.collection(id), reference.collection(id))
    // Only the storage in memory may have other writers.
    var record = other.snapshot.record
    record.lineage = 0
    #expect(one.snapshot.record == record)
    #expect(one.heights == other.heights)
    let end = one.dataVersion
    let kept = (0 ... end).first { (try? one.history(after: $0, limit: .max)) != nil } ?? end
    #expect(try one.history(after: kept, limit: .max) == other.history(after: kept, limit: .max))
    #expect((try? other.history(after: kept &- 1, limit: 1)) == nil || kept == 0)
  }

  @Test("a request is known after a restart, trimmed or not, until its time is over")
  func requests() async throws {
    let store = try TemporaryStore()
    let limits = StoreLimits(historyCount: 2, snapshotBatchCount: 5)
    let operation = TestOperation(.insertSection, count: 1, seed: 1)
    func commit(_ id: String, at seconds: Int64) async throws -> Commit {
      try await store.open(limits: limits, at: seconds) { registry in
        try await registry.collection("a").commit(operation, id: id)
      }
    }
    try await store.open(limits: limits, at: 0) { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      for index in 0 ..< 12 { _ = try await collection.commit(operation, id: "r\(index)") }
    }
    #expect(try store.number("SELECT count(*) FROM request") > 0)
    let day: Int64 = 24 * 60 * 60
    for index in 0 ..< 12 {
      #expect(
        try await commit("r\(index)", at: day)
          == Commit(dataVersion: UInt64(index + 1), isDuplicate: true)
      )
    }
    #expect(try await commit("r3", at: day + 1) == Commit(dataVersion: 13, isDuplicate: false))
    #expect(try await commit("r3", at: day + 2) == Commit(dataVersion: 13, isDuplicate: true))
  }

  @Test("the log is trimmed to its limits, and history from before is refused after a restart too")
  func trimming() async throws {
    let store = try TemporaryStore()
    let limits = StoreLimits(historyCount: 10, snapshotBatchCount: 5)
    var generator = SplitMix64(seed: 3)
    var model: [[Double]] = []
    try await store.open(limits: limits) { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      try await collection.commitRandom(100, to: &model, using: &generator)
    }
    #expect(try store.number("SELECT min(version) FROM batch") > 80)
    #expect(try store.number("SELECT count(*) FROM garbage") == 0)
    #expect(try store.number("SELECT count(DISTINCT snapshot) FROM place") == 1)
    try await store.open(limits: limits) { registry in
      let collection = try await registry.collection("a")
      #expect(collection.heights == model)
      #expect(try collection.history(after: 90, limit: 99).map(\.version) == Array(91 ... 100))
      #expect(throws: StoreError.self) { try collection.history(after: 80, limit: 1) }
    }
  }

  @Test("contents of many pieces replace others, and nothing is left of either when they are gone")
  func largeContents() async throws {
    let store = try TemporaryStore()
    let large = TestOperation(.replace, count: 600_000, seed: 5)
    try await store.open { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      for _ in 0 ..< 2 {
        _ = try await collection.replaceContents(
          with: large.contents,
          expectedDataVersion: nil
        ) { _ in nil }
      }
    }
    #expect(try store.number("SELECT count(DISTINCT snapshot) FROM place") == 1)
    try await store.open { registry in
      #expect(try registry.record("a").itemCount == 600_000)
      #expect(
        try await registry.collection("a").heights
          == TestCodec.heights(of: large.contents)
      )
      try await registry.delete("a")
    }
    let tables = [
      "part", "contents", "batch", "stale", "description", "collection", "garbage", "request",
      "snapshot",
      "section", "place", "chunk",
    ]
    for table in tables {
      #expect(try store.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
  }

  @Test("contents whose making fails leave nothing, and the old ones stand")
  func failingContents() async throws {
    let store = try TemporaryStore()
    let storage = try SQLiteStorage(path: store.path)
    let registry = CollectionRegistry(storage: storage, codec: FailingCodec())
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    await #expect(throws: StoreError.self) {
      _ = try await collection.replaceContents(
        with: TestCodec.contents([[1], []]),
        expectedDataVersion: nil
      ) { _ in nil }
    }
    #expect(collection.dataVersion == 0)
    // Closing leaves the rest of what is being swept for the next start.
    storage.finishBackgroundWork()
    try storage.close()
    #expect(try store.number("SELECT count(*) FROM chunk") == 0)
    #expect(try store.number("SELECT count(*) FROM garbage") == 0)
  }

  @Test("what an interrupted import left is swept at the start")
  func leftovers() async throws {
    let store = try TemporaryStore()
    try await store.open { registry in
      _ = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1, 2]])
      )
    }
    // Of one in parts, of one that was written whole, and of changes to a collection's.
    try store.edit("INSERT INTO garbage (number) VALUES (77), (78), (79)")
    let snapshot = try store.number("SELECT number FROM snapshot")
    let positions = "WITH RECURSIVE p(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM p LIMIT 700)"
    for rows in [
      "part (snapshot, position, payload, checksum) SELECT 77, n, x'00', 0",
      "chunk (number, snapshot, payload) SELECT (78 << 32) + n, 78, x'00'",
      "place (snapshot, section, label, chunk, checksum) SELECT 78, 0, n, (78 << 32) + n, 0",
      "chunk (number, snapshot, payload) SELECT (79 << 32) + n, \(snapshot), x'00'",
    ] {
      try store.edit("\(positions) INSERT INTO \(rows) FROM p")
    }
    try await store.open { _ in }
    #expect(try store.number("SELECT count(*) FROM part") == 0)
    #expect(try store.number("SELECT count(*) FROM chunk") == 1)
    #expect(try store.number("SELECT count(*) FROM place") == 1)
    #expect(try store.number("SELECT count(*) FROM garbage") == 0)
    #expect(try await store.heights() == [[1, 2]])
  }

  @Test("damaged rows of garbage remove nothing that is in use")
  func damagedGarbage() async throws {
    let store = try TemporaryStore()
    let limits = StoreLimits(snapshotBatchCount: 2)
    var heights: [[Double]] = []
    // Each start changes the stored snapshot under another number.
    for round in 0 ..< 3 {
      try await store.open(limits: limits) { registry in
        if round == 0 {
          _ = try await registry.create(
            CollectionRecord(id: "a"),
            contents: TestOperation(.replace, count: 40_000, seed: 2).contents
          )
        }
        let collection = try await registry.collection("a")
        for step in 0 ..< 2 {
          _ = try await collection.commit(
            TestOperation(.insertItems, item: round * 9_000, count: 5, seed: step)
          )
        }
        heights = collection.heights
      }
    }
    let changes = "SELECT count(DISTINCT number >> 32) FROM chunk"
    #expect(try store.number(changes) >= 3)
    let chunks = try store.number("SELECT count(*) FROM chunk")
    for damage in [
      "(number) SELECT DISTINCT number >> 32 FROM chunk",
      "(number, collection) SELECT number + 1000, number FROM collection",
      "(number) SELECT number FROM snapshot",
      "(number, collection) VALUES (-1, -1), (1 << 40, NULL), (5000, 77)",
    ] {
      try store.edit("INSERT OR REPLACE INTO garbage \(damage)")
      try await store.open { _ in }
      #expect(try store.number("SELECT count(*) FROM garbage") == 0)
      #expect(try store.number("SELECT count(*) FROM chunk") == chunks)
      #expect(try await store.heights() == heights)
    }
  }

  @Test("damaged rows of stale never give wrong data: a chunk that they remove is missed")
  func damagedStale() async throws {
    let store = try TemporaryStore()
    let contents = TestOperation(.replace, count: 5_000, seed: 2).contents
    try await store.open { registry in
      for id in ["a", "b"] {
        _ = try await registry.create(CollectionRecord(id: id), contents: contents)
      }
    }
    let chunks = try store.number("SELECT count(*) FROM chunk")
    // Chunks of another snapshot, or none: nothing is removed.
    try store.edit(
      """
      INSERT INTO stale (chunk, snapshot)
      SELECT number, (SELECT min(number) + max(number) - chunk.snapshot FROM snapshot) FROM chunk
      UNION ALL VALUES (-1, -1), (1 << 40, 77)
      """
    )
    try await store.open { _ in }
    #expect(try store.number("SELECT count(*) FROM stale") == 0)
    #expect(try store.number("SELECT count(*) FROM chunk") == chunks)
    let snapshot = try store.number(
      "SELECT number FROM snapshot "
        + "WHERE collection = (SELECT number FROM collection WHERE id = 'a')"
    )
    try store.edit(
      "INSERT INTO stale SELECT max(number), snapshot FROM chunk WHERE snapshot = \(snapshot)"
    )
    try await store.open { _ in }
    #expect(try store.number("SELECT count(*) FROM chunk") == chunks - 1)
    try await store.open { registry in
      #expect(await Finding.of { _ = try await registry.collection("a") } == .damage("a"))
      let other = try await registry.collection("b")
      #expect(other.heights == TestCodec.heights(of: contents))
    }
  }

  @Test("many who ask at once get the same collection")
  func concurrentUse() async throws {
    let store = try TemporaryStore()
    try await store.open { registry in
      _ = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    }
    try await store.open { registry in
      let found = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0 ..< 50 {
          group.addTask { ObjectIdentifier(try await registry.collection("a")) }
        }
        return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
      }
      #expect(found.count == 1)
    }
  }

  @Test("batches of many collections at once are all there afterwards")
  func groups() async throws {
    let store = try TemporaryStore()
    let heights = try await store.open { registry in
      try await withThrowingTaskGroup(of: (String, [[Double]]).self) { group in
        for index in 0 ..< 20 {
          group.addTask {
            var generator = SplitMix64(seed: UInt64(index))
            var model: [[Double]] = []
            let collection = try await registry.create(
              CollectionRecord(id: "c\(index)"),
              contents: .empty
            )
            try await collection.commitRandom(20, to: &model, using: &generator)
            return (collection.id, model)
          }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
    }
    try await store.open { registry in
      for (id, model) in heights {
        let collection = try await registry.collection(id)
        #expect(collection.heights == model)
      }
    }
  }

  @Test("commits wait for the disk")
  func synchronization() async throws {
    let store = try TemporaryStore()
    let storage = try SQLiteStorage(path: store.path)
    let (level, journal) = try await storage.pool.write { database in
      (
        try Int.fetchOne(database, sql: "PRAGMA synchronous"),
        try String.fetchOne(database, sql: "PRAGMA journal_mode")
      )
    }
    #expect(level == 2)
    #expect(journal == "wal")
    try storage.close()
  }

  @Test("the checksum is CRC-32C")
  func checksum() {
    // RFC 3720, B.4.
    #expect(Checksum.crc32c(Array("123456789".utf8)) == 0xE306_9283)
    #expect(Checksum.crc32c([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(Checksum.crc32c(Array(0 ..< 32)) == 0x46DD_794E)
  }
}

/// Makes more than a piece of chunks, then fails.
private struct FailingCodec: ContentsCodec {
  struct Failure: Error {}

  func encode(_ section: SectionContents) throws -> [UInt8] {
    if section.items.isEmpty { throw Failure() }
    return []
  }

  func encode(_ items: ItemBlock) throws -> [UInt8] { [UInt8](repeating: 1, count: 5_000_000) }
  func decodeSection(_ bytes: [UInt8]) throws -> SectionContents { throw Failure() }
  func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock { throw Failure() }
  func makeDecoder() throws -> any ContentsDecoder { throw Failure() }
  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch { throw Failure() }
}
