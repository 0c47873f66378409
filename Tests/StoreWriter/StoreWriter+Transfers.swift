// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting
import TestSupport

extension StoreWriter {
  /// Takes items from one collection to another, several at the same time, until it is killed:
  /// "try", the request identifier and the transfer before each, "done" and the identifier after
  /// it.
  static func transfer(in path: String, seed: UInt64) async throws {
    let registry = CollectionRegistry(
      storage: try SQLiteStorage(path: path, pieceBytes: 8 << 10),
      codec: TransferCodec(),
      limits: StoreLimits(historyCount: 30, snapshotBatchCount: 10)
    )
    try await registry.load()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0 ..< 4 as Range<UInt64> {
        group.addTask {
          var generator = SplitMix64(seed: seed &* 4 &+ task)
          var number = 0
          while true {
            number += 1
            var counts: [Int] = []
            for index in 0 ..< 3 {
              let collection = try await registry.collection("c\(index)")
              counts.append(collection.snapshot.contents.itemCount)
            }
            let transfer = TestTransfer.random(for: counts, using: &generator)
            let id = "\(seed)-\(task)-\(number)"
            say("try", id, UInt64(number), transfer.words)
            let done = try await transfer.make(in: registry, requestID: id)
            say(done == nil ? "passed" : "done", id, UInt64(number), [])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
