// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRDB
import StoreTesting
import TestSupport
import Testing

@testable import CollectionStore

/// Another program locks the file.
@Suite("LockTimeout", .timeLimit(.minutes(1)))
struct LockTimeoutTests {
  private static let milliseconds = 500

  private func patience(_ storage: SQLiteStorage) async throws -> Int? {
    try await storage.pool.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA busy_timeout")
    }
  }

  @Test(
    "one commit waits for the lock, those behind it fail at once, and all go on once it is gone"
  )
  func waiting() async throws {
    let store = try TemporaryStore()
    var system = StorageSystem(freeBytes: { _ in nil }, checkInterval: nil)
    system.lockMilliseconds = Self.milliseconds
    let storage = try SQLiteStorage(path: store.path, system: system) { _ in }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    var collections: [LiveCollection] = []
    for index in 0 ..< 12 {
      let record = CollectionRecord(id: "c\(index)")
      collections.append(try await registry.create(record, contents: .empty))
    }
    storage.finishBackgroundWork()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: store.path, configuration: configuration)
    let operation = TestOperation(.insertSection, count: 1, seed: 1)
    for round in 1 ... 2 {
      try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      let clock = BusyClock()
      let start = clock.now
      await withTaskGroup(of: Finding?.self) { group in
        for collection in collections {
          group.addTask { await Finding.of { _ = try await collection.commit(operation) } }
        }
        for await finding in group { #expect(finding == .storage(.unreachable)) }
      }
      #expect(clock.elapsed(since: start) < .milliseconds(4 * Self.milliseconds))
      #expect(storage.health.fault?.description.contains("locked by another program") == true)
      #expect(try await patience(storage) == 0)
      try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      for collection in collections {
        #expect(try await collection.commit(operation).dataVersion == UInt64(round))
      }
      #expect(storage.health.fault == nil)
      #expect(try await patience(storage) == Self.milliseconds)
    }
    try other.close()
    try storage.close()
  }
}
