// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import PostgreSQLStore
import StoreTesting
import Synchronization

/// Commits to collections in PostgreSQL as fast as it can, and prints how fast: what a server does
/// without its network. `Scripts/measure-cluster` runs it.
///
///     store-load URL COLLECTIONS WRITERS SECONDS
@main
struct StoreLoad {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let count = Int(arguments[2]), let writers = Int(arguments[3]),
      let seconds = Double(arguments[4]), count > 0, writers > 0
    else {
      FileHandle.standardError.write(Data("store-load URL COLLECTIONS WRITERS SECONDS\n".utf8))
      exit(64)
    }
    let storage = try PostgreSQLStorage(.init(url: arguments[1]))
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    var collections: [LiveCollection] = []
    for _ in 0 ..< count {
      let id = "load-\(UInt64.random(in: 0 ... .max))"
      collections.append(
        try await registry.create(CollectionRecord(id: id), contents: TestCodec.contents([[1]]))
      )
    }
    let latencies = try await load(collections, writers: writers, seconds: seconds).sorted()
    func milliseconds(_ share: Double) -> String {
      let index = min(latencies.count - 1, Int(Double(latencies.count) * share))
      return index < 0 ? "-" : String(format: "%.2f", latencies[index] * 1000)
    }
    print(
      String(format: "%.0f", Double(latencies.count) / seconds),
      milliseconds(0.5),
      milliseconds(0.99)
    )
    storage.close()
  }

  /// Each writer commits to one collection, of which several may have the same.
  ///
  /// - Returns: how long each commit took, in seconds.
  private static func load(
    _ collections: [LiveCollection],
    writers: Int,
    seconds: Double
  ) async throws -> [Double] {
    // About as large as the batches of which measurements are compared: 512 bytes.
    let padding = String(repeating: "x", count: 440)
    let end = ContinuousClock.now + .seconds(seconds)
    return try await withThrowingTaskGroup(of: [Double].self) { group in
      for writer in 0 ..< writers {
        let collection = collections[writer % collections.count]
        group.addTask {
          var latencies: [Double] = []
          while ContinuousClock.now < end {
            let start = ContinuousClock.now
            let operation = TestOperation(.replace, count: 1, seed: latencies.count)
            let id = "\(writer)-\(latencies.count)-"
            _ = try await collection.commit(operation.batch(requestID: id)) {
              TestCodec.payload(operation) + Array(padding.utf8)
            }
            let (whole, rest) = start.duration(to: .now).components
            latencies.append(Double(whole) + Double(rest) / 1e18)
          }
          return latencies
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }
}
