// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import GRDB
import StoreTesting
import TestSupport

/// A file in a folder of its own, which goes when this does.
final class TemporaryStore: Sendable {
  let folder: String
  var path: String { folder + "/store.sqlite" }

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("store-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Opens the store, uses it, lets it finish what it does in the background, and closes it again.
  func open<Result>(
    limits: StoreLimits = .init(),
    pieceBytes: Int = 2 << 20,
    now: @escaping @Sendable () -> CollectionTime = { .now },
    _ body: (CollectionRegistry) async throws -> Result
  ) async throws -> Result {
    let storage = try SQLiteStorage(path: path, pieceBytes: pieceBytes)
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: limits,
      now: now
    )
    let result: Result
    do {
      try await registry.load()
      result = try await body(registry)
      storage.finishBackgroundWork()
    } catch {
      try? storage.close()
      throw error
    }
    try storage.close()
    return result
  }

  /// Opens the store at a moment.
  func open<Result>(
    limits: StoreLimits,
    at seconds: Int64,
    _ body: (CollectionRegistry) async throws -> Result
  ) async throws -> Result {
    try await open(limits: limits, now: { CollectionTime(seconds: seconds) }, body)
  }

  /// Opens the store, and reads the heights of the collection "a".
  func heights() async throws -> [[Double]] {
    try await open { try await $0.collection("a").heights }
  }

  /// Changes the closed file behind the store's back.
  func edit(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: sql, arguments: arguments) }
    try queue.close()
  }

  func number(_ sql: String) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: sql) ?? 0 }
  }

  func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func overwrite(with bytes: [UInt8]) throws {
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}

extension LiveCollection {
  var heights: [[Double]] { TestCodec.heights(of: snapshot.contents) }

  func commit(_ operation: TestOperation, id: String = "") async throws -> Commit {
    try await commit(operation.batch(requestID: id)) { TestCodec.payload(operation) }
  }

  /// Random batches, applied to the model as well.
  func commitRandom(
    _ count: Int,
    to model: inout [[Double]],
    using generator: inout SplitMix64
  ) async throws {
    for _ in 0 ..< count {
      let operation = TestOperation.random(for: model.map(\.count), using: &generator)
      _ = try await commit(operation, id: "\(id)-\(dataVersion + 1)")
      operation.apply(to: &model)
    }
  }
}

/// What an error says about stored data: nil = something else.
enum Finding: Equatable {
  case damage(String)
  case storage(StorageFault.Kind)

  init?(_ error: any Error) {
    switch error {
    case StoreError.corrupt(let id, _): self = .damage(id)
    case StoreError.storage(let fault as StorageFault): self = .storage(fault.kind)
    case let fault as StorageFault: self = .storage(fault.kind)
    default: return nil
    }
  }

  /// What happens when `body` runs; nil = nothing.
  static func of(_ body: () async throws -> Void) async -> Finding? {
    do {
      try await body()
      return nil
    } catch { return Finding(error) }
  }
}
