// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore
@testable import PostgreSQLStore

@Suite(
  "PostgreSQL",
  .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed"),
  .timeLimit(.minutes(3))
)
struct PostgreSQLStorageTests {
  /// The fault that opening a storage ends with; nil = it opens.
  private func fault(_ configuration: PostgreSQLConfiguration) -> StorageFault? {
    do {
      try PostgreSQLStorage(configuration).close()
      return nil
    } catch { return error as? StorageFault }
  }

  @Test(
    "a connection string that cannot be used is refused with what to do, and without the password"
  )
  func connectionStrings() throws {
    let url = try PostgresInstance.shared().url
    let cases: [(PostgreSQLConfiguration, String)] = [
      (.init(url: "postgresql://u:hunter2@h:port/x?nonsense=1"), "has to be like"),
      (.init(url: "postgresql://u:hunter2@127.0.0.1:1/x"), "check that it runs"),
      (.init(url: url + "&dbname=missing"), "create the database"),
      (.init(url: url, schema: "Bad\"Schema"), "small letters"),
    ]
    for (configuration, text) in cases {
      let fault = fault(configuration)
      #expect(fault?.description.contains(text) == true, "\(String(describing: fault))")
      #expect(fault?.description.contains("hunter2") == false)
    }
  }

  @Test("a user without rights, and a database that is read-only, are told")
  func rights() throws {
    let instance = try PostgresInstance.shared()
    let name = "user_\(UInt32.random(in: 0 ... .max))"
    try instance.run("CREATE ROLE \(name) LOGIN")
    let url = instance.url.replacingOccurrences(of: "user=layout", with: "user=\(name)")
    let found = fault(.init(url: url, schema: name))
    #expect(found?.kind == .readOnly && found?.description.contains("grant") == true)
    try instance.run("ALTER ROLE \(name) SET default_transaction_read_only = on")
    let standby = fault(.init(url: url, schema: name))
    #expect(standby?.kind == .readOnly && standby?.description.contains("primary") == true)
  }

  @Test("tables of a newer version are refused")
  func newerSchema() throws {
    let store = try TestStore(.postgreSQL)
    try PostgreSQLStorage(store.configuration).close()
    var checksum = Checksum()
    checksum.add("schema")
    checksum.add(Array("99".utf8))
    try store.run(
      "UPDATE property SET value = '99', checksum = \(checksum.value) WHERE name = 'schema'"
    )
    #expect(fault(store.configuration)?.kind == .newerSchema)
  }

  @Test("all servers have the same secret")
  func secrets() throws {
    let store = try TestStore(.postgreSQL)
    let first = try PostgreSQLStorage(store.configuration)
    let second = try PostgreSQLStorage(store.configuration)
    #expect(first.secret == second.secret && first.secret.count == 32)
    first.close()
    second.close()
  }

  @Test(
    "rows that were altered are damage of their collection alone",
    arguments: [
      "UPDATE chunk SET payload = payload || '\\x00'",
      "DELETE FROM chunk WHERE label = (SELECT min(label) FROM chunk)",
      "UPDATE section SET header = '\\x02'", "DELETE FROM section",
      "UPDATE batch SET payload = '\\x00'",
      "DELETE FROM batch WHERE version = 1", "UPDATE snapshot SET digest = digest + 1",
      "UPDATE description SET fields = fields || '\\x00' WHERE revision > 0",
      "UPDATE collection SET item_count = 7",
    ]
  )
  func damage(statement: String) async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([(0 ..< 2000).map(Double.init)])
      )
      for seed in 0 ..< 3 { try await collection.commit(.append(seed)) }
    }
    try store.run(statement)
    try await store.open { registry in
      do {
        _ = try await registry.collection("a")
        Issue.record("the damage was not noticed")
      } catch StoreError.corrupt(let id, _) { #expect(id == "a") }
      _ = try await registry.create(CollectionRecord(id: "b"), contents: TestCodec.contents([[1]]))
      let other = try await registry.collection("b").heights
      #expect(other == [[1]])
      try await registry.delete("a")
      #expect(registry.count == 1)
    }
  }

  @Test(
    "a large collection is deleted with all its rows, a damaged one as well",
    arguments: [false, true]
  )
  func largeDeletion(isDamaged: Bool) async throws {
    // Long transactions of others would delay what other tests see.
    let instance = try PostgresInstance()
    let store = try TestStore(.postgreSQL, instance: instance)
    try await store.open { registry in
      let heights = (0 ..< 120_000).map { Double($0 % 50) }
      let contents = TestCodec.contents([heights])
      _ = try await registry.create(CollectionRecord(id: "a"), contents: contents)
      _ = try await registry.create(CollectionRecord(id: "b"), contents: TestCodec.contents([[1]]))
    }
    if isDamaged { try store.run("UPDATE chunk SET checksum = checksum + 1") }
    try await store.open { registry in
      if isDamaged {
        await #expect(throws: StoreError.self) { _ = try await registry.collection("a") }
      }
      try await registry.delete("a")
      let chunks = try store.run("SELECT count(*) FROM chunk")
      #expect(chunks == "1")
      #expect(registry.count == 1)
    }
  }

  @Test("an edit puts a description back that was lost")
  func lostDescription() async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      try store.run("DELETE FROM description")
      _ = try await collection.updateRecord { $0.displayName = "A" }
    }
    try await store.open { registry in
      let name = try registry.record("a").displayName
      #expect(name == "A")
    }
  }

  @Test("a server that was stopped for longer than deletions are kept lists all collections")
  func forgottenDeletions() async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { first in
      try await store.open { second in
        for id in ["ghost", "last", "other"] {
          _ = try await first.create(CollectionRecord(id: id), contents: .empty)
        }
        try await second.catchUp()
        let viewed = try await second.collection("ghost")
        // What an hour does: somebody deletes something, and older deletions are forgotten.
        try await first.delete("ghost")
        try store.run("UPDATE removed SET seconds = seconds - 3700")
        try await first.delete("last")
        let kept = try store.run("SELECT id FROM removed")
        #expect(kept == "last")
        let following = second.following
        let (cursor, resets) = following.start()
        var old = try #require(cursor)
        old.seconds -= 3700
        following.finish(old, ifStill: resets)
        try await second.catchUp()
        #expect(second.records(after: "", limit: 9).map(\.id) == ["other"])
        #expect(viewed.isDeleted)
        _ = try await second.create(CollectionRecord(id: "ghost"), contents: .empty)
      }
    }
  }

  @Test(
    "all collections are listed after a while and after a new connection, until that is taken over"
  )
  func completeListings() async throws {
    let store = try TestStore(.postgreSQL)
    let storage = try PostgreSQLStorage(store.configuration)
    defer { storage.close() }
    // Waits for the connection.
    _ = try await storage.collections()
    let first = try await storage.changes(since: nil)
    #expect(first.isComplete)
    let second = try await storage.changes(since: first.cursor)
    #expect(!second.isComplete)
    for seconds: Int64 in [1700, 1900, -1900, .max, .min] {
      var cursor = second.cursor
      cursor.seconds = cursor.seconds.subtractingReportingOverflow(seconds).partialValue
      let changes = try await storage.changes(since: cursor)
      #expect(changes.isComplete == (seconds != 1700), "\(seconds)")
    }
    storage.wake.reconnected()
    for _ in 0 ..< 2 {
      let changes = try await storage.changes(since: second.cursor)
      #expect(changes.isComplete)
    }
    let third = try await storage.changes(since: second.cursor)
    let fourth = try await storage.changes(since: third.cursor)
    #expect(!fourth.isComplete)
  }

  @Test(
    "what was restored from a database with higher numbers is not found as changed again and again"
  )
  func restoredNumbers() async throws {
    // While transactions of other tests are open, what came after their beginning is found again.
    let instance = try PostgresInstance()
    let store = try TestStore(.postgreSQL, instance: instance)
    try await store.open { registry in
      for id in ["a", "b"] {
        _ = try await registry.create(CollectionRecord(id: id), contents: TestCodec.contents([[1]]))
      }
      try await registry.delete("b")
    }
    for table in ["collection", "description", "removed"] {
      try store.run("UPDATE \(table) SET touched = touched + 1000000000")
    }
    let storage = try PostgreSQLStorage(store.configuration)
    defer { storage.close() }
    _ = try await storage.collections()
    let first = try await storage.changes(since: nil)
    #expect(first.changed.map(\.id) == ["a"])
    let second = try await storage.changes(since: first.cursor)
    #expect(second.changed.isEmpty && second.removed.isEmpty)
  }

  @Test("connections that are terminated again and again lose no batch, and repeat none")
  func terminations() async throws {
    let instance = try PostgresInstance()
    let store = try TestStore(.postgreSQL, instance: instance)
    try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[]])
      )
      var acknowledged: [Int: UInt64] = [:]
      for index in 0 ..< 200 {
        if index % 20 == 10 {
          try instance.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND usename = 'layout'
            """
          )
        }
        for _ in 0 ..< 10_000 where acknowledged[index] == nil {
          // A client tries again with the same identifier.
          let commit = try? await collection.commit(.append(index), id: "\(index)")
          acknowledged[index] = commit?.dataVersion
        }
      }
      #expect((0 ..< 200).map { acknowledged[$0] } == (1 ... 200).map { UInt64($0) })
      #expect(collection.heights.first?.count == 200)
    }
    try await store.open { registry in
      let collection = try await registry.collection("a")
      let requests = try collection.history(after: 0, limit: 300).map(\.requestID)
      #expect(requests == (0 ..< 200).map { "\($0)" })
    }
  }

  @Test(
    "while the database is away viewers read on and edits fail at once; all is current when it returns"
  )
  func absence() async throws {
    let instance = try PostgresInstance()
    let store = try TestStore(.postgreSQL, instance: instance)
    let clock = BusyClock()
    try await store.open { first in
      try await store.open { second in
        let one = try await first.create(
          CollectionRecord(id: "a"),
          contents: TestCodec.contents([[1]])
        )
        let two = try await second.collection("a")
        try await withThrowingTaskGroup(of: Void.self) { group in
          for server in [first, second] { group.addTask { await server.follow() } }
          defer { group.cancelAll() }
          try instance.stop()
          await health(first, isFaulty: true)
          await health(second, isFaulty: true)
          #expect(one.heights == [[1]])
          let start = clock.now
          do {
            try await one.commit(.append(1), id: "x")
            Issue.record("a batch was stored nowhere")
          } catch StoreError.storage(let fault as StorageFault) {
            #expect([.unreachable, .unclear].contains(fault.kind))
          }
          #expect(clock.elapsed(since: start) < .seconds(2))
          try instance.start()
          let back = clock.now
          await health(first, isFaulty: false)
          await health(second, isFaulty: false)
          #expect(clock.elapsed(since: back) < .seconds(2))
          // The database may still refuse some connections: a client tries again with the same
          // identifier.
          var isStored = false
          for _ in 0 ..< 10_000 where !isStored {
            isStored = (try? await one.commit(.append(1), id: "x")) != nil
          }
          #expect(isStored)
          await two.reach(1)
          #expect(two.heights == one.heights)
        }
      }
    }
  }

  /// Returns once the storage is in order, or is not.
  private func health(_ registry: CollectionRegistry, isFaulty: Bool) async {
    let changes = ChangeSignal()
    let observation = registry.health.observe { changes.send() }
    await changes.wait { (registry.health.fault != nil) == isFaulty }
    registry.health.remove(observation)
  }

  @Test("reads do not hide that writes fail, and end that after a while")
  func writeFaults() {
    let health = StorageHealth()
    let reported = Mutex(0)
    let faults = FaultReports(health) { _ in reported.withLock { $0 += 1 } }
    let start = ContinuousClock.now
    for kind in [StorageFault.Kind.diskFull, .readOnly] {
      faults.failed(StorageFault(kind, ""), at: start)
      faults.succeeded(isRead: true, at: start + .seconds(1))
      #expect(health.fault?.kind == kind)
      faults.failed(StorageFault(kind, ""), at: start + .seconds(5))
      faults.succeeded(isRead: true, at: start + .seconds(14))
      #expect(health.fault?.kind == kind)
      faults.succeeded(isRead: true, at: start + .seconds(15))
      #expect(health.fault == nil)
      faults.failed(StorageFault(kind, ""), at: start)
      faults.succeeded(at: start)
      #expect(health.fault == nil)
    }
    #expect(reported.withLock { $0 } == 4)
    faults.failed(StorageFault(.unreachable, ""), at: start)
    faults.succeeded(isRead: true, at: start)
    #expect(health.fault == nil)
  }

  @Test("the error of a statement that cannot be prepared is that statement's")
  func preparationErrors() async throws {
    let store = try TestStore(.postgreSQL)
    let setup = ConnectionSetups(store.configuration).plain()
    let connection = try PostgresConnection(setup, name: "preparing")
    defer { connection.close {} }
    let missing = (0 ..< 8).map { Statement("SELECT * FROM missing\($0)") }
    let present = Statement("SELECT 1")
    // The second time, the first statement is prepared.
    for _ in 0 ..< 2 {
      for index in missing.indices {
        let rest = missing[index...] + missing[..<index]
        let error = await #expect(throws: StatementError.self) {
          try await connection.perform(Exchange([present] + rest))
        }
        #expect(
          error?.message.contains("\"missing\(index)\"") == true,
          "\(String(describing: error))"
        )
      }
    }
    #expect(try await connection.perform(Exchange(present)).count == 1)
  }

  @Test(
    "a storage that cannot start a connection closes those that it has started",
    arguments: 0 ..< 8
  )
  func failedStart(failing: Int) async throws {
    let store = try TestStore(.postgreSQL)
    let started = Mutex<[PostgresConnection]>([])
    let fault = #expect(throws: StorageFault.self) {
      try PostgreSQLStorage(store.configuration) { setup, name in
        if started.withLock({ $0.count }) == failing { throw StorageFault(.unreachable, "no more") }
        let connection = try PostgresConnection(setup, name: name)
        started.withLock { $0.append(connection) }
        return connection
      }
    }
    #expect(fault?.kind == .unreachable)
    let connections = started.withLock { $0 }
    #expect(connections.count == failing)
    for connection in connections {
      let fault = await #expect(throws: StorageFault.self) {
        try await connection.perform(Exchange(Statement("SELECT 1")))
      }
      #expect(fault?.kind == .closed)
    }
  }

  @Test("what is passed on is told apart from what a server sent itself")
  func payloads() {
    let payload = ChangePayload(token: "abc", incarnations: [1, 35, .max])
    #expect(ChangePayload(payload.text) == payload)
    let many = ChangePayload(token: "abc", incarnations: Set(0 ..< 1000))
    #expect(many.text == "abc")
    #expect(ChangePayload("abc not-a-number 1!").incarnations.isEmpty)
    #expect(ChangePayload("").token == "")
    let wake = ChangeWake()
    #expect(wake.takeChanged() == nil)
    wake.take(payload.text, except: "abc")
    #expect(wake.takeChanged() == [])
    wake.take(payload.text, except: "other")
    #expect(wake.takeChanged() == [1, 35, .max])
    wake.take("x", except: nil)
    #expect(wake.takeChanged() == nil)
  }
}
