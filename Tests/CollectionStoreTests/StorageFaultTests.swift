// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import GRDB
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

@Suite("StorageFault", .timeLimit(.minutes(3)))
struct StorageFaultTests {
  /// Two collections with a snapshot, a log and trimmed requests each.
  private func makeStore() async throws -> (TemporaryStore, [String: [[Double]]]) {
    let store = try TemporaryStore()
    var generator = SplitMix64(seed: 11)
    var models: [String: [[Double]]] = [:]
    try await store.open(limits: StoreLimits(historyCount: 3, snapshotBatchCount: 20)) { registry in
      for id in ["bad", "good"] {
        var model: [[Double]] = [[1, 2, 3]]
        let collection = try await registry.create(
          CollectionRecord(id: id, displayName: id),
          contents: TestCodec.contents(model)
        )
        try await collection.commitRandom(30, to: &model, using: &generator)
        models[id] = model
      }
    }
    return (store, models)
  }

  @Test(
    "damage is found, is that collection's alone, and ends with its deletion",
    arguments: [
      "UPDATE chunk SET payload = zeroblob(length(payload)) WHERE snapshot = S",
      "UPDATE chunk SET payload = substr(payload, 1, 4) WHERE number = (SELECT max(chunk) FROM place WHERE snapshot = S)",
      "UPDATE chunk SET number = number + 1000 WHERE snapshot = S",
      "DELETE FROM chunk WHERE number = (SELECT max(chunk) FROM place WHERE snapshot = S)",
      "UPDATE place SET checksum = checksum + 1 WHERE snapshot = S",
      "UPDATE place SET label = label + 1 WHERE snapshot = S",
      "UPDATE place SET chunk = (SELECT max(chunk) FROM place WHERE snapshot <> S) WHERE snapshot = S",
      "DELETE FROM place WHERE snapshot = S AND chunk = (SELECT max(chunk) FROM place WHERE snapshot = S)",
      "UPDATE section SET label = label + 1 WHERE snapshot = S",
      "UPDATE section SET header = x'02' WHERE snapshot = S",
      "UPDATE section SET chunk_count = chunk_count - 1 WHERE snapshot = S",
      "DELETE FROM section WHERE snapshot = S AND number = (SELECT max(number) FROM section WHERE snapshot = S)",
      "DELETE FROM snapshot WHERE collection = N",
      "UPDATE snapshot SET version = version + 1 WHERE collection = N",
      "UPDATE snapshot SET section_count = section_count - 1 WHERE collection = N",
      "UPDATE batch SET payload = CAST(x'00' || substr(payload, 2) AS BLOB) WHERE collection = N AND version = 29",
      "UPDATE batch SET seconds = seconds + 1 WHERE collection = N AND version = 30",
      "UPDATE batch SET request_id = x'41' WHERE collection = N AND version = 30",
      "DELETE FROM batch WHERE collection = N AND version = 25",
      "DELETE FROM batch WHERE collection = N AND version = 30",
      "DELETE FROM batch WHERE collection = N AND version > 20",
      "UPDATE request SET request_id = x'41' WHERE collection = N AND version = 3",
      "UPDATE collection SET data_version = 29 WHERE number = N",
      "UPDATE collection SET item_count = item_count + 1 WHERE number = N",
      "UPDATE description SET fields = x'01' WHERE collection = N",
      "DELETE FROM description WHERE collection = N",
    ]
  )
  func damage(sql: String) async throws {
    let (store, models) = try await makeStore()
    let number = try store.number("SELECT number FROM collection WHERE id = 'bad'")
    let snapshot = try store.number("SELECT number FROM snapshot WHERE collection = \(number)")
    #expect(snapshot > 0)
    try store.edit(
      sql.replacingOccurrences(of: "= N", with: "= \(number)")
        .replacingOccurrences(of: "= S", with: "= \(snapshot)")
        .replacingOccurrences(of: "<> S", with: "<> \(snapshot)")
    )
    try await store.open { registry in
      #expect(await Finding.of { _ = try await registry.collection("bad") } == .damage("bad"))
      // Nor is it forgotten.
      #expect(await Finding.of { _ = try await registry.collection("bad") } == .damage("bad"))
      let good = try await registry.collection("good")
      #expect(good.heights == models["good"])
      _ = try await good.commit(TestOperation(.insertSection, count: 1, seed: 1))
      try await registry.delete("bad")
      _ = try await registry.create(CollectionRecord(id: "bad"), contents: .empty)
    }
    try await store.open { registry in
      let (bad, good) = try await (registry.collection("bad"), registry.collection("good"))
      #expect(bad.heights == [])
      #expect(good.dataVersion == 31)
    }
  }

  @Test("a flipped bit anywhere is never taken for data", arguments: 0 ..< 4)
  func flippedBits(seed: UInt64) async throws {
    let (store, models) = try await makeStore()
    let intact = try store.bytes()
    var generator = SplitMix64(seed: seed)
    var found = 0
    for _ in 0 ..< 40 {
      var bytes = intact
      let place = Int.random(in: 0 ..< bytes.count, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0 ..< 8, using: &generator)
      try store.overwrite(with: bytes)
      let finding = await Finding.of {
        try await store.open { registry in
          for record in registry.records(after: "", limit: 9) {
            let finding = await Finding.of {
              let heights = try await registry.collection(record.id).heights
              #expect(heights == models[record.id], "byte \(place)")
            }
            if finding != nil { found += 1 }
          }
        }
      }
      if finding != nil { found += 1 }
    }
    // Much of the file is free space, where a flip changes nothing.
    #expect(found > 0)
  }

  @Test(
    "a log that was cut off gives a version that was, never something between",
    arguments: 0 ..< 3
  )
  func cutLogs(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let store = try TemporaryStore()
    let storage = try SQLiteStorage(path: store.path)
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    var models: [[[Double]]] = [[]]
    for _ in 0 ..< 60 {
      var model = models[models.count - 1]
      try await collection.commitRandom(1, to: &model, using: &generator)
      models.append(model)
    }
    let main = try store.bytes()
    let log = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
    try storage.close()
    var versions: Set<UInt64> = []
    for _ in 0 ..< 15 {
      try store.overwrite(with: main)
      let cut = log.prefix(Int.random(in: log.count / 3 ... log.count, using: &generator))
      try cut.write(to: URL(fileURLWithPath: store.path + "-wal"))
      try await store.open { registry in
        let collection = try await registry.collection("a")
        #expect(collection.heights == models[Int(collection.dataVersion)])
        versions.insert(collection.dataVersion)
      }
    }
    #expect(versions.count > 2)
  }

  @Test("a second server is told that the file is in use, also through a link of either kind")
  func locking() async throws {
    let store = try TemporaryStore()
    let storage = try SQLiteStorage(path: store.path)
    let link = store.folder + "/link.sqlite"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
    let hardLink = store.folder + "/hard-link.sqlite"
    try FileManager.default.linkItem(atPath: store.path, toPath: hardLink)
    for path in [store.path, link, hardLink] {
      #expect {
        _ = try SQLiteStorage(path: path)
      } throws: { error in
        let fault = error as? StorageFault
        return fault?.kind == .inUse
          && fault?.description.contains("process \(ProcessInfo.processInfo.processIdentifier)")
            == true
      }
    }
    try storage.close()
  }

  @Test("files of others are refused and left as they are")
  func foreignFiles() async throws {
    let store = try TemporaryStore()
    let text = [UInt8](repeating: 65, count: 5000)
    try store.overwrite(with: text)
    #expect(await Finding.of { _ = try SQLiteStorage(path: store.path) } == .storage(.notAStore))
    #expect(try store.bytes() == text)
    try store.overwrite(with: [])
    try store.edit("CREATE TABLE mine (a)")
    let mine = try store.bytes()
    #expect(await Finding.of { _ = try SQLiteStorage(path: store.path) } == .storage(.notAStore))
    #expect(try store.bytes() == mine)
  }

  @Test("a file of a newer version is refused")
  func newerSchema() async throws {
    let store = try TemporaryStore()
    try await store.open { _ in }
    try store.edit("PRAGMA user_version = 99")
    #expect(await Finding.of { _ = try SQLiteStorage(path: store.path) } == .storage(.newerSchema))
  }

  @Test("a file that cannot be made is one clear error")
  func unreachable() async throws {
    let store = try TemporaryStore()
    #expect {
      _ = try SQLiteStorage(path: store.folder + "/none/store.sqlite")
    } throws: { error in
      let fault = error as? StorageFault
      return fault?.kind == .unreachable && fault?.description.contains("none/store.sqlite") == true
    }
  }

  @Test(
    "a full or read-only disk refuses commits, is reported once, and passes",
    arguments: [
      ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", StorageFault.Kind.diskFull),
      ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", .readOnly),
    ]
  )
  func refusedWrites(fault: String, repair: String, kind: StorageFault.Kind) async throws {
    let store = try TemporaryStore()
    let box = ReportBox()
    let storage = try SQLiteStorage(path: store.path) { box.add($0.kind) }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    try await storage.pool.writeWithoutTransaction { try $0.execute(sql: fault) }
    let operation = TestOperation(.insertSection, count: 20_000, seed: 1)
    for _ in 0 ..< 2 {
      #expect(
        await Finding.of { _ = try await collection.commitLarge(operation) } == .storage(kind)
      )
    }
    #expect(collection.dataVersion == 0)
    #expect(box.kinds == [kind])
    try await storage.pool.writeWithoutTransaction { try $0.execute(sql: repair) }
    #expect(try await collection.commitLarge(operation).dataVersion == 1)
    try storage.close()
  }

  /// A storage that no other server writes to.
  private struct UnsharedStorage: ForwardingStorage {
    let memory = MemoryStorage(keepsContents: true)
  }

  @Test("a collection that vanishes from a storage of one server is damaged, not deleted")
  func vanished() async throws {
    let storage = UnsharedStorage()
    try await storage.create(CollectionRecord(id: "a"), snapshot: nil)
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    await storage.memory.delete("a")
    #expect(await Finding.of { _ = try await registry.collection("a") } == .damage("a"))
  }

  @Test("a collection that a file does not have is reported as damage, once")
  func missingRow() async throws {
    let store = try TemporaryStore()
    let box = ReportBox()
    let storage = try SQLiteStorage(path: store.path) { box.add($0.kind) }
    for _ in 0 ..< 2 {
      let fault = await #expect(throws: StorageFault.self) {
        try await storage.read("nobody", byteCount: 0) { _ in }
      }
      #expect(fault?.kind == .conflict)
    }
    try storage.close()
    #expect(box.kinds == [.damaged])
  }
}

extension LiveCollection {
  /// With a payload that needs more pages.
  fileprivate func commitLarge(_ operation: TestOperation) async throws -> Commit {
    try await commit(operation.batch()) { [UInt8](repeating: 7, count: 100_000) }
  }
}

private final class ReportBox: Sendable {
  private let found = Mutex<[StorageFault.Kind]>([])
  var kinds: [StorageFault.Kind] { found.withLock { $0 } }
  func add(_ kind: StorageFault.Kind) { found.withLock { $0.append(kind) } }
}
