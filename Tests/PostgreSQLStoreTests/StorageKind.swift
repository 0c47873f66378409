// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import PostgreSQLStore
import StoreTesting
import TestSupport

/// The storages that pass the same tests. Those of PostgreSQL are left out where it is not
/// installed.
enum StorageKind: String, CaseIterable, Sendable {
  case memory, sqlite, postgreSQL
  /// Without LISTEN.
  case polledPostgreSQL

  static var available: [StorageKind] {
    allCases.filter { PostgresInstance.isInstalled || $0 == .memory || $0 == .sqlite }
  }

  /// Those that several servers may share.
  static var shared: [StorageKind] { available.filter { $0 != .sqlite } }
}

/// An empty store of some kind, which any number of servers open, or one after another.
final class TestStore: Sendable {
  let kind: StorageKind
  private let memory = MemoryStorage(keepsContents: true)
  private let folder: URL
  /// The schema of PostgreSQL.
  let schema = "test_\(UInt64.random(in: 0 ... .max))"
  private let instance: PostgresInstance?

  init(_ kind: StorageKind, instance: PostgresInstance? = nil) throws {
    self.kind = kind
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(schema)
    switch kind {
    case .memory: self.instance = nil
    case .sqlite:
      self.instance = nil
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    case .postgreSQL, .polledPostgreSQL:
      self.instance = try instance ?? PostgresInstance.shared()
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the store, and closes it after `body`.
  func open<Result>(
    limits: StoreLimits = .init(),
    codec: any ContentsCodec = TestCodec(),
    _ body: (CollectionRegistry) async throws -> Result
  ) async throws -> Result {
    let (storage, close) = try openStorage()
    defer { close() }
    let registry = CollectionRegistry(storage: storage, codec: codec, limits: limits)
    try await registry.load()
    return try await body(registry)
  }

  func openStorage() throws -> (any CollectionStorage, close: () -> Void) {
    switch kind {
    case .memory: return (memory, {})
    case .sqlite:
      let storage = try SQLiteStorage(path: folder.path + "/store.sqlite")
      return (
        storage,
        {
          storage.finishBackgroundWork()
          try? storage.close()
        }
      )
    case .postgreSQL, .polledPostgreSQL:
      let storage = try PostgreSQLStorage(configuration)
      return (storage, { storage.close() })
    }
  }

  var configuration: PostgreSQLConfiguration {
    PostgreSQLConfiguration(
      url: instance?.url ?? "",
      schema: schema,
      commitConnections: 2,
      recordConnections: 1,
      tailConnections: 1,
      loadConnections: 1,
      contentConnections: 1,
      listens: kind == .postgreSQL
    )
  }

  /// Runs statements in the schema of PostgreSQL.
  @discardableResult
  func run(_ sql: String) throws -> String {
    try instance?.run("SET search_path TO \(schema); \(sql)") ?? ""
  }
}

extension LiveCollection {
  var heights: [[Double]] { TestCodec.heights(of: snapshot.contents) }

  @discardableResult
  func commit(
    _ operation: TestOperation,
    id: String = "",
    expected: UInt64? = nil
  ) async throws -> Commit {
    var batch = operation.batch(requestID: id)
    batch.expectedDataVersion = expected
    return try await commit(batch) { TestCodec.payload(operation) }
  }

  /// Random batches, applied to the model as well.
  @discardableResult
  func commitRandom(
    _ count: Int,
    to model: inout [[Double]],
    using generator: inout SplitMix64
  ) async throws -> [TestOperation] {
    var operations: [TestOperation] = []
    for _ in 0 ..< count {
      let operation = TestOperation.random(for: model.map(\.count), using: &generator)
      try await commit(operation, id: "\(id)-\(dataVersion + 1)")
      operation.apply(to: &model)
      operations.append(operation)
    }
    return operations
  }

  /// Returns once the collection has reached a version.
  func reach(_ version: UInt64) async {
    let changes = ChangeSignal()
    let subscription = subscribe { _ in changes.send() }
    await changes.wait { dataVersion >= version || isDeleted }
    unsubscribe(subscription)
  }
}

extension TestOperation {
  static func append(_ seed: Int) -> TestOperation {
    TestOperation(.insertItems, count: 1, seed: seed)
  }
}
