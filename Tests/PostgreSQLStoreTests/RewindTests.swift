// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore
@testable import PostgreSQLStore

/// A database that comes back without its last commits: a standby that lacked them has taken over,
/// or a disk was restored.
@Suite(
  "Lost commits",
  .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed"),
  .serialized,
  .timeLimit(.minutes(3))
)
struct RewindTests {
  private static let tables = [
    "collection", "description", "snapshot", "section", "chunk", "batch", "request", "removed",
  ]

  /// A database, and what it is to come back with.
  private struct Database {
    let instance: PostgresInstance
    let store: TestStore

    init() throws {
      instance = try PostgresInstance()
      store = try TestStore(.postgreSQL, instance: instance)
    }

    func save() throws {
      try store.run(
        tables.map { "CREATE TABLE saved_\($0) AS TABLE \($0);" }.joined(separator: " ")
      )
    }

    /// Goes back, and ends all connections.
    func restore() throws {
      let statements = tables.map { "DELETE FROM \($0); INSERT INTO \($0) TABLE saved_\($0);" }
      try store.run("BEGIN; \(statements.joined(separator: " ")) COMMIT")
      try instance.run(
        """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND usename = 'layout'
        """
      )
    }
  }

  /// Tries again while the connections come back.
  private func persist<Result>(_ body: () async throws -> Result) async throws -> Result {
    while true {
      do { return try await body() } catch {
        guard case StoreError.storage = error else { throw error }
      }
    }
  }

  /// Catches up on new connections. The first reading may have begun before there was one.
  private func catchUp(_ server: CollectionRegistry) async throws {
    for _ in 0 ..< 2 { try await persist { try await server.catchUp() } }
  }

  /// Two servers that have versions 4 and 5 in memory, and a database that has lost them. A third
  /// server has committed so many versions since.
  ///
  /// - Parameter body: gets the two servers, their collections, and the third server's.
  private func losing(
    committed count: Int,
    limits: StoreLimits = .init(),
    edit: (LiveCollection) async throws -> Void = { _ in },
    _ body: (
      _ servers: [CollectionRegistry],
      _ old: [LiveCollection],
      _ new: LiveCollection,
      Database
    ) async throws -> Void
  ) async throws {
    let database = try Database()
    let store = database.store
    try await store.open(limits: limits) { first in
      try await store.open(limits: limits) { second in
        let one = try await first.create(
          CollectionRecord(id: "a"),
          contents: TestCodec.contents([[1]])
        )
        for seed in 1 ... 3 { try await one.commit(.append(seed)) }
        try database.save()
        for seed in 1001 ... 1002 { try await one.commit(.append(seed)) }
        try await edit(one)
        let two = try await second.collection("a")
        #expect(two.dataVersion == 5)
        try database.restore()
        try await store.open(limits: limits) { third in
          let new = try await third.collection("a")
          #expect(new.dataVersion == 3)
          for seed in 0 ..< count { try await new.commit(.append(2000 + seed), id: "after\(seed)") }
          try await body([first, second], [one, two], new, database)
        }
      }
    }
  }

  @Test(
    "servers go on with what the database has, whether or not it has reached their version again",
    arguments: [0, 2, 9]
  )
  func following(count: Int) async throws {
    try await losing(committed: count) { servers, old, new, _ in
      let signals = Mutex<[String]>([])
      for collection in old {
        _ = collection.subscribe { signal in signals.withLock { $0.append("\(signal)") } }
      }
      for (server, lost) in zip(servers, old) {
        try await catchUp(server)
        #expect(lost.isRewound)
        // What depends on its contents must not be taken for what depends on those of the new one.
        let found = try await persist { try await server.collection("a") }
        #expect(found !== lost && found.contentsIdentity != lost.contentsIdentity)
        #expect(found.heights == new.heights)
        #expect(found.snapshot.record == new.snapshot.record)
        #expect(throws: StoreError.self) { try lost.history(after: 4, limit: 9) }
        let record = try server.record("a")
        #expect(record == new.snapshot.record)
      }
      #expect(signals.withLock { $0 } == ["rewound", "rewound"])
      let found = try await servers[0].collection("a")
      try await found.commit(.append(7))
      let version = try await persist { try await new.commit(.append(8)).dataVersion }
      #expect(version == UInt64(count + 5))
    }
  }

  @Test(
    "what is edited on top of lost commits is refused, and what others have committed stays",
    arguments: SharedStorageTests.Edit.allCases.filter { $0 != .layout && $0 != .deletedLayout }
  )
  func edits(edit: SharedStorageTests.Edit) async throws {
    // It is at the same version as what was lost.
    try await losing(committed: 2) { servers, old, new, _ in
      let contents = new.heights
      do {
        try await persist {
          if old[0].isRewound { throw StoreError.cancelled }
          return try await edit.make(old[0])
        }
        Issue.record("the edit was acknowledged")
      } catch StoreError.cancelled {}
      let server = servers[0]
      let found = try await persist { try await server.collection("a") }
      #expect(found.heights == contents)
      try await edit.make(found)
      try await new.refresh()
      #expect(new.snapshot.record == found.snapshot.record)
    }
  }

  @Test("a description that was lost is replaced by the one that is stored", arguments: [0, 5])
  func descriptions(count: Int) async throws {
    try await losing(committed: count) { one in
      _ = try await one.updateRecord { $0.displayName = "lost" }
      _ = try await one.createLayout(NamedLayout(id: "lost", layout: [1]))
    } _: { servers, _, new, _ in
      for _ in 0 ..< count { _ = try await new.updateRecord { $0.labels["by"] = "third" } }
      for server in servers {
        try await catchUp(server)
        let record = try server.record("a")
        #expect(record == new.snapshot.record)
        let found = try await server.collection("a").snapshot.record
        #expect(found == new.snapshot.record)
      }
    }
  }

  @Test("a description alone that was lost is replaced too")
  func descriptionsAlone() async throws {
    let database = try Database()
    try await database.store.open { first in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      try database.save()
      _ = try await one.updateRecord { $0.displayName = "lost" }
      try database.restore()
      try await database.store.open { third in
        let new = try await third.collection("a")
        for seed in 0 ..< 3 { try await new.commit(.append(seed)) }
        try await catchUp(first)
        let found = try await first.collection("a")
        #expect(found.snapshot.record == new.snapshot.record)
        #expect(found.heights == new.heights)
      }
    }
  }

  @Test("contents with lost commits do not become the snapshot", arguments: [0, 2, 5])
  func snapshots(count: Int) async throws {
    try await losing(committed: count) { _, old, _, database in
      let lost = old[0].snapshot
      #expect(try await !compact(lost, in: database.store))
      let version = try database.store.run("SELECT version FROM snapshot")
      #expect(version == "0")
    }
  }

  /// - Returns: whether the snapshot was stored.
  private func compact(_ state: CollectionSnapshot, in store: TestStore) async throws -> Bool {
    let (storage, close) = try store.openStorage()
    defer { close() }
    let snapshot = ContentsSnapshot(
      version: state.record.dataVersion,
      contents: state.contents,
      codec: TestCodec()
    )
    let retention = LogRetention(
      batchCount: 1,
      batchBytes: 1,
      requestCount: 9,
      requestsSince: CollectionTime(seconds: 0)
    )
    return await withCheckedContinuation { continuation in
      storage.compact(snapshot, since: nil, of: state.record, retention: retention) {
        continuation.resume(returning: $0)
      }
    }
  }

  @Test(
    "snapshots are written whatever the columns hold that give turns",
    arguments: ["claimed", "epoch"],
    [Int64.max, .min, 1 << 61, 7_000_000_000, -1]
  )
  func turns(column: String, number: Int64) async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { registry in
      let contents = TestCodec.contents([[1]])
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: contents)
      for seed in 1 ... 2 {
        try await collection.commit(.append(seed))
        try store.run("UPDATE snapshot SET \(column) = \(number)")
        #expect(try await compact(collection.snapshot, in: store))
      }
      let version = try store.run("SELECT version FROM snapshot")
      #expect(version == "2")
      try store.run("UPDATE snapshot SET \(column) = \(number)")
      try await SharedStorageTests.Edit.contents.make(collection)
      let replaced = try store.run("SELECT version FROM snapshot")
      #expect(replaced == "3")
    }
  }

  @Test("collections that were lost altogether are gone, and can be created again")
  func creations() async throws {
    let database = try Database()
    try await database.store.open { first in
      _ = try await first.create(CollectionRecord(id: "kept"), contents: .empty)
      try database.save()
      let lost = try await first.create(CollectionRecord(id: "a"), contents: .empty)
      try database.restore()
      try await catchUp(first)
      #expect(lost.isDeleted && !lost.isRewound)
      #expect(first.records(after: "", limit: 9).map(\.id) == ["kept"])
      let again = try await first.create(CollectionRecord(id: "a"), contents: .empty)
      try await again.commit(TestOperation(.insertSection, count: 1, seed: 1))
    }
  }

  @Test("tables of a release without lineages are followed and written to")
  func upgrades() async throws {
    let database = try Database()
    let store = database.store
    try await store.open { first in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      for seed in 1 ... 3 { try await one.commit(.append(seed)) }
    }
    try store.run("ALTER TABLE collection DROP COLUMN lineage; ALTER TABLE batch DROP COLUMN base")
    try await store.open { first in
      try await store.open { second in
        let one = try await first.collection("a")
        let two = try await second.collection("a")
        try await one.commit(.append(4))
        try await second.catchUp()
        #expect(two.dataVersion == 4)
        for seed in 5 ... 6 { try await one.commit(.append(seed)) }
        // What is stored if servers of the earlier release commit these.
        try store.run(
          """
          UPDATE collection SET lineage = (SELECT base FROM batch WHERE version = 5);
          UPDATE batch SET base = NULL WHERE version > 4
          """
        )
        try await second.catchUp()
        #expect(two.heights == one.heights && two.dataVersion == 6)
        try await two.commit(.append(7))
        #expect(!two.isRewound)
        try await store.open { third in
          let heights = try await third.collection("a").heights
          #expect(heights == two.heights)
        }
      }
    }
  }
}
