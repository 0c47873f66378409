// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import StoreTesting
import Testing

@testable import PostgreSQLStore

@Suite(
  "Reviews of databases before a server uses them",
  .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed"),
  .timeLimit(.minutes(2))
)
struct DatabaseReviewTests {
  private func configuration(_ instance: PostgresInstance) -> PostgreSQLConfiguration {
    PostgreSQLConfiguration(url: instance.url, schema: "reviewed")
  }

  @Test("tables are missing, then found, then damaged, and the review writes nothing")
  func tables() throws {
    let instance = try PostgresInstance()
    let configuration = configuration(instance)
    let first = try DatabaseReview(configuration)
    #expect(first.tables == .missing)
    #expect(first.missingRights.isEmpty)
    #expect(!first.isExposed)
    #expect(first.version.first?.isNumber == true)
    let schemas = try instance.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'reviewed'")
    #expect(schemas == "0")
    try PostgreSQLStorage(configuration).close()
    #expect(try DatabaseReview(configuration).tables == .found(isOlder: false))
    try instance.run("UPDATE reviewed.property SET value = '99' WHERE name = 'schema'")
    let fault = #expect(throws: StorageFault.self) { try DatabaseReview(configuration) }
    #expect(fault?.kind == .damaged)
  }

  @Test("rights that a server needs are named, and with them it starts")
  func rights() throws {
    let instance = try PostgresInstance()
    try instance.run("CREATE ROLE plain LOGIN")
    let configuration = PostgreSQLConfiguration(
      url: "postgresql://plain@/postgres?host=\(instance.folder)",
      schema: "reviewed"
    )
    func missing() throws -> [String] { try DatabaseReview(configuration).missingRights }
    #expect(try missing() == ["create the schema reviewed"])
    #expect(throws: StorageFault.self) { try PostgreSQLStorage(configuration).close() }
    try instance.run("CREATE SCHEMA reviewed")
    #expect(try missing() == ["USAGE in the schema reviewed", "CREATE in the schema reviewed"])
    #expect(throws: StorageFault.self) { try PostgreSQLStorage(configuration).close() }
    try instance.run("GRANT USAGE, CREATE ON SCHEMA reviewed TO plain")
    try instance.run("CREATE TABLE reviewed.property (name text)")
    #expect(try missing() == ["own property"])
    #expect(throws: StorageFault.self) { try PostgreSQLStorage(configuration).close() }
    try instance.run("DROP TABLE reviewed.property")
    #expect(try missing() == [])
    try PostgreSQLStorage(configuration).close()
    #expect(try missing() == [])
    #expect(try DatabaseReview(configuration).tables == .found(isOlder: false))
  }

  @Test("too few connections and settings that lose commits are counted")
  func settings() throws {
    let careless = try PostgresInstance(
      options: "-c superuser_reserved_connections=590 -c synchronous_commit=off -c fsync=off "
        + "-c full_page_writes=off"
    )
    let review = try DatabaseReview(configuration(careless))
    #expect(review.carelessSettings == ["synchronous_commit", "fsync", "full_page_writes"])
    let limit = try Int(careless.run("SELECT current_setting('max_connections')")) ?? 0
    #expect(review.freeConnections == limit - 590)
    #expect(review.neededConnections == 13)
  }

  @Test("as many connections as a review says are opened")
  func connections() throws {
    let instance = try PostgresInstance()
    let configuration = configuration(instance)
    let before = try DatabaseReview(configuration)
    let storage = try PostgreSQLStorage(configuration)
    defer { storage.close() }
    let count = "SELECT sum(numbackends) FROM pg_stat_database WHERE datname = 'postgres'"
    // The one that asks.
    let opened = { try (Int(instance.run(count)) ?? 0) - 1 }
    var found = 0
    for _ in 0 ..< 100 where found != before.neededConnections { found = try opened() }
    #expect(found == before.neededConnections)
    let free = try DatabaseReview(configuration).freeConnections
    #expect(free == before.freeConnections - before.neededConnections)
  }

  @Test("a database that cannot be reached, and a string that names none, say what to do")
  func unreachable() {
    let nowhere = PostgreSQLConfiguration(url: "postgresql://a@127.0.0.1:1/b")
    let fault = #expect(throws: StorageFault.self) { try DatabaseReview(nowhere) }
    #expect(fault?.description.contains("check that it runs") == true)
    let strange = PostgreSQLConfiguration(url: "postgresql://a@h/b?nonsense=1")
    #expect(throws: StorageFault.self) { try DatabaseReview(strange) }
  }
}
