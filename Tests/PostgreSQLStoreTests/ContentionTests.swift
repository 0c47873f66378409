// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Dispatch
import StoreTesting
import Testing

@testable import CollectionStore
@testable import PostgreSQLStore

/// What waits for a lock or for a connection, and who does not.
@Suite(
  "Contention in PostgreSQL",
  .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed"),
  .timeLimit(.minutes(2))
)
struct ContentionTests {
  /// A transaction that keeps snapshots until it is told to end, as one does that writes large
  /// contents.
  private final class Keeper: Sendable {
    private let connection: PostgresConnection
    private let end = DispatchSemaphore(value: 0)

    init(_ collections: [LiveCollection], _ configuration: PostgreSQLConfiguration) async throws {
      let setup = ConnectionSetups(configuration).plain()
      connection = try PostgresConnection(setup, name: "keeper")
      let incarnations = collections.map(\.incarnation.stored)
      let (kept, keep) = AsyncThrowingStream<Void, any Error>.makeStream()
      connection.startSession { (result: Result<Void, any Error>) in
        keep.finish(throwing: (try? result.get()) == nil ? CancellationError() : nil)
      } body: { [end] session in
        try session.inTransaction {
          for incarnation in incarnations {
            try session.run(
              "SELECT collection FROM snapshot WHERE collection = $1 FOR UPDATE",
              [.integer(incarnation)]
            )
          }
          keep.yield()
          end.wait()
        }
      }
      for try await _ in kept { break }
    }

    func release() {
      end.signal()
      connection.close {}
    }
  }

  @Test("who needs contents that another transaction keeps waits by himself, and delays nobody")
  func keptContents() async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { first in
      try await store.open { second in
        func create(_ id: String) async throws -> LiveCollection {
          try await first.create(CollectionRecord(id: id), contents: TestCodec.contents([[1]]))
        }
        let (a, b, c) = try await (create("a"), create("b"), create("c"))
        let twin = try await second.collection("a")
        let keeper = try await Keeper([a, b], store.configuration)
        let deletion = Task.immediate { try await first.delete("a") }
        let replacement = Task.immediate {
          try await b.replaceContents(
            with: TestCodec.contents([[7]]),
            expectedDataVersion: nil
          ) { _ in [1] }
        }
        // There is one connection for records and one for contents, so these come after.
        _ = try await c.updateRecord { $0.displayName = "new" }
        _ = try await create("d")
        try await twin.commit(.append(1), id: "x")
        try await c.commit(.append(1), id: "y")
        _ = try await first.create(CollectionRecord(id: "e"), contents: .empty)
        try await first.delete("d")
        #expect(twin.dataVersion == 1 && c.dataVersion == 1)
        #expect(first.health.fault == nil && second.health.fault == nil)
        keeper.release()
        _ = try await deletion.value
        _ = try await replacement.value
        #expect(b.heights == [[7]])
        await #expect(throws: StoreError.self) { try await twin.commit(.append(1), id: "z") }
      }
    }
  }

  /// A collection in the log of which are batches of so many bytes each.
  private func log(of bytes: [Int], _ storage: PostgreSQLStorage) async throws -> CollectionRecord {
    var record = state(at: 0, of: bytes)
    try await storage.create(record, snapshot: nil)
    for (index, count) in bytes.enumerated() {
      let old = record
      record.dataVersion += 1
      record.revision += 1
      let batch = batch(index, of: count)
      record.lineage = old.lineage(after: batch)
      try await storage.append([LogEntry(batch, record: record, after: old)])
    }
    return record
  }

  private func batch(_ index: Int, of count: Int) -> StoredBatch {
    StoredBatch(
      version: UInt64(index + 1),
      requestID: "r\(index)",
      payload: Array(repeating: UInt8(truncatingIfNeeded: index), count: count),
      time: CollectionTime(seconds: 1)
    )
  }

  /// The record of that collection at a version.
  private func state(at version: Int, of bytes: [Int]) -> CollectionRecord {
    let time = CollectionTime(seconds: 1)
    var record = CollectionRecord(id: "a", incarnation: 7, createTime: time)
    for index in 0 ..< version {
      record.lineage = record.lineage(after: batch(index, of: bytes[index]))
      record.dataVersion += 1
      record.revision += 1
    }
    return record
  }

  @Test(
    "the log is read in portions, and the snapshot in place of a long one",
    arguments: [
      [100_000, 2_000_000, 1, 0, 900_000, 900_000, 900_000, 3_000_000, 5],
      Array(repeating: 3, count: 1024),
      Array(repeating: 4_000_000, count: 5), Array(repeating: 3, count: 1025), [],
    ]
  )
  func tails(bytes: [Int]) async throws {
    let storage = try PostgreSQLStorage(TestStore(.postgreSQL).configuration)
    defer { storage.close() }
    let record = try await log(of: bytes, storage)
    // Who loads the collection reads all of it.
    let loaded = try await storage.read("a", byteCount: 0) { stored in
      var batches: [StoredBatch] = []
      try stored.forEachBatch { batches.append($0) }
      return batches
    }
    #expect(loaded.map(\.payload.count) == bytes)
    #expect(loaded.map(\.version) == bytes.indices.map { UInt64($0 + 1) })
    for version in Set([0, 1, 5, bytes.count]) where version <= bytes.count {
      let tail = try await storage.tail(after: state(at: version, of: bytes), isDescribed: false)
      let rest = bytes[version...]
      switch tail {
      case .batches(let update):
        #expect(rest.count <= 1024 && rest.reduce(0, +) <= 16 << 20)
        #expect(update.batches.map(\.payload.count) == Array(rest))
        #expect(update.batches.map(\.version) == (version ..< bytes.count).map { UInt64($0 + 1) })
        #expect(update.record.dataVersion == record.dataVersion)
      case .trimmed: #expect(rest.count > 1024 || rest.reduce(0, +) > 16 << 20)
      case .gone, .rewound: Issue.record("the collection is there")
      }
    }
  }

  @Test("while a transaction stays open, descriptions that are known are not read again and again")
  func openTransaction() async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { registry in
      let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      let storage = try PostgreSQLStorage(store.configuration)
      defer { storage.close() }
      _ = try await storage.collections()
      let keeper = try await Keeper([collection], store.configuration)
      defer { keeper.release() }
      func descriptions(after cursor: ChangeCursor?) async throws -> ([Bool], ChangeCursor) {
        let changes = try await storage.changes(since: cursor)
        return (changes.changed.map(\.hasDescription), changes.cursor)
      }
      let (_, begin) = try await descriptions(after: nil)
      _ = try await collection.updateRecord { $0.displayName = "one" }
      let (first, cursor) = try await descriptions(after: begin)
      #expect(first == [true])
      let (second, next) = try await descriptions(after: cursor)
      #expect(second == [false])
      _ = try await collection.updateRecord { $0.displayName = "two" }
      let (third, last) = try await descriptions(after: next)
      #expect(third == [true])
      let (fourth, _) = try await descriptions(after: last)
      #expect(fourth == [false])
      // Somebody who did not take over the last answer.
      let (fifth, _) = try await descriptions(after: begin)
      #expect(fifth == [true])
    }
  }

  @Test("large contents that are being written delay no loading, and no small contents")
  func connections() async throws {
    let store = try TestStore(.postgreSQL)
    try await store.open { registry in
      _ = try await registry.create(CollectionRecord(id: "a"), contents: TestCodec.contents([[1]]))
    }
    var configuration = store.configuration
    configuration.contentConnections = 3
    let storage = try PostgreSQLStorage(configuration)
    defer { storage.close() }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    let end = DispatchSemaphore(value: 0)
    // More than there are connections.
    for _ in 0 ..< 5 {
      storage.contentConnection(for: .max).startSession { (_: Result<Void, any Error>) in
      } body: { _ in
        end.wait()
      }
    }
    defer { for _ in 0 ..< 5 { end.signal() } }
    let loaded = try await registry.collection("a")
    #expect(loaded.heights == [[1]])
    for index in 0 ..< 5 {
      let record = CollectionRecord(id: "b\(index)")
      _ = try await registry.create(record, contents: TestCodec.contents([[2]]))
    }
    try await loaded.commit(.append(1), id: "x")
    #expect(loaded.dataVersion == 1)
  }
}
