// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import StoreTesting
import Synchronization
import TestSupport

/// Damages the files of a store as an input says, and uses the store.
///
/// Whatever the input, the store either cannot be opened, or each collection is at a version that
/// was committed with the contents of that version, or what is wrong is reported. Nothing traps.
///
///     let target = try await StoreFuzzTarget()
///     let outcome = try await target.run(bytes)
public struct StoreFuzzTarget: Sendable {
  /// What came of one input.
  public struct Outcome: Hashable, Sendable {
    /// The file could not be opened as a store.
    public var isRefused = false
    /// Collections that were read, with the contents of their version.
    public var intactCount = 0
    /// Collections that could not be read.
    public var damagedCount = 0
    /// Faults that the storage reported.
    public var reportCount = 0
  }

  private static let ids = ["a", "b"]

  private let main: [UInt8]
  private let log: [UInt8]
  /// The heights of each collection at each version.
  private let models: [String: [[[Double]]]]

  /// Writes a store with two collections, each with a snapshot, a log, trimmed requests and newer
  /// batches in the write-ahead log.
  public init() async throws {
    let folder = try FuzzFolder()
    var models: [String: [[[Double]]]] = [:]
    var generator = SplitMix64(seed: 1)
    let limits = StoreLimits(historyCount: 5, snapshotBatchCount: 10)
    for round in 0 ..< 2 {
      let storage = try SQLiteStorage(path: folder.path)
      let registry = CollectionRegistry(storage: storage, codec: TestCodec(), limits: limits)
      try await registry.load()
      for id in Self.ids {
        if round == 0 {
          _ = try await registry.create(CollectionRecord(id: id), contents: .empty)
          models[id] = [[]]
        }
        let collection = try await registry.collection(id)
        for _ in 0 ..< (round == 0 ? 25 : 4) {
          var model = models[id]?.last ?? []
          let operation = TestOperation.random(for: model.map(\.count), using: &generator)
          operation.apply(to: &model)
          let request = "\(id)-\(collection.dataVersion)"
          _ = try await collection.commit(operation.batch(requestID: request)) {
            TestCodec.payload(operation)
          }
          models[id]?.append(model)
        }
      }
      storage.finishBackgroundWork()
      if round == 1 {
        main = try folder.bytes()
        log = try folder.bytes("-wal")
        self.models = models
        try storage.close()
        return
      }
      try storage.close()
    }
    throw StoreFuzzFailure("no store was written")
  }

  /// - Throws: `StoreFuzzFailure` where the store did what it must not.
  public func run(_ input: [UInt8]) async throws -> Outcome {
    let folder = try FuzzFolder()
    var mutation = StoreMutation(input)
    var (main, log) = (main, log)
    mutation.damage(&main, &log)
    try folder.write(main)
    try folder.write(log, "-wal")
    let isForged = mutation.forgeRows(of: folder.path)
    var outcome = Outcome()
    let reports = ReportBox()
    outcome.isRefused = try await !open(folder, reports) { registry in
      try await check(registry, reports, isForged: isForged, &outcome)
      await use(registry)
    }
    outcome.reportCount = reports.faults.count
    if outcome.isRefused { return outcome }
    // Once more, to find what was written on top of damage.
    _ = try await open(folder, reports) { registry in
      for id in Self.ids {
        do throws(StoreError) { _ = try await registry.collection(id) } catch {
          try expect(error, of: id)
        }
      }
    }
    return outcome
  }

  /// - Returns: whether it is a store.
  private func open(
    _ folder: FuzzFolder,
    _ reports: ReportBox,
    _ body: (CollectionRegistry) async throws -> Void
  ) async throws -> Bool {
    let storage: SQLiteStorage
    do {
      storage = try SQLiteStorage(path: folder.path) { reports.add($0) }
    } catch is StorageFault { return false }
    defer { try? storage.close() }
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(historyCount: 5, snapshotBatchCount: 3)
    )
    do throws(StoreError) { try await registry.load() } catch { return false }
    try await body(registry)
    storage.finishBackgroundWork()
    return true
  }

  private func check(
    _ registry: CollectionRegistry,
    _ reports: ReportBox,
    isForged: Bool,
    _ outcome: inout Outcome
  ) async throws {
    for id in Self.ids {
      let collection: LiveCollection
      do throws(StoreError) { collection = try await registry.collection(id) } catch {
        outcome.damagedCount += 1
        if case .notFound = error, !isForged, reports.faults.isEmpty {
          throw StoreFuzzFailure("\(id) is gone without a report")
        }
        try expect(error, of: id)
        continue
      }
      outcome.intactCount += 1
      if isForged { continue }
      let version = collection.dataVersion
      guard let models = models[id], version < UInt64(models.count),
        TestCodec.heights(of: collection.snapshot.contents) == models[Int(version)]
      else { throw StoreFuzzFailure("\(id) has other contents than its version \(version) had") }
    }
  }

  /// Errors that damage may lead to.
  private func expect(_ error: StoreError, of id: String) throws {
    switch error {
    case .corrupt(id: id, _), .storage(is StorageFault), .notFound: return
    default: throw StoreFuzzFailure("\(id): \(error)")
    }
  }

  /// Does what writes, so that it meets the damage too.
  private func use(_ registry: CollectionRegistry) async {
    for id in Self.ids {
      guard let collection = try? await registry.collection(id) else { continue }
      for seed in 0 ..< 4 {
        let operation = TestOperation(.insertSection, count: 3, seed: seed)
        _ = try? await collection.commit(operation.batch(requestID: "\(id)-new-\(seed)")) {
          TestCodec.payload(operation)
        }
      }
      let contents = TestOperation(.replace, count: 10, seed: 1).contents
      _ = try? await collection.replaceContents(with: contents, expectedDataVersion: nil) { _ in nil
      }
    }
    _ = try? await registry.create(CollectionRecord(id: "new"), contents: .empty)
    _ = try? await registry.delete("a")
  }
}

/// What a store did that it must not do.
public struct StoreFuzzFailure: Error, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}

private final class ReportBox: Sendable {
  private let found = Mutex<[StorageFault]>([])
  var faults: [StorageFault] { found.withLock { $0 } }
  func add(_ fault: StorageFault) { found.withLock { $0.append(fault) } }
}

/// A folder of its own for the files of a store, which goes when this does.
final class FuzzFolder: Sendable {
  private let url: URL
  var path: String { url.appendingPathComponent("store.sqlite").path }

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("store-fuzz-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func bytes(_ suffix: String = "") throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + suffix)))
  }

  func write(_ bytes: [UInt8], _ suffix: String = "") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
  }
}
