// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Testing

@testable import CollectionStore

@Suite("Log retention", .timeLimit(.minutes(1)))
struct LogRetentionTests {
  /// A log of which only the versions and sizes are known.
  private struct SizedLog: StoredContents {
    var snapshotVersion: UInt64
    /// Bytes of the batches that lead to version 1, 2 and so on.
    var sizes: [Int]

    var record: CollectionRecord { CollectionRecord(id: "a") }
    var isDivided: Bool { false }

    func contents(_ codec: any ContentsCodec) throws -> CollectionContents { .empty }
    func forEachBatch(_ body: (StoredBatch) throws -> Void) throws {}
    func forEachRequest(_ body: (StoredRequest) throws -> Void) throws {}

    func forEachSizeBackwards(_ body: (_ version: UInt64, _ bytes: Int) -> Bool) throws {
      for index in sizes.indices.reversed() where !body(UInt64(index) + 1, sizes[index]) { return }
    }
  }

  @Test(
    "keeps what follows the snapshot, and as many batches before it as there is room for",
    arguments: [
      (snapshot: 4, count: 2, bytes: 1000, first: 3),
      (snapshot: 4, count: 9, bytes: 25, first: 3),
      (snapshot: 4, count: 0, bytes: 0, first: 5),
      (snapshot: 2, count: 1, bytes: 0, first: 3),
      (snapshot: 2, count: 9, bytes: 1000, first: 1),
    ] as [(snapshot: UInt64, count: Int, bytes: Int, first: UInt64)]
  )
  func limits(snapshot: UInt64, count: Int, bytes: Int, first: UInt64) throws {
    let log = SizedLog(snapshotVersion: snapshot, sizes: [10, 10, 10, 10])
    #expect(try log.firstVersion(kept: retention(count: count, bytes: bytes)) == first)
  }

  @Test("sizes that add up to more than an integer holds are too large, not small")
  func overflow() throws {
    let log = SizedLog(snapshotVersion: 2, sizes: [1, .max, .max])
    #expect(try log.firstVersion(kept: retention(count: 9, bytes: 100)) == 3)
  }

  private func retention(count: Int, bytes: Int) -> LogRetention {
    LogRetention(
      batchCount: count,
      batchBytes: bytes,
      requestCount: 0,
      requestsSince: CollectionTime(seconds: 0)
    )
  }
}
