// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
import TestSupport
#endif

/// Commits random batches until it is killed, and says so on its standard output: "try", the
/// collection, the version and the operation before each, "done" after it. For the tests, which
/// kill it.
///
/// usage: store-writer FILE SEED COLLECTIONS BATCHES-BETWEEN-SNAPSHOTS [FULL|NORMAL [BATCHES]]
///        store-writer FILE SEED transfers
///
/// With a number of batches it ends after so many of each collection. With "transfers" it takes
/// items from collection to collection instead (`StoreWriter+Transfers`).
@main
struct StoreWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[3] == "transfers", let seed = UInt64(arguments[2]) {
      return try await transfer(in: arguments[1], seed: seed)
    }
    guard arguments.count >= 5, let seed = UInt64(arguments[2]),
      let count = Int(arguments[3]), let interval = Int(arguments[4])
    else { return }
    let mode = arguments.count > 5 ? arguments[5] : "FULL"
    let batches = arguments.count > 6 ? Int(arguments[6]) : nil
    let storage = try SQLiteStorage(
      path: arguments[1],
      synchronization: SQLiteStorage.Synchronization(rawValue: mode) ?? .full,
      pieceBytes: 8 << 10
    )
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(historyCount: 30, snapshotBatchCount: interval)
    )
    try await registry.load()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0 ..< count {
        group.addTask {
          try await run(
            "c\(index)",
            in: registry,
            seed: seed &+ UInt64(index),
            batches: batches
          )
        }
      }
      try await group.waitForAll()
    }
    try storage.close()
  }

  private static func run(
    _ id: String,
    in registry: CollectionRegistry,
    seed: UInt64,
    batches: Int?
  ) async throws {
    var generator = SplitMix64(seed: seed)
    let collection: LiveCollection
    do {
      collection = try await registry.collection(id)
    } catch {
      say("try", id, 0, [])
      collection = try await registry.create(CollectionRecord(id: id), contents: .empty)
      say("done", id, 0, [])
    }
    var left = batches ?? .max
    while left > 0 {
      left -= 1
      let snapshot = collection.snapshot
      let version = snapshot.record.dataVersion + 1
      if batches == nil, Int.random(in: 0 ..< 40, using: &generator) == 0 {
        // Now and then more than one piece.
        let items = Bool.random(using: &generator) ? 100 : 20_000
        let operation = TestOperation(.replace, count: items, seed: Int(version % 1000))
        say("try", id, version, operation.words)
        _ = try await collection.replaceContents(
          with: operation.contents,
          expectedDataVersion: nil
        ) { _ in nil }
      } else {
        var counts: [Int] = []
        snapshot.contents.forEachSection(in: 0 ..< snapshot.contents.sectionCount) {
          counts.append($1.items.count)
          return true
        }
        let operation = TestOperation.random(for: counts, using: &generator)
        say("try", id, version, operation.words)
        _ = try await collection.commit(operation.batch(requestID: "\(id)-\(version)")) {
          TestCodec.payload(operation)
        }
      }
      say("done", id, version, [])
    }
  }

  /// One write, so that lines of several tasks never mix.
  static func say(_ word: String, _ id: String, _ version: UInt64, _ words: [Int]) {
    let line = ([word, id, "\(version)"] + words.map(String.init)).joined(separator: " ") + "\n"
    _ = Array(line.utf8).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
